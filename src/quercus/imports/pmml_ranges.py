"""The ranges of PMML's fields of numbers: what becomes of numbers outside them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element

from quercus.errors import DataError, shorten
from quercus.imports.pmml_document import Field, number_of


@dataclass(frozen=True)
class Range:
    """What a field of numbers does with some of them.

    low, high: smaller and larger numbers count as these. unknown: numbers that count as missing. refused: why a model
    of Quercus cannot ask for the field; None: it can.
    """

    low: float = -math.inf
    high: float = math.inf
    unknown: tuple[Any, ...] = ()
    refused: str | None = None


def range_of(field: Field, mining: Element) -> Range:
    """The range of a field of numbers. mining: its element in the mining schema."""
    outliers, treatment = mining.get("outliers", "asIs"), mining.get("invalidValueTreatment", "returnInvalid")
    where = f"field {field.name!r}"
    low, high = (
        limit if mining.get(key) is None else number_of(mining.get(key), f"The {key} of {field.name!r}")
        for key, limit in (("lowValue", -math.inf), ("highValue", math.inf))
    )
    if outliers not in ("asIs", "asMissingValues", "asExtremeValues"):
        raise DataError(f"{where} has the outliers {shorten(outliers)}, which PMML does not have.")
    if low > high:
        raise DataError(f"{where} has the lowValue {low!r}, which is above its highValue {high!r}.")
    bounded = math.isfinite(low) or math.isfinite(high)
    if (outliers == "asMissingValues" and bounded) or (treatment == "asMissing" and field.limited):
        return Range(
            refused=f"{where} takes numbers outside its range as missing, which a model of Quercus cannot say. Remove "
            "the range, and give such numbers as missing."
        )
    if treatment == "asValue" and (field.limited or field.invalid):
        return Range(
            refused=f"{where} replaces invalid numbers by another (asValue), which a model of Quercus cannot say. "
            "Replace them before."
        )
    if treatment == "returnInvalid" and field.limited:
        return Range(
            refused=f"{where} gives no answer to numbers outside its range (returnInvalid), and a model of Quercus "
            'answers every number. Remove the range, or write invalidValueTreatment="asIs", if it may answer them.'
        )
    unknown = () if treatment == "asIs" else field.invalid
    return Range(low, high, unknown) if outliers == "asExtremeValues" else Range(unknown=unknown)
