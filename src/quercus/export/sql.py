"""Export to SQL: a query, or a view, that answers every row of a table.

The query is a chain of common table expressions: the columns that the model reads; then, for some trees at a time, the
node that each row reaches, a few levels of the tree in each step, since engines limit how deep expressions nest; then
the sums of the answers; at last the label. A row that follows several branches is answered by the sum, over the leaves
in their order, of the product of its shares and the leaf's answer: the same numbers in the same order as Quercus adds.
"""

from __future__ import annotations

from typing import Any

from quercus.errors import ExportError, choice_message
from quercus.export.dialect import DIALECTS, dialect_of, type_name
from quercus.export.program import Member, RuleTables, program_of
from quercus.export.sql_rules import Rules
from quercus.forests.score_sum import ScoreSum

__all__ = ["DIALECTS", "to_sql"]

#: So many trees are asked in one step.
TREES = 20


def to_sql(
    model: Any,
    *,
    dialect: str = "sqlite",
    table: str = "rows",
    key: str | None = None,
    view: str | None = None,
) -> str:
    """A query that returns the key, the label and one column per class with its probability (regression: the value).

    model: a fitted estimator, a model, a tree, a forest or a rule list. dialect: of which engine. table: the table
    whose columns are named as the attributes; a dot divides schema and table. key: the column that tells rows apart;
    None: none is returned. view: the name of a view to make; None: a query alone.

    >>> from quercus import ID3Classifier
    >>> from quercus.datasets import load_play_tennis
    >>> query = to_sql(ID3Classifier().fit(*load_play_tennis()), dialect="duckdb", table="days", key="day")
    >>> query.splitlines()[-2:]
    ['  p1 AS "p_Yes"', 'FROM quercus_step3;']
    """
    if dialect not in DIALECTS:
        raise ExportError(choice_message("dialect", dialect, list(DIALECTS)))
    for name, text in (("table", table), ("key", key), ("view", view)):
        if (text is None and name == "table") or text == "" or not isinstance(text, str | None):
            raise ExportError(f"{name} is {text!r}, but must be a name.")
    program = program_of(model, scores=True)
    kinds = {type_name(label) for label in program.classes}
    if len(kinds) > 1:
        raise ExportError(
            f"The classes are of several types ({', '.join(sorted(kinds))}), which one column of a database cannot "
            "have. Fit with labels of one type."
        )
    return _Query(program, dialect_of(dialect)).text(table, key, view)


class _Query(Rules):
    def text(self, table: str, key: str | None, view: str | None) -> str:
        d, program = self.dialect, self.program
        columns = [] if key is None else [("k", d.name(key))]
        d.check_columns([program.attribute(position).name for position in self.place])
        for position, number in self.place.items():
            attribute = program.attribute(position)
            columns.append((f"x{number}", d.column(attribute)))
        self.add(columns or [("k", "1")])
        shares, label = self._answers()
        parts = [f"{d.comment(program.title)}"]
        if view is not None:
            parts.append(f"CREATE VIEW {d.name(view)} AS")
        parts.append(f"WITH {self.common_tables(table)}")
        first, *shown = program.target_kind.output_names(d.text_of)
        names = _distinct(shown)
        outputs = [first, *names]
        if key is not None and key.lower() in (name.lower() for name in outputs):
            raise ExportError(f"The key is called {key!r}, as a column of the answers is. Rename it in a view.")
        heads = [] if key is None else [f"k AS {d.name(key)}"]
        answers = [label, *shares] if program.has_classes else shares
        heads += [f"{answer} AS {d.name(name)}" for answer, name in zip(answers, outputs, strict=True)]
        parts.append("SELECT " + ",\n  ".join(heads) + f"\nFROM {self.steps[-1].name}")
        return "\n".join(parts) + ";\n"

    # What the members answer, and all together

    def _answers(self) -> tuple[list[str], str]:
        """The expressions of the shares (or of the number), and of the label."""
        program = self.program
        if not program.together:
            return self._alone(program.members[0])
        width, d = program.width, self.dialect
        self.add([(f"s{j}", d.number(0.0)) for j in range(width)])
        for start in range(0, len(program.members), TREES):
            batch, before = list(enumerate(program.members))[start : start + TREES], set(self.live)
            answers = self._batch(batch)
            if program.majority:
                answers = self._votes(batch, answers)
            sums = []
            for j in range(width):
                terms = [
                    self._weighted(answers[number][0 if program.scores else j], program.weights[number])
                    for number, _ in batch
                    if program.scores is None or program.scores.places[number] == j
                ]
                sums.append((f"s{j}", " + ".join([f"s{j}", *terms])))
            self.add(sums, [name for name in self.live if name not in before])
        if program.scores is not None:
            return self._linked(program.scores)
        used = 0.0
        for weight in program.weights:
            used += weight
        self.add([(f"p{j}", f"s{j} / {d.number(used)}") for j in range(width)])
        return self._finished([f"p{j}" for j in range(width)])

    def _linked(self, scores: ScoreSum) -> tuple[list[str], str]:
        """The answers that follow from the scores, and the label, which belongs to the largest score."""
        d, places = self.dialect, range(len(scores.base))
        self.add([(f"z{j}", f"{d.number(scores.base[j])} + s{j}") for j in places])
        if scores.link != "softmax":
            self.add([("p0", "z0" if scores.link == "identity" else "EXP(z0)")])
            return ["p0"], ""
        most = [f"WHEN {' AND '.join(f'z{j} >= z{i}' for i in places if i != j)} THEN z{j}" for j in places[:-1]]
        self.add([("g", f"CASE {' '.join(most)} ELSE z{places[-1]} END")])
        least, zero = d.number(-700.0), d.number(0.0)  # PostgreSQL refuses powers that are too small
        self.add([(f"w{j}", f"CASE WHEN z{j} - g < {least} THEN {zero} ELSE EXP(z{j} - g) END") for j in places])
        self.add([("t", " + ".join(f"w{j}" for j in places))])
        shares = [f"p{j}" for j in places]
        self.add([(share, f"w{j} / t") for j, share in enumerate(shares)])
        if not self.program.by_scores:
            return self._finished(shares)
        self.add([("c", self.largest([f"z{j}" for j in places], None))])
        return shares, self._named("c")

    def _weighted(self, answer: str, weight: float) -> str:
        return answer if weight == 1.0 else f"{self.dialect.number(weight)} * ({answer})"

    def _votes(self, batch: list[tuple[int, Member]], answers: dict[int, list[str]]) -> dict[int, list[str]]:
        """The vote of each member for its class, as 1 and 0."""
        one, zero = self.dialect.number(1.0), self.dialect.number(0.0)
        columns, votes = [], {}
        for number, member in batch:
            if isinstance(member, RuleTables):
                label = f"l{number}"
            else:
                shares = [f"m{number}_{j}" for j in range(self.program.width)]
                self.add(list(zip(shares, answers[number], strict=True)))
                label = self.largest(shares, None)
            columns.append((f"v{number}", label))
            votes[number] = [f"CASE WHEN v{number} = {j} THEN {one} ELSE {zero} END" for j in range(self.program.width)]
        self.add(columns)
        return votes

    def _finished(self, shares: list[str]) -> tuple[list[str], str]:
        """The shares, and the label that follows from them."""
        if not self.program.has_classes:
            return shares, ""
        self.add([("c", self.largest(shares, self.program.costs))])
        return shares, self._named("c")

    def _alone(self, member: Member) -> tuple[list[str], str]:
        """The answers of one tree or one rule list."""
        width = self.program.width
        answers = self._batch([(0, member)])[0]
        self.add([(f"p{j}", answers[j]) for j in range(width)])
        shares = [f"p{j}" for j in range(width)]
        if not self.program.has_classes:
            return shares, ""
        if isinstance(member, RuleTables) and self.program.costs is None:
            return shares, self._named("l0")
        return self._finished(shares)

    def _batch(self, batch: list[tuple[int, Member]]) -> dict[int, list[str]]:
        """The expressions for the answers of some members; the steps that they need are added."""
        answers: dict[int, list[str]] = {}
        walks = {}
        for number, member in batch:
            if isinstance(member, RuleTables):
                answers[number] = self.rules(number, member)
            elif member.spreads:
                self.spread(f"a{number}", member)
                answers[number] = [f"a{number}_{j}" for j in range(self.program.width)]
            else:
                walks[number] = member
        for number, name in self.walk(walks).items():
            answers[number] = self.looked_up(name, walks[number])
        return answers

    def _named(self, code: str) -> str:
        classes = self.program.classes
        cases = " ".join(f"WHEN {place} THEN {self.dialect.literal(one)}" for place, one in enumerate(classes))
        return f"CASE {code} {cases} END"


def _distinct(names: list[str]) -> list[str]:
    """The names of columns; equal names are made different."""
    seen: dict[str, int] = {}
    result = []
    for name in names:
        count = seen.get(name.lower(), 0)
        seen[name.lower()] = count + 1
        result.append(name if count == 0 else f"{name}_{count + 1}")
    return result
