"""What models and estimators answer for tables: classes with their probabilities, numbers, quantiles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quercus.arrays import Floats
from quercus.errors import ParameterError
from quercus.fitted.reading import Readable
from quercus.targets.pinball import asked_levels, checked_levels

if TYPE_CHECKING:
    from quercus.data.dataset import Dataset


class ClassAnswers(Readable):
    """What classifiers answer."""

    def predict_proba(self, X: Any) -> Floats:
        """The probability of each class (in the order of ``classes_``) for every row.

        Of a tree smoothed as ``smoothing`` says; a row whose value is unknown at a question follows the missing-value
        policy, and over several leaves the distributions are summed by weight. Of rules the share of the class among
        what the first matching rule covered. Of many members by ``vote``: the mean of their class shares, or the share
        of the members that vote for the class.
        """
        model, dataset = self.model_, self.encode_asked(X)
        model.target_kind.need_classes(f"predict_proba is for classes; this {model.name} answers numbers.")
        return model.shares(dataset, self.n_threads)

    def predict_log_proba(self, X: Any) -> Floats:
        """The natural logarithm of :meth:`predict_proba`; −inf for a class that is held to be impossible."""
        probabilities = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return np.log(probabilities)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row: the most probable, with ``cost_matrix`` the one of least expected cost.

        With ``decision_threshold`` (two classes) the second of ``classes_`` if its probability reaches the threshold.
        Rules answer the class that the first matching rule names; of those of C4.5 the costs have had their say when
        the rules were made.
        """
        dataset = self.encode_asked(X)
        return self.model_.answers(dataset, self.n_threads)


class NumberAnswers(Readable):
    """What regressors answer."""

    def predict(self, X: Any) -> Floats:
        """The number of each row; over several leaves (unknown values) the weighted mean, of many members the mean."""
        dataset = self.encode_asked(X)
        return self.model_.answers(dataset, self.n_threads)

    def predict_quantiles(self, X: Any, quantiles: Any = None) -> Floats:
        """The quantiles of each row [n, quantiles]; a higher level never answers less.

        quantiles: their levels; the columns are in this order. None: those of the parameter ``quantiles``, rising. A
        model with criterion="pinball" answers these or some of them; a forest with keep_targets=True any.
        """
        return self.model_.quantiles(self.encode_rows(X), quantiles, self.n_threads)


class QuantileAnswers(NumberAnswers):
    """The quantiles of encoded rows."""

    @property
    def quantile_levels(self) -> tuple[float, ...]:
        """The levels of the quantiles that are answered unless others are asked for, rising; none: no quantiles are."""
        model = self.model_
        if model.leaf_targets is not None:
            return checked_levels(model.method.parameters["quantiles"])
        return model.target_kind.levels

    def quantiles(self, dataset: Dataset, levels: Any = None, n_jobs: int = 1, *, out_of_bag: bool = False) -> Floats:
        """The quantiles of encoded rows [n, levels], in the order of the levels.

        levels: of the quantiles; None: those of fitting, rising. out_of_bag: the rows are those of fitting, and each is
        answered by the trees that did not see it.
        """
        model, known = self.model_, self.quantile_levels
        asked = known if levels is None else asked_levels(levels)
        if model.leaf_targets is not None:
            from quercus.forests.quantile_forest import forest_quantiles

            forest = model.need_trees("A quantile")
            return forest_quantiles(forest, model.leaf_targets, dataset, asked, out_of_bag=out_of_bag, n_jobs=n_jobs)
        if not asked or not set(asked) <= set(known):
            raise ParameterError(self._no_quantiles([level for level in asked if level not in known]))
        return model.shares(dataset, n_jobs)[:, [known.index(level) for level in asked]]

    def _no_quantiles(self, unknown: list[float]) -> str:
        """Why quantiles of these levels are not answered, and what to do."""
        model, kind = self.model_, self.model_.target_kind
        kind.need_numbers(f"Quantiles are of numbers, but this {model.name} answers {kind.noun}. Use predict_proba.")
        again = 'fit with criterion="pinball" and the quantiles wanted, or a random forest with keep_targets=True'
        if kind.levels:
            listed = ", ".join(f"{level:g}" for level in unknown)
            known = f"This {model.name} answers the {kind.noun}, but is asked for {listed}."
            return f"{known} Ask for some of these, or {again}."
        if model.method.parameters.get("keep_targets"):
            return (
                f"This {model.name} has keep_targets=True, but no training targets: a model file does not keep them. "
                'Fit it again, or with criterion="pinball", whose quantiles a file keeps.'
            )
        return f"This {model.name} answers numbers, no quantiles; {again}."
