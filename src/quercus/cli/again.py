"""A call that repeats the running command: its options, written for another command."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from quercus.cli.program import running_command


def same_call(command: str, changes: Mapping[str, Any]) -> str:
    """The running command as a call of another one, with every option that both have and that was given.

    command: the other one, such as "fit". changes: values by the name of a parameter, instead of those given.
    """
    context = running_command()
    values = {**context.params, **changes}
    other = context.parent.command.commands[command]
    words: list[str] = []
    for parameter in other.params:
        words += _typed(parameter, values.get(parameter.name), context)
    return shlex.join(["quercus", command, *words])


def _typed(parameter: Any, value: Any, context: Any) -> list[str]:
    """One argument or option as it would be typed; nothing if it has its default."""
    if value is None or value == () or value == [] or value == parameter.get_default(context):
        return []
    entries = [str(entry) for entry in value] if isinstance(value, list | tuple) else [str(value)]
    if parameter.param_type_name == "argument":
        return entries
    name = next((option for option in parameter.opts if option.startswith("--")), parameter.opts[0])
    if isinstance(value, bool):
        return [name if value else parameter.secondary_opts[0]]
    return [word for entry in entries for word in (name, entry)]
