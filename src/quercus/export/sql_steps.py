"""Steps of a query: common table expressions in a chain, each with the columns of the one before that are needed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from quercus.export.dialect import Dialect
from quercus.export.program import Program

#: So many terms are added up in one expression; engines limit how deep expressions nest.
TERMS = 300


@dataclass
class _Step:
    """A common table expression. kept: the columns that it takes over; None: all of the step before."""

    name: str
    columns: list[tuple[str, str]]
    kept: list[str] | None


class Steps:
    """A query in the making."""

    def __init__(self, program: Program, dialect: Dialect) -> None:
        self.program, self.dialect = program, dialect
        self.place = {position: number for number, position in enumerate(program.inputs)}
        self.steps: list[_Step] = []
        self.live: list[str] = []

    def add(self, columns: list[tuple[str, str]], drop: Iterable[str] = ()) -> None:
        """A step with more columns, and without some that are needed no longer; a column can be made anew."""
        gone = {*drop, *(name for name, _ in columns if name in self.live)}
        kept = [name for name in self.live if name not in gone]
        name = f"quercus_step{len(self.steps)}" if self.steps else "quercus_inputs"
        whole = bool(self.steps) and len(kept) == len(self.live)
        self.steps.append(_Step(name, columns, None if whole else kept))
        self.live = [*kept, *(name for name, _ in columns)]

    def add_sums(self, sums: dict[str, list[str]], drop: Iterable[str] = ()) -> None:
        """Columns that are sums of terms, added up from left to right, some terms in each step; "0" where none are."""
        longest = max((len(terms) for terms in sums.values()), default=0)
        for start in range(0, max(longest, 1), TERMS):
            columns = []
            for name, terms in sums.items():
                part = ([name] if start else []) + terms[start : start + TERMS]
                if part != [name]:
                    columns.append((name, " + ".join(part) or self.dialect.number(0.0)))
            self.add(columns, drop if start + TERMS >= longest else ())

    def common_tables(self, table: str) -> str:
        """All steps, the first of which reads a table."""
        source, written = self.dialect.table(table), []
        for step in self.steps:
            kept = [f"{source}.*"] if step.kept is None else step.kept
            columns = ",\n  ".join([*kept, *(f"{text} AS {name}" for name, text in step.columns)])
            body = f"SELECT\n  {columns}\nFROM {source}{self.dialect.unmerged}"
            written.append(f"{step.name} AS {self.dialect.materialized}({body})")
            source = step.name
        return ",\n".join(written)
