"""How large should the tree be? The methods of tree estimators for this question, for a fitted model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from quercus.fitted.reading import Readable

if TYPE_CHECKING:  # what only some models have is imported by those that make it
    from quercus.fitted.model import Model
    from quercus.pruning.compare import PruningTable
    from quercus.pruning.result import Pruned
    from quercus.pruning.tuning import TuningTable
    from quercus.tree.tree import Tree


class SizeReading(Readable):
    """Questions about the size of a model's tree; its estimator answers them, and the model stays as it is."""

    def prune_with(
        self, method: str | bool = True, X: Any = None, y: Any = None, sample_weight: Any = None, **parameters: Any
    ) -> Model:
        """The model with the same grown tree, pruned in another way.

        method: a value of ``prune``, or "snip", "keep_depth", "keep_leaves". X, y, sample_weight: rows for the methods
        that need any. parameters: those of the method, such as ``confidence`` or ``depth``.
        """
        model: Model = self._sized("prune_with").prune_with(method, X, y, sample_weight, **parameters).model_
        return model

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
        """Cross-validate sizes of the tree on a table, as the method of tree estimators does.

        X, y, sample_weight: the rows. depths: values of ``max_depth``; None: some usual ones. epsilons: least gains of
        a question. confidences: of error-based pruning; None: some usual ones. alphas: prices of a leaf, or "path", all
        that matter. regrown: values of other parameters, for which trees of their own are grown. folds, random_state:
        of the cross-validation. progress: called with (trees grown, trees in all).
        """
        table: TuningTable = self._sized("Tuning").tune(
            X,
            y,
            sample_weight,
            depths=depths,
            epsilons=epsilons,
            confidences=confidences,
            alphas=alphas,
            regrown=regrown,
            folds=folds,
            random_state=random_state,
            progress=progress,
        )
        return table

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
        """Grow one tree from a table, prune it by every method, and measure each result.

        X, y, sample_weight: rows to grow from. X_val, y_val: rows that some methods compare on; None: a share of X is
        held out for that. validation_fraction, random_state: that share, and the seed of its draw. X_test, y_test: rows
        that nothing has seen. methods: see :func:`quercus.pruning.compare_pruning`.
        """
        table: PruningTable = self._sized("compare_prunings").compare_prunings(
            X,
            y,
            X_val,
            y_val,
            X_test,
            y_test,
            sample_weight=sample_weight,
            validation_fraction=validation_fraction,
            random_state=random_state,
            methods=methods,
        )
        return table

    def _sized(self, what: str) -> Any:
        self.model_.need_tree(what)
        return self.as_estimator()
