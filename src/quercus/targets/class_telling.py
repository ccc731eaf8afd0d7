"""How classes are shown: nodes and answers in words, in colours, and as data for pages and traces."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quercus.arrays import Floats
from quercus.data.latex import latex_text
from quercus.data.names import class_counts, listed, look_like_numbers, percent, quoted_value, short_number
from quercus.data.values import value_text, whole_numbers
from quercus.targets.class_words import ClassWords
from quercus.targets.kind import TargetKind
from quercus.targets.payload import Shading, Words


class ClassTelling(TargetKind):
    """How the kind ``Classes`` shows nodes and answers."""

    labels: tuple[Any, ...]

    @property
    def class_texts(self) -> list[str]:
        """The names of the classes, quoted where they need to be."""
        return [quoted_value(label) for label in self.labels]

    def words(self, *, width: int = 1 << 60, digits: tuple[int, int] = (6, 4)) -> Words:
        """The words for nodes, with the names of the classes."""
        return ClassWords([quoted_value(label, width) for label in self.labels])

    def label_text(self, label: Any) -> str:
        """The name of the class, quoted where that is needed."""
        return quoted_value(label)

    def label_latex(self, label: Any) -> str:
        """The name of the class in LaTeX."""
        return latex_text(value_text(label))

    def answer_text(self, answer: Floats) -> str:
        """The classes that have a share, each with its share."""
        shares = zip(self.labels, answer.tolist(), strict=True)
        return ", ".join(f"{quoted_value(label)} {share:.4g}" for label, share in shares if share > 0)

    def standing_text(self, answer: Floats, label: Any) -> str:
        """The class, and the shares of all classes."""
        order, names = self.heaviest(answer), self.class_texts
        mark = ":" if look_like_numbers(names) else ""
        shares = (f"{quoted_value(one)}{mark} {percent(float(answer[self.position(one)]))}" for one in order)
        return f"{quoted_value(label)} ({listed(shares, len(order), 5)})"

    def heaviest(self, answer: Floats) -> list[Any]:
        """The classes that have a share, the largest first."""
        present = np.flatnonzero(np.asarray(answer) > 0).tolist()
        return [self.labels[code] for code in sorted(present, key=lambda code: -answer[code])]

    def shadings(self, answers: Floats, chosen: NDArray[Any]) -> list[Shading]:
        """One colour for each class; the larger the share, the stronger the colour."""
        result = []
        for code, label in enumerate(self.labels):
            places = np.flatnonzero(chosen == code).tolist()
            if places:
                sure = tuple(float(answers[place, code]) for place in places)
                result.append(Shading(quoted_value(label, 60), code, tuple(places), sure))
        return result

    def page_data(
        self, value: Floats, weight: Floats, answers: Floats, chosen: NDArray[Any], counts: Floats | None
    ) -> dict[str, Any]:
        """The class weights; and the weights from which a node answers, if these are different."""
        assert counts is not None
        own = (counts == value).all(axis=1) & (counts.sum(axis=1) > 0)
        return {
            "value": [whole_numbers(row) for row in value],
            "answers": {int(node): whole_numbers(counts[node]) for node in np.flatnonzero(~own)},
        }

    def rule_data(self, chosen: Any, precision: float, spread: float | None) -> dict[str, Any]:
        """The class, and the share of its right answers."""
        return {
            "class": int(chosen),
            "precision": None if math.isnan(precision) else float(f"{precision:.6g}"),
        }

    def traced(self, value: Sequence[float] | Floats, weight: float) -> tuple[float, ...]:
        """The weight of each class."""
        return tuple(value)

    def traced_text(self, values: Sequence[float], median: float | None, limit: int) -> str:
        """The classes with their weights."""
        return self._counts(values, limit) or "nothing"

    def _counts(self, weights: Sequence[float], limit: int) -> str:
        return class_counts(weights, [quoted_value(label) for label in self.labels], limit)

    def entering(self, values: Sequence[float], multipliers: Sequence[float] | None) -> Sequence[float]:
        """The class weights, each multiplied by its factor."""
        return [value * factor for value, factor in zip(values, multipliers, strict=True)] if multipliers else values

    def multiplied_text(self, values: Sequence[float], multipliers: Sequence[float] | None) -> str:
        """Each class weight with its factor, in words."""
        if multipliers is None:
            return ""
        parts = [
            f"{quoted_value(label)} {short_number(value)}·{short_number(factor)} = {short_number(value * factor)}"
            for label, value, factor in zip(self.labels, values, multipliers, strict=True)
            if value > 0
        ]
        return f"  (weighed by the costs of errors: {', '.join(parts)})"

    def tied_gain(self, impurity: float) -> float:
        """The same tolerance at all nodes."""
        return 1e-12

    def same_values(self, ours: Floats, theirs: Floats, unit: float, size: float) -> NDArray[np.bool_]:
        """Whether the class weights are the same."""
        return np.asarray(np.isclose(ours, theirs / unit, rtol=1e-6, atol=1e-9 * max(1.0, size)).all(axis=1))

    def rows_text(self, value: Floats, count: str, limit: int = 10) -> str:
        """The number of rows of each class, in words."""
        return self._counts(value.tolist(), limit)

    def pure_text(self, value: Sequence[float], count: int, classes: str) -> str:
        """The sentence that all examples have one class."""
        return f"one class only, {classes}"
