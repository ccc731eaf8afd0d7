"""Files: any table file becomes named columns, with what the file declares about them; results are written whole."""

from quercus.files.atomic import write_whole
from quercus.files.read import FORMATS, read_file
from quercus.files.table_file import TableFile

__all__ = ["FORMATS", "TableFile", "read_file", "write_whole"]
