"""Tables of every make: the same tree, and clear words where columns do not agree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from quercus import C45Classifier, CARTClassifier, ID3Classifier
from quercus.datasets import load_play_tennis
from quercus.errors import DataError

COLUMNS = {
    "Outlook": ["Sunny", "Sunny", "Rain", "Rain", None, "Overcast", "Overcast", "Sunny"],
    "Humidity": [85.0, 90.0, 70.0, None, 96.0, 78.0, 65.0, 70.0],
}
PLAY = ["No", "No", "Yes", "Yes", "No", "Yes", "Yes", "Yes"]


def as_pandas() -> Any:
    return pytest.importorskip("pandas").DataFrame(COLUMNS)


def as_polars() -> Any:
    return pytest.importorskip("polars").DataFrame(COLUMNS)


def as_arrow() -> Any:
    return pytest.importorskip("pyarrow").table(COLUMNS)


def as_dict() -> Any:
    return dict(COLUMNS)


def as_rows() -> Any:
    return [list(row) for row in zip(*COLUMNS.values(), strict=True)]


def as_objects() -> Any:
    return np.array(as_rows(), dtype=object)


@pytest.mark.parametrize("make", [as_pandas, as_polars, as_arrow, as_dict, as_rows, as_objects])
@pytest.mark.parametrize(
    "estimator", [ID3Classifier(), C45Classifier(min_objects=1), CARTClassifier(missing="surrogate")]
)
def test_every_table_gives_the_same_tree(estimator: Any, make: Any) -> None:
    expected = estimator.fit(as_dict(), PLAY)
    arrays, answers = expected.tree_.arrays, expected.predict_proba(as_dict())
    table = make()
    tree = estimator.fit(table, PLAY)
    for name, array in arrays.items():
        assert np.array_equal(tree.tree_.arrays[name], array, equal_nan=array.dtype.kind == "f"), name
    assert (tree.predict_proba(table) == answers).all()
    assert tree.n_features_in_ == 2


@pytest.mark.parametrize("make", [as_pandas, as_polars, as_arrow, as_dict])
def test_names_are_kept_and_compared(make: Any) -> None:
    tree = ID3Classifier().fit(make(), PLAY)
    assert tree.feature_names_in_.tolist() == ["Outlook", "Humidity"]
    assert tree.schema_.names == ("Outlook", "Humidity")
    with pytest.raises(ValueError, match=r"Outlook"):
        tree.predict({"Outlok": ["Rain"], "Humidity": [80]})


@pytest.mark.parametrize("kind", ["pandas", "polars", "list"])
def test_targets_of_every_make(kind: str) -> None:
    module = None if kind == "list" else pytest.importorskip(kind)
    y = (
        PLAY
        if module is None
        else module.Series("Play", PLAY)
        if kind == "polars"
        else module.Series(PLAY, name="Play")
    )
    tree = ID3Classifier().fit(as_dict(), y)
    assert tree.classes_.tolist() == ["No", "Yes"]
    assert tree.schema_.target == (None if kind == "list" else "Play")
    assert set(tree.predict(as_dict())) == {"No", "Yes"}


def test_more_or_fewer_columns_are_refused() -> None:
    tree = CARTClassifier().fit(np.zeros((3, 2)), [0, 1, 0])
    with pytest.raises(ValueError, match="X has 3 features, but CARTClassifier is expecting 2 features"):
        tree.predict(np.zeros((3, 3)))
    with pytest.raises(ValueError, match="Reshape your data"):
        tree.predict([1.0, 2.0])


def test_rows_and_targets_must_be_equally_many() -> None:
    with pytest.raises(DataError, match=r"inconsistent numbers of samples: \[3, 2\]"):
        CARTClassifier().fit(np.zeros((3, 2)), [0, 1])


def test_kinds_domains_and_tokens_are_the_users_choice() -> None:
    table = {"grade": [1, 2, 3, 1, 2, 3], "size": ["S", "L", "?", "S", "L", "M"]}
    y = [0, 1, 1, 0, 1, 1]
    tree = C45Classifier(
        kinds={"grade": "nominal", "size": "ordered"},
        domains={"size": ["S", "M", "L", "XL"], "grade": [1, 2, 3, 4]},
        missing_tokens="?",
    ).fit(table, y)
    grade, size = tree.schema_
    assert (grade.kind, grade.values) == ("nominal", (1, 2, 3, 4))
    assert (size.kind, size.values) == ("ordered", ("S", "M", "L", "XL"))
    # "None" is a value of the restaurant's patrons unless said otherwise
    plain = ID3Classifier().fit({"Patrons": ["None", "Some"]}, [0, 1])
    assert plain.schema_[0].values == ("None", "Some")
    unknown = ID3Classifier(missing_tokens=("None",)).fit({"Patrons": ["None", "Some"]}, [0, 1])
    assert unknown.schema_[0].values == ("Some",)


def test_declared_categories_get_branches() -> None:
    pandas = pytest.importorskip("pandas")
    X, y = load_play_tennis()
    order = ["Sunny", "Overcast", "Rain", "Snow"]
    X = X.assign(Outlook=pandas.Categorical(X["Outlook"], categories=order))
    tree = ID3Classifier().fit(X, y)
    assert tree.tree_.root.attribute.values == tuple(order)
    assert (tree.tree_.n_nodes, tree.get_n_leaves()) == (9, 6)
    snow = X.head(1).assign(Outlook=pandas.Categorical(["Snow"], categories=order))
    assert tree.predict(snow).tolist() == ["Yes"]


def test_dates_are_cut_and_printed_as_dates() -> None:
    pandas = pytest.importorskip("pandas")
    X = pandas.DataFrame({"day": pandas.to_datetime(["2024-05-01", "2024-05-02", "2024-06-01", "2024-06-02"])})
    tree = C45Classifier().fit(X, list("nnyy"))
    assert "day <= 2024-05-02" in str(tree)
    assert tree.predict(X).tolist() == list("nnyy")


def test_hostile_names_are_printed_on_one_line_each() -> None:
    names = ["", "a, b", 'say "hi"', "line\nbreak", "größe", "x <= 3"]
    rng = np.random.default_rng(0)
    table = {name: rng.choice(["", "p, q", 'r"s', "\n"], 40).tolist() for name in names}
    y = rng.choice(["yes, sir", ""], 40).tolist()
    tree = ID3Classifier().fit(table, y)
    assert len(str(tree).splitlines()) == sum(1 for _ in tree.tree_.walk()) - 1
    assert set(tree.predict(table)) <= {"yes, sir", ""}


def test_columns_that_do_not_fit_are_named_with_what_to_do() -> None:
    table = as_pandas()
    tree = ID3Classifier().fit(table, PLAY)
    with pytest.raises(DataError) as lacking:
        tree.predict(table.rename(columns={"Outlook": "outlook"}).assign(City="Prague"))
    said = str(lacking.value)
    assert said.startswith("The table lacks the column 'Outlook' of fitting and has 'outlook', 'City', which")
    assert "Did you mean 'outlook'? Give the columns of fitting, in their order: 'Outlook', 'Humidity'." in said
    with pytest.raises(DataError, match="has the columns of fitting in another order"):
        tree.predict(table[["Humidity", "Outlook"]])
    with pytest.raises(
        DataError, match="The table has 1 columns, but the model was fitted to 2: 'Outlook', 'Humidity'"
    ):
        tree.predict(np.zeros((3, 1)))
