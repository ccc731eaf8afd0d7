"""A fitted model as a value: what was learned, how it answers, and how it was made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from quercus.arrays import Floats
from quercus.data.asked import encode_asked
from quercus.data.dataset import Dataset, encode_like
from quercus.data.names import counted
from quercus.data.rows import Rows, checked_target, known_rows
from quercus.data.schema import Schema
from quercus.errors import ModelKindError, ParameterError
from quercus.fitted.algorithms import ALGORITHMS, Algorithm, AnswersBy
from quercus.fitted.answering import ClassAnswers, QuantileAnswers
from quercus.fitted.decision import Decision
from quercus.fitted.hold_out import HoldOut
from quercus.fitted.member_reading import SpreadReading, VoteReading
from quercus.fitted.parts import Boosting, Draws, Method, OutOfBagScore
from quercus.fitted.reading import Readable, RuleReading
from quercus.fitted.sizes import SizeReading
from quercus.fitted.tree_reading import TreeReading
from quercus.growing.recipe import Recipe
from quercus.predict.predict import SparseValues, predict_codes, predict_distribution, predict_sparse
from quercus.targets import TargetKind, kind_of
from quercus.tree.forest import Forest
from quercus.tree.tree import Tree

if TYPE_CHECKING:  # what only some models have is imported by those that make it
    from quercus.forests.collection import Collection
    from quercus.forests.quantile_forest import LeafTargets
    from quercus.forests.score_sum import ScoreSum
    from quercus.predict.forest import Vote
    from quercus.pruning.alpha_table import CVTable
    from quercus.pruning.result import Pruned
    from quercus.rules.rule_list import RuleList


@dataclass(frozen=True, eq=False, repr=False)
class Model(ClassAnswers, QuantileAnswers, TreeReading, RuleReading, VoteReading, SpreadReading, SizeReading):
    """A fitted model; never changed afterwards. Every function that reads a fitted estimator reads this as well.

    It answers as the estimator does, but has no parameters to set and cannot be fitted; ``as_estimator()`` gives one
    that can. Two models are equal if they are the same object; trees are compared by what they say: ``one.tree ==
    other.tree``.

    method: the algorithm and its parameters. schema: the attributes and the target. classes: as ``classes_``; None:
    numbers are answered. tree: the tree that answers, or from which the rules were made. rule_list: the rules that
    answer. forest: the trees or rule lists that answer together; member: how each was made. grown: the tree before
    pruning; pruning: what was cut; held_out: which rows were kept from growing. recipe: by which trees were grown.
    decision: how the answer is chosen; vote: how those of many members become one. class_factors: by which the weights
    of the classes were multiplied. draws, out_of_bag, boosting: of a collection. leaf_targets: of a forest that can be
    asked for any quantile; model files do not keep them. named_columns: whether the table had
    names of its own. evidence: what the training rows told for reports. ``model_of`` gives the model of an estimator, a
    tree, a forest or a rule list.

    >>> from quercus import C45Classifier
    >>> from quercus.datasets import load_play_tennis
    >>> X, y = load_play_tennis()
    >>> model = C45Classifier().fit(X, y).model_
    >>> model
    <Model: C45Classifier, 8 nodes, 4 attributes, 2 classes>
    >>> model.predict(X)[:3], model.explain(X, row=2).label
    (array(['No', 'No', 'Yes'], dtype=object), 'Yes')
    """

    method: Method
    schema: Schema
    classes: NDArray[Any] | None
    tree: Tree | None = None
    rule_list: RuleList | None = None
    forest: Collection | None = None
    member: Method | None = None
    grown: Tree | None = None
    pruning: Pruned | None = None
    held_out: HoldOut | None = None
    recipe: Recipe | None = None
    decision: Decision = field(default_factory=Decision)
    vote: Vote = "probability"
    class_factors: Floats | None = None
    draws: Draws | None = None
    out_of_bag: OutOfBagScore | None = None
    boosting: Boosting | None = None
    leaf_targets: LeafTargets | None = None
    named_columns: bool = True
    evidence: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        """Let the trees show the answers of this model."""
        if self.tree is None or self.decision.is_plain:
            return
        shown: dict[int, Tree] = {}  # one tree stays one

        def answering(tree: Tree | None) -> Tree | None:
            return None if tree is None else shown.setdefault(id(tree), tree.answering(self.decision))

        pruning = self.pruning
        if pruning is not None:
            pruning = replace(pruning, tree=answering(pruning.tree), before=answering(pruning.before))  # type: ignore[arg-type]
        for name, value in (("tree", answering(self.tree)), ("grown", answering(self.grown)), ("pruning", pruning)):
            object.__setattr__(self, name, value)

    # What it is

    @property
    def model_(self) -> Model:
        """The model itself, so that it is read as an estimator is."""
        return self

    @property
    def algorithm(self) -> Algorithm:
        """The row of the algorithm in the table of all."""
        return ALGORITHMS[self.method.algorithm]

    @property
    def name(self) -> str:
        """The name of the algorithm, which is that of its estimator."""
        return self.method.algorithm

    @property
    def answers_by(self) -> AnswersBy:
        """What answers: one tree, rules, or many members together."""
        return self.algorithm.answers_by

    @property
    def answers_by_rules(self) -> bool:
        """Whether rules answer, one list of them or many."""
        return self.rule_list is not None or (self.forest is not None and self.member_trees is None)

    @cached_property
    def score_sum(self) -> ScoreSum | None:
        """The trees that add up scores, with their link; None: the members, or the one model, answer by themselves."""
        if self.forest is None or isinstance(self.forest, Forest):
            return None
        from quercus.forests.score_sum import ScoreSum

        return self.forest if isinstance(self.forest, ScoreSum) else None

    @property
    def member_trees(self) -> Forest | None:
        """The trees of a collection, whatever becomes of their answers; None: it has rule lists, or is none."""
        if self.score_sum is not None:
            return self.score_sum.trees
        return self.forest if isinstance(self.forest, Forest) else None

    @cached_property
    def target_kind(self) -> TargetKind:
        """The kind of target of the tree, the rules or the collection that answers."""
        for source in (self.forest, self.rule_list, self.tree):
            if source is not None:
                return source.target_kind
        return kind_of(self.classes)

    @property
    def labels(self) -> tuple[Any, ...] | None:
        """The classes as plain values; None: numbers are answered."""
        return self.target_kind.classes

    @property
    def known(self) -> Any:
        """The classes that fitting learned, for further rows; none if numbers are answered."""
        return self.classes if self.target_kind.has_shares else ()

    @property
    def alpha_table(self) -> CVTable | None:
        """The table of the cross-validation that chose the price of leaves, if there was one."""
        if self.pruning is None or self.pruning.table is None:
            return None
        from quercus.pruning.alpha_table import CVTable

        table = self.pruning.table
        if not isinstance(table, CVTable):
            return None
        return table if self.decision.costs is None else replace(table, measure="mean cost")

    def need_tree(self, what: str) -> Tree:
        """The one tree that answers; other models are refused. what: names, in the message, what needs it."""
        if self.answers_by != "tree" or self.tree is None:
            raise ModelKindError(f"{what} needs a model that answers with one tree; this is a {self.name}.")
        return self.tree

    def need_rules(self, what: str) -> RuleList:
        """The rules that answer; other models are refused. what: as in :meth:`need_tree`."""
        if self.rule_list is None:
            raise ModelKindError(f"{what} needs a model that answers with rules; this is a {self.name}.")
        return self.rule_list

    def need_members(self, what: str) -> Collection:
        """The trees or rule lists that answer together; other models are refused. what: as in :meth:`need_tree`."""
        if self.forest is None:
            raise ModelKindError(f"{what} needs a model of many members; this is a {self.name}.")
        return self.forest

    def need_trees(self, what: str) -> Forest:
        """The trees that answer, one or many; rules are refused. what: as in :meth:`need_tree`."""
        if self.answers_by == "tree" and self.tree is not None:
            return Forest.from_trees([self.tree])
        if self.member_trees is None:
            made = f"{self.name} was fitted with rules"
            made = made if self.member is None else f"the members are {self.member.algorithm}: {made}"
            raise ModelKindError(f"{what} needs trees; {made}.")
        return self.member_trees

    def gaining(self, what: str) -> Forest | ScoreSum:
        """The trees whose gains tell what attributes matter. what: as in :meth:`need_tree`."""
        return self.need_trees(what) if self.score_sum is None else self.score_sum

    def __repr__(self) -> str:
        """The model in one line."""
        if self.forest is not None:
            size = counted(len(self.forest), "member")
        elif self.rule_list is not None:
            size = counted(len(self.rule_list), "rule")
        else:
            size = counted(0 if self.tree is None else self.tree.n_nodes, "node")
        attributes = counted(len(self.schema), "attribute")
        return f"<Model: {self.name}, {size}, {attributes}, {self.target_kind.noun}>"

    def __str__(self) -> str:
        """The tree or the rules as text, a collection in a line; as the estimator prints."""
        return model_text(self)

    # What it answers

    def encode_rows(self, X: Any) -> Dataset:
        """Encode new rows by the schema that fitting learned."""
        return X if isinstance(X, Dataset) else encode_like(X, self.schema)

    def encode_asked(self, X: Any) -> Dataset:
        """Encode new rows for answering only: columns that no question reads are not looked at."""
        if isinstance(X, Dataset):
            return X
        return encode_like(X, self.schema) if self.asked is None else encode_asked(X, self.schema, self.asked)

    @cached_property
    def asked(self) -> tuple[int, ...] | None:
        """The positions of the attributes that answering reads; None: all may be."""
        if self.member_trees is not None:
            return self.member_trees.asked
        if self.forest is None and self.rule_list is None and self.tree is not None:
            return tuple(sorted(self.tree.asked))
        return None

    def labelled(self, dataset: Dataset, y: Any, sample_weight: Any = None, *, new_classes: bool = False) -> Rows:
        """Encoded rows with their true targets, by the classes that fitting learned; ``read_rows`` encodes them, too.

        new_classes: labels that fitting never saw get places behind the classes; else they are refused.
        """
        target = self.target_kind.encode(checked_target(y, dataset.n_rows, self.name), new_classes, self.classes)
        return known_rows(dataset, target, sample_weight, factors=None if new_classes else self.class_factors)

    def shares(self, dataset: Dataset, n_jobs: int = 1) -> Floats:
        """What is answered for encoded rows: class shares [n, classes], or numbers [n, 1]."""
        if len(blocks := self._blocks(dataset)) > 1:
            return np.concatenate([self.shares(block, n_jobs) for block in blocks])
        if self.forest is not None:
            from quercus.forests.collection import collection_answers

            return collection_answers(self.forest, dataset, **self.asking(n_jobs))[0]
        if self.rule_list is not None:
            return self.rule_list.distribution(dataset)
        tree, sparse = self.need_tree("An answer"), self._sparse_values
        if sparse is not None and 8 * dataset.n_rows > tree.n_nodes:
            return predict_sparse(tree, dataset, sparse, n_jobs)
        return predict_distribution(tree, dataset, self._node_values, n_jobs)

    def _blocks(self, dataset: Dataset) -> list[Dataset]:
        """The rows of a sparse table in parts that may be made dense."""
        return dataset.blocks(len(self.schema) if self.asked is None else len(self.asked))

    @cached_property
    def _sparse_values(self) -> SparseValues | None:
        """The answers of the nodes without zeros, if most shares are 0; else None."""
        return SparseValues.of(self._node_values)

    @cached_property
    def _node_values(self) -> Floats:
        """What each node of the tree answers."""
        return self.decision.values(self.need_tree("An answer"))

    @cached_property
    def _node_codes(self) -> NDArray[np.int64]:
        """The position of the class that each node of the tree answers."""
        return np.ascontiguousarray(self.chosen(self._node_values), dtype=np.int64)

    def answer(self, dataset: Dataset, n_jobs: int = 1) -> tuple[Floats, NDArray[Any]]:
        """Shares and answers of encoded rows at once: the positions of the classes, or the numbers."""
        if self.rule_list is not None:
            return self.rule_list.answer(dataset, self.decision.choosing)
        if self.score_sum is not None and self.decision.is_plain:
            scores = self.score_sum.scores(dataset, n_jobs)
            return self.score_sum.answers(scores), self.score_sum.chosen(scores)
        shares = self.shares(dataset, n_jobs)
        return shares, self.chosen(shares)

    def chosen(self, shares: Floats) -> NDArray[Any]:
        """The one class (by position) or number that each row of ``shares`` comes down to. shares: rows × classes."""
        return self.target_kind.chosen(shares, self.decision.choosing, self.decision.threshold)

    def asking(self, n_jobs: int = 1) -> dict[str, Any]:
        """How the members of a collection are asked together."""
        return {"vote": self.vote, "smoothing": self.decision.smoothing, "n_jobs": n_jobs}

    def codes(self, dataset: Dataset, n_jobs: int = 1) -> NDArray[np.intp]:
        """The position of the class that is answered for each encoded row."""
        return np.asarray(self.answer(dataset, n_jobs)[1], dtype=np.intp)

    def answers(self, dataset: Dataset, n_jobs: int = 1) -> NDArray[Any]:
        """The class, or the number, that is answered for each encoded row."""
        if len(blocks := self._blocks(dataset)) > 1:
            return np.concatenate([self.answers(block, n_jobs) for block in blocks])
        if not self.target_kind.has_shares or self.forest is not None or self.rule_list is not None:
            return self.named(self.answer(dataset, n_jobs)[1])
        tree = self.need_tree("An answer")
        return self.named(predict_codes(tree, dataset, self._node_values, self._node_codes, self.chosen, n_jobs))

    def named(self, chosen: NDArray[Any]) -> NDArray[Any]:
        """The classes by their positions; numbers stay as they are. chosen: what :meth:`chosen` gave."""
        return self.target_kind.named(chosen, self.classes)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class, or the number, of each row of a table."""
        return self.answers(self.encode_asked(X))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of right answers; of numbers R², the share of the variance that is explained (NaN without any).

        X, y: rows, and what is true of them. sample_weight: one for each row.
        """
        rows = self.labelled(self.encode_rows(X), y, sample_weight, new_classes=True)
        weights = np.ones(rows.n_rows) if rows.sample_weights is None else rows.sample_weights
        truth = rows.target if rows.codes is None else rows.codes
        return self.target_kind.score(self.answer(rows.dataset)[1], np.asarray(truth), weights)

    # What else it is

    def member_model(self, number: int) -> Model:
        """One member of a collection as a model of its own. number: its place, from 0."""
        if self.forest is None:
            raise ParameterError(f"This {self.name} has no members; it is one model.")
        if self.member is None:  # the trees of another library, which were not made by a method of ours
            return model_of(self.need_trees("A member").tree(number))
        if self.member_trees is not None:
            tree = self.member_trees.tree(number)
            parts: dict[str, Any] = {"tree": tree, "grown": tree, "recipe": self.recipe}
        else:
            committee: Any = self.forest
            parts = {"rule_list": committee.member(number)}
        in_rules = ALGORITHMS[self.member.algorithm].costs_in_rules
        decision = Decision.of(self.member.parameters, self.classes, in_rules)
        return Model(
            self.member, self.schema, self.classes, decision=decision, named_columns=self.named_columns, **parts
        )

    def _repr_html_(self) -> str | None:
        """For notebooks: the picture of the tree."""
        return self._notebook_html() if self.answers_by == "tree" else None


def model_text(model: Model) -> str:
    """What ``print`` shows of a model: the tree or the rules as text, a collection in a line."""
    if model.forest is not None:
        return repr(model.forest)
    if model.rule_list is not None:
        return str(model.rule_list)
    return str(model.need_tree("Text"))


def model_of(thing: Any) -> Model:
    """The model of a fitted estimator, of a tree, a forest, a sum of scores or a rule list; a model stays itself.

    thing: one of these; anything else is refused.

    >>> from quercus import ID3Classifier
    >>> from quercus.datasets import load_play_tennis
    >>> estimator = ID3Classifier().fit(*load_play_tennis())
    >>> model_of(estimator).name, model_of(estimator.tree_).name
    ('ID3Classifier', 'Tree')
    """
    if isinstance(thing, Readable):
        return thing.model_
    if isinstance(thing, Tree):
        decision = thing.decision if isinstance(thing.decision, Decision) else Decision()
        return _of_value("Tree", thing, tree=thing, grown=thing, decision=decision)
    if isinstance(thing, Forest):
        return _of_value("Forest", thing, forest=thing)
    from quercus.forests.score_sum import ScoreSum
    from quercus.rules.rule_list import RuleList

    if isinstance(thing, ScoreSum):
        return _of_value("ScoreSum", thing, forest=thing)
    if isinstance(thing, RuleList):
        return _of_value("RuleList", thing, rule_list=thing, tree=thing.tree)
    raise ParameterError(
        f"{type(thing).__name__} is no model of Quercus, or is not fitted. Give a fitted tree, rule or forest model, "
        "a Tree or a RuleList."
    )


def _of_value(name: str, value: Tree | Forest | ScoreSum | RuleList, **parts: Any) -> Model:
    return Model(Method(name), value.schema, value.target_kind.class_array, **parts)
