"""``quercus consult``: the model asks, one question after the other, only what it needs to know."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from quercus.cli.options import JSON, Case, ModelFile
from quercus.cli.output import ask, note, say, say_json, strict

EXAMPLES = (
    "quercus consult model.json",
    "quercus consult model.json --case Age=40 --order weight",
    "printf 'Rain\\n?\\n' | quercus consult model.json",
)
HELP = """Answer with a value, or ? if it is not known; 60..80, <= 75 or > 75 for a range; a, b for several.
back: the question before. why: how it stands. quit: stop here. ?!: the test was made and paid, but told nothing."""


def consult(
    model: ModelFile,
    case: Case = None,
    order: Annotated[
        str,
        typer.Option(
            "--order",
            metavar="ORDER",
            help="Of several open questions: the cheapest (cost), or the weightiest (weight).",
        ),
    ] = "cost",
    stop_early: Annotated[
        bool, typer.Option("--stop-early", help="Ask no more once nothing can change the answer.")
    ] = False,
    json: JSON = False,
) -> None:
    """Let the model ask for what it needs, and answer.

    It asks in the order of the tree, shows what each test costs and the running cost, and says at any moment what it
    would answer. Give ? for what you do not know (it costs nothing; ?! for a test that was made and paid but told
    nothing), a range such as 60..80, or several values with commas; back, why and quit do what they say. What --case
    gives is not asked.
    """
    from quercus.cli.models import open_model, refuse_collection
    from quercus.cli.values import named_texts

    fitted = open_model(model).model
    refuse_collection(fitted)
    state = fitted.consult(known=named_texts("--case", case), order=order, stop_early=stop_early)
    if not json:
        say(HELP)
        say()
    state = _conversation(state, quiet=json)
    if json:
        say_json(strict(state.to_dict()))
        return
    say()
    say(str(state) if state.is_done else f"{state}\n(not finished)", fold=True)
    if state.cost:
        from quercus.data.names import significant

        say(f"The tests cost {significant(state.cost)}.")


def _conversation(state: Any, quiet: bool) -> Any:
    """Ask until nothing more is needed, or the answers end."""
    from quercus.errors import QuercusError

    while state.question is not None:
        reply = _asked(state, quiet)
        if reply is None:
            return state
        word = reply.strip().casefold()
        command = word in ("back", "why", "quit", "exit", "help") and not _is_value(state.question, reply)
        if command and word in ("quit", "exit"):
            return state
        if command and word == "back":
            state = state.back()
        elif command:
            _tell(_why(state) if word == "why" else HELP, quiet)
        else:
            try:
                told_nothing = word == "?!" and not _is_value(state.question, reply)
                state = state.unknown(paid=True) if told_nothing else state.answer(reply)
            except QuercusError as error:
                _tell(str(error), quiet)
                continue
            if state.question is not None:
                _tell(_standing(state), quiet)
    return state


def _is_value(question: Any, reply: str) -> bool:
    return question.values is not None and reply.strip() in question.values


def _asked(state: Any, quiet: bool) -> str | None:
    """Put the question and read a line; None at the end of the answers."""
    terminal = sys.stdin.isatty()
    if not quiet:
        ask(str(state.question))
    line = sys.stdin.readline()
    if not line:
        _tell("", quiet)
        return None
    if not quiet and not terminal:
        say(line.strip())
    return line.rstrip("\n")


def _standing(state: Any) -> str:
    """What the model would answer now, what is still possible, and what was paid."""
    from quercus.data.names import significant

    lines = str(state).splitlines()
    now = next((line for line in lines if line.startswith("So far")), "")
    return f"  {now} Cost so far {significant(state.cost)}." if state.cost else f"  {now}"


def _why(state: Any) -> str:
    """How it stands: what was said, and the paths of what is known."""
    from quercus.errors import QuercusError

    tests = f"It asks: {', '.join(state.question.tests)}" if state.question is not None and state.question.tests else ""
    try:
        shown = str(state.why())
    except QuercusError:  # rules: what was said and what follows
        shown = str(state)
    return f"{tests}\n{shown}".strip()


def _tell(text: str, quiet: bool) -> None:
    """Say something in the conversation; beside the JSON if that is asked for."""
    if quiet:
        note(text)
    else:
        say(text, fold=True)
