"""How large should the tree be? Tuning by cross-validation, and all pruning methods compared, from tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from quercus.data.rows import Rows
from quercus.errors import ParameterError, choice_message
from quercus.fitted.hold_out import HoldOut
from quercus.fitted.reading import Readable
from quercus.growing.grower import GrowOptions, one_tree

if TYPE_CHECKING:  # pruning is imported when it is first asked for
    from quercus.fitted.model import Model
    from quercus.pruning.compare import PruningTable
    from quercus.pruning.result import Pruned
    from quercus.pruning.tuning import Choice, TuningTable
    from quercus.tree.tree import Tree

#: What is tried unless something else is asked for.
DEPTHS = (1, 2, 3, 4, 5, 6, 8, 10, 15)
CONFIDENCES = (0.001, 0.01, 0.05, 0.1, 0.25, 0.5)
#: ε, the gain that a question must reach: the estimator's parameter, and what tuning calls its values.
EPSILONS = {"epsilon": "min_gains", "min_impurity_decrease": "min_impurity_decreases"}


@dataclass(frozen=True)
class Unpruned:
    """What trees of other sizes are grown from.

    estimator: with the parameters of growing; it does not prune. rows, validation: the tables that were given, encoded.
    costs: of mistakes. seed: of what is drawn.
    """

    estimator: Any
    rows: Rows
    validation: Rows | None
    costs: Any
    seed: int


class SizeChoosing(Readable):
    """Questions about the size of the tree; the estimator or the model stays as it is."""

    def _unpruned(
        self, what: str, random_state: Any, X: Any, y: Any, sample_weight: Any, X_val: Any = None, y_val: Any = None
    ) -> Unpruned:
        """What trees are grown from. what: the question, for a refusal; the tables as for fitting."""
        raise NotImplementedError

    def tune(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        depths: Sequence[int | None] | None = None,
        epsilons: Sequence[float] = (),
        confidences: Sequence[float] | None = None,
        alphas: Sequence[float] | Literal["path"] = "path",
        regrown: Mapping[str, Sequence[Any]] | None = None,
        folds: int = 10,
        random_state: Any = 0,
        progress: Callable[[int, int], Any] | None = None,
    ) -> TuningTable:
        """Cross-validate depths, confidences and prices of leaves; one tree for each fold serves them all.

        X, y, sample_weight: as for fitting. depths: values of ``max_depth``; None: some usual ones. epsilons: least
        gains of a question, of ``epsilon`` (ID3) or ``min_impurity_decrease`` (CART). confidences: of error-based
        pruning; None: some usual ones, for numbers none. alphas: prices of a leaf, or "path", all that matter. regrown:
        values of other parameters, such as ``{"min_samples_leaf": [1, 5]}``, for which trees of their own are grown.
        folds, random_state: of the cross-validation. progress: called with (trees grown, trees in all). All other
        parameters count as they are, the costs of mistakes too.

        >>> from quercus import CARTClassifier
        >>> from quercus.datasets import make_monks
        >>> model = CARTClassifier()
        >>> best = model.tune(*make_monks(3, n_rows=200), depths=[1, 2, 3], alphas=(), confidences=()).best("1se")
        >>> best.settings
        {'prune': False, 'max_depth': 2}
        >>> model.set_params(**best.settings).fit(*make_monks(3, n_rows=200)).get_depth()
        2
        """
        from quercus.pruning.cost_complexity import risk_of
        from quercus.pruning.tuning import tune

        start = self._unpruned("Tuning", random_state, X, y, sample_weight)
        rows = start.rows.with_weight()
        name, gains = _epsilon_of(start.estimator, epsilons)
        settings = _known_settings(start.estimator, regrown)
        grower = _Growing(start, rows, progress, _times(folds, settings))
        table = tune(
            grower,
            rows.dataset,
            rows.target,
            depths=DEPTHS if depths is None else depths,
            confidences=(() if rows.codes is None else CONFIDENCES) if confidences is None else confidences,
            alphas=alphas,
            regrown=settings,
            folds=folds,
            cost_matrix=start.costs,
            weights=rows.weights,
            risk=risk_of(grower.tree, start.costs),
            random_state=start.seed,
            **gains,
        )
        return replace(table, choices=tuple(_renamed(choice, name) for choice in table.choices))

    def compare_prunings(
        self,
        X: Any,
        y: Any,
        X_val: Any = None,
        y_val: Any = None,
        X_test: Any = None,
        y_test: Any = None,
        *,
        sample_weight: Any = None,
        validation_fraction: float = 0.3,
        random_state: Any = 0,
        methods: Iterable[str] | Mapping[str, Callable[[Tree], Pruned | Tree]] | None = None,
    ) -> PruningTable:
        """Grow one tree, prune it by every method, and measure each result.

        X, y, sample_weight: rows to grow from. X_val, y_val: rows that some methods compare on; None: a share of X is
        held out for that. validation_fraction, random_state: that share, and the seed of its draw. X_test, y_test: rows
        that nothing has seen; only they judge all methods alike. methods: see :func:`quercus.pruning.compare_pruning`.

        >>> from quercus import C45Classifier
        >>> from quercus.datasets import make_monks
        >>> X, y = make_monks(3, n_rows=200)
        >>> table = C45Classifier().compare_prunings(X, y, X_test=X, y_test=y, methods=["unpruned", "mdl"])
        >>> [row.method for row in table], table.measure
        (['unpruned', 'mdl'], 'accuracy')
        """
        from quercus.pruning.compare import compare_pruning

        if (X_test is None) != (y_test is None):
            raise ParameterError(f"{'X_test' if X_test is None else 'y_test'} is None; give both, or neither.")
        if (X_val is None) != (y_val is None):
            missing = "X_val" if X_val is None else "y_val"
            raise ParameterError(f"{missing} is None; give both X_val and y_val, or neither.")
        start = self._unpruned("compare_prunings", random_state, X, y, sample_weight, X_val, y_val)
        rows, validation = start.rows, start.validation
        if validation is None:
            rows, validation = HoldOut(validation_fraction, start.seed).split(rows)
        test = () if X_test is None else (X_test, y_test)
        return compare_pruning(
            _Growing(start, rows).tree,
            *(rows.dataset, rows.target, validation.dataset, validation.target, *test),
            weights=rows.weights,
            weights_val=validation.weights,
            cost_matrix=start.costs,
            methods=methods,
        )


class SizeReading(SizeChoosing):
    """Questions about the size of a model's tree; its estimator answers them."""

    def prune_with(
        self, method: str | bool = True, X: Any = None, y: Any = None, sample_weight: Any = None, **parameters: Any
    ) -> Model:
        """The model with the same grown tree, pruned in another way.

        method: a value of ``prune``, or "snip", "keep_depth", "keep_leaves". X, y, sample_weight: rows for the methods
        that need any. parameters: those of the method, such as ``confidence`` or ``depth``.
        """
        model: Model = self._sized("prune_with").prune_with(method, X, y, sample_weight, **parameters).model_
        return model

    def _unpruned(
        self, what: str, random_state: Any, X: Any, y: Any, sample_weight: Any, X_val: Any = None, y_val: Any = None
    ) -> Unpruned:
        start: Unpruned = self._sized(what)._unpruned(what, random_state, X, y, sample_weight, X_val, y_val)
        return start

    def _sized(self, what: str) -> Any:
        self.model_.need_tree(what)
        return self.as_estimator()


class _Growing:
    """Grows trees as an estimator does, without pruning; the tree of all rows once."""

    def __init__(
        self, start: Unpruned, rows: Rows, progress: Callable[[int, int], Any] | None = None, times: int = 1
    ) -> None:
        self.estimator, self.rows, self.costs = start.estimator, rows, start.costs
        self.progress, self.times, self.grown = progress, times, 0
        self.tree = self._grow(start.estimator, rows)

    def __call__(self, dataset: Any, target: Any, weights: Any, **settings: Any) -> Tree:
        if dataset is self.rows.dataset and not settings:
            return self.tree
        estimator = copy(self.estimator).set_params(**settings) if settings else self.estimator
        return self._grow(estimator, Rows(dataset, target, weights))

    def _grow(self, estimator: Any, rows: Rows) -> Tree:
        recipe = estimator.make_recipe(rows.n_weighty, rows.total_weight)
        tree = one_tree(estimator.grower, rows, recipe, GrowOptions(self.costs, estimator.n_threads))
        self.grown += 1
        if self.progress is not None:
            self.progress(min(self.grown, self.times), self.times)
        return tree


def _epsilon_of(estimator: Any, epsilons: Sequence[float]) -> tuple[str, dict[str, Any]]:
    """The estimator's parameter that ε is, and the values under the name that tuning has for them."""
    name = next((name for name in EPSILONS if name in estimator.get_params()), "")
    if len(epsilons) and not name:
        kind = type(estimator).__name__
        raise ParameterError(f"epsilons is not for {kind}, which has none of the parameters {', '.join(EPSILONS)}.")
    return name, {EPSILONS[name]: list(epsilons)} if name else {}


def _known_settings(estimator: Any, regrown: Mapping[str, Sequence[Any]] | None) -> dict[str, list[Any]]:
    """The values of parameters that trees are grown anew for; unknown names are refused."""
    names = list(estimator.get_params())
    for name in regrown or {}:
        if name not in names:
            raise ParameterError(choice_message("A name in regrown", name, names))
    return {name: list(values) for name, values in (regrown or {}).items()}


def _times(folds: int, settings: Mapping[str, Sequence[Any]]) -> int:
    """How many trees are grown."""
    combinations = 1
    for values in settings.values():
        combinations *= len(values)
    return (folds + 1) * combinations + (1 if settings else 0)


def _renamed(choice: Choice, epsilon: str) -> Choice:
    """A choice of a least gain under the name that the estimator has for it."""
    return replace(choice, parameter=epsilon) if choice.parameter == "min_gain" else choice
