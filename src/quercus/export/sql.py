"""Export to SQL: a query, or a view, that answers every row of a table.

The query is a chain of common table expressions: the columns that the model reads; then, for some trees at a time, the
node that each row reaches, a few levels of the tree in each step, since engines limit how deep expressions nest; then
the sums of the answers; at last the label. A row that follows several branches is answered by the sum, over the leaves
in their order, of the product of its shares and the leaf's answer: the same numbers in the same order as Quercus adds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from quercus.errors import ExportError, choice_message
from quercus.export.dialect import DIALECTS, Dialect, dialect_of, type_name
from quercus.export.program import Ask, Member, Program, RuleTables, TreeTable, program_of
from quercus.forests.score_sum import ScoreSum

__all__ = ["DIALECTS", "to_sql"]

#: So many levels of a tree are one expression; SQLite's parser allows no more than about twenty.
LEVELS = 10
#: So many trees are asked in one step.
TREES = 20
#: So many products are the most for rows that follow several branches.
MOST_PRODUCTS = 100_000
TIE = 1e-12


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
    kinds = {type_name(label) for label in program.classes or ()}
    if len(kinds) > 1:
        raise ExportError(
            f"The classes are of several types ({', '.join(sorted(kinds))}), which one column of a database cannot "
            "have. Fit with labels of one type."
        )
    return _Query(program, dialect_of(dialect)).text(table, key, view)


@dataclass
class _Step:
    """A common table expression that adds columns to those of the step before."""

    name: str
    columns: list[tuple[str, str]]
    keeps: bool = True


class _Query:
    def __init__(self, program: Program, dialect: Dialect) -> None:
        self.program, self.dialect = program, dialect
        self.place = {position: number for number, position in enumerate(program.inputs)}
        self.steps: list[_Step] = []

    def text(self, table: str, key: str | None, view: str | None) -> str:
        d, program = self.dialect, self.program
        columns = [] if key is None else [("k", d.name(key))]
        for position, number in self.place.items():
            attribute = program.attribute(position)
            columns.append((f"x{number}", d.column(attribute)))
        self.steps.append(_Step("quercus_inputs", columns or [("k", "1")], keeps=False))
        shares, label = self._answers()
        parts = [f"{d.comment(program.title)}"]
        if view is not None:
            parts.append(f"CREATE VIEW {d.name(view)} AS")
        parts.append("WITH " + ",\n".join(self._cte(place, table) for place in range(len(self.steps))))
        names = [] if program.classes is None else _distinct([f"p_{d.text_of(one)}" for one in program.classes])
        outputs = ["value"] if program.classes is None else ["label", *names]
        if key is not None and key.lower() in (name.lower() for name in outputs):
            raise ExportError(f"The key is called {key!r}, as a column of the answers is. Rename it in a view.")
        heads = [] if key is None else [f"k AS {d.name(key)}"]
        if program.classes is None:
            heads.append(f"{shares[0]} AS {d.name('value')}")
        else:
            heads.append(f"{label} AS {d.name('label')}")
            heads += [f"{share} AS {d.name(name)}" for share, name in zip(shares, names, strict=True)]
        parts.append("SELECT " + ",\n  ".join(heads) + f"\nFROM {self.steps[-1].name}")
        return "\n".join(parts) + ";\n"

    def _cte(self, place: int, table: str) -> str:
        step, d = self.steps[place], self.dialect
        source = d.table(table) if place == 0 else self.steps[place - 1].name
        kept = [f"{source}.*"] if step.keeps else []
        columns = ",\n  ".join([*kept, *(f"{text} AS {name}" for name, text in step.columns)])
        return f"{step.name} AS {d.materialized}(SELECT\n  {columns}\nFROM {source})"

    def _add(self, columns: list[tuple[str, str]]) -> None:
        self.steps.append(_Step(f"quercus_step{len(self.steps)}", columns))

    # What the members answer, and all together

    def _answers(self) -> tuple[list[str], str]:
        """The expressions of the shares (or of the number), and of the label."""
        program = self.program
        if not program.together:
            return self._alone(program.members[0])
        width, d = program.width, self.dialect
        self._add([(f"s{j}", d.number(0.0)) for j in range(width)])
        for start in range(0, len(program.members), TREES):
            batch = list(enumerate(program.members))[start : start + TREES]
            said = self._batch(batch)
            if program.majority:
                said = self._votes(batch, said)
            sums = []
            for j in range(width):
                terms = [f"s{j}_{self._last_sums()}" if start else f"s{j}"]
                terms += [
                    self._weighted(said[number][0 if program.scores else j], program.weights[number])
                    for number, _ in batch
                    if program.scores is None or program.scores.places[number] == j
                ]
                sums.append((f"s{j}_{start + len(batch)}", " + ".join(terms)))
            self._add(sums)
        last = self._last_sums()
        if program.scores is not None:
            return self._linked(program.scores, last)
        used = 0.0
        for weight in program.weights:
            used += weight
        self._add([(f"p{j}", f"s{j}_{last} / {d.number(used)}") for j in range(width)])
        return self._finished([f"p{j}" for j in range(width)])

    def _linked(self, scores: ScoreSum, last: str) -> tuple[list[str], str]:
        """What the scores mean, and the label, which is the largest score."""
        d, places = self.dialect, range(len(scores.base))
        self._add([(f"z{j}", f"{d.number(scores.base[j])} + s{j}_{last}") for j in places])
        if scores.link != "softmax":
            self._add([("p0", "z0" if scores.link == "identity" else "EXP(z0)")])
            return ["p0"], ""
        most = [f"WHEN {' AND '.join(f'z{j} >= z{i}' for i in places if i != j)} THEN z{j}" for j in places[:-1]]
        self._add([("g", f"CASE {' '.join(most)} ELSE z{places[-1]} END")])
        least, zero = d.number(-700.0), d.number(0.0)  # PostgreSQL refuses powers that are too small
        self._add([(f"w{j}", f"CASE WHEN z{j} - g < {least} THEN {zero} ELSE EXP(z{j} - g) END") for j in places])
        self._add([("t", " + ".join(f"w{j}" for j in places))])
        shares = [f"p{j}" for j in places]
        self._add([(share, f"w{j} / t") for j, share in enumerate(shares)])
        if not self.program.by_scores:
            return self._finished(shares)
        self._add([("c", self._largest([f"z{j}" for j in places], None))])
        return shares, self._named("c")

    def _last_sums(self) -> str:
        """The number in the name of the last sums."""
        for step in reversed(self.steps):
            if step.columns and step.columns[0][0].startswith("s0_"):
                return step.columns[0][0].removeprefix("s0_")
        raise AssertionError("there are no sums")

    def _weighted(self, answer: str, weight: float) -> str:
        return answer if weight == 1.0 else f"{self.dialect.number(weight)} * ({answer})"

    def _votes(self, batch: list[tuple[int, Member]], said: dict[int, list[str]]) -> dict[int, list[str]]:
        """Each member's vote for its class, as 1 and 0."""
        one, zero = self.dialect.number(1.0), self.dialect.number(0.0)
        columns, votes = [], {}
        for number, member in batch:
            if isinstance(member, RuleTables):
                label = f"l{number}"
            else:
                shares = [f"m{number}_{j}" for j in range(self.program.width)]
                self._add(list(zip(shares, said[number], strict=True)))
                label = self._largest(shares, None)
            columns.append((f"v{number}", label))
            votes[number] = [f"CASE WHEN v{number} = {j} THEN {one} ELSE {zero} END" for j in range(self.program.width)]
        self._add(columns)
        return votes

    def _finished(self, shares: list[str]) -> tuple[list[str], str]:
        """The shares, and the label that they come down to."""
        if self.program.classes is None:
            return shares, ""
        self._add([("c", self._largest(shares, self.program.costs))])
        return shares, self._named("c")

    def _named(self, code: str) -> str:
        classes = self.program.classes or ()
        cases = " ".join(f"WHEN {place} THEN {self.dialect.literal(one)}" for place, one in enumerate(classes))
        return f"CASE {code} {cases} END"

    def _largest(self, shares: list[str], costs: list[list[float]] | None) -> str:
        """The position of the class to answer, as :func:`quercus.targets.labels.label_codes` chooses it."""
        d, scores, tie = self.dialect, shares, TIE
        if self.program.threshold is not None and shares[0].startswith(("p", "a")):
            return f"CASE WHEN {shares[1]} >= {d.number(self.program.threshold - TIE)} THEN 1 ELSE 0 END"
        if costs is not None:
            columns = []
            for j in range(len(shares)):
                terms = " + ".join(f"{share} * {d.number(costs[i][j])}" for i, share in enumerate(shares))
                columns.append((f"e{j}", f"-({terms})"))
            self._add(columns)
            scores, tie = [name for name, _ in columns], TIE * max(1.0, *(abs(c) for line in costs for c in line))
        small = d.number(tie)
        if len(scores) == 1:
            return "0"
        if len(scores) == 2:
            return f"CASE WHEN {scores[1]} > {scores[0]} + {small} THEN 1 ELSE 0 END"
        cases = []
        for j, score in enumerate(scores[:-1]):
            beats = " AND ".join(f"{score} >= {other} - {small}" for i, other in enumerate(scores) if i != j)
            cases.append(f"WHEN {beats} THEN {j}")
        return f"CASE {' '.join(cases)} ELSE {len(scores) - 1} END"

    def _alone(self, member: Member) -> tuple[list[str], str]:
        """One tree, or one rule list."""
        width = self.program.width
        said = self._batch([(0, member)])[0]
        self._add([(f"p{j}", said[j]) for j in range(width)])
        shares = [f"p{j}" for j in range(width)]
        if self.program.classes is None:
            return shares, ""
        if isinstance(member, RuleTables) and self.program.costs is None:
            return shares, self._named("l0")
        return self._finished(shares)

    def _batch(self, batch: list[tuple[int, Member]]) -> dict[int, list[str]]:
        """The expressions of what some members answer, after the steps that they need."""
        said: dict[int, list[str]] = {}
        walks = {}
        for number, member in batch:
            if isinstance(member, RuleTables):
                said[number] = self._rules(number, member)
            elif member.spreads:
                self._spread(f"a{number}", member)
                said[number] = [f"a{number}_{j}" for j in range(self.program.width)]
            else:
                walks[number] = member
        for number, name in self._walk(walks).items():
            said[number] = self._looked_up(name, walks[number])
        return said

    def _looked_up(self, name: str, table: TreeTable) -> list[str]:
        """What the nodes answer, by the number of the answer in a column."""
        d, answers = self.dialect, table.leaf_answers
        if len(answers) == 1:
            return [d.number(float(number)) for number in answers[0]]
        return [
            f"CASE {name} "
            + " ".join(f"WHEN {i} THEN {d.number(float(row[j]))}" for i, row in enumerate(answers))
            + " END"
            for j in range(answers.shape[1])
        ]

    # One way through a tree

    def _walk(self, walks: dict[int, TreeTable]) -> dict[int, str]:
        """Follow rows through some trees, a few levels in each step; the columns that hold the answers' numbers.

        A column holds the number of an answer, or, below 0, of a node that the next step goes on from.
        """
        names = {number: "" for number in walks}
        open_nodes = {number: [0] for number in walks}
        depth = 0
        while any(open_nodes.values()):
            columns = []
            for number, nodes in open_nodes.items():
                if not nodes:
                    continue
                table, before = walks[number], names[number]
                names[number] = f"n{number}_{depth}"
                later: list[int] = []
                parts = {node: self._case(table, node, LEVELS, later) for node in nodes}
                if before:
                    cases = " ".join(f"WHEN {-1 - node} THEN {text}" for node, text in parts.items())
                    text = f"CASE {before} {cases} ELSE {before} END"
                else:
                    text = parts[0]
                columns.append((names[number], text))
                open_nodes[number] = later
            self._add(columns)
            depth += 1
        return names

    def _case(self, table: TreeTable, node: int, levels: int, later: list[int]) -> str:
        """The number of the answer below a node."""
        if table.is_leaf(node):
            return str(table.leaf_row[node])
        if levels == 0:
            later.append(node)
            return str(-1 - node)
        below = {
            branch: self._case(table, child, levels - 1, later) for branch, child in enumerate(table.children(node))
        }
        if len(set(below.values())) == 1 and table.missing(node) >= 0:
            return below[0]
        cases = []
        for condition, branch in self._branches(table, node):
            cases.append(f"WHEN {condition} THEN {below[branch]}")
        return f"CASE {' '.join(cases)} ELSE {below[table.missing(node)]} END"

    def _branches(self, table: TreeTable, node: int) -> Iterator[tuple[str, int]]:
        """Conditions in the order in which they are tried, each with its branch; the last one is left out.

        First those of the value itself, then those of the surrogates; who fulfils none takes the branch of the unknown.
        """
        asks = [table.ask(node), *table.surrogates(node)]
        for place, ask in enumerate(asks):
            last = place == len(asks) - 1
            yield from self._conditions(ask, None if not last else table.missing(node))

    def _conditions(self, ask: Ask, left_out: int | None) -> Iterator[tuple[str, int]]:
        """The condition of each branch of a question; left_out: a branch whose condition is not needed."""
        d, column = self.dialect, f"x{self.place[ask.attribute]}"
        if ask.cut is None:
            values = self.program.attribute(ask.attribute).values
            for branch in sorted({place for place in ask.table if place >= 0}):
                if branch != left_out:
                    yield d.among(column, [values[code] for code in ask.codes(branch)]), branch
            return
        low, high = (1, 0) if ask.swapped else (0, 1)
        if ask.cut == math.inf:
            yield f"{column} IS NOT NULL", low
            return
        cut = d.bound(self.program.attribute(ask.attribute), ask.cut)
        if low != left_out:
            yield f"{column} <= {cut}", low
        if high != left_out:
            yield f"{column} > {cut}", high

    # Several ways through a tree

    def _spread(self, name: str, table: TreeTable) -> None:
        """Columns with what a tree answers where a row may follow several branches: sums of products."""
        d = self.dialect
        if table.has_surrogates:
            raise ExportError("SQL cannot say a tree that has surrogates and spreads unknown values over branches.")
        terms: list[tuple[list[str], int]] = []
        products = 0
        stack: list[tuple[int, list[str]]] = [(0, [])]
        while stack:
            node, factors = stack.pop()
            if table.is_leaf(node):
                terms.append((factors, node))
                products += len(factors) + 1
                if products * self.program.width > MOST_PRODUCTS:
                    raise ExportError(
                        f"At node {node} the sums of products that the shares of unknown values need have become "
                        f"{MOST_PRODUCTS:,} factors. Prune the tree, fit with another policy for unknown values "
                        'such as missing="most_common", or export to "python", "c" or "javascript".'
                    )
                continue
            children = list(table.children(node))
            conditions = {branch: text for text, branch in self._conditions(table.ask(node), None)}
            unknown = self._unknown(table, node)
            for branch in range(len(children) - 1, -1, -1):
                share = (
                    float(table.shares[children[branch]])
                    if table.missing(node) < 0
                    else float(branch == table.missing(node))
                )
                factor = self._factor(unknown, conditions.get(branch), share)
                if factor is not None:
                    stack.append((children[branch], [*factors, factor]))
            if table.ends(node):
                terms.append(([*factors, f"CASE WHEN {unknown} THEN {d.number(1.0)} ELSE {d.number(0.0)} END"], node))
        columns = []
        for j in range(self.program.width):
            products_of = [" * ".join([*factors, d.number(float(table.answers[node, j]))]) for factors, node in terms]
            columns.append((f"{name}_{j}", " + ".join(products_of)))
        self._add(columns)

    def _unknown(self, table: TreeTable, node: int) -> str:
        """The condition that a value is unknown at a node, or has no branch there."""
        ask = table.ask(node)
        column = f"x{self.place[ask.attribute]}"
        if ask.cut is not None:
            return f"{column} IS NULL"
        values = self.program.attribute(ask.attribute).values
        known = [values[code] for code, branch in enumerate(ask.table) if branch >= 0]
        return f"({column} IS NULL OR NOT {self.dialect.among(column, known)})" if known else "1 = 1"

    def _factor(self, unknown: str, condition: str | None, share: float) -> str | None:
        """The part of a row that goes down a branch; None: nothing ever does."""
        d = self.dialect
        one, zero = d.number(1.0), d.number(0.0)
        if condition is None:
            return None if share == 0.0 else f"CASE WHEN {unknown} THEN {d.number(share)} ELSE {zero} END"
        return f"CASE WHEN {condition} THEN {one} WHEN {unknown} THEN {d.number(share)} ELSE {zero} END"

    # Rules

    def _rules(self, number: int, member: RuleTables) -> list[str]:
        """The columns of what a rule list answers; the position of its class is then in the column ``l`` + number."""
        if member.rules.mode == "voting":
            return self._voting(number, member)
        width, d = self.program.width, self.dialect
        cases = [f"WHEN {self._rule(tests)} THEN {place}" for place, tests in enumerate(member.tests)]
        fired = f"f{number}"
        self._add([(fired, f"CASE {' '.join(cases)} ELSE -1 END" if cases else "-1")])
        answers, labels = member.answers, member.rules.consequents.tolist()
        behind = [d.number(float(answers[-1, j])) for j in range(width)]
        label = str(labels[-1])
        if member.behind is not None:
            behind, label = self._behind(number, member, member.behind)
        said = []
        for j in range(width):
            cases = [f"WHEN {place} THEN {d.number(float(answers[place, j]))}" for place in range(len(member.tests))]
            said.append(f"CASE {fired} {' '.join(cases)} ELSE {behind[j]} END" if cases else behind[j])
        columns = [(f"r{number}_{j}", text) for j, text in enumerate(said)]
        if self.program.classes is not None:
            cases = [f"WHEN {place} THEN {labels[place]}" for place in range(len(member.tests))]
            columns.append((f"l{number}", f"CASE {fired} {' '.join(cases)} ELSE {label} END" if cases else label))
        self._add(columns)
        return [f"r{number}_{j}" for j in range(width)]

    def _behind(self, number: int, member: RuleTables, table: TreeTable) -> tuple[list[str], str]:
        """What the tree behind a rule list answers: shares, and the position of the class."""
        width, threshold = self.program.width, member.behind_decision.threshold
        if table.spreads:
            self._spread(f"b{number}", table)
        else:
            name = self._walk({-1 - number: table})[-1 - number]
            self._add([(f"b{number}_{j}", text) for j, text in enumerate(self._looked_up(name, table))])
        shares = [f"b{number}_{j}" for j in range(width)]
        if self.program.classes is None:
            return shares, ""
        if threshold is not None:
            least = self.dialect.number(threshold - TIE)
            return shares, f"CASE WHEN {shares[1]} >= {least} THEN 1 ELSE 0 END"
        return shares, self._largest(shares, member.behind_costs)

    def _rule(self, tests: list[dict[str, Any]]) -> str:
        return " AND ".join(self._test(test) for test in tests) or "1 = 1"

    def _test(self, test: dict[str, Any]) -> str:
        """A condition of a rule."""
        attribute = self.program.attribute(test["attribute"])
        column, d = f"x{self.place[test['attribute']]}", self.dialect
        if "codes" in test:
            values = [attribute.values[code] for code in test["codes"]] if not attribute.is_numeric else []
            text = d.among(column, values) if values else "1 = 0"
        else:
            parts = [f"{column} > {d.bound(attribute, test['above'])}"] if "above" in test else []
            parts += [f"{column} <= {d.bound(attribute, test['up_to'])}"] if "up_to" in test else []
            text = " AND ".join(parts) or f"{column} IS NOT NULL"
        return f"({column} IS NULL OR ({text}))" if test.get("unknown") else f"({text})"

    def _voting(self, number: int, member: RuleTables) -> list[str]:
        """The shares of the votes of all rules that cover a row."""
        width, d, zero = self.program.width, self.dialect, self.dialect.number(0.0)
        labels, numeric = member.rules.consequents.tolist(), self.program.classes is None
        columns = []
        for j in [*range(width), "all"]:
            terms = [zero]
            for place, tests in enumerate(member.tests):
                strength = member.strengths[place]
                counts = strength * labels[place] if numeric and j != "all" else strength
                if j == "all" or numeric or labels[place] == j:
                    terms.append(f"CASE WHEN {self._rule(tests)} THEN {d.number(counts)} ELSE {zero} END")
            columns.append((f"t{number}_{j}", " + ".join(terms)))
        self._add(columns)
        default = [d.number(float(share)) for share in member.answers[-1]]
        total = f"t{number}_all"
        shares = [f"CASE WHEN {total} > 0 THEN t{number}_{j} / {total} ELSE {default[j]} END" for j in range(width)]
        self._add([(f"r{number}_{j}", text) for j, text in enumerate(shares)])
        names = [f"r{number}_{j}" for j in range(width)]
        if not numeric:
            most = " AND ".join(f"{names[labels[-1]]} >= {name} - {d.number(TIE)}" for name in names)
            self._add([(f"l{number}", f"CASE WHEN {most} THEN {labels[-1]} ELSE {self._largest(names, None)} END")])
        return names


def _distinct(names: list[str]) -> list[str]:
    """Names of columns, made different where they are the same."""
    seen: dict[str, int] = {}
    result = []
    for name in names:
        count = seen.get(name.lower(), 0)
        seen[name.lower()] = count + 1
        result.append(name if count == 0 else f"{name}_{count + 1}")
    return result
