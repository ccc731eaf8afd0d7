"""A fit that does not come to its end: the estimator stays as it was, and what Ctrl-C left stands beside it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def as_before_if_stopped(estimator: Any) -> Iterator[None]:
    """Fit a collection in the body: if that fails, the estimator gets back what it had before.

    After Ctrl-C the members that are there make a fitted estimator of their own, ``partial_``, until the next fit.
    """
    before = {name: value for name, value in vars(estimator).items() if name != "_partial"}
    try:
        yield
    except BaseException as error:
        now = vars(estimator) if isinstance(error, KeyboardInterrupt) else before
        partial = _copy(estimator) if now.get("forest_") is not before.get("forest_") else None
        estimator.__dict__.clear()
        estimator.__dict__.update(before)
        if partial is None:
            raise
        estimator._partial = partial
        raise KeyboardInterrupt(_message(partial)) from None
    estimator.__dict__.pop("_partial", None)


def partial_of(estimator: Any) -> Any:
    """What Ctrl-C left of the last fit, as a fitted estimator."""
    if "_partial" not in vars(estimator):
        raise AttributeError("There is no partial_: the last fit was not stopped by Ctrl-C, or had no member yet.")
    return estimator._partial


def _copy(estimator: Any) -> Any:
    copy = object.__new__(type(estimator))
    copy.__dict__.update({name: value for name, value in vars(estimator).items() if name != "_partial"})
    return copy


def _message(partial: Any) -> str:
    return (
        f"fit was stopped: {len(partial.forest_)} of {partial.n_estimators} members are there. The estimator is as it "
        "was before; a fitted one with these members is its attribute partial_: model = model.partial_"
    )
