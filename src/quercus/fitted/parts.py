"""The parts of a fitted model: how it was made, what was drawn, and the results out of the bag and of boosting."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from quercus.arrays import Floats
from quercus.criteria import saved_criterion

if TYPE_CHECKING:
    from quercus.growing.forest import Sampling
    from quercus.pruning.curves import Curve


@dataclass(frozen=True, eq=False)
class Method:
    """How a model is made: the name of the algorithm, all its parameters but for functions, and their defaults."""

    algorithm: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    defaults: Mapping[str, Any] = field(default_factory=dict)

    @property
    def options(self) -> dict[str, Any]:
        """The parameters that are not at their defaults; of functions their names."""
        changed = {name: value for name, value in self.parameters.items() if not _same(value, self.defaults.get(name))}
        return {name: _without_functions(value) for name, value in changed.items()}


def _without_functions(value: Any) -> Any:
    """A parameter, or an estimator that is one, with the names of functions instead of the functions."""
    if not hasattr(value, "get_params"):
        return saved_criterion(value)
    parameters = value.get_params(deep=False).items()
    return copy(value).set_params(**{name: _without_functions(parameter) for name, parameter in parameters})


def _same(one: Any, other: Any) -> bool:
    try:
        return bool(one is other or one == other or repr(one) == repr(other))
    except ValueError:  # arrays
        return False


@dataclass(frozen=True, eq=False)
class Draws:
    """What chance decided in making a collection.

    seed: of all draws. sampling: the draw of rows and attributes; None: there was none. fingerprint: a number that
    tells other rows from those of fitting; None: nobody needs to know.
    """

    seed: int
    sampling: Sampling | None = None
    fingerprint: int | None = None


@dataclass(frozen=True, eq=False)
class OutOfBagScore:
    """How a collection answers its own training rows out of the bag: score, curve, and answers by row.

    answers: class shares [n, classes], numbers [n], or quantiles [n, levels]. place: of the quantile that stands for
    all.
    """

    score: float
    curve: Curve
    answers: Floats
    place: int = 0

    @property
    def numbers(self) -> Floats:
        """The number of each row."""
        return self.answers if self.answers.ndim == 1 else self.answers[:, self.place]


@dataclass(frozen=True, eq=False)
class Boosting:
    """What boosting tells about its trees: the weighted error of each, the curve, and why there are no more of them."""

    errors: Floats
    curve: Curve
    stopped: str
