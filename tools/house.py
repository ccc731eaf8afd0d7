"""Measure the seams of the house: lines per room, private names across rooms, look-ups on models, places per addition.

Run it before and after a change of structure: ``.venv/bin/python tools/house.py``. With ``--walks`` it also runs one
``quercus fit`` and one ``quercus evaluate`` and counts how often they encode a table and answer rows.
``--root`` names another checkout, whose sources are then read instead.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: What a variable is called that holds a fitted model.
MODELS = {"model", "estimator", "member", "parent", "subject", "learner", "fitted", "fitted_member"}
#: Private names of Python itself and of its libraries.
FOREIGN = {"_replace", "_asdict", "_fields", "_make", "_core", "_repr_html_", "_repr_mimebundle_"}
CLASSES = re.compile(r"^(ID3|C45|CART|C45Rules|PART|RIPPER|RandomForest|Bagging|Boosted)(Classifier|Regressor)$")
#: For each addition the words that a place must mention to be touched by it.
ADDITIONS = {
    "impurity measure": r"(?i)\bhellinger\b",
    "kind of question": r"\b(GROUPED|SUBSET|MULTIWAY|Multiway|Grouped|Subset)\b|SplitKind::(grouped|subset|multiway)",
    "missing policy": r"\bclass_most_common\b",
    "kind of target": r"\bis_regression\b|n_classes == 0|!\w*\.?n_classes\b|classes is (not )?None|regression\(\)",
    "pruner": r"\bminimum_error\b",
    "tree estimator": r"\bID3Classifier\b(?!\()",
    "rule learner": r"\bPARTClassifier\b(?!\()",
}
#: For each recipe of CONTRIBUTING.md the words that name its model in every file of the library that speaks of it.
RECIPES = {
    "A criterion": r"(?i)\bhellinger\b",
    "A question": r"\b[Mm]ultiway\b",
    "A pruner": r"\bminimum_error\b",
    "A rule learner": r"(?m)\bPARTClassifier\b|^def part\(",
    "An estimator": r"\bBoostedClassifier\b",
    "A command": r"'tune'\)|quercus tune",
    "An exporter": r"\bto_c\b",
    "An importer": r"\bfrom_lightgbm\b",
    "A policy for unknown values": r"\bclass_most_common\b",
    "A kind of target": r"\bQuantiles\b(?! are)|['\"]pinball['\"]|Criterion::pinball|\bpinball\(|\bPinballError\b|"
    r"\bquantile_scores\b",
}


def python_files(root: Path) -> dict[Path, ast.Module]:
    """The package's files with their syntax trees."""
    return {file: ast.parse(file.read_text()) for file in sorted((root / "src/quercus").rglob("*.py"))}


def room(file: Path, root: Path) -> str:
    """The room of a file: its folder, or its name if it stands alone."""
    return file.relative_to(root / "src/quercus").parts[0]


def lines_per_room(files: dict[Path, ast.Module], root: Path) -> Counter[str]:
    """Lines of Python in each room."""
    lines: Counter[str] = Counter()
    for file in files:
        lines[room(file, root)] += len(file.read_text().splitlines())
    return lines


def function_lengths(files: dict[Path, ast.Module]) -> list[int]:
    """The lines of every function, its docstring left out."""
    lengths = []
    for tree in files.values():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                first = node.body[0]
                text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
                said = (first.end_lineno or 0) - first.lineno + 1 if text else 0
                lengths.append((node.end_lineno or node.lineno) - node.lineno + 1 - said)
    return sorted(lengths)


def private_definitions(tree: ast.Module) -> set[str]:
    """The private names that a file defines: functions, classes, variables, and attributes of its own objects."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names.add(node.attr)
    return {name for name in names if is_private(name)}


def is_private(name: str) -> bool:
    """Whether a name begins with one underscore."""
    return name.startswith("_") and not name.startswith("__") and name not in FOREIGN


def private_uses(files: dict[Path, ast.Module], root: Path) -> Iterator[tuple[Path, int, str, bool]]:
    """Uses of private names that another file defines: file, line, name, and whether that file is in another room."""
    owners: dict[str, set[str]] = {}
    own = {file: private_definitions(tree) for file, tree in files.items()}
    for file, names in own.items():
        for name in names:
            owners.setdefault(name, set()).add(room(file, root))
    for file, tree in files.items():
        for node in ast.walk(tree):
            names = []
            if isinstance(node, ast.Attribute) and not _own(node.value):
                names = [node.attr]
            elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("quercus"):
                names = [alias.name for alias in node.names]
            for name in names:
                if is_private(name) and name in owners and (isinstance(node, ast.ImportFrom) or name not in own[file]):
                    yield file, node.lineno, name, room(file, root) not in owners[name]


def _own(value: ast.expr) -> bool:
    return (isinstance(value, ast.Name) and value.id in ("self", "cls")) or isinstance(value, ast.Call)


def model_lookups(files: dict[Path, ast.Module]) -> Iterator[tuple[Path, int]]:
    """Calls of hasattr and getattr on something that is called like a model."""
    for file, tree in files.items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or not node.args:
                continue
            thing = node.args[0]
            name = thing.id if isinstance(thing, ast.Name) else thing.attr if isinstance(thing, ast.Attribute) else ""
            names = MODELS | {"self"} if "estimators" in file.parts else MODELS
            if node.func.id in ("hasattr", "getattr") and name.lstrip("_") in names:
                yield file, node.lineno


def class_tables(files: dict[Path, ast.Module]) -> Iterator[tuple[Path, int]]:
    """Lists, tuples, sets and dicts outside functions that name three or more classes of estimators."""
    for file, tree in files.items():
        for statement in tree.body:
            if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
                names = {
                    word
                    for node in ast.walk(statement.value)
                    for word in ([node.value] if isinstance(node, ast.Constant) else [getattr(node, "id", None)])
                    if isinstance(word, str) and CLASSES.match(word)
                }
                if len(names) >= 3:
                    yield file, statement.lineno


def places(root: Path, pattern: str) -> list[Path]:
    """The files of the package and the core whose code mentions a pattern; comments and docstrings do not count."""
    word = re.compile(pattern)
    found = []
    package = [file for ending in ("py", "json", "js") for file in (root / "src/quercus").rglob(f"*.{ending}")]
    for file in sorted([*package, *(root / "core").glob("*")]):
        if word.search(_code_only(file)):
            found.append(file)
    return found


@cache
def _code_only(file: Path) -> str:
    """A file without docstrings and comments."""
    text = file.read_text(encoding="utf-8")
    if file.suffix != ".py":
        return re.sub(r"//[^\n]*", "", text)
    tree = ast.parse(text)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if (
            isinstance(body, list)
            and body
            and isinstance(body[0], ast.Expr)
            and isinstance(body[0].value, ast.Constant)
        ):
            body[0] = ast.Pass()
    return ast.unparse(tree)


def walk_counts() -> dict[str, int]:
    """How often one fit, and one evaluation, of the command line encodes a table and answers rows."""
    from typer.testing import CliRunner

    from quercus.cli.app import app

    def main(arguments: list[str]) -> None:
        CliRunner().invoke(app, arguments, prog_name="quercus")

    with tempfile.TemporaryDirectory() as folder:
        table, model = Path(folder) / "play_tennis.csv", str(Path(folder) / "m.json")
        from quercus.datasets import load_play_tennis

        X, y = load_play_tennis()
        X.assign(Play=list(y)).to_csv(table, index=False)
        fit = _calls(main, ["fit", str(table), "--target", "Play", "-o", model])
        evaluate = _calls(main, ["evaluate", model, str(table)])
    return {
        "encodings in one fit": fit["encode"] + fit["encode_like"],
        "encodings in one evaluate": evaluate["encode"] + evaluate["encode_like"],
        "answers in one fit": fit["predict_distribution"],
        "answers in one evaluate": evaluate["predict_distribution"],
    }


def _calls(main: object, arguments: list[str]) -> Counter[str]:
    counts: Counter[str] = Counter()
    inside = {"encode", "encode_like", "predict_distribution"}

    def note(frame: object, event: str, _: object) -> None:
        code = frame.f_code  # type: ignore[attr-defined]
        room_of_tables = "quercus" in code.co_filename and "targets" not in code.co_filename
        if event == "call" and code.co_name in inside and room_of_tables:
            counts[code.co_name] += 1

    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        sys.setprofile(note)
        try:
            main(arguments)  # type: ignore[operator]
        except SystemExit:
            pass
        finally:
            sys.setprofile(None)
    return counts


def report(root: Path, walks: bool, details: bool) -> None:
    """Print all figures as one table."""
    files = python_files(root)
    rooms = lines_per_room(files, root)
    lengths = function_lengths(files)
    uses, lookups, tables = list(private_uses(files, root)), list(model_lookups(files)), list(class_tables(files))
    core = sum(len(file.read_text().splitlines()) for file in (root / "core").glob("*"))
    print(f"{'Python files, lines':44}{len(files):>7,}{sum(rooms.values()):>9,}")
    print(f"{'core files, lines':44}{len(list((root / 'core').glob('*'))):>7,}{core:>9,}")
    print(f"{'functions: 95th percentile, longest':44}{lengths[int(0.95 * len(lengths))]:>7}{lengths[-1]:>9}")
    print(f"{'private names of other files, of other rooms':44}{len(uses):>7}{sum(across for *_, across in uses):>9}")
    print(f"{'hasattr and getattr on models':44}{len(lookups):>7}")
    print(f"{'tables of class names':44}{len(tables):>7}")
    for addition, pattern in ADDITIONS.items():
        print(f"{'places of a ' + addition:44}{len(places(root, pattern)):>7}")
    for name, count in (walk_counts() if walks else {}).items():
        print(f"{name:44}{count:>7}")
    print("\nlines per room: " + ", ".join(f"{name} {count:,}" for name, count in sorted(rooms.items())))
    if details:
        for file, line, name, across in uses:
            print(f"{file.relative_to(root)}:{line}: private {name}{' of another room' if across else ''}")
        for kind, entries in (("look-up on a model", lookups), ("table of class names", tables)):
            for file, line in entries:
                print(f"{file.relative_to(root)}:{line}: {kind}")
        for addition, pattern in ADDITIONS.items():
            print(f"{addition}: " + ", ".join(str(file.relative_to(root)) for file in places(root, pattern)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=ROOT, help="the checkout to measure")
    parser.add_argument("--walks", action="store_true", help="run one fit and one evaluation, too")
    parser.add_argument("--details", action="store_true", help="name every place")
    options = parser.parse_args()
    report(options.root, options.walks, options.details)
