"""The schema: immutable, comparable, printable, and the same after JSON."""

import dataclasses
import datetime as dt
import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quercus.data import Attribute, Schema, encode, encode_like
from quercus.data.values import is_missing, plain_value, value_from_json, value_key, value_to_json
from quercus.errors import DataError, DataTypeError, shorten

values = st.one_of(
    st.text(),
    st.integers(),
    st.floats(allow_nan=False),
    st.booleans(),
    st.dates(),
    st.datetimes(),
    st.datetimes(timezones=st.just(dt.UTC)),
    st.times(),
    st.timedeltas(),
    st.binary(),
)
domains = st.lists(values, max_size=8, unique_by=value_key).map(tuple)
attributes = st.one_of(
    st.builds(Attribute, st.text(), st.sampled_from(["nominal", "ordered"]), domains, st.floats(0, 1e9)),
    st.builds(Attribute, st.text(), st.just("numeric"), missing_tokens=domains, from_text=st.booleans()),
    st.builds(Attribute, st.text(), st.just("boolean")),
    st.builds(Attribute, st.text(), st.just("date"), date_type=st.sampled_from(["local", "utc", "duration", "time"])),
)


@given(st.lists(attributes, max_size=5, unique_by=lambda a: a.name), st.none() | st.text(), st.none() | domains)
def test_json_keeps_everything(some: list[Attribute], target: str | None, classes: tuple | None) -> None:
    schema = Schema(tuple(some), target, classes)
    copy = Schema.from_dict(json.loads(json.dumps(schema.to_dict())))
    assert copy == schema and hash(copy) == hash(schema)
    for first, second in zip(schema, copy, strict=True):
        assert [type(value) for value in first.values] == [type(value) for value in second.values]
    assert pickle.loads(pickle.dumps(schema)) == schema


@given(values)
def test_values_survive_json_with_their_type(value: object) -> None:
    copy = value_from_json(json.loads(json.dumps(value_to_json(value))))
    assert copy == value and type(copy) is type(value)


@given(st.text(), st.lists(st.one_of(st.none(), values), min_size=1, max_size=20))
def test_hostile_names_and_values_come_back(name: str, column: list[object]) -> None:
    dataset = encode({name: column}, kinds={name: "nominal"})
    attribute = dataset.schema[name]
    for entry, code in zip(column, dataset.columns[0].tolist(), strict=True):
        if is_missing(entry):
            assert code == -1 and attribute.show(code) == "unknown"
        else:
            assert value_key(attribute.values[code]) == value_key(entry)
            assert isinstance(attribute.show(code), str)
    copy = Schema.from_dict(json.loads(json.dumps(dataset.schema.to_dict())))
    assert encode_like({name: column}, copy).columns[0].tolist() == dataset.columns[0].tolist()


@given(st.lists(st.text(), min_size=1, max_size=20, unique=True))
def test_texts_of_different_values_differ(column: list[str]) -> None:
    attribute = encode({"a": column}).schema[0]
    assert attribute.n_values == len(column)
    assert len({attribute.show(code) for code in range(len(column))}) == len(column)


def test_a_schema_is_a_value() -> None:
    attribute = Attribute("Wind", "nominal", ("Weak", "Strong"))
    with pytest.raises(dataclasses.FrozenInstanceError):
        attribute.name = "x"  # type: ignore[misc]
    assert len({attribute, Attribute("Wind", "nominal", ("Weak", "Strong"))}) == 1
    schema = Schema((attribute, Attribute("Day", "date")))
    assert [a.name for a in schema] == ["Wind", "Day"] and schema[-1].name == "Day" and schema.position("Day") == 1
    assert schema.with_target("Play", np.array(["No", "Yes"])).classes == ("No", "Yes")
    assert schema.with_target("Price").classes is None


def test_show() -> None:
    wind = Attribute("Wind", "nominal", ("Weak", "", " Strong", "new\nline", 'ä, "b"', "it's"))
    assert [wind.show(code) for code in range(6)] == ["Weak", '""', '" Strong"', '"new\\nline"', 'ä, "b"', "it's"]
    assert wind.show(-1) == wind.show(17) == wind.show(float("nan")) == "unknown"
    number = Attribute("x", "numeric")
    assert number.show(0.1 + 0.2) == "0.3" and number.show(0.1 + 0.2, digits=None) == "0.30000000000000004"
    assert number.show(np.float32(2.0)) == "2" and number.show(-1.0) == "-1" and number.show(1e300) == "1e+300"
    assert Attribute("b", "boolean").show(1) == "True"
    size = Attribute("Size", "ordered", ("S", "M", "L"))
    assert [size.show(x) for x in (0, 0.5, 1.99, 2, 2.5, -0.5)] == ["S", "S", "M", "L", "L", "S"]
    assert size.show(float("inf")) in ("L", "unknown")
    day = Attribute("Day", "date")
    assert day.show(0) == "1970-01-01" and day.show(-1) == "1969-12-31 23:59:59.999999"
    assert day.show(1e18).startswith("33658-") and isinstance(day.show(float("inf")), str)
    mixed = Attribute("m", "nominal", (1, "1", 1.5))
    assert [mixed.show(code) for code in range(3)] == ["1", "'1'", "1.5"]


@pytest.mark.parametrize(
    "fields",
    [
        {"name": 3, "kind": "numeric"},
        {"name": "a", "kind": "number"},
        {"name": "a", "kind": "numeric", "values": (1,)},
        {"name": "a", "kind": "nominal", "values": (1, 1.0)},
        {"name": "a", "kind": "numeric", "cost": -1.0},
        {"name": "a", "kind": "numeric", "cost": float("nan")},
        {"name": "a", "kind": "numeric", "cost": "1"},
        {"name": "a", "kind": "date", "date_type": "lunar"},
        {"name": "a", "kind": "numeric", "date_type": "utc"},
    ],
)
def test_attributes_are_checked(fields: dict) -> None:
    with pytest.raises(DataError):
        Attribute(**fields)


def test_schemas_are_checked() -> None:
    with pytest.raises(DataError, match="'a' comes more than once"):
        Schema((Attribute("a", "numeric"), Attribute("a", "nominal")))
    schema = Schema((Attribute("Outlook", "nominal"),))
    with pytest.raises(DataError, match=r"no attribute 'Outlok'.*Did you mean 'Outlook'"):
        schema["Outlok"]
    for broken in ({}, {"attributes": [{}]}, {"attributes": [{"name": "a", "kind": "numeric", "colour": 1}]}):
        with pytest.raises(DataError):
            Schema.from_dict(broken)
    with pytest.raises(DataError, match="not a value in JSON form"):
        Attribute.from_dict({"name": "a", "kind": "nominal", "values": [{"object": 1}]})


def test_plain_values() -> None:
    assert plain_value(np.datetime64("2024-05-01")) == dt.datetime(2024, 5, 1)
    assert plain_value(np.timedelta64(90, "m")) == dt.timedelta(minutes=90)
    assert plain_value(np.timedelta64(1, "Y")) == "1 years"
    assert type(plain_value(np.float32(0.5))) is float and type(plain_value(np.longdouble(0.5))) is float
    with pytest.raises(DataTypeError, match="argument must be a string or a number"):
        plain_value(object())
    with pytest.raises(DataError, match="Complex data not supported"):
        plain_value(1j)

    class Broken:
        def __str__(self) -> str:
            raise RuntimeError("no")

        __repr__ = __str__

    with pytest.raises(DataTypeError, match="has no text"):
        plain_value(Broken())
    assert shorten(Broken()) == "<Broken>"
