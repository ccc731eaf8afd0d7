"""Files: any table file becomes named columns with what the file says of them; results are written whole."""

from quercus.files.atomic import write_whole

__all__ = ["write_whole"]
