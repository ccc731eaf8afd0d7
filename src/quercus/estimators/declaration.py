"""A parameter is declared once: its type, default, check and documentation.

The signature of an estimator, the check of its values, its docstring, its recipe and its parameters in a model file
come from the declarations. Estimators that share parameters inherit them from a group, a class of
``quercus.estimators.parameters``::

    @declares
    class Stump(Depth, TreeClassifier):
        side: str = parameter(choice(("left", "right")), "The side of the larger branch.", default="left")
        max_depth = changed(default=1)
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import count as counter
from typing import Any, NamedTuple, TypeVar, dataclass_transform

from quercus.estimators.checks import Check
from quercus.estimators.scikit_learn import BaseEstimator

Kind = TypeVar("Kind", bound=type)
#: The files of an algorithm's own parameters ("") and of the groups, in the order of signatures.
FILES = ("", "quercus.estimators.growing_parameters", "quercus.estimators.parameters")
#: Where a class keeps what it declares and changes itself.
OWN = "_declares"
WIDTH = 116
_numbers = counter()


def _unchanged(value: Any) -> Any:
    return value


@dataclass(frozen=True)
class Parameter:
    """One parameter of an estimator.

    after: the parameter behind which it stands in the signature, if its place is not where it is declared. kw_only:
    whether it must be given by name. saved: its value as a model file holds it; None: files do not hold it. number: its
    place among all declarations. name, annotation: from the class that declares it; file: its place in FILES.
    """

    default: Any
    check: Check
    doc: str
    after: str | None
    kw_only: bool
    saved: Callable[[Any], Any] | None
    number: int
    name: str = ""
    annotation: str = ""
    file: int = 0

    @property
    def text(self) -> str:
        """The documentation, with the meaning of each word that may be given."""
        meanings = "; ".join(f'"{word}": {meaning}' for word, meaning in self.check.choices.items() if meaning)
        return f"{self.doc} {meanings}." if meanings else self.doc


class Row(NamedTuple):
    """A parameter in a table of parameters; allowed: what it may be, in words."""

    name: str
    allowed: str
    default: Any
    documentation: str


@dataclass(frozen=True)
class _Change:
    parts: dict[str, Any]


def parameter(
    check: Check,
    doc: str,
    *,
    default: Any,
    after: str | None = None,
    kw_only: bool = True,
    saved: Callable[[Any], Any] | None = _unchanged,
) -> Any:
    """Declare a parameter in the body of a class; see :class:`Parameter`."""
    return Parameter(default, check, doc, after, kw_only, saved, next(_numbers))


def changed(**parts: Any) -> Any:
    """Another default, check or documentation, or another place, of a parameter that a class inherits."""
    return _Change(parts)


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(parameter,))
def declares(kind: Kind) -> Kind:
    """A class whose body declares parameters; an estimator gets its constructor and its documentation."""
    own = {name: part for name, part in vars(kind).items() if isinstance(part, Parameter | _Change)}
    for name, part in own.items():
        delattr(kind, name)
        if isinstance(part, Parameter):
            annotation, file = kind.__annotations__[name], kind.__module__ if kind.__module__ in FILES else ""
            own[name] = replace(part, name=name, annotation=annotation, file=FILES.index(file))
    setattr(kind, OWN, own)
    if issubclass(kind, BaseEstimator):
        setattr(kind, "__init__", _constructor(kind))  # noqa: B010
        setattr(kind, "__doc__", _Documentation(kind.__doc__))  # noqa: B010
    return kind


@cache
def parameters_of(kind: Any) -> dict[str, Parameter]:
    """The parameters that a class declares and inherits, in the order of its signature.

    >>> from quercus import ID3Classifier
    >>> list(parameters_of(ID3Classifier))[:3]
    ['form', 'epsilon', 'max_depth']
    """
    result: dict[str, Parameter] = {}
    for base in reversed(kind.__mro__):
        for name, part in vars(base).get(OWN, {}).items():
            result[name] = replace(result[name], **part.parts) if isinstance(part, _Change) else part
    inside: dict[str, list[Parameter]] = {}
    first: list[Parameter] = []
    for entry in sorted(result.values(), key=lambda entry: (entry.kw_only, entry.file, entry.number)):
        (inside.setdefault(entry.after, []) if entry.after in result else first).append(entry)

    def placed(entry: Parameter) -> Iterator[Parameter]:
        yield entry
        for follower in inside.get(entry.name, ()):
            yield from placed(follower)

    return {entry.name: entry for start in first for entry in placed(start)}


def parameter_table(kind: Any) -> list[Row]:
    """Name, allowed values, default and documentation of every parameter of an estimator.

    >>> from quercus import PARTClassifier
    >>> parameter_table(PARTClassifier)[0][:3]
    ('confidence', 'a number > 0 and <= 1', 0.25)
    """
    return [Row(entry.name, entry.check.allowed, entry.default, entry.text) for entry in parameters_of(kind).values()]


def _constructor(kind: type) -> Any:
    """The function ``__init__`` with the declared signature; it keeps every parameter as it is, for scikit-learn."""
    entries = parameters_of(kind).values()
    positional, named = [e for e in entries if not e.kw_only], [e for e in entries if e.kw_only]
    head = ", ".join(["self", *(e.name for e in positional), "*", *(e.name for e in named)])
    lines = [f"def __init__({head}):", *(f"    self.{e.name} = {e.name}" for e in entries)]
    space: dict[str, Any] = {}
    exec("\n".join(lines), space)
    function = space["__init__"]
    function.__defaults__ = tuple(e.default for e in positional)
    function.__kwdefaults__ = {e.name: e.default for e in named}
    function.__annotations__ = {**{e.name: e.annotation for e in entries}, "return": "None"}
    function.__qualname__, function.__module__ = f"{kind.__qualname__}.__init__", kind.__module__
    return function


class _Documentation:
    """The docstring of an estimator, put together when it is first read: parameters and attributes stand in it."""

    def __init__(self, text: str | None) -> None:
        self.text = text

    def __get__(self, instance: Any, owner: type) -> str | None:
        return None if self.text is None else _documented(owner, self.text)


@cache
def _documented(kind: type, text: str) -> str:
    head, mark, examples = inspect.cleandoc(text).partition("Examples\n--------\n")
    rows = [
        (f"{row.name} : {row.allowed}; default {row.default!r}.", row.documentation) for row in parameter_table(kind)
    ]
    parts = [head.rstrip(), _section("Parameters", rows), _section("Attributes", _attributes(kind))]
    return "\n\n".join([*parts, mark + examples])


def _section(title: str, rows: list[tuple[str, str]]) -> str:
    lines = [title, "-" * len(title)]
    for name, text in rows:
        lines += [name, *_wrapped(text)]
    return "\n".join(lines)


def _attributes(kind: type) -> list[tuple[str, str]]:
    """What fitting learns: the names that end with an underscore, with the first line of their documentation."""
    names = [name for base in kind.__mro__ for name in vars(base) if name.endswith("_") and name[0] != "_"]
    texts = {name: (inspect.getattr_static(kind, name).__doc__ or "").partition("\n")[0] for name in names}
    more = {
        "n_features_in_": "The number of attributes.",
        "feature_names_in_": "The names of the attributes, if the table had any.",
    }
    return [(name, text) for name, text in {**texts, **more}.items()]


def _wrapped(text: str) -> Iterator[str]:
    """A text in lines that are indented."""
    line = "   "
    for word in text.split():
        if len(line) + 1 + len(word) > WIDTH:
            yield line
            line = "   "
        line += f" {word}"
    yield line
