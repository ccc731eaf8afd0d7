"""Looking into fitted estimators: importance of attributes, proximities of rows, partial dependence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from joblib import effective_n_jobs  # type: ignore[import-untyped]
from sklearn.utils.validation import check_is_fitted

from quercus.data.dataset import ClassTarget, Dataset, encode_numbers
from quercus.data.values import plain_value
from quercus.errors import ParameterError, choice_message
from quercus.estimators.base import TreeEstimator
from quercus.estimators.c45_rules import C45RulesClassifier
from quercus.estimators.classifier import TreeClassifier, smoothed_distributions
from quercus.estimators.forest_base import ForestEstimator
from quercus.estimators.pruning import Rows
from quercus.estimators.reading import encode_known_classes, read_target
from quercus.estimators.rule_learner import RuleLearner
from quercus.estimators.weights import Floats, read_cost_matrix, read_sample_weight
from quercus.forests import importance as measures
from quercus.forests import partial_dependence as dependence
from quercus.forests.collection import member_answer
from quercus.forests.proximity import Proximities, outlier_measure
from quercus.predict.labels import label_codes
from quercus.predict.predict import predict_distribution
from quercus.tree.forest import Forest

Model = TreeEstimator | ForestEstimator | RuleLearner
By = Literal["impurity", "permutation", "unbiased"]


def checked_model(model: Any) -> Any:
    """Refuse what is not a fitted estimator of Quercus."""
    if not isinstance(model, TreeEstimator | ForestEstimator | RuleLearner):
        raise ParameterError(f"model is {model!r}, but must be a fitted estimator of quercus.")
    check_is_fitted(model)
    return model


def classes_of(model: Any) -> tuple[Any, ...] | None:
    """The classes of an estimator as plain values; None: it answers numbers."""
    return tuple(plain_value(label) for label in model.classes_) if hasattr(model, "classes_") else None


def answers_of(model: Any, dataset: Dataset) -> Floats:
    """What an estimator answers for encoded rows: class shares [n, classes], or numbers [n, 1]."""
    if isinstance(model, ForestEstimator):
        return model._answers(dataset)
    if isinstance(model, RuleLearner):
        return member_answer(model.rules_, dataset)
    values = smoothed_distributions(model.tree_, model.smoothing) if isinstance(model, TreeClassifier) else None
    return predict_distribution(model.tree_, dataset, values, effective_n_jobs(model.n_jobs))


def labels_of(model: Any, dataset: Dataset) -> npt.NDArray[np.intp]:
    """The position of the class that a classifier's ``predict`` answers for encoded rows."""
    if isinstance(model, C45RulesClassifier):
        return np.asarray(model.rules_.predict(dataset), dtype=np.intp)
    if isinstance(model, RuleLearner):
        costs = read_cost_matrix(model.cost_matrix, model.classes_.tolist())
        return np.asarray(model.rules_.predict(dataset, costs), dtype=np.intp)
    return label_codes(answers_of(model, dataset), *decisions_of(model))


def decisions_of(model: Any) -> tuple[Floats | None, float | None]:
    """The costs and the threshold by which a class is chosen."""
    member = model._fitted_member if isinstance(model, ForestEstimator) else model
    costs = read_cost_matrix(getattr(member, "cost_matrix", None), model.classes_.tolist())
    return costs, getattr(member, "decision_threshold", None)


def _deciding_answers(model: Any, dataset: Dataset) -> Floats:
    """The answers from which the class is chosen; of rules, the class that they name."""
    if isinstance(model, RuleLearner):
        return np.asarray(np.eye(len(model.classes_))[labels_of(model, dataset)])
    return answers_of(model, dataset)


def target_of(model: Any, y: Any, n_rows: int) -> ClassTarget | Floats:
    """The encoded target of some rows, by the classes that fitting learned."""
    y = read_target(model, y, n_rows)
    return encode_known_classes(y, model.classes_) if hasattr(model, "classes_") else encode_numbers(y)


def _losses(model: Any, target: Any) -> measures.Losses:
    classes = classes_of(model)
    return measures.Losses.of(target, classes, *((None, None) if classes is None else decisions_of(model)))


def _training_rows(model: Any, X: Any, y: Any, sample_weight: Any) -> tuple[Rows, Floats | None]:
    """The rows that a forest was grown from, as it drew from them, and their sample weights alone."""
    if not isinstance(model, ForestEstimator) or not hasattr(model, "sampling_"):
        raise ParameterError(f"{type(model).__name__} has no bag: give a random forest or bagging.")
    if X is None or y is None:
        raise ParameterError("Out of the bag needs the rows of fitting; give X and y (and sample_weight) as in fit.")
    rows, weights = model._read(model._fitted_member, model._encode_rows(X), y, sample_weight)
    if weights is not None and rows.weights is not None:
        weights = weights[rows.weights > 0]
    return rows.with_weight(), weights


def importance(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    by: By = "impurity",
    out_of_bag: bool = False,
    sample_weight: Any = None,
    repeats: int = 5,
    random_state: int = 0,
    level: float = 0.95,
) -> measures.Importance:
    """How much each attribute matters to a fitted estimator, with spread and interval.

    by: ``"impurity"``: the share of the gains (trees and forests; needs no rows); ``"permutation"``: how much more is
    lost when an attribute's values are shuffled, on the rows given or, with out_of_bag=True, tree by tree on the rows
    each tree has not seen (then X, y, sample_weight are those of fitting); ``"unbiased"``: impurity measured on unseen
    rows, 0 in the mean for an attribute that says nothing (X, y, sample_weight of fitting). repeats: shuffles on given
    rows. level: of the intervals. See ``quercus.forests.importance``.

    >>> from quercus import CARTClassifier
    >>> from quercus.datasets import load_play_tennis
    >>> X, y = load_play_tennis()
    >>> importance(CARTClassifier().fit(X, y), X, y, by="permutation").ranking
    ('Outlook', 'Humidity', 'Wind', 'Temperature')
    """
    model = checked_model(model)
    if by not in ("impurity", "permutation", "unbiased"):
        raise ParameterError(choice_message("by", by, ("impurity", "permutation", "unbiased")))
    if not 0.0 < level < 1.0:
        raise ParameterError(f"level={level!r} is not allowed; give a confidence between 0 and 1, such as 0.95.")
    if by == "impurity":
        return measures.impurity_importances(_forest_of(model), level=level)
    if by == "unbiased" or out_of_bag:
        rows, weights = _training_rows(model, X, y, sample_weight)
        draws = (model.sampling_, model.seed_)
        jobs = effective_n_jobs(model.n_jobs)
        if by == "unbiased":
            return measures.unbiased_importances(
                _forest_of(model), rows.dataset, rows.target, *draws, weights=rows.weights, level=level, n_jobs=jobs
            )
        return measures.out_of_bag_permutation_importances(
            model.forest_,
            rows.dataset,
            _losses(model, rows.target),
            *draws,
            smoothing=getattr(model._fitted_member, "smoothing", None),
            weights=weights,
            level=level,
            n_jobs=jobs,
        )
    if X is None or y is None:
        raise ParameterError("by='permutation' needs rows; give X and y, best such as the model has not seen.")
    dataset = model._encode_rows(X)
    return measures.permutation_importances(
        lambda table: _deciding_answers(model, table),
        dataset,
        _losses(model, target_of(model, y, dataset.n_rows)),
        weights=read_sample_weight(sample_weight, dataset.n_rows),
        repeats=repeats,
        seed=random_state,
        level=level,
    )


def _forest_of(model: Any) -> Forest:
    """The trees of an estimator."""
    if isinstance(model, TreeEstimator):
        return Forest.from_trees([model.tree_])
    forest = getattr(model, "forest_", None)
    if not isinstance(forest, Forest):
        raise ParameterError(f"This needs trees; {type(model).__name__} was fitted with rules.")
    return forest


def proximities(
    model: Any, X: Any, others: Any = None, *, y: Any = None, sample_weight: Any = None, out_of_bag: bool = False
) -> Proximities:
    """How near rows are to one another: the share of a forest's trees in which two rows reach the same leaf.

    X: the rows. others: rows to compare them with; None: X itself. out_of_bag: only by the trees that have learnt from
    neither of two rows; then X, y and sample_weight are those of fitting. The result gives the matrix, blocks of it, or
    the nearest rows of each; see ``quercus.forests.proximity``.

    >>> from quercus import RandomForestClassifier
    >>> from quercus.datasets import load_play_tennis
    >>> X, y = load_play_tennis()
    >>> near = proximities(RandomForestClassifier(n_estimators=50).fit(X, y), X)
    >>> near.matrix().shape, near.nearest(2)[0][:3].shape
    ((14, 14), (3, 2))
    """
    model = checked_model(model)
    forest, jobs = _forest_of(model), effective_n_jobs(model.n_jobs)
    if out_of_bag:
        rows, _ = _training_rows(model, X, y, sample_weight)
        return Proximities(forest, rows.dataset, out_of_bag=(model.sampling_, model.seed_), n_jobs=jobs)
    compared = None if others is None else model._encode_rows(others)
    return Proximities(forest, model._encode_rows(X), compared, n_jobs=jobs)


def outliers(model: Any, X: Any, y: Any = None) -> Floats:
    """Breiman's outlier measure of each row: how far it is from the rows of its class (without y: from all)."""
    near = proximities(model, X)
    if y is None or not hasattr(model, "classes_"):
        return outlier_measure(near)
    target = target_of(model, y, near.shape[0])
    assert isinstance(target, ClassTarget)
    return outlier_measure(near, target.codes)


def partial_dependence(
    model: Any,
    X: Any,
    attributes: str | Sequence[str],
    *,
    grid: dict[str, Sequence[Any]] | None = None,
    grid_size: int = 20,
    sample_weight: Any = None,
    individual: bool = False,
) -> dependence.PartialDependence:
    """What a fitted estimator answers when one or two attributes of all rows are set to values: average and each row.

    attributes: a name, or two for a surface. grid: {attribute: values}; else the domain of a nominal attribute, and of
    a numeric one its distinct values or grid_size quantiles of them. individual: keep the curve of every row (ICE).

    >>> from quercus import CARTClassifier
    >>> from quercus.datasets import load_play_tennis
    >>> X, y = load_play_tennis()
    >>> print(partial_dependence(CARTClassifier().fit(X, y), X, "Outlook"))
     Outlook     No    Yes
    Overcast  0.000  1.000
        Rain  0.429  0.571
       Sunny  0.500  0.500
    """
    model = checked_model(model)
    dataset = model._encode_rows(X)
    return dependence.partial_dependence(
        lambda table: answers_of(model, table),
        dataset,
        [attributes] if isinstance(attributes, str) else list(attributes),
        classes=classes_of(model),
        grid=grid,
        grid_size=grid_size,
        weights=read_sample_weight(sample_weight, dataset.n_rows),
        individual=individual,
    )
