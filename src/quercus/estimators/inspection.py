"""Looking into fitted estimators: importance of attributes, proximities of rows, partial dependence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from quercus.arrays import Floats
from quercus.data.dataset import Dataset
from quercus.data.rows import Rows, checked_target, encode_known_classes, training_rows
from quercus.data.weights import read_sample_weight
from quercus.errors import ParameterError, choice_message
from quercus.fitted.model import Model
from quercus.fitted.reading import Readable
from quercus.forests import importance as measures
from quercus.forests import partial_dependence as dependence
from quercus.forests.proximity import Proximities, outlier_measure

By = Literal["impurity", "permutation", "unbiased"]


def checked_model(model: Any) -> Readable:
    """Refuse what is neither a fitted estimator of Quercus nor its model."""
    if not isinstance(model, Readable):
        raise ParameterError(f"model is {model!r}, but must be a fitted estimator of quercus.")
    _ = model.model_  # refuses an estimator that is not fitted
    return model


def _deciding_answers(model: Model, dataset: Dataset) -> Floats:
    """The answers from which the class is chosen; of rules, the class that they name."""
    if model.rule_list is not None:
        return model.target_kind.ballots(model.answer(dataset)[1])
    return model.shares(dataset)


def _losses(model: Model, target: Any) -> measures.Losses:
    return measures.Losses.of(target, model.target_kind, model.decision.costs, model.decision.threshold)


def _training_rows(fitted: Readable, X: Any, y: Any, sample_weight: Any) -> tuple[Rows, tuple[Any, int]]:
    """The rows that a forest was grown from, as it drew from them, and the draws: sampling and seed."""
    model = fitted.model_
    if model.draws is None or model.draws.sampling is None or model.member is None:
        raise ParameterError(f"{model.name} has no bag: give a random forest or bagging.")
    if X is None or y is None:
        raise ParameterError("Out of the bag needs the rows of fitting; give X and y (and sample_weight) as in fit.")
    weighing = {name: model.member.parameters.get(name) for name in ("class_weight", "priors")}
    numbers = model.algorithm.numbers
    rows, _ = training_rows(fitted.encode_rows(X), y, sample_weight, numbers=numbers, known=model.known, **weighing)
    return rows.with_weight(), (model.draws.sampling, model.draws.seed)


def _measure_of(by: By | None, with_rows: bool, out_of_bag: bool) -> By:
    """How importance is measured: as it is said, or by what there is to measure it on."""
    if by is None:
        return "permutation" if with_rows or out_of_bag else "impurity"
    if by not in ("impurity", "permutation", "unbiased"):
        raise ParameterError(choice_message("by", by, ("impurity", "permutation", "unbiased")))
    if by == "impurity" and with_rows:
        raise ParameterError(
            "by='impurity' looks at the trees alone and uses no rows; leave X and y out, or give by='permutation'."
        )
    return by


def importance(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    by: By | None = None,
    out_of_bag: bool = False,
    sample_weight: Any = None,
    repeats: int = 5,
    random_state: int = 0,
    level: float = 0.95,
) -> measures.Importance:
    """How much each attribute matters to a fitted estimator, with spread and interval.

    model: a fitted estimator. by: None: by permutation if there are rows, else by impurity. ``"impurity"``: the share
    of the gains (trees and forests; takes no rows; of one tree without spread and interval); ``"permutation"``: how
    much more is lost when an attribute's values are shuffled, on the rows given or, with out_of_bag=True, tree by tree
    on the rows each tree has not seen (then X, y, sample_weight are those of fitting); ``"unbiased"``: impurity
    measured on unseen rows, 0 in the mean for an attribute that says nothing (X, y, sample_weight of fitting).
    out_of_bag: permute on the rows that each tree has not seen. repeats: shuffles on given rows. level: of the
    intervals. See ``quercus.forests.importance``.

    >>> from quercus import CARTClassifier
    >>> from quercus.datasets import load_play_tennis
    >>> X, y = load_play_tennis()
    >>> importance(CARTClassifier().fit(X, y), X, y, by="permutation").ranking
    ('Outlook', 'Humidity', 'Wind', 'Temperature')
    """
    fitted = checked_model(model)
    model = fitted.model_
    by = _measure_of(by, X is not None or y is not None, out_of_bag)
    if not 0.0 < level < 1.0:
        raise ParameterError(f"level={level!r} is not allowed; give a confidence between 0 and 1, such as 0.95.")
    jobs = fitted.n_threads
    if by == "impurity":
        return measures.impurity_importances(model.gaining("This"), level=level)
    if by == "unbiased" or out_of_bag:
        rows, draws = _training_rows(fitted, X, y, sample_weight)
        if by == "unbiased":
            return measures.unbiased_importances(
                *(model.need_trees("This"), rows.dataset, rows.target, *draws),
                weights=rows.weights,
                level=level,
                n_jobs=jobs,
            )
        return measures.out_of_bag_permutation_importances(
            model.need_members("This"),
            rows.dataset,
            _losses(model, rows.target),
            *draws,
            smoothing=model.decision.smoothing,
            weights=rows.sample_weights,
            level=level,
            n_jobs=jobs,
        )
    if X is None or y is None:
        raise ParameterError("by='permutation' needs rows; give X and y, best such as the model has not seen.")
    rows = fitted.read_rows(X, y, sample_weight)
    return measures.permutation_importances(
        lambda table: _deciding_answers(model, table),
        rows.dataset,
        _losses(model, rows.target),
        weights=rows.sample_weights,
        repeats=repeats,
        seed=random_state,
        level=level,
    )


def proximities(
    model: Any, X: Any, others: Any = None, *, y: Any = None, sample_weight: Any = None, out_of_bag: bool = False
) -> Proximities:
    """How near rows are to one another: the share of a forest's trees in which two rows reach the same leaf.

    model: a fitted forest. X: the rows. others: rows to compare them with; None: X itself. out_of_bag: only by the
    trees that have learnt from neither of two rows; then X, y and sample_weight are those of fitting. The result gives
    the matrix, blocks of it, or the nearest rows of each; see ``quercus.forests.proximity``.

    >>> from quercus import RandomForestClassifier
    >>> from quercus.datasets import load_play_tennis
    >>> X, y = load_play_tennis()
    >>> near = proximities(RandomForestClassifier(n_estimators=50).fit(X, y), X)
    >>> near.matrix().shape, near.nearest(2)[0][:3].shape
    ((14, 14), (3, 2))
    """
    fitted = checked_model(model)
    forest, jobs = fitted.model_.need_trees("This"), fitted.n_threads
    if out_of_bag:
        rows, draws = _training_rows(fitted, X, y, sample_weight)
        return Proximities(forest, rows.dataset, out_of_bag=draws, n_jobs=jobs)
    compared = None if others is None else fitted.encode_rows(others)
    return Proximities(forest, fitted.encode_rows(X), compared, n_jobs=jobs)


def outliers(model: Any, X: Any, y: Any = None) -> Floats:
    """Breiman's outlier measure of each row: how far it is from the rows of its class (without y: from all).

    model: a fitted forest.
    """
    near = proximities(model, X)
    fitted: Model = model.model_
    if y is None or not fitted.target_kind.has_shares:
        return outlier_measure(near)
    labels = encode_known_classes(checked_target(y, near.shape[0], fitted.name), fitted.classes)
    return outlier_measure(near, labels.codes)


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

    model: a fitted estimator. attributes: a name, or two for a surface. grid: {attribute: values}; else the domain of a
    nominal attribute, and of a numeric one its distinct values or quantiles of them. grid_size: how many quantiles.
    individual: keep the curve of every row (ICE).

    >>> from quercus import CARTClassifier
    >>> from quercus.datasets import load_play_tennis
    >>> X, y = load_play_tennis()
    >>> print(partial_dependence(CARTClassifier().fit(X, y), X, "Outlook"))
     Outlook     No    Yes
    Overcast  0.000  1.000
        Rain  0.429  0.571
       Sunny  0.500  0.500
    """
    fitted = checked_model(model)
    dataset, fitted_model = fitted.encode_rows(X), fitted.model_
    return dependence.partial_dependence(
        lambda table: fitted_model.shares(table, fitted.n_threads),
        dataset,
        attributes,
        classes=fitted_model.target_kind,
        grid=grid,
        grid_size=grid_size,
        weights=read_sample_weight(sample_weight, dataset.n_rows),
        individual=individual,
    )
