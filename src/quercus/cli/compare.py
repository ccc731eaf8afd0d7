"""``quercus compare``: algorithms and prunings side by side by cross-validation."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from quercus.cli import options
from quercus.cli.output import note, say, say_json, strict

EXAMPLES = (
    "quercus compare patients.csv --target ill",
    "quercus compare patients.csv -t ill -a c45 -a cart --prune no --prune yes",
    "quercus compare patients.csv -t ill -a c45 --prune no --prune error_based --prune mdl --repeats 10",
    "quercus compare patients.csv -t ill -a cart -a forest -a boosted --trees 200",
    "quercus compare restaurant --folds 4 --against c45 --json",
)


@options.reads("schema", "missing", "drop", "keep", "read", "unlabelled", "weight")
def compare(
    data: options.Data,
    target: options.Target = None,
    algorithm: options.Algorithms = None,
    trees: options.Trees = None,
    prune: Annotated[
        list[str] | None,
        typer.Option(
            "--prune",
            metavar="METHOD",
            help="yes, no or a method; may be given several times; each with each algorithm.",
        ),
    ] = None,
    folds: options.Folds = 10,
    repeats: Annotated[int, typer.Option("--repeats", "-r", metavar="N", help="How often it is repeated.", min=1)] = 1,
    against: Annotated[
        str | None,
        typer.Option("--against", metavar="NAME", help="Test the others against this model; the best unless given."),
    ] = None,
    costs: options.Costs = None,
    seed: options.Seed = 0,
    parameter: options.Parameters = None,
    task: options.Task = None,
    reading: options.Reading = options.PLAIN_READING,
    json: options.JSON = False,
) -> None:
    """Cross-validate algorithms and prunings side by side.

    For each: mean accuracy and spread over the folds (R² for numbers), size, depth, time of a fit, folds won, tied and
    lost, and the p of a paired t-test that is corrected for the overlap of the folds.
    """
    import warnings

    from quercus.cli.fitting import notes_on
    from quercus.cli.progress import progress_bar
    from quercus.cli.tables import is_numeric_target, read_rows
    from quercus.evaluation import compare_models

    rows = read_rows(data, target, **reading)
    numbers, remark = is_numeric_target(rows, task, None)
    if remark and not json:
        note(remark)
    models, matrix = _models(rows, numbers, algorithm, prune, costs, parameter, trees)
    notes = list(dict.fromkeys(text for model in models.values() for text in notes_on(model)))
    for text in notes if not json else ():
        note(text)
    with progress_bar("fitting", json) as moved, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # said once, above
        comparison = compare_models(
            models,
            *rows.labelled,
            folds=folds,
            repeats=repeats,
            random_state=seed,
            against=against,
            cost_matrix=matrix,
            progress=moved,
        )
    if json:
        say_json(strict({**comparison.to_dict(), "notes": notes}))
        return
    say(str(comparison))


def _models(
    rows: Any, numbers: bool, algorithms: Any, prunings: Any, costs: Any, parameters: Any, trees: int | None
) -> tuple[dict[str, Any], Any]:
    """The estimators by name, and the cost matrix."""
    from quercus.cli.algorithms import (
        ALGORITHMS,
        algorithm_of,
        chosen_algorithm,
        make_estimator,
        place_of,
        with_data_options,
    )
    from quercus.cli.fitting import pruning_option, read_costs
    from quercus.cli.values import named_values
    from quercus.errors import ParameterError

    single = [name for name, entry in ALGORITHMS.items() if not entry.collection]
    able = [name for name in single if (ALGORITHMS[name].regressor if numbers else ALGORITHMS[name].classifier)]
    chosen = [chosen_algorithm(name, numbers) for name in algorithms] if algorithms else able
    values = named_values("--param", parameters) | ({} if trees is None else {"n_estimators": trees})
    used: set[str] = set()
    matrix = read_costs(costs, rows) if costs else None
    models: dict[str, Any] = {}
    for name in dict.fromkeys(chosen):
        member = {"estimator", "method"} & set(make_estimator(name, numbers, {}).get_params())
        known = make_estimator(name, numbers, {key: values[key] for key in member if key in values}).get_params()
        mine = {key: value for key, value in values.items() if key in known}
        used |= set(mine)
        for prune in prunings or [None]:
            estimator = make_estimator(name, numbers, mine)
            title = name
            option = pruning_option(prune)
            fits = algorithm_of(name).answers_by == "tree" or option in (True, False)
            if prune is not None and "prune" in known and fits:
                estimator.set_params(prune=option)
                title = f"{name}, {'unpruned' if option is False else f'pruned: {prune}'}"
            elif prune is not None and title in models:
                continue
            place = place_of("cost_matrix", known)
            if matrix is not None and place is not None:
                estimator.set_params(**{place: matrix})
            models[title] = with_data_options(estimator.set_params(progress=None), rows.options)
    strange = set(values) - used
    if strange:
        raise ParameterError(f"None of the algorithms has a parameter {', '.join(sorted(map(repr, strange)))}.")
    return models, matrix
