"""Boosting: trees grown one after the other, each from rows weighed by the mistakes of those before it.

Two methods. **SAMME** (Zhu, Zou, Rosset, Hastie 2009; with two classes it is AdaBoost): a tree of weighted error e has
the vote :math:`\\alpha = \\ln\\frac{1 - e}{e} + \\ln(k - 1)`, and the weights of the rows it gets wrong are multiplied
by :math:`e^\\alpha`. **Trials** follow what is published of C5.0's boosting, which is not AdaBoost: the weights go only
halfway to where right and wrong rows would weigh the same, and the trees vote by their confidence, all alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from quercus.arrays import Floats
from quercus.data.case_weight import case_weight
from quercus.data.dataset import ClassTarget, Dataset
from quercus.data.values import plain_value
from quercus.errors import ParameterError, choice_message
from quercus.forests.collection import member_answer
from quercus.growing.forest import GrowingInterrupted
from quercus.pruning.curves import Curve
from quercus.targets import kind_of
from quercus.targets.labels import label_codes
from quercus.tree.forest import Forest, tree_weights
from quercus.tree.tree import Tree

Method = Literal["samme", "trials"]
#: Makes the tree of a round from the weights of the rows (they sum to the weight of the table) and its number.
GrowOne = Callable[[Floats, int], Tree]
#: Rows, their classes and their weights.
LabelledRows = tuple[Dataset, ClassTarget, Floats | None]

#: No row weighs less than this share of all, so that none is lost to rounding.
LEAST_SHARE = float(np.finfo(np.float64).eps)
#: An error this close below that of guessing is guessing, whatever rounding says.
GUESSING = 1e-10
#: Trials end when the mistakes weigh less than this part of one example.
ACCURATE = 0.1


class BoostingRound(NamedTuple):
    """What follows from one tree: its weighted error, its vote, the rows' new weights, and whether boosting goes on."""

    error: float
    vote: float
    weights: Floats
    keep: bool = True
    stop: str = ""


def samme_step(weights: Floats, wrong: NDArray[np.bool_], n_classes: int, learning_rate: float = 1.0) -> BoostingRound:
    r"""One round of SAMME: the vote of a tree and the weights after it (their sum is kept).

    weights: of the rows, all above 0. wrong: which rows the tree gets wrong. learning_rate: multiplies the vote.
    A tree without mistakes has the vote 1 and is the last. One that is no better than guessing, e ≥ 1 − 1/k, is not
    kept.

    >>> step = samme_step(np.full(10, 0.1), np.arange(10) < 3, n_classes=2)  # Freund and Schapire's ten points
    >>> round(step.error, 3), round(step.vote / 2, 3), (step.weights[[0, 9]]).round(3)
    (0.3, 0.424, array([0.167, 0.071]))
    """
    total = float(weights.sum())
    error = float(weights[wrong].sum()) / total
    if error <= 0.0:
        return BoostingRound(0.0, 1.0, weights, stop="a tree makes no mistake")
    if error >= 1.0 - 1.0 / n_classes - GUESSING:
        return BoostingRound(error, 0.0, weights, keep=False, stop="a tree is no better than guessing")
    vote = learning_rate * (np.log((1.0 - error) / error) + np.log(n_classes - 1.0))
    logs = np.log(weights / total) + vote * wrong
    shares = np.exp(logs - logs.max())
    return BoostingRound(error, float(vote), total * np.maximum(shares / shares.sum(), LEAST_SHARE))


def trials_step(weights: Floats, wrong: NDArray[np.bool_], examples: Floats | None = None) -> BoostingRound:
    r"""One trial in the manner of C5.0, weights that sum to the number of examples.

    weights: of the rows, all above 0. wrong: which rows the tree gets wrong. examples: how many examples each row
    stands for, its weight before the first trial; None: one.

    With :math:`S_-` the weight of the mistakes and :math:`S_+` that of the others, the midpoint is half of what the
    mistakes lack to half of all weight, :math:`m = \frac{1}{2}\left(\frac{S_- + S_+}{2} - S_-\right)`. Rows answered
    rightly are multiplied by :math:`(S_+ - m) / S_+`; each of :math:`N_-` mistaken examples gains :math:`m / N_-`. So
    what the mistakes lack to half of all weight is halved, and the sum stays. A tree whose mistakes weigh less than 0.1
    example is the last one; a tree whose mistakes are half of the weight or more is not kept.

    >>> step = trials_step(np.ones(10), np.arange(10) < 3)
    >>> step.error, step.weights[[0, 9]].round(3), float(step.weights.sum())
    (0.3, array([1.333, 0.857]), 10.0)
    """
    total, mistakes = float(weights.sum()), float(weights[wrong].sum())
    error = mistakes / total
    if mistakes < ACCURATE * case_weight(total, len(weights)):
        return BoostingRound(error, 1.0, weights, stop="a tree is very accurate")
    if error >= 0.5 - GUESSING:
        return BoostingRound(error, 0.0, weights, keep=False, stop="a tree is too inaccurate")
    right = total - mistakes
    midpoint = (total / 2.0 - mistakes) / 2.0
    one = np.ones(len(weights)) if examples is None else examples
    raised = weights + midpoint * (one / one[wrong].sum())
    return BoostingRound(error, 1.0, np.where(wrong, raised, weights * ((right - midpoint) / right)))


@dataclass(frozen=True, eq=False)
class Boosted:
    """What boosting gives.

    forest: the trees with their votes as weights. errors: the weighted error of each. curve: the error of all trees
    together after each round, on the training rows and, if there are any, on rows held out. stopped: why there are no
    more trees. rounds: trees that were grown and kept before those after the best round were dropped.
    """

    forest: Forest
    errors: Floats
    curve: Curve
    stopped: str
    rounds: int


class Voters:
    """The votes of the trees for the rows of one table, added up tree by tree."""

    def __init__(
        self, rows: tuple[Dataset, ClassTarget, Floats | None], classes: tuple[Any, ...], options: Any
    ) -> None:
        self.dataset, target, weights = rows
        self.codes = kind_of(classes).truth(target)
        self.weights = np.ones(len(self.codes)) if weights is None else weights
        self.options = options
        self.sums = np.zeros((len(self.codes), len(classes)))

    def answer(self, tree: Tree) -> Floats:
        """The answer of one tree."""
        return member_answer(tree, self.dataset, **self.options)

    def add(self, answers: Floats, vote: float) -> float:
        """Add a tree's answers by its vote; return the error of all together."""
        self.sums += vote * answers
        wrong = label_codes(self.sums / self.sums.sum(axis=1, keepdims=True)) != self.codes
        return float(self.weights[wrong].sum() / self.weights.sum())


def answer_options(method: str, smoothing: Any = None, n_jobs: int | None = 1) -> dict[str, Any]:
    """How a tree of a method answers: by its class, or by its confidence (n_c + p_c) / (n + 1) in each class."""
    if method == "samme":
        return {"vote": "majority", "smoothing": smoothing, "n_jobs": n_jobs}
    return {"vote": "probability", "smoothing": ("m", 1.0) if smoothing is None else smoothing, "n_jobs": n_jobs}


def boost(
    grow_one: GrowOne,
    dataset: Dataset,
    target: ClassTarget,
    *,
    method: Method = "samme",
    n_trees: int = 50,
    weights: Floats | None = None,
    learning_rate: float = 1.0,
    held_out: LabelledRows | None = None,
    patience: int = 10,
    smoothing: Any = None,
    n_jobs: int | None = 1,
    tick: Callable[[int, int], object] | None = None,
) -> Boosted:
    """Grow trees one after the other from rows weighed by the mistakes so far.

    grow_one: makes the tree of a round. weights: of the rows before the first round, all above 0. held_out: rows to
    stop by: after ``patience`` rounds without less error there; then only the trees up to the least error are kept.
    tick: told (trees, trees asked for). StopIteration out of ``tick`` ends it: the trees so far are returned, marked
    partial. Ctrl-C gives a ``GrowingInterrupted``, whose ``partial`` is what would be returned.

    >>> from quercus.data import encode, encode_classes
    >>> from quercus.growing.cart import cart_recipe
    >>> from quercus.growing.grow import grow
    >>> x, y = encode({"x": [1, 2, 3, 4, 5, 6]}), encode_classes(["No", "Yes", "Yes", "No", "No", "No"])
    >>> found = boost(lambda w, _: grow(x, y, cart_recipe(max_depth=1), weights=w), x, y, n_trees=3)
    >>> found.forest, found.errors.round(3), found.curve["training error"].round(3)
    (<Forest: 3 trees, 9 nodes, 2 classes>, array([0.167, 0.2  , 0.188]), array([0.167, 0.167, 0.   ]))
    """
    if method not in get_args(Method):
        raise ParameterError(choice_message("method", method, get_args(Method)))
    options = answer_options(method, smoothing, n_jobs)
    current = np.ones(dataset.n_rows) if weights is None else np.array(weights, dtype=np.float64)
    classes = tuple(plain_value(label) for label in target.classes)
    training = Voters((dataset, target, current), classes, options)
    testing = None if held_out is None else Voters(held_out, classes, options)
    state = _State(training, testing)
    stopped = "all trees asked for are there"
    try:
        for number in range(n_trees):
            tree = grow_one(current, number)
            answers = training.answer(tree)
            wrong = label_codes(answers) != training.codes
            if method == "samme":
                step = samme_step(current, wrong, len(classes), learning_rate)
            else:
                step = trials_step(current, wrong, training.weights)
            if not step.keep and state.trees:
                stopped = step.stop
                break
            state.add(tree, step if step.keep else step._replace(vote=1.0), answers)
            if tick is not None:
                tick(len(state.trees), n_trees)
            if step.stop or state.waited() >= patience:
                stopped = step.stop or f"no less error on the rows held out in {patience} rounds"
                break
            current = step.weights
    except (KeyboardInterrupt, StopIteration) as stop:
        if not state.trees:
            raise
        result = state.result("stopped from outside", True)
        if isinstance(stop, KeyboardInterrupt):
            raise GrowingInterrupted(result) from stop
        return result
    return state.result(stopped, False)


class _State:
    """The trees so far and their figures."""

    def __init__(self, training: Voters, testing: Voters | None) -> None:
        self.training, self.testing = training, testing
        self.trees: list[Tree] = []
        self.steps: list[BoostingRound] = []
        self.training_errors: list[float] = []
        self.held_out_errors: list[float] = []

    def add(self, tree: Tree, step: BoostingRound, answers: Floats) -> None:
        held_out = None if self.testing is None else self.testing.add(self.testing.answer(tree), step.vote)
        self.training_errors.append(self.training.add(answers, step.vote))
        if held_out is not None:
            self.held_out_errors.append(held_out)
        self.trees.append(tree)
        self.steps.append(step)

    def best(self) -> int:
        """The number of trees of least error on the rows held out, the first if tied; without such rows all."""
        return int(np.argmin(self.held_out_errors)) + 1 if self.held_out_errors else len(self.trees)

    def waited(self) -> int:
        return len(self.trees) - self.best()

    def result(self, stopped: str, partial: bool) -> Boosted:
        count = self.best()
        columns = {"trees": np.arange(1, len(self.trees) + 1), "training error": np.array(self.training_errors)}
        if self.held_out_errors:
            columns["held-out error"] = np.array(self.held_out_errors)
        forest = Forest.from_trees(self.trees[:count], [step.vote for step in self.steps[:count]])
        return Boosted(
            replace(forest, partial=partial),
            np.array([step.error for step in self.steps[:count]]),
            Curve("error against the number of trees", columns),
            stopped,
            len(self.trees),
        )


def staged_shares(forest: Forest, dataset: Dataset, options: dict[str, Any]) -> Iterator[Floats]:
    """The shares of each class in the votes after one tree, after two, and so on; options: see answer_options."""
    sums, total = np.zeros((dataset.n_rows, len(forest.classes or ()))), 0.0
    for tree, vote in zip(forest, tree_weights(forest), strict=True):
        sums += vote * member_answer(tree, dataset, **options)
        total += float(vote)
        yield sums / total
