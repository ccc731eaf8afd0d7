"""The demonstration: PlayTennis, from the table to the tree, its rules and its report, step by step (``make demo``)."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np

from quercus import C45Classifier, ID3Classifier
from quercus.data.names import class_counts, counted
from quercus.datasets import load_play_tennis
from quercus.errors import DependencyError
from quercus.measures import entropy, gain_table
from quercus.rules import class_formula
from quercus.tree.lines import folded

#: Where the report goes, unless another place is named.
FOLDER = "quercus-demo"
#: No line is longer.
WIDTH = 100
#: The new day that the tree is asked about.
NEW_DAY = {"Outlook": "Rain", "Temperature": "Hot", "Humidity": "High", "Wind": "Weak"}


def table_text(table: Any, labels: np.ndarray, target: str) -> str:
    """Return the examples D1, D2, … as an aligned table, the class last; the table is a pandas frame or a dict.

    >>> print(table_text({"Wind": ["Weak", "Strong"]}, np.array(["Yes", "No"]), "Play"))
         Wind    Play
    D1   Weak    Yes
    D2   Strong  No
    """
    columns = {str(name): [str(value) for value in table[name]] for name in table}
    columns[target] = [str(label) for label in labels]
    columns = {name: [name, *values] for name, values in columns.items()}
    widths = {name: max(map(len, cells)) for name, cells in columns.items()}
    lines = []
    for row in range(len(labels) + 1):
        cells = "  ".join(column[row].ljust(widths[name]) for name, column in columns.items())
        lines.append(f"{f'D{row}' if row else '':<4} {cells}".rstrip())
    return "\n".join(lines)


def show(step: str, block: object, *remarks: str) -> None:
    """Print one step: its sentence, what it shows, and what to see there."""
    print(f"{folded(step, WIDTH)}\n")
    print("\n".join(f"   {line}".rstrip() for line in folded(str(block), WIDTH - 3).splitlines()))
    if remarks:
        print()
    for remark in remarks:
        print("\n".join(f"   {line}" for line in folded(remark, WIDTH - 3, hang=0).splitlines()))
    print()


def show_data(table: Any, labels: np.ndarray) -> None:
    """Show the examples and their entropy."""
    classes, counts = np.unique(labels, return_counts=True)
    count_text = class_counts(counts.tolist(), [str(name) for name in classes], limit=5)
    total = len(labels)
    formula = " − ".join(f"{count}/{total}·log2({count}/{total})" for count in counts)
    show(
        "1. The data: fourteen days, and whether tennis was played.",
        table_text(table, labels, "Play"),
        f"{count_text}: to learn a day's answer is worth {entropy(counts):.3f} bits, the entropy",
        f"−{formula} = {entropy(counts):.3f}.",
    )


def show_gains(table: Any, labels: np.ndarray) -> None:
    """Show every attribute's gain at the root."""
    gains = gain_table(table, labels)
    best, second = gains[0], gains[1]
    show(
        "2. Which question first? An attribute's gain is the entropy that its answer removes.",
        gains,
        f"{best.attribute} wins, {best.gain:.3f} bits against {second.gain:.3f} of {second.attribute}: "
        "it becomes the root.",
    )


def show_tree(table: Any, labels: np.ndarray) -> C45Classifier:
    """Fit ID3; show its tree and its accuracy; say what C4.5 does otherwise, and give the tree of C4.5."""
    model = ID3Classifier().fit(table, labels)
    tree = model.tree_
    right = int(np.sum(model.predict(table) == labels))
    c45 = C45Classifier(prune=False).fit(table, labels)
    same = str(c45) == str(model)
    show(
        "3. ID3 asks again below each answer, until a branch holds one class only.",
        model,
        "A leaf says its class and, in brackets, its examples.",
        f"{counted(tree.n_nodes, 'node')}, {counted(tree.n_leaves, 'leaf', 'leaves')}, depth {tree.depth}; right on "
        f"{right} of the {len(labels)} days it was grown from (accuracy {right / len(labels):.2f}).",
        f"C4.5 divides the gain by the split information; here that gives {'the same' if same else 'another'} tree. "
        "Steps 4 to 6 ask the tree of C4.5, which also knows what to do where a value is unknown.",
    )
    return c45


def show_rules(model: C45Classifier) -> None:
    """Show the tree as rules, and a class as a formula."""
    show(
        "4. The same as rules, each with the days that it covers and the share that it answers right.",
        model.rules(),
        str(class_formula(model.tree_, "Yes")),
    )


def show_prediction(model: C45Classifier) -> None:
    """Ask the tree about a day that it has not seen, then with one answer unknown; say why it answers so."""
    from quercus.explain.why.why import why

    tree = model.tree_
    show(
        f"5. A new day: {', '.join(NEW_DAY.values()).lower()} wind. What does the tree expect, and why?",
        why(tree, NEW_DAY),
    )
    show(
        "6. The same day, but nobody knows the wind. C4.5 sends the day down both branches, by their shares.",
        why(tree, {**NEW_DAY, "Wind": None}),
    )


def branches(model: Any) -> list[list[str]]:
    """The answers on the way to each leaf."""
    return [[step.text for step in leaf.path()] for leaf in model.tree_.leaves()]


def show_pruning(table: Any, labels: np.ndarray, before: C45Classifier) -> C45Classifier:
    """Grow from one more, noisy day; prune the larger tree by the fourteen days as validation rows."""
    noisy_table, noisy_answers = load_play_tennis(d15=True)
    noisy = np.asarray(noisy_answers, dtype=object)
    grown = C45Classifier(min_objects=1, prune=False).fit(noisy_table, noisy_answers)
    day = ", ".join(str(list(noisy_table[name])[-1]) for name in noisy_table).lower()
    show(
        f"7. A fifteenth day: {day} wind, and yet {noisy[-1]}. Noise, but the tree learns it.",
        grown,
        "Grown by C4.5 with min_objects=1, so that a branch may hold one day. By default C4.5 asks only where two "
        "branches hold two days each, and would not ask about Temperature here.",
        f"{grown.tree_.n_nodes} nodes instead of {before.tree_.n_nodes}, all {len(noisy)} days right: overfitting.",
    )
    pruned: C45Classifier = grown.prune_with("reduced_error", table, labels)
    same = branches(pruned) == branches(before)
    show(
        "8. Reduced-error pruning cuts where validation rows, here the days before it, are answered no worse.",
        f"{pruned.pruning_}\n\n{pruned}",
        f"{'The questions of step 3 again' if same else 'A smaller tree'}; D15 is now an exception in a leaf.",
    )
    return pruned


def show_report(model: C45Classifier, folder: str | Path | None) -> None:
    """Write the report of the last tree, and say where it is and what else there is."""
    if folder is not None:
        place = Path(folder)
        table, answers = load_play_tennis(d15=True)
        print("9. The report: one page to click through the tree, move its pruning and ask it about a day.\n")
        try:
            from quercus.report import write_report

            place.mkdir(parents=True, exist_ok=True)
            write_report(model, place / "report.html", X=table, y=answers, title="PlayTennis with D15")
            print(f"   {(place / 'report.html').resolve()}\n   Open it in a browser; it needs no network.\n")
        except DependencyError as error:
            print(f"   {error}\n")
    print("Now you. Each line works as it stands:\n")
    for call in ("fit play_tennis -o model.json", "explain model.json", "consult model.json", "report model.json"):
        print(f"   {program_name()} {call}")


def program_name() -> str:
    """The program ``quercus`` as it can be typed here: by its name if the shell finds it, else by its path."""
    beside = Path(sys.executable).parent / ("quercus.exe" if os.name == "nt" else "quercus")
    path = shutil.which("quercus")
    if path is not None and (not beside.exists() or Path(path).resolve() == beside.resolve()):
        return "quercus"
    if not beside.exists():
        return f"{shlex.quote(sys.executable)} -m quercus"
    near = Path.cwd() in beside.parents
    return shlex.quote(str(beside.relative_to(Path.cwd()) if near else beside))


def main(folder: str | Path | None = FOLDER) -> None:
    """Print the whole demonstration; the report goes into the folder (None: no report)."""
    table, labels = load_play_tennis()
    answers = np.asarray(labels, dtype=object)
    show_data(table, answers)
    show_gains(table, answers)
    model = show_tree(table, labels)
    show_rules(model)
    show_prediction(model)
    show_report(show_pruning(table, labels, model), folder)


if __name__ == "__main__":
    main(*sys.argv[1:2])
