"""``quercus plot``: the tree and its charts as pictures."""

from __future__ import annotations

from typing import Annotated

import typer

from quercus.cli import options
from quercus.cli.output import say, say_json

EXAMPLES = (
    "quercus plot model.json -o tree.svg",
    "quercus plot model.json -o tree.png --depth 4",
    "quercus plot model.json -o path.svg --case Outlook=Rain --case Wind=?",
    "quercus plot model.json --kind curve --test test.csv -o curve.svg",
    "quercus plot model.json --kind confusion --test test.csv -o confusion.svg",
    "quercus plot model.json fruit.csv --kind regions --attributes width,height -o regions.svg",
    "quercus plot forest.json --kind curve --test test.csv -o trees.svg",
    "quercus plot forest.json --kind importance --test test.csv -o importance.svg",
    "quercus plot --kind entropy -o entropy.svg",
)
KIND_HELP = (
    "tree; curve (accuracy against size; of a forest error against trees); pruning (what reduced-error pruning does to "
    "it); alpha (error against the price of leaves); learning (accuracy against examples); importance; confusion; "
    "reliability; regions (classes over two numeric attributes); entropy."
)


@options.reads("schema", "missing", "weight", "read", "unlabelled")
def plot(
    model: Annotated[str | None, typer.Argument(metavar="MODEL", help=options.MODEL_HELP, show_default=False)] = None,
    data: Annotated[str | None, options.rows_argument("The rows of fitting, for pictures that show them.")] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="A .svg, .png or .pdf, or - (SVG to standard output); the kind's name and .svg unless given.",
            show_default=False,
        ),
    ] = None,
    kind: Annotated[str, typer.Option("--kind", "-k", metavar="KIND", help=KIND_HELP)] = "tree",
    depth: Annotated[
        int | None, typer.Option("--depth", metavar="N", help="Of a tree: at most so many questions.", min=0)
    ] = None,
    nodes: Annotated[
        int | None, typer.Option("--nodes", metavar="N", help="Of a tree: at most so many boxes.", min=1)
    ] = None,
    tree: Annotated[
        int | None, typer.Option("--tree", metavar="N", help="Of a forest: this tree; 0 is the first.", min=0)
    ] = None,
    case: options.Case = None,
    attributes: Annotated[
        str | None, typer.Option("--attributes", metavar="X,Y", help="Of regions: the two attributes.")
    ] = None,
    by: Annotated[
        str | None,
        typer.Option("--by", metavar="KIND", help="Of importance: impurity, permutation, out_of_bag or unbiased."),
    ] = None,
    old_data: options.OldData = None,
    test: Annotated[str | None, typer.Option("--test", metavar="DATA", help="Rows not seen in fitting.")] = None,
    reading: options.Reading = options.PLAIN_READING,
    json: options.JSON = False,
) -> None:
    """Draw the tree, or a chart about it.

    The end of the file's name says the format. With --case the path of that case is lit.
    """
    from quercus.cli.charts import KINDS, ChartPlan
    from quercus.cli.streams import STREAM, refuse_two_outputs, write_output
    from quercus.draw import save_picture
    from quercus.errors import ParameterError, choice_message

    if kind not in KINDS:
        raise ParameterError(choice_message("--kind", kind, list(KINDS)))
    output = f"{kind}.svg" if output is None else output
    refuse_two_outputs(output, json)
    data = options.one_table(data, old_data)
    if model is None and kind != "entropy":
        raise ParameterError(f"--kind {kind} needs a model file: quercus plot model.json --kind {kind} -o {output}")
    if by is not None and kind != "importance":
        raise ParameterError(f"--by is for --kind importance, not for {kind}; leave it out.")
    plan = ChartPlan(kind, model, depth, nodes, case, attributes, data, test, reading, tree, by)
    picture = KINDS[kind](plan)
    if output == STREAM:
        write_output(output, picture)
        return
    save_picture(picture, output)
    if json:
        say_json({"output": output, "kind": kind})
        return
    say(f"Written to {output}")
