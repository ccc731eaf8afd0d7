"""Export to C: one file of C99 without any dependency, tables and the few functions that read them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any, get_args

from quercus.data.schema import Attribute
from quercus.data.values import value_text
from quercus.errors import ExportError, shorten
from quercus.export.program import Program, program_of
from quercus.export.runtime import runtime
from quercus.export.tables import decision_data, member_data, renumbered
from quercus.forests.score_sum import Link

__all__ = ["to_c"]

_TYPES = """\
struct ask { int attribute, size, swapped; double cut; const int *table; };
struct tree {
  const int *ask, *first, *size, *missing, *answer, *surrogate_start;
  const double *share, *answers;
  const struct ask *asks;
};
struct test { int attribute, unknown, size; double above, up_to; const int *codes; };
struct rules {
  int count, voting;
  const int *start;
  const struct test *tests;
  const double *labels, *strengths, *answers, *costs;
  double threshold;
  const struct tree *tree;
};
struct member { const struct tree *tree; const struct rules *rules; double weight; };
struct column { int boolean, n_values, n_missing; const char *const *values, *const *missing; };
"""


def to_c(model: Any, *, prefix: str = "model") -> str:
    """A C file with ``PREFIX_predict(row, shares)`` and ``PREFIX_encode(attribute, text, cell)``.

    model: a fitted estimator, a model, a tree, a forest or a rule list. prefix: how the names of the functions begin.
    A row has one double per attribute in the order of ``PREFIX_attributes``, NAN where the value is unknown; values of
    nominal attributes are codes, which ``PREFIX_encode`` finds. The function returns the position of the class in
    ``PREFIX_classes`` and writes the shares of the classes (regression: the number).
    """
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,62}", prefix):
        raise ExportError(f"prefix is {shorten(prefix)}, but must be a name of C: letters, digits and underscores.")
    return _Source(program_of(model, scores=True), prefix).text()


class _Source:
    def __init__(self, program: Program, prefix: str) -> None:
        self.program, self.prefix = program, prefix
        self.lines: list[str] = []

    def text(self) -> str:
        program, decision = self.program, decision_data(self.program)
        classes = program.classes
        self.lines += [f"/* {_comment(program.title)} */", ""]
        self.lines += [f"#include <{name}.h>" for name in ("math", "stdlib", "string")]
        self.lines += ["", "#ifdef __clang__", "#pragma STDC FP_CONTRACT OFF", "#endif", ""]
        for name, value in (
            ("WIDTH", program.width),
            ("CLASSES", len(classes)),
            ("MEMBERS", len(program.members)),
            ("TOGETHER", int(program.together)),
            ("MAJORITY", int(program.majority)),
            ("SAID", program.width if program.scores is None else 1),
            ("LINK", 0 if program.scores is None else 1 + get_args(Link).index(program.scores.link)),
            ("BY_SCORES", int(program.by_scores)),
        ):
            self.lines.append(f"#define {name} {value}")
        self.lines += [f"#define PREFIX(name) {self.prefix}_##name", "", _TYPES]
        self._declarations(classes)
        rows = []
        for number, member in enumerate(program.members):
            data = renumbered(member_data(member), program.inputs)
            name = f"m{number}"
            tree = "0" if "rules" in data else f"&{self._tree(name, data)}"
            rules = f"&{self._rules(name, data)}" if "rules" in data else "0"
            rows.append(f"{{{tree}, {rules}, {_double(program.weights[number])}}}")
        self.lines.append(_wrapped("static const struct member members[] = {", rows))
        costs = decision["costs"]
        if costs is None:
            self.lines.append("static const double *const costs = 0;")
        else:
            self._doubles("cost_table", (cost for line in costs for cost in line))
            self.lines.append("static const double *const costs = cost_table;")
        scores = decision["scores"] or {"base": [0.0] * program.width, "places": []}
        self._doubles("score_base", scores["base"])
        self._ints("score_places", scores["places"])
        threshold = "NAN" if decision["threshold"] is None else _double(decision["threshold"])
        self.lines.append(f"#define THRESHOLD ((double){threshold})")
        return "\n".join([*self.lines, "", runtime("answers.c")])

    def _declarations(self, classes: Iterable[Any]) -> None:
        """The public names, and comments on what the columns hold."""
        program = self.program
        attributes = [program.schema[place] for place in program.inputs]
        names = [_string(attribute.name) for attribute in attributes]
        labels = [_string(value_text(one) if not isinstance(one, str) else one) for one in classes]
        p = self.prefix
        self.lines += [
            f"extern const char *const {p}_attributes[];",
            f"extern const char *const {p}_classes[];",
            f"extern const char *const {p}_checksum;",
            f"int {p}_predict(const double *row, double *shares);",
            f"int {p}_encode(int attribute, const char *text, double *cell);",
            f"const char *const {p}_checksum = {_string(program.checksum)};",
            _wrapped(f"const char *const {p}_attributes[] = {{", [*names, "0"]),
            _wrapped(f"const char *const {p}_classes[] = {{", [*labels, "0"]),
        ]
        columns = [self._column(f"c{number}", attribute) for number, attribute in enumerate(attributes)]
        self.lines.append(_wrapped("static const struct column columns[] = {", columns or ["{0, 0, 0, 0, 0}"]))

    def _column(self, name: str, attribute: Attribute) -> str:
        values = [_cell_text(value) for value in attribute.values]
        known = [_cell_text(token) for token in attribute.missing_tokens if _may_hold(attribute, token)]
        tokens = [token for token in known if token not in values]  # the number 1 means missing, the text 1 is a value
        missing = self._strings(f"{name}_missing", tokens) if tokens else "0"
        if attribute.kind in ("numeric", "date"):
            return f"{{0, 0, {len(tokens)}, 0, {missing}}}"
        if len(set(values)) < len(values):
            raise ExportError(
                f"Column {attribute.name!r} has values of several types that are the same text, which C cannot tell "
                "apart. Convert them before fitting."
            )
        written = self._strings(f"{name}_values", values) if values else "0"
        boolean = int(attribute.kind == "boolean")
        return f"{{{boolean}, {len(values)}, {len(tokens)}, {written}, {missing}}}"

    def _strings(self, name: str, texts: list[str]) -> str:
        self.lines.append(_wrapped(f"static const char *const {name}[] = {{", [_string(text) for text in texts]))
        return name

    def _ints(self, name: str, numbers: Iterable[int]) -> str:
        self.lines.append(_wrapped(f"static const int {name}[] = {{", [str(number) for number in numbers] or ["0"]))
        return name

    def _doubles(self, name: str, numbers: Iterable[float]) -> str:
        self.lines.append(
            _wrapped(f"static const double {name}[] = {{", [_double(number) for number in numbers] or ["0"])
        )
        return name

    def _tree(self, name: str, data: dict[str, Any]) -> str:
        tables = [self._ints(f"{name}_table{number}", codes) for number, codes in enumerate(data["tables"])]
        surrogates, start = data.get("surrogates", {}), "0"
        asks = data["asks"]
        if surrogates:
            starts, place = [], len(asks) - sum(map(len, surrogates.values()))
            for node in range(len(data["ask"])):
                starts.append(place)
                place += len(surrogates.get(node, ()))
            start = self._ints(f"{name}_surrogates", [*starts, place])
        rows = []
        for attribute, cut, table, swapped in asks:
            size = 0 if table is None else len(data["tables"][table])
            rows.append(
                f"{{{attribute}, {size}, {swapped}, {_double(cut or 0.0)}, {'0' if table is None else tables[table]}}}"
            )
        self.lines.append(_wrapped(f"static const struct ask {name}_asks[] = {{", rows or ["{0, 0, 0, 0, 0}"]))
        parts = [self._ints(f"{name}_{part}", data[part]) for part in ("ask", "first", "size", "missing", "answer")]
        share = self._doubles(f"{name}_share", data["share"]) if "share" in data else "0"
        answers = self._doubles(f"{name}_answers", (number for row in data["answers"] for number in row))
        fields = ", ".join([*parts, start, share, answers, f"{name}_asks"])
        self.lines.append(f"static const struct tree {name}_tree = {{{fields}}};")
        return f"{name}_tree"

    def _rules(self, name: str, data: dict[str, Any]) -> str:
        starts, tests = [0], list[str]()
        for rule in data["rules"]:
            tests += [self._test(f"{name}_codes{len(tests) + place}", test) for place, test in enumerate(rule)]
            starts.append(len(tests))
        self.lines.append(_wrapped(f"static const struct test {name}_tests[] = {{", tests or ["{0, 0, 0, 0, 0, 0}"]))
        tree = f"&{self._tree(f'{name}_behind', data['tree'])}" if "tree" in data else "0"
        costs = "0"
        if data.get("costs") is not None:
            costs = self._doubles(f"{name}_costs", (cost for line in data["costs"] for cost in line))
        threshold = "NAN" if data.get("threshold") is None else _double(data["threshold"])
        fields = [str(len(data["rules"])), str(int(data["mode"] == "voting")), self._ints(f"{name}_start", starts)]
        fields += [f"{name}_tests", self._doubles(f"{name}_labels", data["labels"])]
        fields.append(self._doubles(f"{name}_strengths", data["strengths"]))
        fields.append(self._doubles(f"{name}_answers", (number for row in data["answers"] for number in row)))
        self.lines.append(
            f"static const struct rules {name}_rules = {{{', '.join([*fields, costs, threshold, tree])}}};"
        )
        return f"{name}_rules"

    def _test(self, name: str, test: dict[str, Any]) -> str:
        codes = test.get("codes")
        table = "0" if codes is None else self._ints(name, codes)
        above, up_to = _double(test.get("above", -math.inf)), _double(test.get("up_to", math.inf))
        unknown, size = int(test.get("unknown", False)), len(codes or ())
        return f"{{{test['attribute']}, {unknown}, {size}, {above}, {up_to}, {table}}}"


def _may_hold(attribute: Attribute, token: Any) -> bool:
    """Whether a column can hold a value that means "missing"; a column of numbers only if it was read as text."""
    return attribute.kind not in ("numeric", "date") or attribute.from_text or not isinstance(token, str)


def _cell_text(value: Any) -> str:
    """A value as the text that ``encode`` reads: a boolean as true or false."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else value_text(value)


def _double(number: float) -> str:
    """A number with all its bits, as C source."""
    if math.isnan(number):
        raise ExportError("A number of the model is NaN, which an export cannot express.")
    if math.isinf(number):
        return "INFINITY" if number > 0 else "-INFINITY"
    return float(number).hex() if not float(number).is_integer() or abs(number) > 1e15 else f"{float(number)!r}"


def _string(text: str) -> str:
    """A text as a C literal of its UTF-8 bytes; a digit after an escape is never read as a part of the escape."""
    if "\0" in text:
        raise ExportError(f"The text {shorten(text)} holds a zero character, which no text of C can. Rename it.")
    safe = [chr(one) if 32 <= one < 127 and chr(one) not in '"\\?' else f"\\{one:03o}" for one in text.encode()]
    return '"' + "".join(safe) + '"'


def _comment(text: str) -> str:
    return " ".join(text.replace("*/", "* /").split())


def _wrapped(start: str, items: list[str]) -> str:
    """A list of items, several of them per line."""
    lines, line = [], ""
    for item in items:
        if len(line) + len(item) > 110:
            lines.append(line)
            line = ""
        line += f"{item}, "
    return "\n  ".join([start, *lines, line.rstrip(", ")]) + "\n};"
