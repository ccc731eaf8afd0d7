"""``quercus tune``: how large should the tree be? Cross-validated depth, ε, confidence and price of leaves."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from quercus.cli import options
from quercus.cli.algorithms import TREES, algorithm_of, listed
from quercus.cli.output import note, say, say_json, strict

EXAMPLES = (
    "quercus tune patients.csv --target ill",
    "quercus tune patients.csv -t ill --depths 1,2,3,4,6,8 --rule 1se",
    "quercus tune patients.csv -t ill -a cart --leaves 1,5,20 -o model.json",
    "quercus tune patients.csv -t ill -a id3 --epsilons 0,0.01,0.05,0.1",
    "quercus tune diamonds.csv.gz -t price --json",
)
#: The setting of growing that says how small a leaf may be, by algorithm.
SMALLEST_LEAF = {"c45": "min_objects", "cart": "min_samples_leaf"}
#: The algorithms that have ε, the gain that a question must reach.
EPSILON = ("id3", "cart")


@options.reads("schema", "missing", "drop", "keep", "read", "unlabelled", "weight")
def tune(
    data: options.Data,
    target: options.Target = None,
    algorithm: Annotated[
        str | None,
        typer.Option(
            "--algorithm", "-a", metavar="NAME", help=f"{listed(TREES)}; c45, for numbers cart, unless given."
        ),
    ] = None,
    depths: Annotated[
        str, typer.Option("--depths", metavar="N,…", help="Depths to try, with commas.")
    ] = "1,2,3,4,5,6,8,10,15",
    epsilons: Annotated[
        str,
        typer.Option(
            "--epsilons",
            metavar="GAIN,…",
            help="Smallest gains of a question to try: epsilon of id3, min_impurity_decrease of cart. Not for c45.",
        ),
    ] = "",
    confidences: Annotated[
        str, typer.Option("--confidences", metavar="SHARE,…", help="Confidence levels of C4.5's pruning to try.")
    ] = "0.001,0.01,0.05,0.1,0.25,0.5",
    alphas: Annotated[
        str,
        typer.Option(
            "--alphas", metavar="PRICE,…", help="Prices of a leaf in cost-complexity pruning; path: all that matter."
        ),
    ] = "path",
    leaves: Annotated[
        str,
        typer.Option(
            "--leaves", metavar="N,…", help="Smallest leaves to try; each needs a tree of its own. Not for id3."
        ),
    ] = "",
    folds: options.Folds = 10,
    rule: Annotated[
        str, typer.Option("--rule", metavar="RULE", help="min: least error; 1se: the smallest tree near it.")
    ] = "min",
    seed: options.Seed = 0,
    parameter: options.Parameters = None,
    costs: options.Costs = None,
    task: options.Task = None,
    reading: options.Reading = options.PLAIN_READING,
    output: options.Output = None,
    json: options.JSON = False,
) -> None:
    """Find the best size of the tree by cross-validation.

    Every depth, ε, confidence and price of leaves is measured on rows left out; one tree per fold serves them all.
    """
    from quercus.cli import fitting
    from quercus.cli.progress import progress_bar
    from quercus.cli.streams import refuse_two_outputs
    from quercus.cli.tables import is_numeric_target, read_rows
    from quercus.data.names import counted
    from quercus.errors import ParameterError, choice_message

    refuse_two_outputs(output, json)
    if rule not in ("min", "1se"):
        raise ParameterError(choice_message("--rule", rule, ("min", "1se")))
    rows = read_rows(data, target, **reading)
    numbers, remark = is_numeric_target(rows, task, algorithm)
    if remark and not json:
        note(remark)
    name, estimator = fitting.prepared(rows, algorithm, numbers, costs=costs, parameters=parameter)
    _refuse_others(name)
    texts = {"depths": depths, "confidences": confidences, "alphas": alphas, "epsilons": epsilons, "leaves": leaves}
    grid = _grid(name, numbers, texts)
    estimator.set_params(prune=False)
    with progress_bar("growing", json) as moved:
        table = estimator.tune(*rows.labelled, **grid, folds=folds, random_state=seed, progress=moved)
    best = table.best(rule)
    settings = {key: value for key, value in best.settings.items() if value is not False}
    if output is not None:
        _write(estimator, settings, rows, output, quiet=json)
    if json:
        choices = [{**vars(choice), "regrown": dict(choice.regrown)} for choice in table.choices]
        say_json(strict({"algorithm": name, "choices": choices, "best": settings, "rule": rule, "output": output}))
        return
    say(str(table))
    say()
    say(f"Best by the rule {rule}: {_in_words(best)}, {counted(best.leaves, 'leaf', 'leaves')}.")
    if output is None:
        say(f"Fit it with: {_fit_call(name, rows, parameter, settings)}")
    elif output != "-":
        say(f"Written to {output}")


def _refuse_others(name: str) -> None:
    """Refuse an algorithm that does not answer by one tree."""
    from quercus.errors import ParameterError

    answers_by = algorithm_of(name).answers_by
    if answers_by == "members":
        raise ParameterError(
            f"tune finds the size of one tree; give --algorithm {listed(TREES)}. Of {name} more trees are better, up "
            "to a point: quercus plot --kind curve shows where the error stays."
        )
    if answers_by != "tree":
        raise ParameterError(f"Only trees have sizes to tune; {name} learns rules. Give --algorithm {listed(TREES)}.")


def _grid(name: str, numbers: bool, texts: dict[str, str]) -> dict[str, Any]:
    """The values to try, as the estimator's ``tune`` takes them. texts: of the options, by their names."""
    from quercus.errors import ParameterError

    grid: dict[str, Any] = {
        "depths": numbers_of("--depths", texts["depths"], whole=True),
        "confidences": [] if numbers else numbers_of("--confidences", texts["confidences"]),
        "alphas": "path" if texts["alphas"] == "path" else numbers_of("--alphas", texts["alphas"]),
    }
    gains = numbers_of("--epsilons", texts["epsilons"])
    if gains and name not in EPSILON:
        raise ParameterError(f"--epsilons is not for {name}; it is for {' and '.join(EPSILON)}.")
    if gains:
        grid["epsilons"] = gains
    small = numbers_of("--leaves", texts["leaves"], whole=True)
    if small and name not in SMALLEST_LEAF:
        raise ParameterError(f"--leaves is not for {name}; it is for {' and '.join(SMALLEST_LEAF)}.")
    return grid | {"regrown": {SMALLEST_LEAF[name]: small} if small else None}


def numbers_of(option: str, text: str, whole: bool = False) -> list[Any]:
    """Numbers with commas between.

    >>> numbers_of("--depths", "1,2, 3", whole=True), numbers_of("--alphas", "")
    ([1, 2, 3], [])
    """
    from quercus.errors import ParameterError

    try:
        return [int(part) if whole else float(part) for part in text.split(",") if part.strip()]
    except ValueError:
        kind = "whole numbers" if whole else "numbers"
        raise ParameterError(f"{option} is {text!r}, but must be {kind} with commas between.") from None


def _fit_call(name: str, rows: Any, parameters: list[str] | None, settings: dict[str, Any]) -> str:
    """The call of ``quercus fit`` that makes the best tree, with all options that this command was given."""
    from quercus.cli.again import same_call

    prune = settings.get("prune", False)
    kept = [entry for entry in parameters or () if entry.partition("=")[0].strip() not in {*settings, "prune"}]
    chosen = [f"{key}={value}" for key, value in settings.items() if key != "prune"]
    changes = {
        "target": rows.target,
        "algorithm": name,
        "prune": prune if isinstance(prune, str) else "no",
        "parameter": [*kept, *chosen],
        "output": "model.json",
    }
    return same_call("fit", changes)


def _in_words(best: Any) -> str:
    from quercus.data.names import significant

    grown = "".join(f", {key} = {value}" for key, value in best.regrown.items())
    if best.parameter == "none":
        return f"the tree as it is grown{grown}"
    value = significant(best.value) if isinstance(best.value, float) else best.value
    return f"{best.parameter.replace('_', ' ')} = {value}{grown}"


def _write(estimator: Any, settings: dict[str, Any], rows: Any, output: str, quiet: bool) -> None:
    from sklearn.base import clone

    from quercus.cli import fitting
    from quercus.cli.streams import keep_model

    model = clone(estimator).set_params(**settings)
    evidence = fitting.evidence_of(model, fitting.fitted(model, rows, quiet=quiet), quiet=quiet)
    keep_model(model, output, provenance=fitting.provenance_of(model, rows), evidence=evidence)
