"""Rule lists: rules and a default as one model, in which the first matching rule decides or all matching rules vote."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quercus.arrays import Floats
from quercus.data.dataset import ClassTarget, Dataset
from quercus.data.latex import latex_document, latex_words
from quercus.data.names import counted
from quercus.data.schema import Schema
from quercus.data.weights import named_costs
from quercus.errors import DataError, ParameterError, choice_message, shorten
from quercus.predict.predict import apply, predict_distribution
from quercus.results import Result, frame_of
from quercus.rules.coverage import Coverage
from quercus.rules.dictionary import arguments_from_dict, rule_list_to_dict
from quercus.rules.explanation import Explanation, explain
from quercus.rules.extract import Unknown, extract_rules, needs_tree
from quercus.rules.measure import RuleTable, measure, measured
from quercus.rules.rule import Rule
from quercus.rules.voting import strongest_rules, votes
from quercus.targets import TargetKind, kind_of
from quercus.targets.kind import OfTarget
from quercus.tree.conditions.condition import FOOTNOTE
from quercus.tree.tree import Tree

Mode = Literal["ordered", "voting"]
Vote = Literal["precision", "laplace"]

_SHOWN = 200


@dataclass(frozen=True, eq=False, repr=False)
class RuleList(OfTarget, Result):
    """Rules and a default; a model whose every answer can be read.

    - rules: in their order.
    - default: the position of the class (regression: the number) for rows that no rule covers. A rule may be given,
      whose consequent and class weights are then meant.
    - schema: the attributes. classes: names of the classes; None: the rules answer numbers.
    - mode: "ordered": the first rule that covers a row decides. "voting": all rules that cover it vote for their class,
      each by its ``vote``, its precision or its Laplace precision (regression: their mean, by covered weight). Tied
      votes go to the default if it is among them, else to the first class.
    - default_weights: the class weights of what no rule covered, if known; the default's distribution.
    - tree: for rules made from a tree, who decides (in ordered mode) where no rule does because a value is unknown: the
      row goes down the tree, and each leaf's part of it is answered by that leaf's rule (the default if that is gone).
    - reason: a sentence on why rules answer a class that is not the most frequent; it stands below them.

    >>> from quercus.data.schema import Attribute
    >>> schema = Schema((Attribute("Wind", "nominal", ("Weak", "Strong")), Attribute("Humidity", "numeric")))
    >>> strong = Rule.of(schema, {"Wind": "Strong", "Humidity": (75, None)}, "No", ["No", "Yes"])
    >>> rules = RuleList([strong], default=1, schema=schema, classes=("No", "Yes"))
    >>> print(rules)
    1. IF Wind = Strong AND Humidity > 75 THEN No
    Otherwise: Yes
    >>> from quercus.data import encode_like
    >>> rules.predict(encode_like({"Wind": ["Strong", "Weak"], "Humidity": [90, 90]}, schema))
    array([0, 1])
    """

    rules: tuple[Rule, ...]
    default: Any
    schema: Schema
    classes: tuple[Any, ...] | None
    mode: Mode = "ordered"
    vote: Vote = "laplace"
    default_weights: tuple[float, ...] | None = None
    tree: Tree | None = None
    reason: str = ""

    def __post_init__(self) -> None:
        """Check that the parts fit."""
        object.__setattr__(self, "rules", tuple(self.rules))
        if isinstance(self.default, Rule):
            object.__setattr__(self, "default_weights", self.default.class_weights)
            object.__setattr__(self, "default", self.default.consequent)
        object.__setattr__(self, "classes", self.target_kind.classes)
        for name, allowed in (("mode", get_args(Mode)), ("vote", get_args(Vote))):
            if getattr(self, name) not in allowed:
                raise ParameterError(choice_message(name, getattr(self, name), allowed))
        self._check_default()
        for number, rule in enumerate(self.rules, 1):
            if rule.classes is not self.classes and rule.classes != self.classes:
                raise ParameterError(
                    f"Rule {number} has the classes {shorten(rule.classes)}, the list {shorten(self.classes)}: all "
                    "must share the same classes in the same order."
                )
            for condition in rule.conditions:
                for attribute in condition.attributes:
                    self.schema.position(attribute.name)
        if self.tree is not None and self.tree.classes != self.classes:
            raise ParameterError("The tree's classes are not those of the rules.")

    @classmethod
    @named_costs
    def from_tree(
        cls, tree: Tree, *, keep_empty: bool = True, unknown: Unknown = "tree", cost_matrix: Any = None
    ) -> RuleList:
        """The rules of a tree's leaves as a model, the root's answer as default; parameters as in ``extract_rules``.

        As it stands it answers what the tree answers, for every row.
        """
        rules = extract_rules(tree, keep_empty=keep_empty, unknown=unknown, cost_matrix=cost_matrix)
        behind = tree if unknown == "tree" and needs_tree(tree) else None
        default, classes = tree.chosen(cost_matrix)[0], tree.classes
        weights = tuple(tree.distributions()[0].tolist()) if tree.target_kind.has_shares else None
        decision = tree.decision if cost_matrix is None else None
        reason = decision.reason(classes or ()) if decision is not None else ""
        return cls(rules, default, tree.schema, classes, default_weights=weights, tree=behind, reason=reason)

    def _check_default(self) -> None:
        kind = self.target_kind
        object.__setattr__(self, "default", kind.checked_choice(self.default, "default"))
        if kind.has_shares and self.default_weights is not None:
            weights = tuple(float(weight) for weight in self.default_weights)
            if len(weights) != kind.width:
                raise ParameterError(f"default_weights has {len(weights)} weights for {kind.width} classes.")
            object.__setattr__(self, "default_weights", weights)

    # What it holds

    @cached_property
    def target_kind(self) -> TargetKind:
        """What the rules answer: one of the classes, or a number."""
        return kind_of(self.classes)

    @property
    def default_label(self) -> Any:
        """The class (or number) for rows that no rule covers."""
        return self.target_kind.label(self.default)

    @property
    def n_conditions(self) -> int:
        """The conditions of all rules together."""
        return sum(len(rule.conditions) for rule in self.rules)

    def __len__(self) -> int:
        """How many rules there are, the default not counted."""
        return len(self.rules)

    def __iter__(self) -> Iterator[Rule]:
        """Go through the rules in their order."""
        return iter(self.rules)

    def __getitem__(self, position: int) -> Rule:
        """The rule at a position, the first at 0."""
        return self.rules[position]

    @cached_property
    def coverage(self) -> Coverage:
        """The conditions of all rules, ready to be met by rows."""
        return Coverage(self.rules)

    @cached_property
    def answers(self) -> Floats:
        """What each rule answers, and last the default: shares [n_rules + 1, k], or numbers [n_rules + 1, 1]."""
        default = Rule((), self.default, self.classes, class_weights=self.default_weights).distribution
        return np.array([*(rule.distribution for rule in self.rules), default])

    @cached_property
    def consequents(self) -> NDArray[Any]:
        """The class position or number of each rule, and last the default."""
        return np.array([*(rule.consequent for rule in self.rules), self.default])

    # Prediction

    def fired(self, dataset: Dataset) -> NDArray[np.int64]:
        """The position of the rule that decides each row, −1 for the default.

        In voting mode the strongest of the covering rules that vote for the class that wins. A row that goes down the
        tree because a value is unknown: the rule of the leaf that takes most of it.
        """
        if self.mode == "voting" and self.rules:
            return strongest_rules(self, dataset)
        first = self.coverage.first_rules(dataset)
        if self.tree is not None and len(rest := np.flatnonzero(first < 0)):
            first[rest] = self.rule_of_node[apply(self.tree, dataset.take(rest))]
        return first

    def distribution(self, dataset: Dataset) -> Floats:
        """The class shares of each row [n_rows, k], or the numbers [n_rows, 1].

        Ordered: those of the examples that the deciding rule covers. Voting: the shares of the votes.
        """
        return self.answer(dataset)[0]

    @named_costs
    def predict(self, dataset: Dataset, cost_matrix: Any = None) -> NDArray[Any]:
        """The position of the class of each row, or the number (regression).

        cost_matrix: L(i, j), the cost of answering j when i is true: then the class of least expected cost by the
        distribution, instead of the class that the deciding rule names.
        """
        return self.answer(dataset, cost_matrix)[1]

    @named_costs
    def answer(self, dataset: Dataset, cost_matrix: Any = None) -> tuple[Floats, NDArray[Any]]:
        """Both at once: the ``distribution`` and what ``predict`` gives; every row is asked once."""
        kind = self.target_kind
        if cost_matrix is not None:
            kind.need_classes("cost_matrix weighs classes against each other; these rules answer numbers.")
        voting = self.mode == "voting"
        first = np.empty(0, dtype=np.int64) if voting else self.coverage.first_rules(dataset)
        shares = votes(self, dataset) if voting else self.answers[first]
        rest = np.flatnonzero(first < 0) if self.tree is not None else first[:0]
        if self.tree is not None and len(rest):
            shares[rest] = predict_distribution(self.tree, dataset.take(rest), self.node_answers)
        if cost_matrix is not None:
            return shares, kind.chosen(shares, cost_matrix)
        if voting:
            return shares, kind.voted(shares, self.default)
        chosen = self.consequents[first]
        if self.tree is not None and len(rest):
            chosen[rest] = self.tree.choices(shares[rest])
        return shares, chosen

    # The tree behind it

    @cached_property
    def rule_of_node(self) -> NDArray[np.int64]:
        """The position of the rule that was made from each node of the tree; −1: none was."""
        assert self.tree is not None
        result = np.full(self.tree.n_nodes, -1, dtype=np.int64)
        for position in range(len(self.rules) - 1, -1, -1):
            leaf = self.rules[position].leaf
            if leaf is not None:
                result[leaf] = position
        return result

    @cached_property
    def node_answers(self) -> Floats:
        """What each node of the tree answers: a leaf what its rule does."""
        assert self.tree is not None
        leaves = self.tree.n_children == 0
        return np.where(leaves[:, None], self.answers[self.rule_of_node], self.tree.distributions())

    # Why, and how well

    def explain(self, rows: Dataset | Mapping[str, Any], row: int = 0) -> Explanation:
        """Which rule decides one row, and which condition each earlier rule failed by.

        rows: an encoded dataset, of which ``row`` is meant; or one row's values by attribute name (those not named are
        unknown).
        """
        return explain(self, rows, row)

    def measure(
        self,
        dataset: Dataset,
        target: ClassTarget | ArrayLike,
        weights: ArrayLike | None = None,
        *,
        confidence: float = 0.95,
    ) -> RuleTable:
        """Support, coverage, precision, recall, lift, interval and contribution of every rule on labelled rows.

        weights: one for each row, not negative. confidence: of the Wilson interval of the precision.
        """
        return measure(self, dataset, target, weights, confidence)

    def measured(self, dataset: Dataset, target: ClassTarget | ArrayLike, weights: ArrayLike | None = None) -> RuleList:
        """The same rules with their weights (``covered``, ``correct``, ``class_weights``) taken from labelled rows.

        The default's weights are those of the rows that no rule covers.
        """
        return measured(self, dataset, target, weights)

    # Other lists from this one

    def add(self, rule: Rule, position: int | None = None) -> RuleList:
        """The list with one more rule, before the rule at ``position``; None: behind all others."""
        place = len(self.rules) if position is None else self._checked(position, len(self.rules) + 1)
        return replace(self, rules=(*self.rules[:place], rule, *self.rules[place:]))

    def drop(self, position: int) -> RuleList:
        """The list without the rule at a position."""
        place = self._checked(position, len(self.rules))
        return replace(self, rules=self.rules[:place] + self.rules[place + 1 :])

    def move(self, position: int, to: int) -> RuleList:
        """The list with one rule taken out and put in again so that it stands at position ``to``."""
        rule = self.rules[self._checked(position, len(self.rules))]
        return self.drop(position).add(rule, self._checked(to, len(self.rules)))

    def replace(self, position: int, rule: Rule) -> RuleList:
        """The list with another rule at a position."""
        place = self._checked(position, len(self.rules))
        return replace(self, rules=(*self.rules[:place], rule, *self.rules[place + 1 :]))

    def replace_default(self, label: Any) -> RuleList:
        """The list with another default: a class by its name, or a number (regression)."""
        return replace(self, default=self.target_kind.choice_of(label), default_weights=None)

    def with_mode(self, mode: Mode, vote: Vote | None = None) -> RuleList:
        """The same rules, ordered or voting."""
        return replace(self, mode=mode, vote=vote or self.vote)

    def make_rule(self, conditions: Mapping[str, Any], then: Any) -> Rule:
        """A rule for this list from names and values; see :meth:`Rule.of`."""
        return Rule.of(self.schema, conditions, then, self.classes)

    def _checked(self, position: int, size: int) -> int:
        if not isinstance(position, int | np.integer) or not 0 <= position < size:
            raise ParameterError(f"There is no position {position!r}; the positions are 0 … {size - 1}.")
        return int(position)

    # Words

    def text(self, *, limit: int | None = None, values: int | None = 10, complement: bool = False) -> str:
        """All rules, numbered from 1, and the default. limit: at most so many rules. values: of a set, shown.

        A condition that unknown values fulfil, too, is marked ``[?]``, if there were some in training; the last line
        says so. Another line says why, if a rule answers a class that is not the most frequent of its examples.
        """
        shown = self.rules if limit is None else self.rules[:limit]
        lines = [f"{i}. {rule.text(limit=values, complement=complement, mark=True)}" for i, rule in enumerate(shown, 1)]
        if len(shown) < len(self.rules):
            lines.append(f"… {counted(len(self.rules) - len(shown), 'more rule')}")
        lines.append(f"Otherwise: {self.default_text()}")
        if self.reason and any(rule.is_unlikely for rule in shown):
            lines.append(self.reason)
        marked = any(condition.is_marked for rule in shown for condition in rule.conditions)
        return "\n".join([*lines, FOOTNOTE] if marked else lines)

    def to_latex(self, *, document: bool = False) -> str:
        r"""The rules as a numbered list in LaTeX (amsmath). document: a whole one, to be set by itself.

        >>> from quercus import ID3Classifier
        >>> from quercus.datasets import load_order_example
        >>> print(ID3Classifier().fit(*load_order_example()).rules().to_latex())
        \begin{enumerate}
          \item $\text{Outlook} = \text{Rain} \Rightarrow \text{No}$
          \item $\text{Outlook} = \text{Sunny} \Rightarrow \text{Yes}$
        \end{enumerate}
        Otherwise: No
        """
        # lines are broken after a sign of comparison, and here also between the values of a set
        formulas = [rule.latex(mark=True).replace("}, \\text{", "}, \\allowbreak \\text{") for rule in self.rules]
        items = [r"\begin{enumerate}", *(f"  \\item ${formula}$" for formula in formulas), r"\end{enumerate}"]
        text = "\n".join([*(items if formulas else ()), f"Otherwise: {latex_words(self.default_text())}"])
        return latex_document(text) if document else text

    def to_frame(self) -> Any:
        """The rules as a pandas DataFrame, one row for each with its text and figures; the default last."""
        names = ("label", "covered", "precision")
        rows = [
            {"rule": rule.text(limit=None, figures=False), **{name: getattr(rule, name) for name in names}}
            for rule in self.rules
        ]
        return frame_of([*rows, {"rule": "otherwise", "label": self.default_label}])

    def default_text(self) -> str:
        """The default as text."""
        return self.target_kind.label_text(self.default_label)

    def __str__(self) -> str:
        """The list as text, at most 200 rules; ``text()`` shows all."""
        return self.text(limit=_SHOWN)

    def __repr__(self) -> str:
        """The list in one line."""
        return f"<RuleList: {counted(len(self.rules), 'rule')}, {self.mode}, otherwise {self.default_text()}>"

    def __eq__(self, other: object) -> bool:
        """Whether rules, their weights, default, names and modes are the same."""
        if not isinstance(other, RuleList):
            return NotImplemented
        mine, theirs = vars(self), vars(other)
        return all(mine[name] == theirs[name] for name in RuleList.__dataclass_fields__ if name != "reason")

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        """Leave out of pickles what was derived."""
        return {name: getattr(self, name) for name in RuleList.__dataclass_fields__}

    # Files

    def to_dict(self) -> dict[str, Any]:
        """The list as plain lists, numbers and strings that JSON can hold, with a version."""
        return rule_list_to_dict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> RuleList:
        """Undo :meth:`to_dict`; everything is checked, and loading runs no code."""
        try:
            return cls(**arguments_from_dict(data))
        except DataError:
            raise
        except (TypeError, ValueError, KeyError, AttributeError, OverflowError) as error:
            raise DataError(f"The rule list's dictionary is damaged: {error!r}.") from error
