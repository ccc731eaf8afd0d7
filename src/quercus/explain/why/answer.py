"""Answers: the ways of an example down a tree as values: steps, paths with their shares, and how they add up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from quercus.arrays import Floats
from quercus.data.names import counted, percent, quoted_value, short_number, significant
from quercus.data.values import value_to_json
from quercus.explain.why.decision import Decision
from quercus.explain.why.route import How
from quercus.results import Result, frame_of
from quercus.targets import TargetKind

_WIDTH = 120
_SHOWN_PATHS = 8
_SHOWN_TERMS = 8


@dataclass(frozen=True, repr=False)
class Step(Result):
    """One question on a path and what became of it.

    node, child: where it was asked, and where the example went. attribute, value: what was asked, and what the example
    has there, in words. text: the branch taken. how: by its "value", a "surrogate", the "missing branch", "spread" over
    all branches, one of several "possible" ones, or of a question that is still "open". reason: a sentence where it was
    not simply the value. taken, of: the training weight of the branch and of all that share the example (equal: it went
    whole). holding: what the training left in the child.
    """

    node: int
    child: int
    attribute: str
    value: str
    text: str
    how: How
    reason: str
    taken: float
    of: float
    holding: str

    def __str__(self) -> str:
        """The branch and what the training left there."""
        return f"{self.text} ({self.holding})"

    def to_dict(self) -> dict[str, Any]:
        """What JSON can hold."""
        return dict(vars(self))


@dataclass(frozen=True, repr=False)
class Path(Result):
    """One way of the example down the tree.

    node: where it ends. share: the part of the example that takes it. steps: the questions. values: what the end says,
    class shares or one number. counts, total: the class weights these come from (smoothed; None: a number). end: in
    words.
    """

    node: int
    share: float
    steps: tuple[Step, ...]
    values: tuple[float, ...]
    counts: tuple[float, ...] | None
    total: float
    end: str

    @property
    def factors(self) -> tuple[tuple[float, float], ...]:
        """The pairs (weight of the branch, weight of all branches shared) whose quotients make the share."""
        return tuple((step.taken, step.of) for step in self.steps if step.how in ("spread", "possible", "open"))

    @property
    def share_text(self) -> str:
        """The share as the product it is, such as ``6/16``; 1 if the example goes here whole."""
        return "·".join(f"{short_number(taken)}/{short_number(of)}" for taken, of in self.factors) or "1"

    def term(self, position: int) -> str:
        """What the path adds to the answer at a position, such as ``5/6·6/16``."""
        if self.counts is None:
            value = significant(self.values[position], 6)
        else:
            value = f"{short_number(self.counts[position])}/{short_number(self.total)}"
        return "·".join([value, self.share_text] if self.factors else [value])

    def __str__(self) -> str:
        """The steps and the end, on one line if they fit."""
        return arrowed([*map(str, self.steps), self.end])

    def to_dict(self) -> dict[str, Any]:
        """What JSON can hold."""
        return {
            "node": self.node,
            "share": self.share,
            "factors": [list(pair) for pair in self.factors],
            "values": list(self.values),
            "counts": None if self.counts is None else list(self.counts),
            "total": self.total,
            "steps": [step.to_dict() for step in self.steps],
            "text": " → ".join([*map(str, self.steps), self.end]),
        }


@dataclass(frozen=True, repr=False)
class Answer(Result):
    """Why an example gets its answer.

    kind: what is answered, one of some classes or a number. paths: all ways of the example, left to right; more
    than one where a value is unknown. distribution: the class shares, or the number alone, bit for bit those of
    ``predict_distribution``. decision: how the answer was chosen. root: what the training left at the start.
    """

    kind: TargetKind
    paths: tuple[Path, ...]
    distribution: Floats
    decision: Decision
    root: str

    @property
    def classes(self) -> tuple[Any, ...] | None:
        """The names of the classes; None: the answer is a number."""
        return self.kind.classes

    @property
    def label(self) -> Any:
        """The answer: a class or a number."""
        return self.decision.label

    @property
    def main_path(self) -> Path:
        """The path that most of the example takes, the first if tied."""
        return max(self.paths, key=lambda path: path.share)

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps of the main path."""
        return self.main_path.steps

    def exact(self, label: Any = None) -> Fraction:
        """The share of a class as an exact fraction of training weights; None: of the class answered.

        A regression tree's number comes exactly, too.
        """
        position = self.kind.position(self.label if label is None else label)
        total = Fraction(0)
        for path in self.paths:
            value = (
                Fraction(path.values[position])
                if path.counts is None
                else Fraction(path.counts[position]) / sum(map(Fraction, path.counts))
            )
            for taken, of in path.factors:
                value *= Fraction(taken) / Fraction(of)
            total += value
        return total

    def sum_text(self, label: Any = None) -> str:
        """How the share of a class (None: of the class answered) adds up: ``5/6·6/16 + 4/10·10/16 = 0.5625``."""
        position = self.kind.position(self.label if label is None else label)
        paths = [path for path in self.paths if path.values[position] != 0]
        shown = paths if len(paths) <= _SHOWN_TERMS else sorted(paths, key=lambda path: -path.share)[:_SHOWN_TERMS]
        terms = [path.term(position) for path in shown]
        if len(shown) < len(paths):
            terms.append(f"… {counted(len(paths) - len(shown), 'more term')}")
        return f"{' + '.join(terms) or '0'} = {significant(float(self.distribution[position]), 6)}"

    def __str__(self) -> str:
        """The path or paths, how they add up, and the answer."""
        if len(self.paths) == 1:
            lines = [arrowed([self.root, *map(str, self.steps), self.main_path.end]), *self._reasons(self.paths)]
        else:
            lines = self._path_lines() + self._sum_lines()
        chosen = self.kind.choice_of(self.label)
        answer = self.kind.words().answer(chosen, self.distribution)
        return "\n".join([*lines, *self.decision.sentences, f"Answer: {answer}."])

    @staticmethod
    def _reasons(paths: Sequence[Path]) -> list[str]:
        """What was not simply decided by a value, each said once."""
        return list(dict.fromkeys(step.reason for path in paths for step in path.steps if step.reason))

    def _path_lines(self) -> list[str]:
        shown = self.paths
        if len(shown) > _SHOWN_PATHS:
            shown = tuple(sorted(self.paths, key=lambda path: -path.share)[:_SHOWN_PATHS])
        lines = [*self._reasons(shown), f"Start: {self.root}"]
        for path in shown:
            share = f"{path.share_text} = {percent(path.share)} of it"
            lines.append(arrowed([share, *map(str, path.steps), path.end]))
        if len(shown) < len(self.paths):
            rest = 1.0 - sum(path.share for path in shown)
            lines.append(f"… {counted(len(self.paths) - len(shown), 'more path')} with {percent(rest)} of it")
        return lines

    def _sum_lines(self) -> list[str]:
        present = self.kind.heaviest(self.distribution)
        if not present:
            return [f"Together: {self.sum_text()}"]
        lines = [f"{quoted_value(label)}: {self.sum_text(label)}" for label in present[:5]]
        return lines + ([f"… {counted(len(present) - 5, 'more class', 'more classes')}"] if len(present) > 5 else [])

    def to_dict(self) -> dict[str, Any]:
        """What JSON can hold: the answer, the distribution, the decision, and every path with its steps and weights."""
        return {
            "label": value_to_json(self.label),
            **self.kind.to_json(),
            "distribution": self.distribution.tolist(),
            "decision": self.decision.to_dict(),
            "root": self.root,
            "paths": [path.to_dict() for path in self.paths],
            "text": str(self),
        }

    def to_frame(self) -> Any:
        """The steps of all paths as a pandas frame."""
        return frame_of(
            [
                {"path": number, "share": path.share, **step.to_dict()}
                for number, path in enumerate(self.paths, 1)
                for step in path.steps
            ]
        )


def arrowed(parts: Sequence[str]) -> str:
    """Parts with arrows between, on one line if they fit, else one per line."""
    line = " → ".join(parts)
    return line if len(line) <= _WIDTH else "\n  → ".join(parts)
