"""Whatever is handed to the core's grower, it answers with a tree or a clear error, never with a crash."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from quercus import _core
from quercus.data import encode, encode_classes
from quercus.growing import recipe as choices
from quercus.growing.cart import cart_recipe
from quercus.growing.forest import Bootstrap
from quercus.growing.grow import _options as core_options
from quercus.growing.grow import grow
from quercus.tree import Tree

ERRORS = (ValueError, TypeError, OverflowError, RuntimeError)
#: The options that are names, each with the names there are.
NAMES: dict[str, tuple[str, ...]] = {
    "criterion": choices.CLASSIFICATION_CRITERIA,
    "selection": get_args(choices.Selection),
    "nominal": get_args(choices.NominalSplit),
    "missing": get_args(choices.MissingPolicy),
    "collapse": get_args(choices.CollapseRule),
}

anything = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(max_size=3),
    st.lists(st.floats(), max_size=4),
    arrays.arrays(
        st.sampled_from(["f8", "f4", "i4", "i8", "u1", "?"]), arrays.array_shapes(min_dims=0, max_dims=3, max_side=5)
    ),
)


def plain_options(**changes: Any) -> dict[str, Any]:
    dataset = encode({"x": [1.0, 2.0], "c": ["a", "b"]})
    options = core_options(cart_recipe(), dataset, 2, [0, 2])
    options |= {"class_multipliers": [], "cost_matrix": [], "n_threads": 1, "switches": 0}
    options |= {"watched_class": -1, "monotone": [], "order_slack": 0.0, "together": []}
    return options | changes


def call(columns: Any, n_values: Any, target: Any, n_classes: Any, weights: Any, options: Any) -> None:
    try:
        arrays = _core.grow(columns, n_values, target, n_classes, weights, options, None)
    except ERRORS:
        return
    assert len(arrays["kind"]) >= 1


@settings(max_examples=300, deadline=None)
@given(anything, anything, anything, anything, anything, anything)
def test_arbitrary_arguments_never_crash(a: Any, b: Any, c: Any, d: Any, e: Any, f: Any) -> None:
    call(a, b, c, d, e, f)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_one_wrong_argument_never_crashes(data: st.DataObject) -> None:
    numbers, codes = np.array([1.0, 2.0, 3.0]), np.array([0, 1, -1], dtype=np.int32)
    arguments: list[Any] = [[numbers, codes], [0, 2], np.array([0, 1, 1], dtype=np.int32), 2, None, plain_options()]
    position = data.draw(st.integers(0, 5))
    if position == 5:
        name = data.draw(st.sampled_from(sorted(arguments[5])))
        arguments[5] = {**arguments[5], name: data.draw(anything)}
        if name == "n_threads":  # a wrong number is refused; a right one only costs time
            arguments[5][name] = data.draw(st.sampled_from([-1, 0, 1, 2, 10**9, 1.5, None]))
    elif position == 0:
        arguments[0] = data.draw(st.lists(anything, max_size=3))
    else:
        arguments[position] = data.draw(anything)
    call(*arguments)


@settings(max_examples=150, deadline=None)
@given(
    arrays.arrays("f8", st.tuples(st.integers(1, 12), st.integers(1, 3)), elements=st.floats(allow_infinity=False)),
    st.integers(1, 4),
    st.sampled_from(NAMES["missing"]),
    st.integers(0, 255),
    st.data(),
)
def test_any_numbers_give_a_tree(x: np.ndarray, k: int, missing: str, switches: int, data: st.DataObject) -> None:
    labels = data.draw(arrays.arrays("i4", len(x), elements=st.integers(0, k - 1)))
    columns = [np.ascontiguousarray(column) for column in x.T]
    options = plain_options(missing=missing, switches=switches, attribute_costs=[0.0] * len(columns))
    tree = _core.grow(columns, [0] * len(columns), labels, k, None, options, None)
    assert tree["weight"][0] == len(x)


@pytest.mark.parametrize(
    ("columns", "n_values", "target", "n_classes", "weights", "words"),
    [
        ([np.zeros(2)], [0], np.zeros(3, dtype=np.int32), 2, None, "another length"),
        ([np.zeros(3, dtype=np.int64)], [0], np.zeros(3, dtype=np.int32), 2, None, "float64, float32 or int32"),
        ([np.zeros((3, 1))], [0], np.zeros(3, dtype=np.int32), 2, None, "one-dimensional"),
        ([np.zeros(6)[::2]], [0], np.zeros(3, dtype=np.int32), 2, None, "contiguous"),
        ([np.full(3, 5, dtype=np.int32)], [2], np.zeros(3, dtype=np.int32), 2, None, "declared values"),
        ([np.zeros(3)], [0], np.full(3, 7, dtype=np.int32), 2, None, "outside the classes"),
        ([np.zeros(3)], [0], np.full(3, np.nan), 0, None, "NaN or infinity"),
        ([np.zeros(3)], [0], np.zeros(3, dtype=np.int32), 2, np.array([1.0, -1.0, 1.0]), "positive"),
        ([np.array([np.inf, 0.0, 1.0])], [0], np.zeros(3, dtype=np.int32), 2, None, "infinity"),
        ([], [], np.zeros(3, dtype=np.int32), 2, None, "no columns"),
        ([np.zeros(0)], [0], np.zeros(0, dtype=np.int32), 2, None, "no rows"),
    ],
)
def test_wrong_arrays_are_named(
    columns: Any, n_values: Any, target: Any, n_classes: int, weights: Any, words: str
) -> None:
    options = plain_options(attribute_costs=[0.0] * len(columns))
    with pytest.raises(ValueError, match=words):
        _core.grow(columns, n_values, target, n_classes, weights, options, None)


def test_a_missing_option_is_named() -> None:
    options = plain_options()
    del options["criterion"]
    with pytest.raises(ValueError, match="'criterion'"):
        _core.grow([np.zeros(2), np.zeros(2)], [0, 0], np.zeros(2, dtype=np.int32), 2, None, options, None)


def grown_with(**changes: Any) -> Any:
    columns = [np.array([1.0, 2.0, 3.0, 4.0]), np.array([0, 1, 1, -1], dtype=np.int32)]
    options = plain_options(attribute_costs=[1.0, 1.0]) | changes
    return _core.grow(columns, [0, 2], np.array([0, 1, 1, 0], dtype=np.int32), 2, None, options, None)


@pytest.mark.parametrize(("option", "name"), [(option, name) for option, names in NAMES.items() for name in names])
def test_the_core_knows_every_name(option: str, name: str) -> None:
    assert len(grown_with(**{option: name})["kind"]) >= 1


@pytest.mark.parametrize("option", NAMES)
@pytest.mark.parametrize("value", ["chaos", "", "Gini", "entropy ", "x" * 1000])
def test_an_unknown_name_is_refused_with_the_names_there_are(option: str, value: str) -> None:
    with pytest.raises(ValueError, match=rf"'{option}' is '{value[:40]}', but must be one of .*{NAMES[option][-1]}"):
        grown_with(**{option: value})


@pytest.mark.parametrize("option", NAMES)
@pytest.mark.parametrize("value", [0, 2, None, 1.5, b"gini", ["gini"]])
def test_a_choice_that_is_no_name_is_refused(option: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"'{option}' cannot be an object of type {type(value).__name__}"):
        grown_with(**{option: value})


def test_names_in_lists_and_of_sampling_are_checked_too() -> None:
    assert len(grown_with(threshold_scales=["decimal", "none"])["kind"]) >= 1
    with pytest.raises(ValueError, match="threshold_scales is 'digits', but must be one of none, decimal, time"):
        grown_with(threshold_scales=["digits", "none"])
    for name in get_args(Bootstrap):
        assert len(_core.drawn_counts(forest_sampling(bootstrap=name), 0, 3)) == 3
    with pytest.raises(ValueError, match="'bootstrap' is 'often', but must be one of no, with, without"):
        _core.drawn_counts(forest_sampling(bootstrap="often"), 0, 3)


@pytest.mark.parametrize("n_rows", [4, 100, 5_000])
def test_an_exception_in_the_progress_callback_stops_the_growing(n_rows: int) -> None:
    generator = np.random.default_rng(0)
    dataset = encode(np.asfortranarray(generator.normal(size=(n_rows, 8))))
    target = encode_classes(np.arange(n_rows) % 2)

    def refuse(done: int, total: int, nodes: int) -> None:
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        grow(dataset, target, cart_recipe(), progress=refuse)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_progress_is_reported_and_rises(n_jobs: int) -> None:
    generator = np.random.default_rng(0)
    dataset = encode(np.asfortranarray(generator.normal(size=(400_000, 8))))
    target = encode_classes(generator.integers(0, 2, 400_000))
    seen: list[tuple[int, int, int]] = []
    tree = grow(dataset, target, cart_recipe(), n_jobs=n_jobs, progress=lambda *state: seen.append(state))
    assert isinstance(tree, Tree)
    assert seen, "every fit reports at least once"
    assert all(total == 400_000 and 0 <= done <= total for done, total, _ in seen)
    assert [done for done, _, _ in seen] == sorted(done for done, _, _ in seen)


def forest_sampling(**changes: Any) -> dict[str, Any]:
    sampling = {"bootstrap": "with", "n_drawn": 3, "attributes_per_node": 1, "attributes_per_tree": 0}
    return (
        sampling
        | {"count_constant": False, "random_thresholds": False, "attribute_bootstrap": False, "seed": 0}
        | changes
    )


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_one_wrong_argument_of_a_forest_never_crashes(data: st.DataObject) -> None:
    numbers, codes = np.array([1.0, 2.0, 3.0]), np.array([0, 1, -1], dtype=np.int32)
    made: list[Any] = [[numbers, codes], [0, 2], np.array([0, 1, 1], dtype=np.int32), 2, None]
    made += [plain_options(), forest_sampling()]
    asked: list[Any] = [0, 2, None]
    position = data.draw(st.integers(0, 9))
    if position in (5, 6):
        name = data.draw(st.sampled_from(sorted(set(made[position]) - {"n_threads"})))
        made[position] = {**made[position], name: data.draw(anything)}
    elif position < 5:
        made[position] = data.draw(anything)
    elif position == 8:
        asked[1] = data.draw(st.sampled_from([-1, 0, 1, 2, 2**40, 2**70, 1.5, None, "2"]))
    else:
        asked[position - 7] = data.draw(anything)
    try:
        trees, stop = _core.ForestGrower(*made).grow(*asked)
    except ERRORS:
        return
    assert stop is None and len(trees) == asked[1]


def test_a_forest_s_grower_that_was_never_made_is_refused() -> None:
    empty = _core.ForestGrower.__new__(_core.ForestGrower)
    with pytest.warns(RuntimeWarning, match="uninitialized"), pytest.raises(TypeError):
        empty.grow(0, 1, None)


def test_a_forest_s_grower_keeps_the_columns_that_were_in_the_list() -> None:
    columns: list[Any] = [np.arange(2000.0), np.zeros(2000, dtype=np.int32)]
    target = (np.arange(2000) % 7 == 0).astype(np.int32)
    grower = _core.ForestGrower(columns, [0, 2], target, 2, None, plain_options(), forest_sampling(n_drawn=2000))
    expected = grower.grow(0, 2, None)[0]
    columns.clear()
    del target
    del columns
    filled = [np.full(2000, -1, dtype=np.int32) for _ in range(50)]  # memory that was freed would be written over
    again = grower.grow(0, 2, None)[0]
    assert len(filled) == 50
    assert all(
        np.array_equal(one[name], other[name]) for one, other in zip(expected, again, strict=True) for name in one
    )


@pytest.mark.parametrize("weight, multipliers", [(1e308, []), (1e140, [1.0, 1e11])])
def test_weights_whose_squares_are_not_finite_are_refused(weight: float, multipliers: list[float]) -> None:
    codes = np.array([0, 1, 2, 0], dtype=np.int32)
    target, weights = np.array([0, 1, 1, 0], dtype=np.int32), np.array([1.0, weight, 1.0, 1.0])
    options = plain_options(attribute_costs=[1.0], class_multipliers=multipliers, nominal="grouped")
    with pytest.raises(ValueError, match="add up to more than 1e150"):
        _core.grow([codes], [3], target, 2, weights, options, None)


def test_texts_that_the_core_holds_are_asked_for_within_bounds() -> None:
    texts = np.frombuffer("".join(f"text {number}\n" for number in range(300)).encode(), dtype=np.uint8)
    reader = _core.DelimitedReader(ord(","), ord('"'), False, np.array([ord(".")], dtype=np.uint8), len(texts))
    reader.read(texts, True)
    column = reader.columns()[0]
    assert column is not None and isinstance(column[1], _core.HeldTexts)
    held = column[1]
    assert held.strings(298, 300) == ("text 298", "text 299") and held.strings(300, 300) == ()
    for begin, end in ((-1, 1), (0, 301), (2, 1), (2**62, 2**63 - 1)):
        with pytest.raises(ValueError, match="begin and end must be within the texts"):
            held.strings(begin, end)
    assert held.short_strings(-1) == [] and len(held.short_strings(2**62)) == 300
