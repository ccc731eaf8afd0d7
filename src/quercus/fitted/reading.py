"""The methods that models and estimators share.

The answers come from the rooms above (explain, draw, and for a new fit estimators), which are imported at first use.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from quercus.fitted.shap_door import open_shap_door

if TYPE_CHECKING:
    from quercus.data.dataset import Dataset
    from quercus.data.rows import Rows
    from quercus.explain.consult.consultation import Consultation
    from quercus.explain.counterfactual.change import Counterfactuals
    from quercus.explain.why.answer import Answer
    from quercus.explain.why.members import MembersAnswer
    from quercus.explain.why.rules import RuleAnswer
    from quercus.fitted.model import Model


def one_or_many(model: Model, X: Any) -> Dataset | Mapping[str, Any]:
    """A table, encoded for a model; one row's values by attribute name stay as they are."""
    if isinstance(X, Mapping) and all(isinstance(part, str) or not hasattr(part, "__len__") for part in X.values()):
        return X
    return model.encode_rows(X)


class Readable:
    """A model, or what has one."""

    if TYPE_CHECKING:

        @property
        def model_(self) -> Model: ...

    #: The threads that answering takes.
    n_threads: int = 1

    def encode_rows(self, X: Any) -> Dataset:
        """Encode new rows by the schema that fitting learned."""
        return self.model_.encode_rows(X)

    def encode_asked(self, X: Any) -> Dataset:
        """Encode new rows for answering only: columns that no question reads are not looked at."""
        return self.model_.encode_asked(X)

    def read_rows(self, X: Any, y: Any, sample_weight: Any = None) -> Rows:
        """Encode labelled rows by the schema and the target that fitting learned."""
        return self.model_.labelled(self.encode_rows(X), y, sample_weight)

    def as_estimator(self) -> Any:
        """The fitted scikit-learn estimator of a model."""
        from quercus.estimators.making import estimator_of

        return estimator_of(self.model_)

    def export(self, format: str, path: str | os.PathLike[str] | None = None, **options: Any) -> str | bytes:
        """The model in another format, such as "sql", "python", "javascript" or "c", which answers as the model does.

        format: one of ``quercus.export.FORMATS``. path: a file to write it to as well. options: those of the format,
        such as ``dialect``, ``table`` and ``key`` of SQL.

        >>> from quercus import ID3Classifier
        >>> from quercus.datasets import load_play_tennis
        >>> tree = ID3Classifier().fit(*load_play_tennis())
        >>> tree.export("sql", dialect="sqlite", table="days", key="day").splitlines()[1]
        'WITH quercus_inputs AS MATERIALIZED (SELECT'
        """
        from quercus.export.formats import export

        return export(self.model_, format, path, **options)

    def to_sklearn(self) -> Any:
        """A fitted estimator of scikit-learn with the same trees, where their questions are thresholds of numbers."""
        from quercus.export.scikit_learn import to_sklearn

        return to_sklearn(self.model_)

    def refitted(self, rows: Rows) -> Model:
        """A model that is fitted to other rows in the same way. rows: encoded as those of fitting."""
        model: Model = self.as_estimator().refitted(rows)
        return model


class Explaining(Readable):
    """Explanations of single answers, of a tree, of rules or of many members.

    X is always a table and ``row`` the number of one of its rows; or X is one row's values by attribute name, where
    those not named are unknown.
    """

    def explain(self, X: Any, row: int = 0) -> Answer | RuleAnswer | MembersAnswer:
        """Why a row gets its answer.

        Of a tree: its path with the class counts at each step, or all its paths with their weights. Of rules: which
        rule decides, which nearly did, and which condition each of these failed by. Of many members: how they vote,
        which of them disagree, and what the attributes brought, by their Shapley values.

        >>> from quercus import C45Classifier
        >>> from quercus.datasets import load_play_tennis
        >>> X, y = load_play_tennis()
        >>> print(C45Classifier().fit(X, y).explain(X, row=2))
        14 examples: 9 Yes, 5 No → Outlook = Overcast (4 examples: 4 Yes) → Yes, 4 of 4
        Yes is the most likely class (100 %).
        Answer: Yes.
        """
        from quercus.explain.why.rules import why_rules
        from quercus.explain.why.why import why

        model, rows = self.model_, one_or_many(self.model_, X)
        if model.forest is not None:
            from quercus.explain.why.members import why_members

            return why_members(model, rows, row)
        if model.rule_list is not None:
            return why_rules(model.rule_list, rows, row, cost_matrix=model.decision.choosing)
        return why(model.need_tree("explain"), rows, row, **model.decision.options)

    def counterfactuals(
        self,
        X: Any,
        row: int = 0,
        *,
        target: Any = None,
        above: float | None = None,
        below: float | None = None,
        change_costs: Mapping[str, float] | None = None,
        unit_costs: Mapping[str, float] | None = None,
        fixed: Sequence[str] = (),
        directions: Mapping[str, Literal["up", "down"]] | None = None,
        n: int = 1,
        max_steps: int = 500_000,
    ) -> Counterfactuals:
        """The cheapest changes of a row that give another answer.

        target: the class wanted, or several; above, below: the same of numbers. change_costs, unit_costs: of changing
        an attribute, and for each unit. fixed, directions: what may not change, or one way only. n: how many changes.
        max_steps: of the search; of many trees, the changed rows that are tried. If they are too few, ``complete`` is
        False, and what is given is the best found. More on each in :func:`quercus.explain.counterfactuals`.

        >>> from quercus import C45Classifier
        >>> from quercus.datasets import load_play_tennis
        >>> X, y = load_play_tennis()
        >>> print(C45Classifier().fit(X, y).counterfactuals(X, row=0, fixed=["Outlook"]))
        Now: No. Wanted: another class. The smallest change:
        1. Humidity from High to Normal → Yes (100 %), cost 1
        """
        from quercus.explain.counterfactual.counterfactual import counterfactuals

        model, rows = self.model_, one_or_many(self.model_, X)
        if model.forest is not None:
            from quercus.explain.counterfactual.counterfactual import Bounds, Wishes
            from quercus.explain.counterfactual.members import member_counterfactuals

            wishes = Wishes(target, above, below, n, max_steps)
            bounds = Bounds(model.schema, change_costs, unit_costs, fixed, directions)
            return member_counterfactuals(model, rows, row, wishes, bounds)
        decision: dict[str, Any] = {"cost_matrix": model.decision.choosing}
        source: Any = model.rule_list
        if source is None:
            source, decision = model.need_tree("counterfactuals"), model.decision.options
        return counterfactuals(
            *(source, rows, row),
            target=target,
            above=above,
            below=below,
            change_costs=change_costs,
            unit_costs=unit_costs,
            fixed=fixed,
            directions=directions,
            n=n,
            max_steps=max_steps,
            **decision,
        )


class Consulting(Readable):
    """Consultations by one tree or by rules."""

    def consult(
        self,
        *,
        known: Mapping[str, Any] | None = None,
        order: Literal["cost", "weight"] = "cost",
        stop_early: bool = False,
        unknown: Literal["model", "shares"] | None = None,
    ) -> Consultation:
        """A conversation that asks only for what the tree or the rules need.

        known: values known before, by attribute name. order: what is asked first, the cheapest or what decides most of
        the example. stop_early: stop when no answer can change the result. unknown: how a tree counts what nobody
        knows, as the model does or by the shares of the training; None: by the shares, unless unknown is a value of its
        own to the model. More on each in :class:`quercus.explain.Consultation`.

        >>> from quercus import C45Classifier
        >>> from quercus.datasets import load_play_tennis
        >>> print(C45Classifier().fit(*load_play_tennis()).consult().answer("Rain").question)
        Wind? (Strong, Weak)
        """
        from quercus.explain.consult.consultation import Consultation

        model = self.model_
        if model.rule_list is not None:
            costs, counting = model.decision.choosing, unknown or "model"
            return Consultation(
                model.rule_list, known=known, order=order, stop_early=stop_early, unknown=counting, cost_matrix=costs
            )
        own = model.recipe is not None and model.recipe.missing == "own_value"
        return Consultation(
            model.need_tree("consult"),
            known=known,
            order=order,
            stop_early=stop_early,
            unknown=unknown or ("model" if own else "shares"),
            **model.decision.options,
        )


class RuleReading(Consulting, Explaining):
    """The methods of models that have rules."""

    def fired(self, X: Any) -> npt.NDArray[np.int64]:
        """The position in ``rules_`` of the rule that decides each row; −1: the default."""
        return self.model_.need_rules("fired").fired(self.encode_rows(X))


open_shap_door()
