"""The parameters of pruning, answering, tables and running that estimators share, in groups.

Signatures have them in the order of this file, behind those of ``growing_parameters.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from quercus.estimators.checks import (
    Check,
    anything,
    choice,
    count,
    flag,
    number,
    optional,
    seed,
    share_inside,
    smoothing,
    threads,
)
from quercus.estimators.declaration import declares, parameter

# How a tree is pruned


@declares
class Pruning:
    """How a tree is pruned; every class that has it says which methods ``prune`` may name."""

    prune: Any = parameter(
        anything("False, True or the name of a method"),
        "False: the tree stays as it was grown. True: the algorithm's own pruning. A name: another method of "
        "``quercus.pruning``.",
        default=False,
    )
    ccp_alpha: float | None = parameter(
        optional(number()),
        'Of "cost_complexity": the price of a leaf in impurity, as in scikit-learn; a number above 0 prunes by '
        "itself, too. None: chosen by cross-validation.",
        default=None,
    )
    alpha_choice: Literal["1se", "min"] = parameter(
        choice(("1se", "min")),
        'How that cross-validation chooses. "min": the least error; "1se": the smallest tree whose error is within '
        "one standard error of it.",
        default="1se",
    )
    folds: int = parameter(count(least=2), "The number of folds of that cross-validation.", default=10)
    validation_fraction: float = parameter(
        share_inside(),
        'The share of the rows that "reduced_error" and "stop_by_validation" keep from growing to prune by, unless '
        ":meth:`fit` is given X_val and y_val.",
        default=0.3,
    )
    random_state: Any = parameter(
        seed(), "The seed of the draw of that share and of the folds; None: another one each time.", default=0
    )


@declares
class ClassPruning(Pruning):
    """What pruning by classes reads besides."""

    confidence: float = parameter(
        number(high=1.0, above_low=True),
        'Of "error_based": the confidence level of the pessimistic errors; a smaller one prunes more.',
        default=0.25,
        after="prune",
    )
    m: float = parameter(
        number(),
        "How many examples the prior class shares count as in minimum-error pruning.",
        default=2.0,
        after="validation_fraction",
    )
    pruning_significance: float = parameter(
        share_inside(),
        'Of "critical_value" and "chi_square": the level at which a split must be significant.',
        default=0.05,
        after="m",
    )
    critical_gain: float | None = parameter(
        optional(number()),
        'Of "critical_value": the gain that a question, or one below it, must reach; None: the chi-square test '
        "decides.",
        default=None,
        after="pruning_significance",
    )


# What classes weigh and what mistakes cost


@declares
class Classes:
    """What classes weigh, and what mistakes cost."""

    class_weight: Any = parameter(
        anything("None, 'balanced' or {class: weight}"),
        "What the rows of each class weigh; 'balanced': all classes weigh the same together.",
        default=None,
    )
    cost_matrix: Any = parameter(
        anything("None, {(true, answered): cost} or a matrix with a row for each true class"),
        "What it costs to answer one class where another is true; it counts in learning, and the class of least "
        "expected cost is answered.",
        default=None,
    )


@declares
class Priors:
    """How frequent classes are where the model will be used."""

    priors: Any = parameter(
        anything("None, {class: share} or a list of shares"),
        "The share of each class where the model will be used; the rows are weighed so that the classes have it.",
        default=None,
        after="class_weight",
    )


@declares
class Smoothing:
    """How probabilities are smoothed."""

    smoothing: Any = parameter(
        smoothing(),
        "How the probabilities of a leaf with n rows, n_c of them of class c, k classes, are smoothed. None: "
        'n_c/n; "laplace": (n_c + 1)/(n + k); ("m", m): (n_c + m·p_c)/(n + m), p_c the share of the class in all rows.',
        default=None,
    )


@declares
class DecisionThreshold:
    """When the second of two classes is answered."""

    decision_threshold: float | None = parameter(
        optional(number(high=1.0)),
        "For two classes: the second is answered if its probability reaches this; None: the more probable one.",
        default=None,
    )


# How tables are read, and how the work is done


@declares
class Table:
    """How tables are read."""

    kinds: Any = parameter(
        anything("None or {column: kind}"),
        'The kind of a column where its type does not say it: "numeric", "nominal", "ordered", "boolean", "date".',
        default=None,
    )
    domains: Any = parameter(
        anything("None or {column: values}"),
        "The values that an attribute may have, whether or not they occur in training.",
        default=None,
    )
    missing_tokens: Any = parameter(
        anything("a sequence of texts"), 'Texts such as "?" that mean unknown; None, NaN and NaT always do.', default=()
    )


@declares
class Threads:
    """How many threads work."""

    n_jobs: int | None = parameter(
        threads(),
        "The number of threads; None: one, -1: as many as there are cores. The result does not depend on it.",
        default=None,
    )


@declares
class Continuing:
    """How the members of a collection are made."""

    random_state: Any = parameter(
        seed(),
        "The seed: the member of a number is the same on every machine and for any number of threads or members. "
        "None or a RandomState: a seed is drawn once and kept as ``seed_``.",
        default=0,
    )
    warm_start: bool = parameter(
        flag(),
        "Whether the members of the fit before are kept and only those that n_estimators has more are added; the "
        "result is the same as if all were made at once.",
        default=False,
    )
    progress: Any = parameter(
        Check(
            "'auto' (a bar on a terminal), True, False, or a function of (trees grown, trees)",
            lambda value: (
                value is None
                or isinstance(value, bool)
                or callable(value)
                or (isinstance(value, str) and value == "auto")
            ),
        ),
        'Whether a bar shows the time left; "auto": if stderr is a terminal and it takes longer than a second. A '
        "function is called instead.",
        default="auto",
        saved=None,
    )


@declares
class Progress:
    """Who is told how far the work is."""

    progress: Callable[..., Any] | None = parameter(
        Check("None or a function", lambda value: value is None or callable(value)),
        "A function that is called now and then while the model is learnt, with numbers that tell how far it is: "
        "f(done, total) for members of a collection, f(done, total, nodes) for the rows of one tree. It may be called "
        "for some steps only, at the end always; raising an exception in it stops the work.",
        default=None,
        saved=None,
    )
