"""The importers: one row for each library or format whose files are read, for the command line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from inspect import signature
from typing import Any

from quercus.errors import ParameterError, choice_message
from quercus.fitted.model import Model


@dataclass(frozen=True)
class Importer:
    """An importer: its name, what its files are, and its function in ``quercus.imports``.

    refusal: why there are no files to read, and what to do instead; empty: there are.
    """

    name: str
    title: str
    function: str
    refusal: str = ""

    def load(self) -> Callable[..., Model]:
        """The function that imports."""
        function: Callable[..., Model] = getattr(import_module("quercus.imports"), self.function)
        return function

    def read(self, path: str, **options: Any) -> Model:
        """The model of a file. options: arguments of the function; unknown ones are refused."""
        if self.refusal:
            raise ParameterError(self.refusal)
        function = self.load()
        unknown = [name for name in options if name not in signature(function).parameters]
        if unknown:
            raise ParameterError(f"The import from {self.name} takes no {' and no '.join(unknown)}.")
        return function(path, **options)


#: The importers by name.
IMPORTERS: dict[str, Importer] = {
    one.name: one
    for one in (
        Importer("lightgbm", "the text of save_model, or dump_model as JSON", "from_lightgbm"),
        Importer("pmml", "trees, rule sets and collections of them", "from_pmml"),
        Importer("j48", "the tree that Weka's J48 prints", "from_j48"),
        Importer("rpart", "the tree that R's print shows of rpart", "from_rpart"),
        Importer("xgboost", "JSON of save_model; UBJ if the library is installed", "from_xgboost"),
        Importer(
            "sklearn",
            "none: a fitted estimator, in Python",
            "from_sklearn",
            "scikit-learn keeps models as pickles, and to read a pickle runs whatever code is in it. If you trust "
            "yours, import it in Python: "
            "quercus.save(quercus.from_sklearn(joblib.load('model.joblib')), 'model.json').",
        ),
    )
}


def importer_of(name: str) -> Importer:
    """The importer with this name."""
    if name not in IMPORTERS:
        raise ParameterError(choice_message("--from", name, list(IMPORTERS)))
    return IMPORTERS[name]
