"""Stopping when the out-of-bag curve is flat: against plain loops, and the trees against those of one long growing."""

from __future__ import annotations

import gc
import math
from typing import Any

import numpy as np
import pytest
from forest.test_growing import random_sampling
from long_tail import most_slow
from oracle.tables import Case, random_case
from sklearn.datasets import load_iris

from quercus import (
    BaggingClassifier,
    BaggingRegressor,
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    _core,
)
from quercus.data import encode, encode_classes
from quercus.estimators import forest_growing
from quercus.forests import FlatCurve
from quercus.growing.cart import cart_recipe
from quercus.growing.forest import ForestGrower, Sampling, drawn_counts, grow_forest
from quercus.growing.grow import SWITCHES

IRIS = load_iris(return_X_y=True)
NOISE = (np.random.default_rng(1).normal(size=(400, 4)), np.random.default_rng(2).integers(0, 2, 400))
#: Never flat on noise; batches begin at trees 0, 21, 28, 35, ...
STEEP = FlatCurve(tolerance=0.0, window=20, least=1, every=7)
pytestmark = pytest.mark.filterwarnings("ignore:.*rows were drawn for every member")


def random_rows(seed: int, *, regression: bool) -> tuple[dict[str, Any], np.ndarray, np.ndarray | None]:
    """Numbers, names, gaps, a constant column; now and then one class only, or weights (some of them 0)."""
    random = np.random.default_rng(seed)
    n = int(random.integers(8, 60))
    number = random.normal(size=n).round(1)
    number[random.random(n) < random.choice([0.0, 0.2])] = np.nan
    town = random.choice(["Ulm", "Bonn", "Jena"], size=n).astype(object)
    town[random.random(n) < random.choice([0.0, 0.2])] = None
    table = {"number": number, "count": random.integers(0, 4, n), "town": town, "same": np.ones(n)}
    names = ["a"] if seed % 7 == 0 else ["a", "b", "c"]
    y = random.integers(0, 9, n) + np.nan_to_num(number) if regression else random.choice(names, size=n)
    weights = random.choice([0.0, 0.5, 1.0, 2.3], size=n) if seed % 3 == 0 else None
    if weights is not None:
        weights[0] = 1.0
    return table, y, weights


def plain_curve(model: Any, table: dict[str, Any], y: np.ndarray, weights: np.ndarray | None) -> list[float]:
    """The error of the out-of-bag answers after 1, 2, ... members; rows, members and classes in plain loops."""
    kept = list(range(len(y))) if weights is None else np.flatnonzero(weights).tolist()
    weight = [1.0 if weights is None else float(weights[row]) for row in kept]
    rows = {name: np.asarray(column)[kept] for name, column in table.items()}
    classes = None if not hasattr(model, "classes_") else list(model.classes_)
    sums = [[0.0] * (len(classes) if classes else 1) for _ in kept]
    used = [0] * len(kept)
    errors = []
    for number, member in enumerate(model.estimators_):
        said = member.predict_proba(rows) if classes else member.predict(rows)[:, None]
        drawn = drawn_counts(model.sampling_, model.seed_, number, len(kept))
        lost = total = 0.0
        for row, at in enumerate(kept):
            if drawn[row] == 0:
                shares = said[row].tolist()
                if getattr(model, "vote", "") == "majority":
                    best = next(code for code, share in enumerate(shares) if share >= max(shares) - 1e-12)
                    shares = [float(code == best) for code in range(len(shares))]
                sums[row] = [one + other for one, other in zip(sums[row], shares, strict=True)]
                used[row] += 1
            if not used[row]:
                continue
            means = [one / used[row] for one in sums[row]]
            total += weight[row]
            if classes:
                answer = classes[next(code for code, mean in enumerate(means) if mean >= max(means) - 1e-12)]
                lost += weight[row] * (answer != y[at])
            else:
                lost += weight[row] * (means[0] - y[at]) ** 2
        errors.append(lost / total if total else math.nan)
    return errors


def constant_error(y: np.ndarray, weights: np.ndarray | None) -> float:
    """The error of the best constant answer."""
    weight = np.ones(len(y)) if weights is None else weights
    if y.dtype.kind == "f":
        return float(np.average((y - np.average(y, weights=weight)) ** 2, weights=weight))
    return 1.0 - max(float(weight[y == label].sum()) for label in set(y.tolist())) / float(weight.sum())


MODELS = [
    RandomForestClassifier(40),
    RandomForestClassifier(40, vote="majority", replacement="without", n_jobs=2),
    RandomForestClassifier(40, random_thresholds=True, max_bins=8),
    BaggingClassifier(C45Classifier(), 40),
    BaggingClassifier(CARTClassifier(min_samples_leaf=2, prune=True, ccp_alpha=0.02), 40),
    RandomForestRegressor(40, max_depth=3),
    BaggingRegressor(CARTRegressor(criterion="absolute_error", max_depth=2), 40),
]


@pytest.mark.parametrize("seed", most_slow(8, 3))
@pytest.mark.parametrize("model", MODELS, ids=lambda model: repr(model)[:50])
def test_it_stops_where_plain_loops_say_and_with_the_same_trees(model: Any, seed: int) -> None:
    regression = not hasattr(model, "vote")
    table, y, weights = random_rows(seed, regression=regression)
    rule = FlatCurve(window=4 + seed, tolerance=[0.02, 0.1, 0.4][seed % 3], least=5, every=1 + seed % 5)
    model.set_params(random_state=seed)
    short = model.set_params(stop_when_flat=rule).fit(table, y, sample_weight=weights).forest_
    model.set_params(stop_when_flat=False).fit(table, y, sample_weight=weights)
    assert short == model.forest_.first(len(short)) and not short.partial
    errors, allowed, constant = plain_curve(model, table, y, weights), [], constant_error(y, weights)
    for count in [n for n in range(1, 41) if n % rule.every == 0 or n == 40]:
        last = errors[max(0, count - 1 - rule.window) : count]
        height, limit = max(last) - min(last), rule.tolerance * constant
        if math.isclose(height, limit, rel_tol=1e-9, abs_tol=1e-12) and height != limit:
            allowed.append(count)  # too close for plain sums to say
        elif count >= max(rule.least, rule.window + 1) and height <= limit:
            allowed.append(count)
            break
    else:
        allowed.append(40)
    assert len(short) in allowed


def some_cases() -> list[Case]:
    return [random_case(seed) for seed in range(120)]


@pytest.mark.parametrize("general", [False, True])
def test_batches_of_one_grower_are_the_forest_of_one_call(general: bool) -> None:
    """Over all recipes, of which the quick grower follows some."""
    for seed, case in enumerate(some_cases()):
        random = np.random.default_rng(seed)
        sampling = random_sampling(random, len(case.dataset.columns))
        options = {**case.arguments(), "n_jobs": 1 + seed % 2, "switches": SWITCHES["rank_columns"] if general else 0}
        whole = grow_forest(case.dataset, case.target, case.recipe, sampling, 7, seed, **options)
        grower = ForestGrower(case.dataset, case.target, case.recipe, sampling, seed, **options)
        last, first, middle = grower.grow(5, 2), grower.grow(0, 1), grower.grow(1, 4)
        assert first.extended(middle).extended(last) == whole, case.made_by


def test_the_columns_are_made_ready_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def counting(*arguments: Any, **options: Any) -> ForestGrower:
        made.append(ForestGrower(*arguments, **options))
        return made[-1]

    monkeypatch.setattr(forest_growing, "ForestGrower", counting)
    model = RandomForestClassifier(60, stop_when_flat=FlatCurve(tolerance=0.0, window=15, least=1, every=3))
    assert len(model.fit(*NOISE).forest_) == 60 and len(made) == 1
    BaggingClassifier(C45Classifier(prune="error_based"), 25).fit(*IRIS)
    assert len(made) == 2


@pytest.mark.parametrize("kind", [KeyboardInterrupt, StopIteration])
@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupt_keeps_the_batches_before_and_a_warm_start_goes_on(kind: type[BaseException], jobs: int) -> None:
    X, y = NOISE
    plain = forest_growing.make_members

    def told(*arguments: Any, **options: Any) -> Any:
        if arguments[1] >= 28:  # the number of the batch's first tree
            raise kind
        return plain(*arguments, **options)

    model = RandomForestClassifier(60, stop_when_flat=STEEP, warm_start=True, oob_score=True, n_jobs=jobs)
    stopped = pytest.raises(kind) if kind is KeyboardInterrupt else pytest.warns(UserWarning)
    with pytest.MonkeyPatch.context() as patch, stopped as told_of:
        patch.setattr(forest_growing, "make_members", told)
        model.fit(X, y)
    message = str(told_of.value if kind is KeyboardInterrupt else told_of[0].message)  # type: ignore[attr-defined,index]
    assert "28 of 60 members are there" in message
    model = model.partial_ if kind is KeyboardInterrupt else model
    assert model.forest_.partial and model.oob_curve_["trees"].tolist() == list(range(1, 29))
    model.fit(X, y)
    whole = RandomForestClassifier(60, oob_score=True).fit(X, y)
    assert not model.forest_.partial and model.forest_ == whole.forest_
    assert np.allclose(model.oob_decision_function_, whole.oob_decision_function_, rtol=0, atol=1e-13)
    assert model.oob_curve_["error"].tolist() == pytest.approx(whole.oob_curve_["error"].tolist())


@pytest.mark.parametrize("rule", [STEEP, False])
def test_an_interrupt_while_rows_are_answered_keeps_the_trees(rule: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    plain, calls = _core.predict_forest, []

    def interrupted(*arguments: Any) -> Any:
        calls.append(1)
        if len(calls) == 25:
            raise KeyboardInterrupt
        return plain(*arguments)

    model = RandomForestClassifier(60, stop_when_flat=rule, oob_score=True, warm_start=True)
    monkeypatch.setattr(_core, "predict_forest", interrupted)
    with pytest.raises(KeyboardInterrupt, match=r"\d+ of 60 members are there"):
        model.fit(*NOISE)
    assert not hasattr(model, "forest_")
    model = model.partial_
    count = len(model.forest_)
    assert 24 <= count <= 60 and model.forest_.partial == (count < 60) and not hasattr(model, "oob_score_")
    assert model.forest_ == RandomForestClassifier(count).fit(*NOISE).forest_
    model.set_params(n_estimators=61, stop_when_flat=False).fit(*NOISE)
    whole = RandomForestClassifier(61, oob_score=True).fit(*NOISE)
    assert model.forest_ == whole.forest_ and model.oob_score_ == whole.oob_score_
    calls.clear()
    calls.extend([1] * 24)
    before = dict(vars(model))
    with pytest.raises(KeyboardInterrupt):  # in what it answers for the trees there are
        model.set_params(n_estimators=62).fit(*NOISE)
    assert vars(model) == {**before, "n_estimators": 62}


def small_grower() -> ForestGrower:
    x = np.random.default_rng(0).normal(size=(3000, 5))
    return ForestGrower(encode(x), encode_classes(x[:, 0] > x[:, 1] ** 2), cart_recipe(), Sampling(), 0)


def test_a_grower_keeps_its_rows_and_grows_one_batch_at_a_time() -> None:
    grower, expected = small_grower(), small_grower().grow(0, 3)
    gc.collect()
    np.ones(3000 * 10)  # memory that was freed would be written over
    assert grower.grow(0, 3) == expected

    def again(done: int, total: int) -> None:
        grower.grow(0, 1)

    with pytest.raises(ValueError, match="growing trees already"):
        grower.grow(0, 500, again)
    assert grower.grow(0, 3) == expected  # and goes on as before


def test_a_stopped_batch_leaves_the_grower_fit_for_use() -> None:
    def stop(done: int, total: int) -> None:
        if done >= 2:
            raise StopIteration

    grower = small_grower()
    some = grower.grow(0, 100_000, stop)
    assert some.partial and 2 <= len(some) < 100_000
    assert grower.grow(0, len(some)) == some
    assert not grower.grow(0, 2).partial
