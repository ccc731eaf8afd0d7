"""What tree estimators tell of their growing: the trace and the summary."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any, Literal

from joblib import effective_n_jobs  # type: ignore[import-untyped]
from sklearn.utils.validation import check_is_fitted

from quercus.estimators.pruning import Rows, hold_out, method_of, needs_validation

if TYPE_CHECKING:  # explaining is imported when it is first asked for
    from quercus.estimators.curves import Kind, Tables
    from quercus.explain.summary import Summary
    from quercus.explain.trace import Trace
    from quercus.explain.tracing import Tracer
    from quercus.pruning.curves import Curve


class TracingMixin:
    """Methods of a fitted tree estimator that look at its training rows again."""

    def trace(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        nodes: Iterable[int] | Literal["kept"] | None = None,
        *,
        max_nodes: int | None = None,
        cuts: bool | Collection[str] = False,
    ) -> Trace:
        """Every decision of growing: the candidates of each node with their numbers, the winner, why a leaf is one.

        X, y, sample_weight: those of fitting; other rows are refused. nodes: numbers of nodes of ``unpruned_tree_`` to
        look at, no other is; "kept": those that pruning left; None: all. max_nodes: the heaviest so many. cuts: keep
        all thresholds tried with their gains, of every attribute or of those named. A node that pruning took says why.

        >>> from quercus import ID3Classifier
        >>> from quercus.datasets import load_play_tennis
        >>> X, y = load_play_tennis()
        >>> print(ID3Classifier().fit(X, y).trace(X, y, nodes=[0]).node(0).decision)
        Outlook is asked: its gain 0.247 is the largest, 0.095 above Humidity with 0.152.
        """
        return self.tracer(X, y, sample_weight, cuts=cuts).trace(nodes, max_nodes)

    def summary(self, X: Any = None, y: Any = None, sample_weight: Any = None, *, limit: int = 5) -> Summary:
        """The fitted tree as rpart's summary tells it: options, prices of leaves, importances, every node.

        X, y, sample_weight: those of fitting, to tell also what each question was chosen against; without them that is
        left out. limit: rivals and surrogates a node.

        >>> from quercus import ID3Classifier
        >>> from quercus.datasets import load_play_tennis
        >>> X, y = load_play_tennis()
        >>> print(ID3Classifier().fit(X, y).summary(X, y, limit=1).node_text(0))
        Node 0: the root
          14 rows, complexity 0.25
          predicts Yes, expected loss 0.3571
          class counts: 9 Yes, 5 No
          probabilities: No 0.357, Yes 0.643
          children 1 (4), 2 (5), 3 (5)
          primary splits:
            Outlook: improvement 3.4545, chosen
            Humidity: improvement 2.1257, margin 0.09491
        """
        from quercus.explain.summary import summarize

        model: Any = self
        check_is_fitted(model)
        trace = None if X is None and y is None else self.trace(X, y, sample_weight, nodes="kept")
        defaults = type(model)().get_params(deep=False)
        options = {name: value for name, value in model.get_params(deep=False).items() if value is not defaults[name]}
        options = {name: value for name, value in options.items() if repr(value) != repr(defaults[name])}
        return summarize(
            model.tree_,
            trace=trace,
            options=options,
            cost_matrix=model._costs(),
            alpha_table=model.alpha_table_,
            limit=limit,
        )

    def curve(self, sets: Tables, kind: Kind = "growing", **options: Any) -> Curve:
        """Accuracy (regression: error; with costs: mean cost) on several sets of rows, as a curve.

        sets: rows by name, ``{"training": (X, y), "test": (X_test, y_test)}``; a third entry gives weights. kind:

        - "growing": against the size of the tree, from one leaf to ``unpruned_tree_``; options: by ("size", "depth").
        - "pruning": against the size while it is pruned: after each cut of the model's own pruning, or, if that made no
          cuts or all at once, for every α of the cost-complexity path.
        - "learning": against the number of training rows, trees fitted and pruned as this one; the sets "training" and
          "test" are needed. options: sizes, repeats, random_state.

        All take measure ("accuracy" or "error"). Draw it with ``quercus.draw.size_curve`` or ``learning_chart``.

        >>> from quercus import CARTClassifier
        >>> from quercus.datasets import load_play_tennis
        >>> X, y = load_play_tennis()
        >>> print(CARTClassifier().fit(X, y).curve({"training": (X, y)}, by="depth"))
        accuracy while growing, by depth
        depth  nodes  leaves  training
            0      1       1  0.6429
            1      3       2  0.6429
            2      5       3  0.8571
            3      9       5  0.8571
            4     13       7  1
        """
        from quercus.estimators.curves import curve_of

        return curve_of(self, sets, kind, options)

    def tracer(self, X: Any, y: Any, sample_weight: Any = None, *, cuts: bool | Collection[str] = False) -> Tracer:
        """The same, node by node when asked for: ``tracer(X, y).node(17)``, or a ``TraceWalk`` over it."""
        from quercus.explain.tracing import Tracer

        model: Any = self
        check_is_fitted(model)
        rows = self._growing_rows(model._labelled_rows(X, y, sample_weight))
        return Tracer(
            model.unpruned_tree_,
            rows.dataset,
            rows.target,
            model.recipe_,
            weights=rows.weights,
            cost_matrix=model._costs(),
            cuts=cuts,
            pruning=model.pruning_,
            n_jobs=effective_n_jobs(model.n_jobs),
        )

    def _growing_rows(self, rows: Rows) -> Rows:
        """The rows of fitting without those that were held out for pruning."""
        model: Any = self
        kept = rows.with_weight().dataset.n_rows
        if needs_validation(method_of(model)) and kept > model.unpruned_tree_.count[0] and kept > 1:
            return hold_out(model, rows)[0]
        return rows
