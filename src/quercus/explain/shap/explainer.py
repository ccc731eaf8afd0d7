"""shap's TreeExplainer for models of Quercus: its methods, with the values of the core."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quercus.arrays import Floats
from quercus.data.dataset import Dataset
from quercus.data.schema import Schema
from quercus.errors import ParameterError
from quercus.explain.shap.terms import Term, Terms
from quercus.explain.shap.values import explained


class Explaining:
    """The methods of ``shap.TreeExplainer`` by which models of Quercus are explained.

    data: background rows; None: the shares of the training. feature_perturbation: "auto", "interventional" (needs data)
    or "tree_path_dependent". model_output: "raw", what the trees add up, is the only one.
    """

    def __init__(
        self,
        model: Any,
        data: Any = None,
        model_output: str = "raw",
        feature_perturbation: str = "auto",
        feature_names: Any = None,
        **further: Any,
    ) -> None:
        if model_output != "raw":
            raise ParameterError(
                f'model_output is {model_output!r}, but models of Quercus are explained by "raw" only.'
            )
        allowed = ("auto", "interventional", "tree_path_dependent")
        if feature_perturbation not in allowed:
            raise ParameterError(f"feature_perturbation is {feature_perturbation!r}, but must be one of {allowed}.")
        if feature_perturbation == "interventional" and data is None:
            raise ParameterError('feature_perturbation="interventional" needs background rows: give data.')
        data = getattr(data, "data", data) if type(data).__module__.startswith("shap.") else data
        if data is not None and feature_perturbation != "tree_path_dependent":
            feature_perturbation, self.data = "interventional", data
        else:
            feature_perturbation, self.data = "tree_path_dependent", None
        self.model, self.model_output, self.feature_perturbation = model, model_output, feature_perturbation
        self.feature_names, self.masker = feature_names, None
        self._terms = Terms.of(model.model_)
        self._trees: list[Term] = list(self._terms)
        self.expected_value: Any = self._explained(_unknown_row(model.model_.schema)).base_values[0]

    def _explained(self, X: Any, interactions: bool = False) -> Any:
        others = None if self.data is None else self.model.encode_rows(self.data)
        rows = self.model.encode_rows(X)
        return explained(
            self._terms,
            self._trees,
            rows,
            background=others,
            interactions=interactions,
            n_jobs=self.model.n_threads,
        )

    def __call__(self, X: Any, y: Any = None, interactions: bool = False, **further: Any) -> Any:
        """The explanation of a table, as of ``model.shap_values``."""
        return self._explained(X, interactions)

    def shap_values(self, X: Any, y: Any = None, **further: Any) -> NDArray[Any]:
        """The values alone, (rows, attributes) or (rows, attributes, outputs)."""
        values: Floats = self._explained(X).values
        return values

    def shap_interaction_values(self, X: Any, y: Any = None, **further: Any) -> NDArray[Any]:
        """The interactions alone, (rows, attributes, attributes) or with outputs behind."""
        values: Floats = self._explained(X, True).values
        return values


def _unknown_row(schema: Schema) -> Dataset:
    """A row, whichever: what is answered if no value counts is the same for all."""
    unknown = [np.full(1, np.nan) if attribute.is_numeric else np.full(1, -1, dtype=np.int32) for attribute in schema]
    return Dataset(schema, tuple(unknown), 1)


_CLASSES: dict[Any, Any] = {}


def explainer_class(base: Any) -> Any:
    """A subclass of shap's TreeExplainer with these methods; one for each."""
    if base not in _CLASSES:
        _CLASSES[base] = type("TreeExplainer", (Explaining, base), {"__module__": __name__})
    return _CLASSES[base]
