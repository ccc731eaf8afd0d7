"""Methods of a fitted tree, or of many trees together; as in ``reading``, they call rooms above."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy.typing as npt

from quercus.arrays import Floats
from quercus.fitted.curves import check_tables
from quercus.fitted.reading import Consulting, Explaining, one_or_many

if TYPE_CHECKING:
    from quercus.explain.summary import Summary
    from quercus.explain.trace.trace import Trace
    from quercus.explain.trace.tracing import Tracer
    from quercus.explain.why.reasons import Reasons
    from quercus.fitted.curves import Tables
    from quercus.pruning.curves import Curve
    from quercus.rules import RuleList


class TreesReading(Explaining):
    """Questions to trees, to one or to many together."""

    def apply(self, X: Any) -> npt.NDArray[Any]:
        """The number of the leaf that each row reaches; of many trees, rows × trees.

        Of several leaves, if a value is unknown, the one of most weight.
        """
        from quercus.predict import apply
        from quercus.predict.forest import forest_leaves

        dataset, model = self.encode_rows(X), self.model_
        if model.forest is not None:
            return forest_leaves(model.need_trees("apply"), dataset, self.n_threads)
        return apply(model.need_tree("apply"), dataset, self.n_threads)

    def decision_path(self, X: Any) -> Any:
        """The nodes that each row passes: a sparse CSR indicator matrix, rows × nodes, 1 where the row comes through.

        A row that follows several branches, because a value is unknown, has a 1 at every node of each of them; the
        entries are ones whatever part of the row comes there (``quercus.predict.decision_path`` tells the parts). Of
        many trees: (indicator, n_nodes_ptr), as scikit-learn's forests have it: rows × nodes of all trees; the columns
        ``n_nodes_ptr[t] … n_nodes_ptr[t + 1] − 1`` are the ``decision_path`` of tree t.
        """
        from quercus.predict import decision_path
        from quercus.predict.forest import forest_paths

        dataset, model = self.encode_rows(X), self.model_
        if model.forest is not None:
            return forest_paths(model.need_trees("decision_path"), dataset, self.n_threads)
        return decision_path(model.need_tree("decision_path"), dataset, self.n_threads)

    def reason_codes(
        self,
        X: Any,
        row: int = 0,
        n: int | None = 4,
        *,
        label: Any = None,
        scale: Literal["share", "value", "log_odds", "score"] | None = None,
        only: Literal["all", "for", "against"] = "all",
    ) -> Reasons:
        """The attributes that pushed a row's answer most, the strongest first.

        n: at most so many. label: the class whose share is meant; None: the class answered. scale: in what the pushes
        are counted. only: those towards the class, or away from it. Of one tree a push is the change of the answer
        along its path; of many trees it is the Shapley value. More in :func:`quercus.explain.reason_codes`.

        >>> from quercus import C45Classifier
        >>> from quercus.datasets import load_play_tennis
        >>> X, y = load_play_tennis()
        >>> C45Classifier().fit(X, y).reason_codes(X, row=0)[0].attribute
        'Humidity'
        """
        from quercus.explain.why.reasons import reason_codes

        model, rows = self.model_, one_or_many(self.model_, X)
        if model.forest is not None:
            from quercus.explain.why.shap_reasons import shap_reasons

            return shap_reasons(model, rows, row, n, label=label, scale=scale, only=only)
        tree, decision = model.need_tree("reason_codes"), model.decision.options
        return reason_codes(tree, rows, row, n, label=label, scale=scale, only=only, **decision)

    def shap_values(self, X: Any, *, background: Any = None, interactions: bool = False) -> Any:
        """What each attribute brought to each answer: exact Shapley values, as the package shap holds them.

        X: a table. background: None: a value that does not count goes down every branch by its share of the training
        weight; or a table, whose rows give the values that do not count. interactions: the values of pairs of
        attributes. The result has ``values``, (rows, attributes) or (rows, attributes, classes), and ``base_values``;
        together they add up to the answers. It is a ``shap.Explanation`` if shap is installed. More in
        :func:`quercus.explain.shap_values`.

        >>> from quercus import C45Classifier
        >>> from quercus.datasets import load_play_tennis
        >>> X, y = load_play_tennis()
        >>> found = C45Classifier().fit(X, y).shap_values(X)
        >>> found.values[0, :, 1].round(3).tolist(), found.base_values[0].round(3).tolist()
        ([-0.443, 0.0, -0.271, 0.071], [0.357, 0.643])
        """
        from quercus.explain.shap.values import shap_values

        rows, others = self.encode_rows(X), None if background is None else self.encode_rows(background)
        return shap_values(self.model_, rows, background=others, interactions=interactions, n_jobs=self.n_threads)

    @property
    def feature_importances_(self) -> Floats:
        """The share of each attribute in the gain: Σ weight · gain over the questions, together 1.

        Of many trees the mean over them; of trees that add up scores the share in the gains of all together.
        """
        model = self.model_
        if model.forest is not None:
            from quercus.forests.impurity_importance import impurity_importance

            return impurity_importance(model.gaining("feature_importances_"))
        tree = model.need_tree("feature_importances_")
        brought = tree.sums_by_attribute(tree.weight * tree.gain)
        total = float(brought.sum())
        return brought / total if total > 0 else brought

    def curve(
        self,
        sets: Tables,
        kind: Literal["growing", "pruning", "learning"] = "growing",
        *,
        by: Literal["size", "depth"] | None = None,
        measure: Literal["accuracy", "error"] | None = None,
        sizes: Sequence[int] | None = None,
        repeats: int | None = None,
        random_state: int | None = None,
        points: int | None = None,
    ) -> Curve:
        """Accuracy (regression: error; with costs: mean cost) on several sets of rows, as a curve.

        sets: rows by name, ``{"training": (X, y), "test": (X_test, y_test)}``; a third entry gives weights. by: "size"
        or "depth", of "growing". measure: "accuracy" or "error". sizes, repeats, random_state: of the draws of
        "learning". points: of a collection, at most so many points of the curve. kind:

        - "growing": against the size of the tree, from one leaf to ``unpruned_tree_``.
        - "pruning": against the size while it is pruned: after each cut of the model's own pruning, or, if that made no
          cuts or all at once, for every α of the cost-complexity path.
        - "learning": against the number of training rows, trees fitted and pruned as this one; the sets "training" and
          "test" are needed.

        Draw it with ``quercus.draw.size_curve`` or ``learning_chart``. Of a collection, which has no kinds, it is the
        error (the share of wrong answers, with costs the mean cost, of numbers the mean squared deviation) after so
        many members. ``oob_curve_`` is the same out of the bag; ``quercus.draw.trees_chart`` draws both.

        >>> from quercus import CARTClassifier, RandomForestClassifier
        >>> from quercus.datasets import load_play_tennis, make_waveform
        >>> X, y = load_play_tennis()
        >>> print(CARTClassifier().fit(X, y).curve({"training": (X, y)}, by="depth"))
        accuracy while growing, by depth
        depth  nodes  leaves  training
            0      1       1  0.6429
            1      3       2  0.6429
            2      5       3  0.8571
            3      9       5  0.8571
            4     13       7  1
        >>> forest = RandomForestClassifier(100).fit(*make_waveform(n_rows=300))
        >>> print(forest.curve({"test": make_waveform(n_rows=1000, random_state=1)}, points=4))
        error against the number of trees
        trees  test
           25  0.181
           50  0.169
           75  0.165
          100  0.16
        """
        from quercus.fitted.curves import members_curve, tree_curve

        model = self.model_
        arguments = {"by": by, "measure": measure, "sizes": sizes, "repeats": repeats, "random_state": random_state}
        options: dict[str, Any] = {name: v for name, v in {**arguments, "points": points}.items() if v is not None}
        encoded = {name: self.read_rows(*rows) for name, rows in check_tables(sets).items()}
        if model.forest is not None:
            return members_curve(model, encoded, self.n_threads, **options)
        return tree_curve(model, encoded, kind, self.refitted, options)


class TreeReading(Consulting, TreesReading):
    """Questions to one tree: how it was grown, what its attributes did, its rules, its picture."""

    def trace(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        nodes: Iterable[int] | Literal["kept"] | None = None,
        *,
        max_nodes: int | None = None,
        cuts: bool | Collection[str] = False,
        base: float = 2.0,
    ) -> Trace:
        """Every decision of growing: the candidates of each node with their numbers, the winner, why a leaf is one.

        X, y, sample_weight: those of fitting; other rows are refused. nodes: numbers of nodes of ``unpruned_tree_`` to
        look at, no other is; "kept": those that pruning left; None: all. max_nodes: the heaviest so many. cuts: keep
        all thresholds tried with their gains, of every attribute or of those named. base: of the logarithms of
        entropies; 2 gives bits, ``math.e`` nats. A node that pruning took says why.

        >>> from quercus import ID3Classifier
        >>> from quercus.datasets import load_play_tennis
        >>> X, y = load_play_tennis()
        >>> print(ID3Classifier().fit(X, y).trace(X, y, nodes=[0]).node(0).decision)
        Outlook is asked: its gain 0.247 is the largest, 0.095 above Humidity with 0.152.
        """
        return self.tracer(X, y, sample_weight, cuts=cuts, base=base).trace(nodes, max_nodes)

    def tracer(
        self, X: Any, y: Any, sample_weight: Any = None, *, cuts: bool | Collection[str] = False, base: float = 2.0
    ) -> Tracer:
        """The same, node by node when asked for: ``tracer(X, y).node(17)``, or a ``TraceWalk`` over it.

        X, y, sample_weight, cuts, base: as in :meth:`trace`.
        """
        from quercus.explain.trace.tracing import tracer_of

        self.model_.need_tree("A trace")
        rows = self.read_rows(X, y, sample_weight)
        return tracer_of(self.model_, rows, cuts=cuts, n_jobs=self.n_threads, base=base)

    def summary(self, X: Any = None, y: Any = None, sample_weight: Any = None, *, limit: int = 5) -> Summary:
        """The fitted tree as rpart's summary tells it: options, prices of leaves, importances, every node.

        X, y, sample_weight: those of fitting, to tell also what each question was chosen against; without them that is
        left out. limit: rivals and surrogates of a node.

        >>> from quercus import ID3Classifier
        >>> from quercus.datasets import load_play_tennis
        >>> X, y = load_play_tennis()
        >>> print(ID3Classifier().fit(X, y).summary(X, y, limit=1).node_text(0))
        Node 0: the root
          14 rows, complexity 0.25
          predicts Yes, expected loss 0.3571
          class counts: 9 Yes, 5 No
          probabilities: Yes 0.643, No 0.357
          children 1 (4), 2 (5), 3 (5)
          primary splits:
            Outlook: improvement 3.4545, chosen
            Humidity: improvement 2.1257, margin 0.09491
        """
        from quercus.explain.summary import summarize

        model = self.model_
        trace = None if X is None and y is None else self.trace(X, y, sample_weight, nodes="kept")
        return summarize(
            model.need_tree("summary"),
            trace=trace,
            options=model.method.options,
            cost_matrix=model.decision.costs,
            alpha_table=model.alpha_table,
            limit=limit,
        )

    def rules(self, *, keep_empty: bool = True, unknown: Literal["tree", "fails"] = "tree") -> RuleList:
        """The tree as rules, one for each leaf, conditions on the same attribute merged; they answer as the tree does.

        keep_empty: the rules of leaves that no example reached, too. unknown: "tree", a row of unknown value is
        answered as the tree does it; "fails", it meets no condition, and the default answers what no rule covers.

        >>> from quercus import C45Classifier
        >>> from quercus.datasets import load_play_tennis
        >>> print(C45Classifier().fit(*load_play_tennis()).rules())
        1. IF Outlook = Overcast THEN Yes (4, 1.00)
        2. IF Outlook = Rain AND Wind = Strong THEN No (2, 1.00)
        3. IF Outlook = Rain AND Wind = Weak THEN Yes (3, 1.00)
        4. IF Outlook = Sunny AND Humidity = High THEN No (3, 1.00)
        5. IF Outlook = Sunny AND Humidity = Normal THEN Yes (2, 1.00)
        Otherwise: Yes
        """
        from quercus.rules import RuleList

        return RuleList.from_tree(self.model_.need_tree("rules"), keep_empty=keep_empty, unknown=unknown)

    def expected_test_cost(self, X: Any) -> Floats:
        """What it costs to answer for each row: the attribute costs of the questions asked on its way.

        An attribute is paid once however often it is asked; rows that follow several branches pay by their weights.
        """
        from quercus.predict import expected_test_cost

        return expected_test_cost(self.model_.need_tree("expected_test_cost"), self.encode_rows(X), self.n_threads)

    def get_depth(self) -> int:
        """The depth of the tree: the number of questions on its longest path."""
        return int(self.model_.need_tree("get_depth").depth)

    def get_n_leaves(self) -> int:
        """The number of leaves, those of empty branches too."""
        return int(self.model_.need_tree("get_n_leaves").n_leaves)

    def to_svg(
        self,
        X: Any = None,
        row: int = 0,
        *,
        max_depth: int | None = None,
        max_nodes: int | None = None,
        max_branches: int | None = None,
        orientation: Literal["top-down", "left-right"] = "top-down",
        theme: Literal["auto", "light", "dark"] = "auto",
        title: str | None = None,
        legend: bool = True,
    ) -> str:
        """The fitted tree as an SVG picture.

        X, row: a table and the number of a row of it, whose path is highlighted; with unknown values all its paths,
        each by its part. max_depth, max_nodes, max_branches: what is shown at most. orientation, theme, title, legend:
        how it looks, as in :func:`quercus.draw.tree_svg`.

        >>> from quercus import C45Classifier
        >>> from quercus.datasets import load_play_tennis
        >>> X, y = load_play_tennis()
        >>> model = C45Classifier().fit(X, y)
        >>> model.to_svg().count("<g class="), "lit" in model.to_svg(X, row=3)
        (15, True)
        """
        from quercus.draw import path_parts, tree_svg

        tree = self.model_.need_tree("to_svg")
        return tree_svg(
            tree,
            max_depth=max_depth,
            max_nodes=max_nodes,
            max_branches=max_branches,
            highlight=None if X is None else path_parts(tree, self.encode_rows(X), row),
            orientation=orientation,
            theme=theme,
            title=title,
            legend=legend,
        )

    def to_picture(
        self,
        path: str | os.PathLike[str],
        X: Any = None,
        row: int = 0,
        *,
        scale: float = 2.0,
        max_depth: int | None = None,
        max_nodes: int | None = None,
        max_branches: int | None = None,
        orientation: Literal["top-down", "left-right"] = "top-down",
        theme: Literal["auto", "light", "dark"] | None = None,
        title: str | None = None,
        legend: bool = True,
    ) -> None:
        """Save the picture of the fitted tree; the end of the name says how: .svg, .png or .pdf.

        path: the file. theme: None: light, in an .svg as the reader's system is set. scale: pixels of a PNG for each
        unit of the SVG. max_depth, max_nodes, max_branches, orientation, title, legend: as in :meth:`to_svg`.

        PNG and PDF need ``pip install "quercus[png]"``.
        """
        from quercus.draw import save_picture

        picture = self.to_svg(
            *(X, row),
            max_depth=max_depth,
            max_nodes=max_nodes,
            max_branches=max_branches,
            orientation=orientation,
            theme=theme or ("auto" if os.fspath(path).lower().endswith(".svg") else "light"),
            title=title,
            legend=legend,
        )
        save_picture(picture, path, scale=scale)

    def _notebook_html(self) -> str:
        from quercus.draw.notebook import notebook_html

        return notebook_html(self.model_.need_tree("A picture"), repr(self))
