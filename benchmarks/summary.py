"""The summary on top of results.md: the median ratio and the worst one over all tasks, read from the tables below."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

#: The line of README.md that quotes the summary; `quoted` writes it again.
QUOTE = re.compile(r"^  Over all its tasks, one thread each, .*$", re.MULTILINE)


@dataclass(frozen=True)
class Ratio:
    """How many times as long a peer took as Quercus, in one task, with so many threads."""

    task: str
    program: str
    threads: int
    times: float


def lines_of(section: str) -> Iterator[dict[str, str]]:
    """The lines of the table in a section, each cell by the head of its column."""
    lines = [line.strip("| ").split(" | ") for line in section.split("\n") if line.startswith("| ")]
    for cells in lines[2:]:
        yield dict(zip(lines[0], (cell.strip() for cell in cells), strict=False))


def ratios(text: str) -> list[Ratio]:
    """Every ratio of the text of results.md; a file read is one task for each table, beside the faster peer."""
    found = []
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        title = section.split("\n", 1)[0]
        for line in lines_of(section):
            times, program = line.get("×", ""), line.get("program", "")
            if not re.fullmatch(r"[\d.,]+", times) or program.startswith("Quercus,"):
                continue
            reads = program == "Quercus"
            task = f"{title}: {line['table']}" if reads else title
            program = "the faster of pandas and polars" if reads else program
            found.append(Ratio(task, program, int(line.get("threads", "1")), float(times.replace(",", ""))))
    return found


def shown(times: float) -> str:
    """A ratio to three digits."""
    return f"{times:.3g}" if times < 100 else f"{times:,.0f}"


def over(found: list[Ratio], who: str, threads: int) -> str:
    """One line of the summary: how many tasks, their median, their worst."""
    worst = min(found, key=lambda ratio: ratio.times)
    where = worst.task if who == worst.program else f"{worst.program}, {worst.task}"
    middle = median(ratio.times for ratio in found)
    return f"| {who} | {threads} | {len(found)} | {shown(middle)} | {shown(worst.times)} | {where} |"


def summary(text: str) -> list[str]:
    """The section "In short": a line for the fastest peer of each task, for all peers, and for each of them."""
    found = ratios(text)
    if not found:
        return []
    lines = ["## In short", "", "How many times as long as Quercus the others took; below 1 they were faster.", ""]
    lines += ["| peer | threads | tasks | median × | worst × | where |", "| --- | ---: | ---: | ---: | ---: | --- |"]
    for threads in sorted({ratio.threads for ratio in found}):
        there = sorted((one for one in found if one.threads == threads), key=lambda ratio: ratio.times)
        fastest = {one.task: one for one in reversed(there)}
        lines.append(over(list(fastest.values()), "the fastest of each task", threads))
        lines.append(over(there, "all", threads))
        for program in dict.fromkeys(one.program for one in there):
            lines.append(over([one for one in there if one.program == program], program, threads))
    return [*lines, ""]


def with_summary(text: str) -> str:
    """The text with its summary written again, before the first of its sections."""
    rest = re.sub(r"^## In short\n.*?(?=^## |\Z)", "", text, flags=re.MULTILINE | re.DOTALL)
    head, mark, body = rest.partition("## ")
    return head + "\n".join([*summary(rest), ""]) + mark + body if mark else rest


def quoted(text: str) -> str:
    """What README.md says of it: the median, and how far it falls in the worst task."""
    one = [ratio for ratio in ratios(text) if ratio.threads == 1]
    middle, worst = median(ratio.times for ratio in one), min(one, key=lambda ratio: ratio.times)
    return (
        f"  Over all its tasks, one thread each, the other programs take {shown(middle)} times as long as Quercus "
        f"(median), and {shown(worst.times)} times in the worst one."
    )
