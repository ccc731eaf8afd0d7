"""Exports: fitted models as programs for other environments; they give the same answers as the model."""

from quercus.export.c import to_c
from quercus.export.dialect import DIALECTS
from quercus.export.dot import to_dot
from quercus.export.excel import to_excel
from quercus.export.formats import FORMATS, Format, export
from quercus.export.javascript import to_javascript
from quercus.export.onnx import to_onnx
from quercus.export.pmml import to_pmml
from quercus.export.program import Program, program_of
from quercus.export.python import to_python
from quercus.export.scikit_learn import to_sklearn
from quercus.export.skl2onnx import register_skl2onnx
from quercus.export.sql import to_sql
from quercus.export.tikz import to_tikz
from quercus.export.treelite import to_treelite, treelite_model, treelite_rows
from quercus.export.vectors import Vectors, read_vectors, vectors_of
from quercus.export.verify import ENGINES, Verification, verify

__all__ = [
    "DIALECTS",
    "ENGINES",
    "FORMATS",
    "Format",
    "Program",
    "Vectors",
    "Verification",
    "export",
    "program_of",
    "read_vectors",
    "register_skl2onnx",
    "to_c",
    "to_dot",
    "to_excel",
    "to_javascript",
    "to_onnx",
    "to_pmml",
    "to_python",
    "to_sklearn",
    "to_sql",
    "to_tikz",
    "to_treelite",
    "treelite_model",
    "treelite_rows",
    "vectors_of",
    "verify",
]
