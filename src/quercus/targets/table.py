"""The table of all kinds of target, and how the kind follows from the classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from quercus.arrays import Array
from quercus.targets.classes import Classes, shared_classes
from quercus.targets.kind import TargetKind
from quercus.targets.numbers import Numbers
from quercus.targets.quantiles import Quantiles

#: Every kind by its name; the last one reads what no other does.
KINDS: dict[str, type[TargetKind]] = {kind.name: kind for kind in (Classes, Quantiles, Numbers)}


def kind_of(target: TargetKind | Sequence[Any] | Array | None, quantiles: tuple[float, ...] = ()) -> TargetKind:
    """A kind of target as it is, or by its classes.

    target: a kind, or the classes; None: numbers, or their quantiles. quantiles: the levels of these.

    >>> kind_of(["No", "Yes"]), kind_of(None)
    (Classes(labels=('No', 'Yes')), Numbers())
    """
    if isinstance(target, TargetKind):
        return target
    if target is None and quantiles:
        return Quantiles(quantiles)
    return Numbers() if target is None else shared_classes(target)


def kind_from_json(data: Mapping[str, Any], classes: Sequence[Any] | Array | None) -> TargetKind:
    """Undo ``TargetKind.to_json``. classes: as they were read; other members of the dictionary need not be there.

    >>> kind_from_json({}, None)
    Numbers()
    """
    kinds = (kind.read(data, classes) for kind in KINDS.values())
    return next(kind for kind in kinds if kind is not None)
