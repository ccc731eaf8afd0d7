"""The reference: one page for each room of the library, made from the signatures and docstrings of its public names.

The pages are made while the site is built and are no files. What is public: the names that ``quercus`` and its public
rooms list in ``__all__``.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from docstrings import Docstring, markdown, read_docstring

#: The public rooms, in the order of the site.
ROOMS = {
    "estimators": "Estimators",
    "fitted": "Fitted models",
    "explain": "Explanations",
    "evaluation": "Evaluation",
    "draw": "Pictures",
    "report": "The report",
    "models": "Model files",
    "export": "Exports",
    "imports": "Imports",
    "pruning": "Pruning",
    "rules": "Rules",
    "forests": "Forests",
    "tree": "Trees",
    "growing": "Growing",
    "predict": "Prediction",
    "targets": "Kinds of target",
    "measures": "Measures",
    "data": "Data",
    "files": "Table files",
    "datasets": "Bundled data sets",
    "errors": "Errors",
}
#: Modules that are no rooms for users: the program (its commands are public), and what the rooms share.
PRIVATE = {"__main__", "_core", "arrays", "cli", "criteria", "demo", "results"}
#: Parameters that mean the same wherever they occur; a docstring says more where there is more to say.
COMMON = {
    "X": "The rows: any table with the columns of fitting.",
    "attribute": "The name of an attribute.",
    "collection": "A forest or a committee of rule lists.",
    "cost_matrix": "The cost of answering class j where class i is true: an array with one row per true class, or "
    "``{(true, answered): cost}``. None: every mistake costs 1.",
    "data": "What ``to_dict`` gave.",
    "dataset": "Rows that are encoded by the schema of the model (``quercus.data.encode_like``).",
    "n_jobs": "The number of threads; None: one, -1: all of the machine. The result is the same.",
    "node": "The number of a node.",
    "random_state": "The seed of what is drawn; the same seed gives the same result.",
    "row": "Which row of the table is meant, counted from 0.",
    "sample_weight": "One weight for each row of X; None: every row weighs 1.",
    "schema": "The schema of the attributes.",
    "smoothing": 'How class shares are smoothed: None, "laplace" or ("m", m).',
    "target": "What is true of these rows (``quercus.data.encode_classes`` or ``encode_numbers``).",
    "title": "The words above the picture.",
    "trace": "The trace of a tree (``trace_growing``).",
    "tree": "A tree, as it was grown or after pruning.",
    "weights": "One weight for each row; None: every row weighs 1.",
    "y": "One class (of a regression: one number) for each row.",
}
#: What answers, in the words for estimators that answer so.
KINDS = {"tree": "estimators of one tree", "rules": "rule learners", "members": "collections"}
LINE = 100
EMPTY = "\u2003"


def room(name: str) -> ModuleType:
    """The module of a room."""
    return import_module(f"quercus.{name}")


@cache
def public_names() -> dict[str, list[str]]:
    """The public names of each room; a name of ``quercus`` itself that no room lists stands with the estimators."""
    names = {name: list(room(name).__all__) for name in ROOMS}
    listed = {name for room_names in names.values() for name in room_names}
    names["estimators"] += [name for name in import_module("quercus").__all__ if name not in listed | {"__version__"}]
    return {room_name: sorted(names[room_name], key=lambda name: _order(room_name, name)) for room_name in names}


def _order(room_name: str, name: str) -> tuple[int, str]:
    """Functions first, then classes, then values; the estimators before the functions for fitted ones."""
    value = public(room_name, name)
    kind = 1 if inspect.isclass(value) else 0 if is_function(value) else 2
    return -kind if room_name == "estimators" else kind, name.lower()


def public(room_name: str, name: str) -> Any:
    """A public name's value."""
    return getattr(room(room_name), name)


# --- one name -----------------------------------------------------------------------------------------------------


def is_function(value: Any) -> bool:
    """Whether a value is a function, and no class and no other thing that can be called."""
    return inspect.isroutine(value) or inspect.isfunction(inspect.unwrap(value) if callable(value) else value)


def signature(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters of a function, a method or a class, without the object itself."""
    parameters = list(inspect.signature(function).parameters.values())
    return [parameter for parameter in parameters if parameter.name not in ("self", "cls")]


def annotation(value: Any) -> str:
    """A type as it is written; "" if any will do."""
    text = value if isinstance(value, str) else inspect.formatannotation(value)
    return "" if value is inspect.Parameter.empty or text == "Any" else text.strip("'\"")


def declared(parameter: inspect.Parameter) -> str:
    """A parameter as in the signature: ``name: type = default``."""
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    kind = annotation(parameter.annotation)
    text = stars + parameter.name + (f": {kind}" if kind else "")
    if parameter.default is inspect.Parameter.empty:
        return text
    default = parameter.default.__name__ if callable(parameter.default) else repr(parameter.default)
    return f"{text} = {default}" if kind else f"{text}={default}"


def with_default(parameter: inspect.Parameter) -> str:
    """A parameter as it is given by name: ``name=default``."""
    return declared(parameter.replace(annotation=inspect.Parameter.empty))


def call_text(name: str, function: Callable[..., Any]) -> str:
    """The whole signature of a function, on one line if it fits, else with one parameter per line.

    >>> call_text("f", lambda x, *, depth=3: x)
    'f(x, *, depth=3)'
    """
    words: list[str] = []
    for parameter in signature(function):
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and "*" not in "".join(word[0] for word in words):
            words.append("*")
        words.append(declared(parameter))
    result = annotation(inspect.signature(function).return_annotation)
    result = f" -> {result}" if result and not inspect.isclass(function) else ""
    line = f"{name}({', '.join(words)}){result}"
    if len(line) <= LINE:
        return line
    return f"{name}(\n" + "".join(f"    {word},\n" for word in words) + f"){result}"


def documented(function: Any, names: Iterable[str], common: bool = True) -> Docstring:
    """The docstring of a function or class in parts, with the words on parameters that it takes from another.

    common: with the common words on the parameters of which nothing else is said.
    """
    names = list(names)
    parts = read_docstring(inspect.getdoc(function) or "", names)
    if parts.also is not None:
        other = _meant(parts.also, function)
        said = {name for key in parts.parameters for name in re.split(r",\s*", key)}
        for key, words in documented(other, names).parameters.items():
            left = [name for name in re.split(r",\s*", key) if name in names and name not in said]
            if left:
                parts.parameters[", ".join(left)] = words
    for name in unsaid(parts, names):
        if common and name in COMMON:
            parts.parameters[name] = [COMMON[name]]
    parts.parameters = dict(sorted(parts.parameters.items(), key=lambda item: _place(item[0], names)))
    return parts


def _meant(name: str, function: Any) -> Any:
    """What a docstring means by a name: with its path, of the same class, of the same file, or a public one."""
    path, _, last = name.rpartition(".")
    if path.startswith("quercus"):
        return getattr(import_module(path), last)
    made = inspect.unwrap(function)
    module = inspect.getmodule(made)
    owner = getattr(module, made.__qualname__.partition(".")[0], None)
    return getattr(owner, last, None) or getattr(module, last, None) or public(*places()[last])


def _place(key: str, names: list[str]) -> int:
    """The place in the signature of the first of the names that an entry is about."""
    return min((names.index(name) for name in re.split(r",\s*", key) if name in names), default=len(names))


def unsaid(parts: Docstring, names: Iterable[str]) -> list[str]:
    """The parameters of which a docstring says nothing."""
    said = {name.strip("* ") for key, words in parts.parameters.items() if words for name in key.split(",")}
    return [name for name in names if name not in said]


def undocumented(function: Any) -> list[str]:
    """The parameters of a function, method or estimator that neither its docstring nor the common words explain."""
    names = [parameter.name for parameter in signature(function)]
    return unsaid(documented(function, names), names)


def value_comment(room_name: str, name: str) -> str:
    """What the comment ``#:`` above a public value says of it."""
    folder = Path(room(room_name).__file__ or "")
    for file in sorted(folder.parent.rglob("*.py")) if folder.name == "__init__.py" else [folder]:
        text = file.read_text(encoding="utf-8")
        if match := re.search(rf"((?:^#: ?[^\n]*\n)+){name}\b(?::[^=\n]+)? = ", text, flags=re.MULTILINE):
            return re.sub(r"^#: ?", "", match[1], flags=re.MULTILINE).strip()
    return ""


# --- Markdown -----------------------------------------------------------------------------------------------------


def entry(room_name: str, name: str) -> Iterator[str]:
    """The blocks of one public name."""
    value = public(room_name, name)
    yield f"## {name} {{ #{name} }}"
    if inspect.isclass(value):
        yield from class_blocks(name, value)
    elif is_function(value):
        yield from function_blocks(name, value)
    else:
        shown = repr(value) if len(repr(value)) <= LINE else ""
        yield f"`{name}`" + (f" = `{shown}`" if shown else "")
        yield markdown(value_comment(room_name, name))


def function_blocks(name: str, function: Any, common: bool = True) -> Iterator[str]:
    """Signature, words, parameters and examples of a function or method."""
    yield fenced("python", call_text(name, function))
    parts = documented(function, [parameter.name for parameter in signature(function)], common)
    yield from (markdown(block) for block in parts.prose)
    yield from definitions(parts)
    yield from (fenced("pycon", session) for session in parts.examples)


def class_blocks(name: str, kind: type) -> Iterator[str]:
    """What a class is, the fields or parameters that it is made of, its attributes, properties and methods."""
    names = [parameter.name for parameter in constructor(kind)]
    parts = documented(kind, names, common=not is_dataclass(kind))
    if is_dataclass(kind):
        title = "Fields"
    else:
        title = "Parameters"
        if names:
            yield fenced("python", call_text(name, kind))
    yield from (markdown(block) for block in parts.prose)
    if bases := [base.__name__ for base in kind.__bases__ if issubclass(kind, Exception)]:
        yield "It is a " + " and a ".join(f"`{base}`" for base in bases) + "."
    if names and (parts.parameters or is_dataclass(kind)):
        yield f"**{title}**"
        yield from definitions(parts, {parameter.name: declared(parameter) for parameter in constructor(kind)})
    yield from (fenced("pycon", session) for session in parts.examples)
    yield from member_blocks(kind)


def constructor(kind: type) -> list[inspect.Parameter]:
    """What a class is made from; nothing, if its objects are not to be made by users."""
    if is_dataclass(kind):
        return [
            inspect.Parameter(
                field.name,
                inspect.Parameter.KEYWORD_ONLY,
                annotation=field.type,
                default=inspect.Parameter.empty if field.default is MISSING else field.default,
            )
            for field in fields(kind)
            if not field.name.startswith("_")
        ]
    own = "__init__" in vars(kind) or "__new__" in vars(kind)
    return signature(kind) if own and not issubclass(kind, Exception) else []


def members(kind: type) -> dict[str, Any]:
    """The public methods and properties of a class that Quercus itself defines, in the order of their names."""
    result = {}
    for attribute in inspect.classify_class_attrs(kind):
        value = attribute.object
        made = getattr(value, "fget", None) or getattr(value, "func", None) or getattr(value, "__func__", value)
        own = getattr(inspect.unwrap(made) if callable(made) else made, "__module__", "") or ""
        elsewhere = "." not in getattr(made, "__qualname__", ".")  # a function that stands for itself in its own room
        if attribute.name.startswith("_") or attribute.kind == "data" or elsewhere:
            continue
        if own.startswith("quercus"):
            result[attribute.name] = value if attribute.kind == "property" else made
    return result


def member_blocks(kind: type) -> Iterator[str]:
    """The properties of a class as a list, then its methods."""
    properties = {name: value for name, value in members(kind).items() if not inspect.isfunction(value)}
    if properties:
        yield "**Properties**"
        yield "\n\n".join(
            f"`{name}`\n:   {indented(markdown(first_paragraph(value)))}" for name, value in properties.items()
        )
    methods = {name: value for name, value in members(kind).items() if inspect.isfunction(value)}
    if methods:
        yield "**Methods**"
        for name, method in methods.items():
            yield "\n\n".join(definition(name, method, kind))


def definition(name: str, method: Any, kind: type) -> Iterator[str]:
    """A method as an entry of a list."""
    yield f'<span id="{kind.__name__}.{name}"></span>`{call_text(name, method)}`\n:   ' + indented(
        "\n\n".join(list(function_blocks(name, method, common=False))[1:]) or EMPTY
    )


def definitions(parts: Docstring, shown: dict[str, str] | None = None) -> Iterator[str]:
    """The parameters as a list, each with what is said of it; shown: all of them, as they are declared."""
    entries = []
    said = set()
    for key, words in parts.parameters.items():
        names = re.split(r",\s*", key)
        said |= {name.strip("*") for name in names}
        term = ", ".join(f"`{(shown or {}).get(name, name)}`" for name in names)
        entries.append(f"{term}\n:   {indented(chr(10).join(markdown(word) + chr(10) for word in words).strip())}")
    entries += [f"`{text}`\n:   {EMPTY}" for name, text in (shown or {}).items() if name not in said]
    if entries:
        yield "\n\n".join(entries)


def first_paragraph(value: Any) -> str:
    """The first paragraph of a docstring."""
    return (inspect.getdoc(value) or "").split("\n\n")[0]


def indented(text: str) -> str:
    """Text as the continuation of a list entry."""
    return text.replace("\n", "\n    ")


def fenced(language: str, text: str) -> str:
    """A block of code."""
    return f"```{language}\n{text}\n```"


# --- pages --------------------------------------------------------------------------------------------------------


def page_of(room_name: str) -> str:
    """Where the page of a room stands in the site."""
    return f"reference/{room_name}.md"


@cache
def places() -> dict[str, tuple[str, str]]:
    """Where a name is explained, as room and name: by its whole path, and by itself if no other room has it."""
    result: dict[str, tuple[str, str]] = {}
    twice = set()
    for room_name, names in public_names().items():
        for name in names:
            result[f"quercus.{room_name}.{name}"] = result[f"quercus.{name}"] = room_name, name
            twice |= {name} & set(result)
            result[name] = room_name, name
    return {name: place for name, place in result.items() if name not in twice}


def pages() -> dict[str, str]:
    """All pages of the reference to the library, by their place in the site."""
    made = {page_of(name): room_page(name) for name in ROOMS if name != "estimators"}
    return {"reference/index.md": index_page(), page_of("estimators"): estimators_page()} | made


def room_page(room_name: str) -> str:
    """The page of a room."""
    head = [f"# {ROOMS[room_name]}", f"`from quercus.{room_name} import …`", *head_blocks(room_name)]
    return joined([*head, *(block for name in public_names()[room_name] for block in entry(room_name, name))])


def head_blocks(room_name: str) -> Iterator[str]:
    """What a room says of itself."""
    parts = read_docstring(inspect.getdoc(room(room_name)) or "", [])
    yield from (markdown(block) for block in parts.prose)


def first_sentence(room_name: str, name: str) -> str:
    """What a public name is, in its first words."""
    value = public(room_name, name)
    text = first_paragraph(value) if inspect.isclass(value) or is_function(value) else value_comment(room_name, name)
    sentence = re.split(r"(?<=[.!?])\s+(?=[A-Z])", " ".join(text.split()))[0]
    return markdown(sentence).replace("|", "\\|")


def index_page() -> str:
    """All public names with their first sentences."""
    blocks = [
        "# Reference",
        "Every public name with what it is; the names lead to parameters and examples. The program's commands have "
        "[a page of their own](command_line.md). What else a program may rely on, and how names are taken away, says "
        "[Public names](../public_names.md).",
    ]
    for room_name in ROOMS:
        blocks.append(f"## {ROOMS[room_name]}")
        own = "quercus" if room_name == "estimators" else f"quercus.{room_name}"
        blocks.append(f"`from {own} import …` ([the page]({room_name}.md))")
        blocks.append(overview(room_name))
    blocks.append("## Common words")
    blocks.append("These parameters mean the same wherever they occur:")
    blocks.append("\n\n".join(f"`{name}`\n:   {markdown(words)}" for name, words in COMMON.items()))
    return joined(blocks)


def overview(room_name: str) -> str:
    """The names of a room with their first sentences."""
    names = public_names()[room_name]
    rows = [f"| [{name}]({room_name}.md#{name}) | {first_sentence(room_name, name)} |" for name in names]
    return "\n".join(["| name | what it is |", "| --- | --- |", *rows])


def estimators_page() -> str:
    """The page of the estimators: each with its parameters, then every method once, with the classes that have it."""
    names = public_names()["estimators"]
    classes = {name: public("estimators", name) for name in names if inspect.isclass(public("estimators", name))}
    blocks = [f"# {ROOMS['estimators']}", "`from quercus import …`", *head_blocks("estimators")]
    blocks.append(overview("estimators"))
    blocks.append(
        "All parameters are given by name. [The methods](#methods) stand behind the classes, each with the estimators "
        "that have it; `get_params`, `set_params`, `score` and the like are scikit-learn's."
    )
    for name, kind in classes.items():
        blocks += [f"## {name} {{ #{name} }}", *estimator_blocks(kind)]
    blocks.append("## Methods { #methods }")
    for title, methods in shared_methods(classes):
        blocks.append(title)
        for name, method in methods.items():
            blocks += [f"### {name}", *(member_text(name, method))]
    blocks.append("## Functions of fitted models { #functions }")
    blocks += [block for name in names if name not in classes for block in entry("estimators", name)]
    return joined(blocks)


def estimator_blocks(kind: type) -> Iterator[str]:
    """An estimator: what it is, its parameters, its attributes, an example.

    What a parameter may be stands in its words, so that its type need not; its default stands beside its name.
    """
    parameters = {parameter.name: with_default(parameter) for parameter in signature(kind)}
    parts = documented(kind, parameters)
    for words in parts.parameters.values():
        words[0] = re.sub(r"; default [^\n]*\.\n", ".\n", words[0], count=1)
    yield from (markdown(block) for block in parts.prose)
    yield from (fenced("pycon", session) for session in parts.examples)
    yield "**Parameters**"
    yield from definitions(parts, parameters)
    if parts.attributes:
        yield "**Attributes after fitting**"
        yield "\n\n".join(attribute_entry(*entry.partition(" :")) for entry in parts.attributes)


def attribute_entry(names: str, _: str, words: str) -> str:
    """Attributes with what is said of them."""
    term = ", ".join(f"`{name}`" for name in re.split(r",\s+", names.strip()))
    return f"{term}\n:   {markdown(' '.join(words.split())) or EMPTY}"


def shared_methods(classes: dict[str, type]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The methods and properties by the classes that have them, those that most classes have first."""
    owners: dict[tuple[str, str], list[str]] = {}
    values: dict[tuple[str, str], Any] = {}
    for class_name, kind in classes.items():
        for name, value in members(kind).items():
            key = name, getattr(getattr(value, "fget", value), "__qualname__", name)
            owners.setdefault(key, []).append(class_name)
            values[key] = value
    groups: dict[tuple[str, ...], dict[str, Any]] = {}
    for key in sorted(owners):
        groups.setdefault(tuple(owners[key]), {})[key[0]] = values[key]
    for names, methods in sorted(groups.items(), key=lambda group: -len(group[0])):
        yield f"**Of {owner_words(set(names), set(classes))}:**", methods


def owner_words(names: set[str], classes: set[str]) -> str:
    """Some estimators in words: their kinds if all of these are there, else their names.

    >>> every = {"C45Classifier", "CARTRegressor", "RIPPERClassifier", "BaggingClassifier"}
    >>> owner_words({"C45Classifier", "CARTRegressor"}, every), owner_words({"C45Classifier"}, every)
    ('estimators of one tree', '`C45Classifier`')
    """
    from quercus.fitted.algorithms import ALGORITHMS

    if names == classes:
        return "every estimator"
    kinds = {ALGORITHMS[name].answers_by for name in names}
    words = [word for kind, word in KINDS.items() if kind in kinds]
    for task, some in (
        ("", classes),
        (" that predict classes", {n for n in classes if n.endswith("Classifier")}),
        (" that predict numbers", {n for n in classes if n.endswith("Regressor")}),
    ):
        if len(names) > 1 and names == {name for name in some if ALGORITHMS[name].answers_by in kinds}:
            return (" and ".join(words) if len(words) < len(KINDS) else "estimators") + task
    return ", ".join(f"`{name}`" for name in sorted(names))


def member_text(name: str, value: Any) -> Iterator[str]:
    """A method with its signature, or a property."""
    if inspect.isfunction(value):
        yield from function_blocks(name, value)
    else:
        yield "A property."
        yield from (markdown(block) for block in read_docstring(inspect.getdoc(value) or "", []).prose)


def joined(blocks: Iterable[str]) -> str:
    """Blocks with blank lines between them."""
    return "\n\n".join(block for block in blocks if block.strip()) + "\n"
