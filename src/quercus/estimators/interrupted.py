"""A fit of a collection that Ctrl-C stops: the estimator stays as it was, and ``partial_`` holds what is finished."""

from __future__ import annotations

from typing import Any

from quercus.fitted.model import Model


class LearningInterrupted(KeyboardInterrupt):
    """Ctrl-C, while members of a collection were made. model: of those that are there."""

    def __init__(self, model: Model) -> None:
        super().__init__("Learning was stopped by Ctrl-C; what is there is the attribute `model` of this exception.")
        self.model = model


def partial_estimator(estimator: Any, model: Model) -> Any:
    """A fitted estimator of its own, with the members that are there."""
    partial = object.__new__(type(estimator))
    partial.__dict__.update({**vars(estimator), "_model": model})
    partial.__dict__.pop("_partial", None)
    return partial


def partial_of(estimator: Any) -> Any:
    """What Ctrl-C left of the last fit, as a fitted estimator."""
    if "_partial" not in vars(estimator):
        raise AttributeError("There is no partial_: the last fit was not stopped by Ctrl-C, or had no member yet.")
    return estimator._partial


def stopped_message(partial: Any) -> str:
    """The message of the interrupt."""
    return (
        f"fit was stopped: {len(partial.forest_)} of {partial.n_estimators} members are there. The estimator is as it "
        "was before; a fitted one with these members is its attribute partial_: model = model.partial_"
    )
