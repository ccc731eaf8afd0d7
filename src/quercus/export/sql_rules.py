"""Rule lists in SQL: the rule that fires, or the votes of all that fire; and the class that follows from shares."""

from __future__ import annotations

from typing import Any

from quercus.export.program import RuleTables, TreeTable
from quercus.export.sql_trees import Trees

TIE = 1e-12
#: Up to so many classes, each is compared with all others; beyond, with the largest of all.
FEW_CLASSES = 8


class Rules(Trees):
    """The part of a query that applies rules."""

    def largest(self, shares: list[str], costs: list[list[float]] | None) -> str:
        """The position of the class to answer, as :func:`quercus.targets.labels.label_codes` chooses it."""
        d, scores, tie = self.dialect, shares, TIE
        if self.program.threshold is not None and shares[0].startswith(("p", "a")):
            return f"CASE WHEN {shares[1]} >= {d.number(self.program.threshold - TIE)} THEN 1 ELSE 0 END"
        if costs is not None:
            columns = []
            for j in range(len(shares)):
                terms = " + ".join(f"{share} * {d.number(costs[i][j])}" for i, share in enumerate(shares))
                columns.append((f"e{j}", f"-({terms})"))
            self.add(columns)
            scores, tie = [name for name, _ in columns], TIE * max(1.0, *(abs(c) for line in costs for c in line))
        small = d.number(tie)
        if len(scores) == 1:
            return "0"
        if len(scores) == 2:
            return f"CASE WHEN {scores[1]} > {scores[0]} + {small} THEN 1 ELSE 0 END"
        if len(scores) > FEW_CLASSES and d.label != "tsql":
            self.add([("most", d.greatest(scores))])
            cases = [f"WHEN {score} >= most - {small} THEN {j}" for j, score in enumerate(scores[:-1])]
            return f"CASE {' '.join(cases)} ELSE {len(scores) - 1} END"
        cases = []
        for j, score in enumerate(scores[:-1]):
            beats = " AND ".join(f"{score} >= {other} - {small}" for i, other in enumerate(scores) if i != j)
            cases.append(f"WHEN {beats} THEN {j}")
        return f"CASE {' '.join(cases)} ELSE {len(scores) - 1} END"

    def rules(self, number: int, member: RuleTables) -> list[str]:
        """The columns with the answers of a rule list; the position of its class is in the column ``l`` + number."""
        if member.rules.mode == "voting":
            return self._voting(number, member)
        width, d = self.program.width, self.dialect
        cases = [f"WHEN {self._rule(tests)} THEN {place}" for place, tests in enumerate(member.tests)]
        fired = f"f{number}"
        self.add([(fired, f"CASE {' '.join(cases)} ELSE -1 END" if cases else "-1")])
        answers, labels = member.answers, member.rules.consequents.tolist()
        behind = [d.number(float(answers[-1, j])) for j in range(width)]
        label = str(labels[-1])
        if member.behind is not None:
            behind, label = self._behind(number, member, member.behind)
        expressions = []
        for j in range(width):
            cases = [f"WHEN {place} THEN {d.number(float(answers[place, j]))}" for place in range(len(member.tests))]
            expressions.append(f"CASE {fired} {' '.join(cases)} ELSE {behind[j]} END" if cases else behind[j])
        columns = [(f"r{number}_{j}", text) for j, text in enumerate(expressions)]
        if self.program.has_classes:
            cases = [f"WHEN {place} THEN {labels[place]}" for place in range(len(member.tests))]
            columns.append((f"l{number}", f"CASE {fired} {' '.join(cases)} ELSE {label} END" if cases else label))
        self.add(columns)
        return [f"r{number}_{j}" for j in range(width)]

    def _behind(self, number: int, member: RuleTables, table: TreeTable) -> tuple[list[str], str]:
        """The answer of the tree that a rule list uses: shares, and the position of the class."""
        width, threshold = self.program.width, member.behind_decision.threshold
        if table.spreads:
            self.spread(f"b{number}", table)
        else:
            name = self.walk({-1 - number: table})[-1 - number]
            self.add([(f"b{number}_{j}", text) for j, text in enumerate(self.looked_up(name, table))])
        shares = [f"b{number}_{j}" for j in range(width)]
        if not self.program.has_classes:
            return shares, ""
        if threshold is not None:
            least = self.dialect.number(threshold - TIE)
            return shares, f"CASE WHEN {shares[1]} >= {least} THEN 1 ELSE 0 END"
        return shares, self.largest(shares, member.behind_costs)

    def _rule(self, tests: list[dict[str, Any]]) -> str:
        return " AND ".join(self._test(test) for test in tests) or "1 = 1"

    def _test(self, test: dict[str, Any]) -> str:
        """A condition of a rule as SQL."""
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
        labels, numeric = member.rules.consequents.tolist(), not self.program.has_classes
        sums: dict[str, list[str]] = {}
        for j in [*range(width), "all"]:
            terms = sums[f"t{number}_{j}"] = []
            for place, tests in enumerate(member.tests):
                strength = member.strengths[place]
                counts = strength * labels[place] if numeric and j != "all" else strength
                if j == "all" or numeric or labels[place] == j:
                    terms.append(f"CASE WHEN {self._rule(tests)} THEN {d.number(counts)} ELSE {zero} END")
        self.add_sums(sums)
        default = [d.number(float(share)) for share in member.answers[-1]]
        total = f"t{number}_all"
        shares = [f"CASE WHEN {total} > 0 THEN t{number}_{j} / {total} ELSE {default[j]} END" for j in range(width)]
        self.add([(f"r{number}_{j}", text) for j, text in enumerate(shares)])
        names = [f"r{number}_{j}" for j in range(width)]
        if not numeric:
            most = " AND ".join(f"{names[labels[-1]]} >= {name} - {d.number(TIE)}" for name in names)
            self.add([(f"l{number}", f"CASE WHEN {most} THEN {labels[-1]} ELSE {self.largest(names, None)} END")])
        return names
