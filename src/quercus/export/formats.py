"""The formats of export: one row for each, and the function that writes a model in one of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from inspect import signature
from typing import Any

from quercus.errors import DependencyError, ExportError, ParameterError, choice_message, shown_list
from quercus.export.program import Program, program_of
from quercus.files.atomic import write_whole


@dataclass(frozen=True)
class Format:
    """A format: its name, the ending of its files, what it is, and the file and function that write it."""

    name: str
    suffix: str
    title: str
    module: str
    function: str

    def load(self) -> Callable[..., str | bytes]:
        """The function that writes a model."""
        function: Callable[..., str | bytes] = getattr(import_module(f"quercus.export.{self.module}"), self.function)
        return function

    def write(self, program: Program, options: dict[str, Any]) -> str | bytes:
        """The model in this format; options that the format does not have are refused."""
        function = self.load()
        known = [name for name in signature(function).parameters if name != "model"]
        unknown = [name for name in options if name not in known]
        if unknown:
            allowed = f"it takes {shown_list(known)}" if known else "it takes none"
            raise ParameterError(f"The export to {self.name} has no option {shown_list(unknown)}; {allowed}.")
        _check_names(program)
        return function(program, **options)

    def refusal(self, program: Program) -> str:
        """Why the format cannot express a model; empty: it can."""
        try:
            self.write(program, {})
        except (ExportError, DependencyError) as error:
            return str(error)
        return ""


#: The formats by name.
FORMATS: dict[str, Format] = {
    one.name: one
    for one in (
        Format("onnx", ".onnx", "a graph for onnxruntime", "onnx", "to_onnx"),
        Format("pmml", ".pmml", "a document for PMML engines", "pmml", "to_pmml"),
        Format("treelite", ".treelite", "a model for treelite and its servers", "treelite", "to_treelite"),
        Format("sql", ".sql", "a query or view for a database", "sql", "to_sql"),
        Format("python", ".py", "a module of the standard library", "python", "to_python"),
        Format("javascript", ".mjs", "a module for Node.js and browsers", "javascript", "to_javascript"),
        Format("c", ".c", "a file of C99 without dependencies", "c", "to_c"),
        Format("dot", ".dot", "a picture for Graphviz", "dot", "to_dot"),
        Format("tikz", ".tex", "a picture for LaTeX", "tikz", "to_tikz"),
        Format("excel", ".xlsx", "a sheet for small trees", "excel", "to_excel"),
    )
}


def _check_names(program: Program) -> None:
    """Refuse names and values that no file can hold: half of a character that Unicode writes in two parts."""
    texts = [attribute.name for attribute in (program.schema[place] for place in program.inputs)]
    texts += [one for place in program.inputs for one in program.schema[place].values if isinstance(one, str)]
    texts += [one for one in program.classes if isinstance(one, str)]
    for text in texts:
        if not text.isascii() and any("\ud800" <= one <= "\udfff" for one in text):
            raise ExportError(
                f"The name or value {text!r} holds half a character (a lone surrogate), which no file can. Rename it "
                "before fitting."
            )


def export(model: Any, format: str, path: str | os.PathLike[str] | None = None, **options: Any) -> str | bytes:
    """A model in another format, which answers as the model does.

    model: a fitted estimator, a model, a tree, a forest or a rule list. format: one of ``FORMATS``. path: a file to
    write it to as well; it is written whole or not at all. options: those of the format, such as ``dialect`` of SQL.
    Returns the text, or the bytes.

    >>> from quercus import ID3Classifier
    >>> from quercus.datasets import load_play_tennis
    >>> X, y = load_play_tennis()
    >>> names = {}
    >>> exec(export(ID3Classifier().fit(X, y), "python"), names)
    >>> names["predict"]({"Outlook": "Rain", "Temperature": "Mild", "Humidity": "High", "Wind": "Strong"})
    'No'
    """
    if format not in FORMATS:
        raise ParameterError(choice_message("format", format, list(FORMATS)))
    content = FORMATS[format].write(program_of(model, scores=True), options)
    if path is not None:
        write_whole(path, content)
    return content
