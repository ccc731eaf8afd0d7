"""``quercus distill``: one tree, or rule list, that imitates a collection of trees."""

from __future__ import annotations

import os
import shlex
from typing import Annotated, Any

import typer

from quercus.cli import options
from quercus.cli.output import note, say, say_json, strict

EXAMPLES = (
    "quercus distill forest.json train.csv --test test.csv -o tree.json",
    "quercus distill forest.json train.csv --test 0.3 --leaves 12",
    "quercus distill forest.json train.csv --into rules --test test.csv -o rules.json",
    "quercus distill forest.json train.csv --synthetic 5000 --test test.csv --json",
)
KINDS = ("tree", "rules")


@options.reads("schema", "missing", "read", "unlabelled")
def distill(
    model: options.ModelFile,
    data: Annotated[
        str,
        typer.Argument(metavar="DATA", help=options.DATA_HELP + " Rows to ask about, best those of fitting."),
    ],
    into: Annotated[str, typer.Option("--into", metavar="KIND", help="tree, or rules (of C4.5's kind).")] = "tree",
    leaves: Annotated[
        int | None, typer.Option("--leaves", metavar="N", help="Of a tree: at most so many; 32 unless given.", min=2)
    ] = None,
    depth: Annotated[
        int | None, typer.Option("--depth", metavar="N", help="At most so many questions on a path.", min=1)
    ] = None,
    synthetic: Annotated[
        int, typer.Option("--synthetic", metavar="N", help="Ask about so many made rows, too: mixtures of DATA.", min=0)
    ] = 0,
    test: Annotated[
        str | None,
        typer.Option(
            "--test", metavar="FILE|SHARE", help="Rows to measure on: a file, or a share of DATA such as 0.3."
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Of made rows and of the share.", min=0)] = 0,
    reading: options.Reading = options.PLAIN_READING,
    output: options.Output = None,
    json: options.JSON = False,
) -> None:
    """Let one tree, or rule list, imitate a forest, bagging or boosting.

    It is learnt from the answers of all trees. The table tells how often it answers as they do (fidelity) and how often
    rightly, beside them and beside a plain model of the same size that was learnt from the data alone.
    """
    from quercus.cli.models import describe, open_model
    from quercus.cli.streams import keep_model, refuse_two_outputs
    from quercus.cli.tables import read_rows
    from quercus.estimators import distill as imitate

    refuse_two_outputs(output, json)
    opened = open_model(model)
    fitted = opened.model
    _check(fitted, into, leaves)
    rows = read_rows(data, model=fitted, need_target=False, **reading)
    learnt, tried = _parts(opened, rows, test, seed, reading)
    distilled = imitate(
        fitted,
        *learnt,
        into="rules" if into == "rules" else "tree",
        max_leaf_nodes=32 if leaves is None else leaves,
        max_depth=depth,
        n_synthetic=synthetic,
        test=tried,
        random_state=seed,
    )
    if output is not None:
        keep_model(distilled.model, output, provenance=_provenance(opened, model, rows, distilled))
    if json:
        content = (
            {"rules": distilled.model.rules_.to_dict()}
            if into == "rules"
            else {"tree": distilled.model.tree_.to_dict()}
        )
        figures = {"model": describe(distilled.model), "distilled": distilled.to_dict()}
        say_json({**strict(figures), **content, "output": output})
        return
    _tell(distilled, output)


def _check(fitted: Any, into: str, leaves: int | None) -> None:
    """Refuse a model that is no collection, and options that do not go with what is to be made."""
    from quercus.cli.forests import is_collection
    from quercus.errors import ParameterError, choice_message

    if not is_collection(fitted):
        what = "rules" if fitted.model_.rule_list is not None else "one tree"
        raise ParameterError(
            f"This is a {type(fitted).__name__}, which is {what} already; distill takes a collection of trees or rule "
            "lists. Make one with: quercus fit DATA --algorithm forest -o forest.json (or bagging, boosted). A smaller "
            "tree is made by quercus prune."
        )
    if into not in KINDS:
        raise ParameterError(choice_message("--into", into, KINDS))
    if into == "rules":
        kind = fitted.model_.target_kind
        kind.need_classes("--into rules is for classes; this model answers numbers: give --into tree.")
    if into == "rules" and leaves is not None:
        raise ParameterError("--leaves is for --into tree; rules are kept short by --depth.")


def _parts(opened: Any, rows: Any, test: str | None, seed: int, reading: options.Reading) -> tuple[Any, Any]:
    """The rows to learn from and those to measure on (None: the same), each with its target."""
    from quercus.cli.seen import fitted_to
    from quercus.cli.tables import read_rows
    from quercus.errors import ParameterError

    if test is None:
        return (rows.X, rows.y), None
    try:
        share = float(test)
    except ValueError:
        unseen = read_rows(test, model=opened.model, need_target=False, **reading)
        if unseen.fingerprint == rows.fingerprint:
            raise ParameterError(
                f"--test {test} holds the same rows as {rows.name}, which the imitation learns from; give other rows, "
                "or a share of them such as 0.3."
            ) from None
        learnt, tried = (rows.X, rows.y), (unseen.X, unseen.y)
    else:
        unseen = rows
        learnt, tried = _split(opened.model, rows, share, seed)
    if fitted_to(opened, unseen):
        note(
            f"Note: the forest was fitted to {unseen.name}: it has seen the rows that it is measured on, and its "
            "accuracy on new ones is lower."
        )
    return learnt, tried


def _split(fitted: Any, rows: Any, share: float, seed: int) -> tuple[Any, Any]:
    """The rows without a share of them, and that share; by classes, where there is a target."""
    from quercus.data.dataset import ClassTarget
    from quercus.data.target import take_target
    from quercus.errors import ParameterError
    from quercus.pruning.validation import hold_out

    if not 0 < share < 1:
        raise ParameterError(f"--test is {share:g}, but must be a share between 0 and 1, or a file.")
    if rows.n_rows < 2:
        raise ParameterError(f"{rows.name} has one row; there is none to hold out. Give --test a file.")
    dataset = fitted.encode_rows(rows.X)
    target = None if rows.y is None else fitted.read_rows(dataset, rows.y).target
    codes = target.codes if isinstance(target, ClassTarget) else None
    parts = hold_out(rows.n_rows, share, seed, stratify=codes)
    learnt, tried = ((dataset.take(part), None if target is None else take_target(target, part)) for part in parts)
    return learnt, tried


def _provenance(opened: Any, path: str, rows: Any, distilled: Any) -> dict[str, Any]:
    """How the imitation was made, and of which model."""
    from quercus.cli.fitting import provenance_of

    source = {"model": os.path.basename(path), "provenance": opened.provenance}
    return {**provenance_of(distilled.model, rows), "distilled": {**strict(distilled.to_dict()), "from": source}}


def _tell(distilled: Any, output: str | None) -> None:
    """Print the tree or the rules, the table, and where the model is."""
    from quercus.cli.models import model_text

    if distilled.into == "rules":
        say(distilled.model.rules_.text(limit=200), fold=True)
    else:
        say(distilled.model.tree_.to_text(max_nodes=200))
    say()
    say(model_text(distilled.model))
    say()
    say(distilled.table())
    say(
        "measured on rows that the imitation has not learnt from"
        if distilled.held_out
        else "measured on the rows that the imitation was learnt from; --test FILE|SHARE measures on others"
    )
    if output is None:
        say("The model was not kept; -o model.json writes it to a file.")
    elif output != "-":
        say(f"Written to {output}; next: quercus show, evaluate, rules, plot or report {shlex.quote(output)}")
