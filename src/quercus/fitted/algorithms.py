"""The algorithms: one table, one row for each, from which estimators, model files and the command line take names."""

from __future__ import annotations

from typing import Literal, NamedTuple

AnswersBy = Literal["tree", "rules", "members"]
#: The parts of a model file, by what answers.
_TREE = ("recipe", "tree", "pruning", "class_factors")
_DRAWN = ("members", "draws", "out_of_bag")


class Algorithm(NamedTuple):
    """One algorithm.

    name: the class of its estimator, also in model files. key: its name on the command line ("": it is not there).
    title: its name for people. answers_by: what answers, one tree, rules, or many members together. parts: of a model
    file (none: it cannot be saved). module: the file of ``quercus.estimators`` ("": a value without an estimator).
    numbers: whether it predicts numbers; else classes. members_by: what answers in the members of a collection;
    member_key: they are of this algorithm only ("": of any). costs_in_rules: whether costs have had their say when the
    rules were made, so that they do not count in answering.
    """

    name: str
    key: str
    title: str
    answers_by: AnswersBy
    parts: tuple[str, ...]
    module: str = ""
    numbers: bool = False
    members_by: tuple[AnswersBy, ...] = ()
    member_key: str = ""
    costs_in_rules: bool = False

    @property
    def members(self) -> tuple[str, ...]:
        """The classes that the members of a collection may be of.

        >>> ALGORITHMS["BoostedClassifier"].members
        ('ID3Classifier', 'C45Classifier', 'CARTClassifier')
        """
        return tuple(
            row.name
            for row in ALGORITHMS.values()
            if row.module and row.answers_by in self.members_by and row.numbers == self.numbers
            if self.member_key in ("", row.key)
        )


ALGORITHMS: dict[str, Algorithm] = {
    row.name: row
    for row in (
        Algorithm("ID3Classifier", "id3", "ID3", "tree", _TREE, "id3"),
        Algorithm("C45Classifier", "c45", "C4.5", "tree", _TREE, "c45"),
        Algorithm("CARTClassifier", "cart", "CART", "tree", _TREE, "cart"),
        Algorithm("CARTRegressor", "cart", "CART", "tree", _TREE[:3], "cart", numbers=True),
        Algorithm(
            *("C45RulesClassifier", "rules", "C4.5 rules", "rules", ("recipe", "tree", "rules"), "c45_rules"),
            costs_in_rules=True,
        ),
        Algorithm("PARTClassifier", "part", "PART", "rules", ("rules",), "part"),
        Algorithm("RIPPERClassifier", "ripper", "RIPPER", "rules", ("rules",), "ripper"),
        Algorithm(
            *("RandomForestClassifier", "forest", "Random forest", "members", _DRAWN, "random_forest"),
            members_by=("tree",),
            member_key="cart",
        ),
        Algorithm(
            *("RandomForestRegressor", "forest", "Random forest", "members", _DRAWN, "random_forest"),
            numbers=True,
            members_by=("tree",),
            member_key="cart",
        ),
        Algorithm(
            *("BaggingClassifier", "bagging", "Bagging", "members", _DRAWN, "bagging"), members_by=("tree", "rules")
        ),
        Algorithm(
            *("BaggingRegressor", "bagging", "Bagging", "members", _DRAWN, "bagging"),
            numbers=True,
            members_by=("tree",),
        ),
        Algorithm(
            *("BoostedClassifier", "boosted", "Boosting", "members", ("members", "boosting"), "boosted"),
            members_by=("tree",),
        ),
        Algorithm("Tree", "", "Tree", "tree", ("tree",)),
        Algorithm("Forest", "", "Forest", "members", ("forest",)),
        Algorithm("ScoreSum", "", "Sum of trees", "members", ("forest", "scores")),
        Algorithm("RuleList", "", "Rules", "rules", ("rules",)),
    )
}
