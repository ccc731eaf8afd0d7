"""``quercus measures``: entropy, gain, gain ratio and Gini of counts typed in, or of the columns of a table."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from quercus.cli import options
from quercus.cli.output import say, say_json, strict

EXAMPLES = (
    "quercus measures 9 5",
    'quercus measures "2 3" "4 0" "3 2"',
    "quercus measures play_tennis",
    "quercus measures patients.csv --target ill --by gain_ratio",
)


@options.reads("schema", "missing", "drop", "keep", "read", "unlabelled")
def measures(
    given: Annotated[
        list[str],
        typer.Argument(
            metavar="COUNTS…|DATA",
            help="Class counts of a node (9 5), or of each branch in quotes ('2 3' '4 0'); or DATA.",
            show_default=False,
        ),
    ],
    target: Annotated[
        str | None, typer.Option("--target", "-t", metavar="COLUMN", help="The column of classes of DATA.")
    ] = None,
    by: Annotated[
        str,
        typer.Option(
            "--by", metavar="MEASURE", help="Order of a table's attributes: gain, gain_ratio, gini_gain, accuracy_gain."
        ),
    ] = "gain",
    reading: options.Reading = options.PLAIN_READING,
    json: options.JSON = False,
) -> None:
    """Work out entropy, gain, gain ratio, Gini with their numbers.

    Counts of one node give its entropy, Gini index and error. Counts of branches give gain, split information, gain
    ratio and chi-square. A table gives the gain table of its attributes.
    """
    counts = counts_of(given)
    if counts is None:
        _table(given, target, by, reading, json)
        return
    result = node_measures(counts[0]) if len(counts) == 1 else split_measures(counts)
    if json:
        say_json(strict(result))
        return
    for name, value in result.items():
        if isinstance(value, float):
            shown = result.get(f"{name} formula")
            say(f"{name:<18} = {shown} = {value:.4f}" if shown else f"{name:<18} = {value:.4f}")


def counts_of(words: list[str]) -> list[list[float]] | None:
    """The counts of branches, or of one node; None if a table is meant.

    >>> counts_of(["9", "5"]), counts_of(["2 3", "4,0"]), counts_of(["play_tennis"])
    ([[9.0, 5.0]], [[2.0, 3.0], [4.0, 0.0]], None)
    """
    from quercus.errors import ParameterError

    branches = []
    for entry in words:
        try:
            branches.append([float(part) for part in entry.replace(",", " ").split()])
        except ValueError:
            if len(words) == 1:
                return None
            raise ParameterError(f"{entry!r} are not counts; give numbers such as 9 5, or one DATA.") from None
    if any(count < 0 or count != count or count == float("inf") for branch in branches for count in branch):
        raise ParameterError("A count is a finite number of at least 0.")
    if all(len(branch) == 1 for branch in branches):
        branches = [[branch[0] for branch in branches]]
    if len({len(branch) for branch in branches}) != 1 or not branches[0]:
        raise ParameterError("Every branch needs a count for every class: quercus measures '2 3' '4 0' '3 2'.")
    if not any(map(sum, branches)):
        raise ParameterError("All counts are 0; a measure needs at least one example.")
    return branches


def formula(counts: list[float]) -> str:
    """The entropy with the numbers filled in.

    >>> formula([9, 5])
    '−9/14·log2(9/14) − 5/14·log2(5/14)'
    """
    total = f"{sum(counts):g}"
    return "−" + " − ".join(f"{count:g}/{total}·log2({count:g}/{total})" for count in counts if count > 0)


def node_measures(counts: list[float]) -> dict[str, Any]:
    """The measures of one node."""
    from quercus.measures import entropy, gini, misclassification_error

    total = sum(counts)
    squares = " ".join(f"− ({count:g}/{total:g})²" for count in counts if count > 0)
    return {
        "entropy": float(entropy(counts)),
        "entropy formula": formula(counts),
        "gini": float(gini(counts)),
        "gini formula": f"1 {squares}",
        "error": float(misclassification_error(counts)),
        "error formula": f"1 − {max(counts):g}/{total:g}",
    }


def split_measures(branches: list[list[float]]) -> dict[str, Any]:
    """The measures of a split."""
    from quercus.measures import (
        accuracy_gain,
        chi_square,
        conditional_entropy,
        entropy,
        gain,
        gain_ratio,
        gini_gain,
        split_information,
    )

    whole = [sum(column) for column in zip(*branches, strict=True)]
    total = sum(whole)
    parts = " + ".join(f"{sum(branch):g}/{total:g}·{entropy(branch):.4f}" for branch in branches if sum(branch) > 0)
    test = chi_square(branches)
    before, after, split = (
        float(entropy(whole)),
        float(conditional_entropy(branches)),
        float(split_information(branches)),
    )
    gained, ratio = float(gain(branches)), float(gain_ratio(branches))
    return {
        "branches": branches,
        "entropy before": before,
        "entropy before formula": formula(whole),
        "entropy after": after,
        "entropy after formula": parts,
        "gain": gained,
        "gain formula": f"{before:.4f} − {after:.4f}",
        "split information": split,
        "split information formula": formula([sum(branch) for branch in branches]),
        "gain ratio": ratio,
        "gain ratio formula": f"{gained:.4f} / {split:.4f}",
        "gini gain": float(gini_gain(branches)),
        "accuracy gain": float(accuracy_gain(branches)),
        "chi-square": float(test.statistic),
        "p of chi-square": float(test.p_value),
    }


def _table(words: list[str], target: str | None, by: str, reading: options.Reading, json: bool) -> None:
    """The gain table of DATA."""
    from quercus.cli.tables import is_numeric_target, read_rows
    from quercus.errors import DataError
    from quercus.measures import entropy, gain_table

    rows = read_rows(words[0], target, **reading)
    if is_numeric_target(rows, None, "c45")[0]:
        raise DataError(f"The measures are for classes, but {rows.target} holds numbers. Give another --target.")
    table = gain_table(rows.X, rows.y, by, kinds=rows.options.get("kinds"), missing=rows.options.get("missing_tokens"))
    import numpy as np

    from quercus.data.target import encode_classes

    coded = encode_classes(rows.y)
    counts = np.bincount(coded.codes, minlength=len(coded.classes)).astype(float)
    if json:
        entries = [{**vars(row), "branches": [vars(branch) for branch in row.branches]} for row in table]
        classes = [str(label) for label in table.classes]
        data = {"target": rows.target, "classes": classes, "counts": counts, "entropy": float(entropy(counts))}
        say_json(strict({**data, "measure": by, "attributes": entries}))
        return
    say(f"entropy of {rows.target}: {entropy(counts):.4f}")
    if len(counts) <= 6:
        say(f"  = {formula(counts.tolist())}")
    say()
    say(str(table))
