"""The importers: one row for each library or format whose files are read, for the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from quercus.errors import ParameterError, choice_message
from quercus.fitted.model import Model


@dataclass(frozen=True)
class Importer:
    """An importer: its name, what its files are, and its function in ``quercus.imports``.

    options: what the command line gives to it: the parameter of the function, by option. refusal: why there are no
    files to read, and what to do instead; empty: there are.
    """

    name: str
    title: str
    function: str
    options: Mapping[str, str] = field(default_factory=dict)
    refusal: str = ""

    def load(self) -> Callable[..., Model]:
        """The function that imports."""
        function: Callable[..., Model] = getattr(import_module("quercus.imports"), self.function)
        return function

    def read(self, path: str, given: Mapping[str, Any]) -> Model:
        """The model of a file. given: values by option of the command line; those that it does not take are refused."""
        if self.refusal:
            raise ParameterError(self.refusal)
        for option in given:
            if option not in self.options:
                takes = f"it takes {' and '.join(self.options)}" if self.options else "its files name everything"
                raise ParameterError(f"--from {self.name} takes no {option}; {takes}. Leave {option} out.")
        return self.load()(path, **{self.options[option]: value for option, value in given.items()})


_NAMES = {"--features": "feature_names", "--classes": "class_names"}
#: The importers by name.
IMPORTERS: dict[str, Importer] = {
    one.name: one
    for one in (
        Importer("lightgbm", "the text of save_model, or dump_model as JSON", "from_lightgbm", _NAMES),
        Importer("pmml", "trees, rule sets and collections of them", "from_pmml"),
        Importer("j48", "the tree that Weka's J48 prints", "from_j48", {"--schema": "schema"}),
        Importer("rpart", "the tree that R's print shows of rpart", "from_rpart", {"--classes": "classes"}),
        Importer("xgboost", "JSON or UBJ of save_model", "from_xgboost", _NAMES),
        Importer(
            "sklearn",
            "none: a fitted estimator, in Python",
            "from_sklearn",
            refusal="scikit-learn keeps models as pickles, and to read a pickle runs whatever code is in it. If you "
            "trust yours, import it in Python: "
            "quercus.save(quercus.from_sklearn(joblib.load('model.joblib')), 'model.json').",
        ),
    )
}


def importer_of(name: str) -> Importer:
    """The importer with this name."""
    if name not in IMPORTERS:
        raise ParameterError(choice_message("--from", name, list(IMPORTERS)))
    return IMPORTERS[name]
