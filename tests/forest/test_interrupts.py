"""Ctrl-C in what takes long: KeyboardInterrupt is raised, the model stays as it was, a forest keeps what is there."""

from __future__ import annotations

import pickle
import signal
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score

import quercus
from quercus import (
    BaggingClassifier,
    BaggingRegressor,
    BoostedClassifier,
    C45Classifier,
    PARTClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    _core,
)
from quercus.data import encode, encode_classes
from quercus.estimators.inspection import importance
from quercus.growing.cart import cart_recipe
from quercus.growing.forest import GrowingInterrupted, Sampling, grow_forest
from quercus.growing.grow import grow
from quercus.pruning.tuning import tune

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 5))
Y = (X[:, 0] + RNG.normal(size=400) > X[:, 1]).astype(int)
#: So many that Ctrl-C always comes before the last.
MANY = 1_000_000


@pytest.fixture(autouse=True)
def usual_handler() -> Iterator[None]:
    """Ctrl-C as a terminal sends it, though a shell may have told the tests to ignore it."""
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, handler)


def ctrl_c(done: int, total: int) -> None:
    """A callback that presses Ctrl-C once some members are there."""
    if done >= 3:
        signal.raise_signal(signal.SIGINT)


FORESTS: dict[str, Callable[[], Any]] = {
    "forest": lambda: RandomForestClassifier(),
    "threads": lambda: RandomForestClassifier(n_jobs=2),
    "out of the bag": lambda: RandomForestClassifier(oob_score=True),
    "numbers": lambda: RandomForestRegressor(),
    "bagging": lambda: BaggingRegressor(),
    "pruned": lambda: BaggingClassifier(C45Classifier()),
    "held out": lambda: BaggingClassifier(C45Classifier(prune="reduced_error")),
    "rules": lambda: BaggingClassifier(PARTClassifier()),
    "boosting": lambda: BoostedClassifier(C45Classifier(max_depth=2), learning_rate=0.01),
}


@pytest.mark.filterwarnings("ignore:.*no out-of-bag answer")
@pytest.mark.parametrize("make", FORESTS.values(), ids=list(FORESTS))
@pytest.mark.parametrize("fitted", [False, True])
def test_ctrl_c_in_a_fit_is_raised_and_leaves_the_estimator_as_it_was(make: Callable[[], Any], fitted: bool) -> None:
    model = make().set_params(n_estimators=5)
    if fitted:
        model.fit(X[:100, :3], Y[:100])
    before = dict(vars(model))
    model.set_params(n_estimators=MANY, progress=ctrl_c)
    with pytest.raises(
        KeyboardInterrupt, match=rf"\d+ of {MANY} members are there.* model = model\.partial_"
    ) as raised:
        model.fit(X, Y)
    assert raised.type is KeyboardInterrupt  # as a program that is stopped ends by
    partial = model.partial_
    now = {name: value for name, value in vars(model).items() if name != "_partial"}
    assert now.keys() == before.keys() and all(now[name] is before[name] for name in now if name.endswith("_"))
    if not fitted:
        with pytest.raises(NotFittedError):
            model.predict(X)
    count = len(partial.forest_)
    assert 3 <= count < MANY and partial.forest_.partial and type(partial) is type(model)
    whole = make().set_params(n_estimators=count).fit(X, Y)
    assert partial.forest_.extended(whole.forest_).partial and np.array_equal(partial.predict(X), whole.predict(X))
    assert getattr(partial, "oob_score_", None) == getattr(whole, "oob_score_", None)
    assert not hasattr(partial, "partial_") and not hasattr(clone(model), "partial_")
    partial.set_params(n_estimators=count + 2, warm_start=True, progress=None).fit(X, Y)
    assert np.array_equal(partial.predict(X), make().set_params(n_estimators=count + 2).fit(X, Y).predict(X))
    model.set_params(n_estimators=2, progress=None).fit(X, Y)
    assert not hasattr(model, "partial_")


def test_cross_validation_does_not_go_on_with_a_truncated_forest() -> None:
    fits = []

    def stop(done: int, total: int) -> None:
        fits.append(total)
        ctrl_c(done, total)

    with pytest.raises(KeyboardInterrupt):
        cross_val_score(RandomForestClassifier(MANY, progress=stop), X, Y, cv=3)
    assert 0 < len(fits) < MANY


def test_a_partial_forest_is_neither_saved_nor_needed(tmp_path: Any) -> None:
    model = RandomForestClassifier(3).fit(X, Y)
    with pytest.raises(AttributeError, match=r"no partial_: the last fit was not stopped by Ctrl-C"):
        _ = model.partial_
    with pytest.raises(KeyboardInterrupt):
        model.set_params(n_estimators=MANY, progress=ctrl_c).fit(X, Y)
    model.set_params(n_estimators=3, progress=None)
    quercus.save(model, tmp_path / "model.json")
    quercus.save(model.partial_, tmp_path / "partial.json")
    assert not hasattr(quercus.load(tmp_path / "model.json"), "partial_")
    assert quercus.load(tmp_path / "partial.json").forest_.partial
    assert pickle.loads(pickle.dumps(model)).forest_ == model.forest_
    with pytest.raises(KeyboardInterrupt):
        model.set_params(n_estimators=MANY, progress=ctrl_c).fit(X, Y)
    with pytest.raises(ValueError, match="one target for each row"):
        model.fit(X, Y[:-1])
    assert not hasattr(model, "partial_")  # it is of the last fit


def test_growing_by_hand_raises_with_the_trees_that_are_there() -> None:
    arguments: Any = (encode(X), encode_classes(Y), cart_recipe(), Sampling())
    with pytest.raises(GrowingInterrupted) as raised:
        grow_forest(*arguments, MANY, 0, progress=ctrl_c)
    partial = raised.value.partial
    assert partial.partial and len(partial) >= 3
    assert list(partial) == list(grow_forest(*arguments, len(partial), 0))


def test_ctrl_c_in_tuning_is_raised() -> None:
    grown = []

    def growing(dataset: Any, target: Any, weights: Any) -> Any:
        grown.append(1)
        if len(grown) == 4:
            signal.raise_signal(signal.SIGINT)
        return grow(dataset, target, cart_recipe(), weights=weights)

    with pytest.raises(KeyboardInterrupt):
        tune(growing, encode(X), encode_classes(Y), depths=[1, 2, 3])
    assert len(grown) == 4


@pytest.mark.parametrize(
    "options", [{"by": "permutation"}, {"by": "permutation", "out_of_bag": True}, {"by": "unbiased"}]
)
def test_ctrl_c_in_importance_is_raised_and_changes_nothing(options: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    model = RandomForestClassifier(8).fit(X, Y)
    before = dict(vars(model))
    calls = []

    def pressed(plain: Any) -> Any:
        def call(*arguments: Any) -> Any:
            calls.append(1)
            if len(calls) == 5:
                signal.raise_signal(signal.SIGINT)
            return plain(*arguments)

        return call

    rooms = [import_module(f"quercus.predict.{name}") for name in ("predict", "tally")]
    for place, name in [
        (_core, "predict_forest"),
        *((room, "asked_rows") for room in rooms if hasattr(room, "asked_rows")),
    ]:
        monkeypatch.setattr(place, name, pressed(getattr(place, name)))
    with pytest.raises(KeyboardInterrupt):
        importance(model, X, Y, **options)
    assert len(calls) == 5 and vars(model) == before
