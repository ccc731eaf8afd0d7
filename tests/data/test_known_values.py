"""Known values: columns of any library are encoded by a domain as a dictionary encodes them."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from quercus import CARTClassifier, _core
from quercus.data import encode, encode_like
from quercus.data.asked import encode_asked
from quercus.data.known_values import codes_of_arrow, codes_of_categories, codes_of_numbers, codes_of_objects
from quercus.data.schema import Attribute

LETTERS = ["a", "b", "ß", "é", "木", "𝛼", " ", "level", "twelve bytes", "more than twelve"]


def texts(random: Random, n: int) -> list[str]:
    """Different texts of all lengths, many of which begin or end alike."""
    found = {"".join(random.choices(LETTERS, k=random.randrange(5))) for _ in range(4 * n)}
    return random.sample(sorted(found), min(n, len(found)))


def cells(random: Random, n_rows: int) -> tuple[Attribute, list[str | None], list[int]]:
    """An attribute, cells of which some are unknown or of no known value, and their codes."""
    values = texts(random, random.choice([2, 9, 40]))
    known = values[: max(1, len(values) * 2 // 3)]
    entries = [random.choice([*values, None]) for _ in range(n_rows)]
    codes = {value: code for code, value in enumerate(known)}
    return Attribute("c", "nominal", tuple(known)), entries, [codes.get(entry, -1) for entry in entries]


@pytest.mark.parametrize("seed", range(30))
def test_objects_are_found_as_in_a_dictionary(seed: int) -> None:
    """The same objects again and again, new objects of the same text, NaN and None, arrays with gaps between cells."""
    attribute, entries, codes = cells(random := Random(seed), random.choice([1, 50, 3000]))
    array = np.array([*entries, float("nan")], dtype=object)
    assert codes_of_objects(array, attribute).tolist() == [*codes, -1]
    fresh = [None if entry is None else (entry + "x")[:-1] for entry in entries]
    assert codes_of_objects(np.array(fresh, dtype=object), attribute).tolist() == codes
    assert codes_of_objects(array[::-2], attribute).tolist() == [*codes, -1][::-2]


def test_other_objects_take_more_care() -> None:
    """Half of a surrogate pair, subclasses of str, pandas' NA; a number among texts is left to others."""
    pandas = pytest.importorskip("pandas")
    attribute = Attribute("c", "nominal", ("a", "b"))
    odd = np.array(["b", "\ud800", np.str_("a"), pandas.NA], dtype=object)
    assert codes_of_objects(odd, attribute).tolist() == [1, -1, 0, -1]
    assert codes_of_objects(np.array(["b", 1], dtype=object), attribute) is None
    assert codes_of_objects(np.array(["b", []], dtype=object), attribute) is None
    halves = Attribute("c", "nominal", ("a", "\ud800"))
    assert codes_of_objects(np.array(["\ud800", "a"], dtype=object), halves).tolist() == [1, 0]
    assert codes_of_objects(np.array([1, 2], dtype=object), Attribute("c", "nominal", (1, 2))) is None


@pytest.mark.parametrize("seed", range(20))
def test_columns_of_arrow_are_found_as_in_a_dictionary(seed: int) -> None:
    """Texts with offsets of 4 and 8 bytes, views, dictionaries; whole, sliced and in pieces."""
    pyarrow = pytest.importorskip("pyarrow")
    attribute, entries, codes = cells(random := Random(seed), random.choice([1, 50, 700]))
    at = random.randrange(len(entries))
    forms = [pyarrow.string(), pyarrow.large_string()]
    forms += [pyarrow.string_view()] if hasattr(pyarrow, "string_view") else []
    for form in forms:
        whole = pyarrow.array(entries, type=form)
        assert codes_of_arrow(whole, attribute).tolist() == codes
        assert codes_of_arrow(whole[at:], attribute).tolist() == codes[at:]
        pieces = pyarrow.chunked_array([whole[:at], whole[at:]], type=form)
        assert codes_of_arrow(pieces, attribute).tolist() == codes
    for places in (pyarrow.int8(), pyarrow.uint16(), pyarrow.int32(), pyarrow.int64()):
        coded = pyarrow.array(entries).dictionary_encode().cast(pyarrow.dictionary(places, pyarrow.string()))
        assert codes_of_arrow(coded[at:], attribute).tolist() == codes[at:]
    assert codes_of_arrow(pyarrow.array([1, 2]), attribute) is None
    assert codes_of_arrow(pyarrow.array([[1], [2]]), attribute) is None


@pytest.mark.parametrize("seed", range(20))
def test_columns_of_frames_are_found_as_in_a_dictionary(seed: int) -> None:
    """Every type that pandas and polars have for texts gives the same codes."""
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    attribute, entries, codes = cells(random := Random(seed), random.choice([2, 50, 700]))
    schema = encode({"c": [*attribute.values]}, domains={"c": attribute.values}).schema
    columns: list[Any] = [pandas.Series(entries, dtype=kind) for kind in ("object", "str", "string", "category")]
    names = sorted({entry for entry in entries if entry is not None}) or ["a"]
    kinds = (polars.String, polars.Categorical, polars.Enum(names))
    columns += [polars.Series("c", entries, dtype=kind) for kind in kinds]
    columns.append(polars.concat([columns[4][:1], columns[4][1:]], rechunk=False))
    for column in columns:
        frame = column.to_frame("c") if isinstance(column, pandas.Series) else polars.DataFrame({"c": column})
        assert encode_asked(frame, schema, [0]).columns[0].tolist() == codes, column.dtype


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("kind", ["float32", "float64", "int8", "int16", "int32", "int64", "uint8", "float16"])
def test_arrays_of_numbers_are_encoded_as_by_the_careful_way(seed: int, kind: str) -> None:
    """Nominal columns of whole numbers: other numbers, fractions, NaN and infinite ones are unknown."""
    random = np.random.default_rng(seed)
    values = random.choice(np.arange(0 if kind == "uint8" else -40, 90), random.integers(1, 30), replace=False).tolist()
    domain = [float(value) if random.random() < 0.5 else value for value in values]
    table = np.column_stack([random.choice(values, 60), random.integers(0, 100, 60), random.choice(values, 60)])
    table = table.astype(kind, order=random.choice(["C", "F"]))
    if np.dtype(kind).kind == "f":
        table[random.random(60) < 0.3, 0] = random.choice([np.nan, np.inf, -np.inf, 0.5, -0.0, 6e4])
    kinds, domains = {"x0": "nominal", "x2": "nominal"}, {"x0": domain, "x2": values}
    learnt = np.array([[values[0], 1.5, values[0]]])
    schema = encode(learnt, kinds=kinds, domains=domains).schema
    slow, fast = encode_like(table, schema), encode_asked(table, schema, [0, 1, 2])
    for careful, quick in zip(slow.columns, fast.columns, strict=True):
        assert careful.dtype == quick.dtype
        np.testing.assert_array_equal(careful, quick)
    assert encode_asked(table, schema, [1]).columns[0] is None


def test_domains_that_are_no_small_table_take_more_care() -> None:
    """Fractions, numbers far apart, truth values and tokens are left to the careful way."""
    column = np.array([1.0, 0.5])
    for values in ((1, 0.5), (1, 10**9), (0, 1 << 25), (True, False), ("1", "2"), ()):
        assert codes_of_numbers(column, Attribute("c", "nominal", values)) is None
    assert codes_of_numbers(column, Attribute("c", "nominal", (1, 2), missing_tokens=(2,))) is None


def test_answers_to_an_array_are_those_to_a_frame() -> None:
    """A model that was fitted to codes, some of them nominal, answers arrays of any layout alike."""
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    table = random.integers(0, 12, (400, 5)).astype(np.float32)
    target = (table[:, 0] % 3 + table[:, 1] > 6).astype(int)
    model = CARTClassifier(kinds={"x0": "nominal", "x3": "nominal"}).fit(table, target)
    answers = model.predict(encode_like(table, model.model_.schema))
    for rows in (table, np.asfortranarray(table), table.astype(np.float64), table.astype(np.int16)):
        np.testing.assert_array_equal(model.predict(rows), answers)
    frame = pandas.DataFrame({f"x{j}": table[:, j] for j in range(5)})
    np.testing.assert_array_equal(model.model_.predict(frame), answers)


def test_the_core_refuses_what_it_cannot_read() -> None:
    """A clear error for wrong arrays, domains and columns."""
    table = np.zeros(2, dtype=np.int32)
    for wrong in (np.zeros((2, 2)), np.zeros(2, dtype=np.uint8), [1.0], np.array(["a"])):
        with pytest.raises(ValueError, match="cells must be an aligned array"):
            _core.codes_of_numbers(wrong, table, 0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="table must be a C-contiguous int32 array"):
        _core.codes_of_numbers(np.zeros(2), np.zeros(2), 0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="below 2\\^30"):
        _core.codes_of_numbers(np.zeros(2), table, 1 << 40)
    with pytest.raises(ValueError, match="must differ"):
        _core.KnownTexts(("a", "a"))
    with pytest.raises(ValueError, match="must be strings"):
        _core.KnownTexts(("a", 1))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="an array of objects of one dimension"):
        _core.KnownTexts(("a",)).codes_of_objects(np.zeros(2))
    with pytest.raises(ValueError, match="must offer Arrow"):
        _core.KnownTexts(("a",)).codes_of_arrow([1])
    assert codes_of_categories(np.array([9, -1, 0], dtype=np.int16), table[:1]).tolist() == [-1, -1, 0]
