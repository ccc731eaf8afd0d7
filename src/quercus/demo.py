"""The demonstration: PlayTennis, from the table to the tree and its rules, step by step (``make demo``)."""

from __future__ import annotations

from typing import Any

import numpy as np

from quercus import C45Classifier, ID3Classifier
from quercus.datasets import load_play_tennis
from quercus.measures import entropy, gain_table
from quercus.rules import class_formula


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
    print(f"{step}\n")
    print("\n".join(f"   {line}" for line in str(block).splitlines()))
    print()
    for remark in remarks:
        print(f"   {remark}")
    print()


def show_data(table: Any, labels: np.ndarray) -> None:
    """Show the examples and their entropy."""
    classes, counts = np.unique(labels, return_counts=True)
    told = " and ".join(f"{count} {name}" for name, count in zip(classes, counts, strict=True))
    show(
        "1. The data: fourteen days, and whether tennis was played.",
        table_text(table, labels, "Play"),
        f"{told}: to learn a day's answer is worth {entropy(counts):.3f} bits, the entropy.",
    )


def show_gains(table: Any, labels: np.ndarray) -> None:
    """Show every attribute's gain at the root."""
    gains = gain_table(table, labels)
    best, second = gains[0], gains[1]
    show(
        "2. Which question first? An attribute's gain is the entropy that its answer removes.",
        gains,
        f"{best.attribute} wins, {best.gain:.4f} bits against {second.gain:.4f} of {second.attribute}: "
        "it becomes the root.",
    )


def show_id3(table: Any, labels: np.ndarray) -> ID3Classifier:
    """Fit ID3; show its tree and its accuracy."""
    model = ID3Classifier().fit(table, labels)
    tree = model.tree_
    right = int(np.sum(model.predict(table) == labels))
    show(
        "3. ID3 asks again below each answer, until a branch holds one class only.",
        model,
        "A leaf says its class and, in brackets, its examples.",
        f"{tree.n_nodes} nodes, {tree.n_leaves} leaves, depth {tree.depth}; right on {right} of the {len(labels)} days "
        f"it was grown from (accuracy {right / len(labels):.2f}).",
    )
    return model


def show_c45(table: Any, labels: np.ndarray, id3: ID3Classifier) -> C45Classifier:
    """Fit C4.5 without pruning; show its gain ratios and its tree."""
    model = C45Classifier(prune=False).fit(table, labels)
    rows = gain_table(table, labels, measure="gain_ratio")
    same = str(model) == str(id3)
    ratios = ", ".join(f"{row.attribute} {row.gain_ratio:.3f}" for row in rows)
    show(
        "4. C4.5 divides the gain by the split information, lest attributes of many values look too good.",
        model,
        f"Gain ratios at the root: {ratios}.",
        f"Here that gives {'the same tree' if same else 'another tree'}; "
        f"accuracy {model.score(table, labels):.2f} on the same days.",
    )
    return model


def show_prediction(table: Any, model: C45Classifier) -> None:
    """Ask the tree about a day that it has not seen, then with one answer unknown."""
    day: dict[str, str | None] = {"Outlook": "Rain", "Temperature": "Hot", "Humidity": "High", "Wind": "Weak"}
    lines = []
    for words, row in (("wind weak:", day), ("wind unknown:", {**day, "Wind": None})):
        example = {name: np.array([row[name]], dtype=object) for name in table}
        shares = model.predict_proba(example)[0]
        told = "  ".join(f"P({name}) = {share:.2f}" for name, share in zip(model.classes_, shares, strict=True))
        lines.append(f"{words:<13} {model.predict(example)[0]:<4} {told}")
    show(
        "5. A new day: rain, hot, high humidity. What does the tree expect?",
        "\n".join(lines),
        "C4.5 sends a day whose wind is unknown down both branches, in the proportion of the days seen there.",
    )


def branches(model: C45Classifier) -> list[list[str]]:
    """The answers on the way to each leaf."""
    return [[step.text for step in leaf.path()] for leaf in model.tree_.leaves()]


def show_pruning(table: Any, labels: np.ndarray, before: C45Classifier) -> C45Classifier:
    """Grow from one more, noisy day; prune the larger tree by the fourteen days as validation rows."""
    noisy_table, noisy_answers = load_play_tennis(d15=True)
    noisy = np.asarray(noisy_answers, dtype=object)
    grown = C45Classifier(min_objects=1, prune=False).fit(noisy_table, noisy)
    day = {name: str(list(noisy_table[name])[-1]) for name in noisy_table}
    show(
        f"6. A fifteenth day: {', '.join(day.values()).lower()}, and yet {noisy[-1]}. Noise, but the tree learns it.",
        grown,
        f"{grown.tree_.n_nodes} nodes instead of {before.tree_.n_nodes}, all {len(noisy)} days right: overfitting.",
    )
    pruned = grown.prune_with("reduced_error", table, labels)
    same = branches(pruned) == branches(before)
    show(
        "7. Reduced-error pruning cuts where validation rows, here the days before it, are answered no worse.",
        pruned.pruning_,
        f"{'The questions of step 4 again' if same else 'A smaller tree'}; D15 is now an exception in a leaf. "
        'prune="reduced_error" does it while fitting.',
    )
    return pruned


def show_rules(model: C45Classifier) -> None:
    """Show the tree as rules, and a class as a formula."""
    show(
        "8. The same as rules, each with the days that it covers and the share that it answers right.",
        model.rules(),
        str(class_formula(model.tree_, "Yes")),
    )


def main() -> None:
    """Print the whole demonstration."""
    table, answers = load_play_tennis()
    labels = np.asarray(answers, dtype=object)
    show_data(table, labels)
    show_gains(table, labels)
    id3 = show_id3(table, labels)
    c45 = show_c45(table, labels, id3)
    show_prediction(table, c45)
    show_rules(show_pruning(table, labels, c45))
    print("Not there yet: drawings and the report; CHANGELOG.md says what is.")


if __name__ == "__main__":
    main()
