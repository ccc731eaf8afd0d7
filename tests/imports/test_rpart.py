"""Trees that R's rpart printed answer as they do in R."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import quercus
from quercus import from_rpart
from quercus.data.schema import Attribute, Schema
from quercus.errors import DataError, ParameterError

# R 4.2.2, rpart 4.1.19: print(rpart(Kyphosis ~ Age + Number + Start, kyphosis))
KYPHOSIS = """n= 81 

node), split, n, loss, yval, (yprob)
      * denotes terminal node

 1) root 81 17 absent (0.79012346 0.20987654)  
   2) Start>=8.5 62  6 absent (0.90322581 0.09677419)  
     4) Start>=14.5 29  0 absent (1.00000000 0.00000000) *
     5) Start< 14.5 33  6 absent (0.81818182 0.18181818)  
      10) Age< 55 12  0 absent (1.00000000 0.00000000) *
      11) Age>=55 21  6 absent (0.71428571 0.28571429)  
        22) Age>=111 14  2 absent (0.85714286 0.14285714) *
        23) Age< 111 7  3 present (0.42857143 0.57142857) *
   3) Start< 8.5 19  8 present (0.42105263 0.57894737) *
"""
# print(rpart(Reliability ~ Price + Country + Type, car.test.frame, method = "anova"))
CARS = """n=49 (11 observations deleted due to missingness)

node), split, n, deviance, yval
      * denotes terminal node

1) root 49 101.6327000 3.387755  
  2) Country=Germany,Korea,Sweden,USA 27  26.0000000 2.333333  
    4) Type=Compact,Large,Medium,Sporty 20  16.5500000 2.150000  
      8) Price< 12822.5 10   8.9000000 1.900000 *
      9) Price>=12822.5 10   6.4000000 2.400000 *
    5) Type=Small,Van 7   6.8571430 2.857143 *
  3) Country=Japan,Japan/USA,Mexico 22   8.7727270 4.681818  
    6) Price>=12302 9   6.0000000 4.333333 *
    7) Price< 12302 13   0.9230769 4.923077 *
"""
# the same as KYPHOSIS with parms = list(loss = matrix(c(0, 1, 4, 0), 2, byrow = TRUE))
LOSS = """n= 81 

node), split, n, loss, yval, (yprob)
      * denotes terminal node

1) root 81 64 present (0.79012346 0.20987654)  
  2) Start>=12.5 46  8 absent (0.95652174 0.04347826) *
  3) Start< 12.5 35 20 present (0.57142857 0.42857143)  
    6) Age< 34.5 10  4 absent (0.90000000 0.10000000) *
    7) Age>=34.5 25 11 present (0.44000000 0.56000000) *
"""
# print(rpart(Type ~ Price + Mileage, car.test.frame)), cut short: many classes have few digits
TYPES = """node), split, n, loss, yval, (yprob)
 1) root 60 45 Compact (0.25 0.05 0.22 0.22 0.15 0.12)
   2) Price>=9152.5 49 34 Compact (0.31 0.061 0.27 0.041 0.18 0.14) *
   3) Price< 9152.5 11  0 Small (0 0 0 1 0 0) *
"""


def test_classes() -> None:
    model = from_rpart(KYPHOSIS)
    assert model.labels == ("absent", "present") and model.tree.n_nodes == 9
    rows = {"Start": [8.5, 8.4, 14.5, 9.0, 9.0, 9.0, None], "Age": [55.0, 1.0, 200.0, 54.9, 110.9, 111.0, None]}
    labels = ["present", "present", "absent", "absent", "present", "absent", "absent"]
    assert model.predict(rows).tolist() == labels
    assert model.predict_proba(rows)[0].tolist() == [3 / 7, 4 / 7]  # the counts behind the printed shares
    assert "Start" in str(model.rules())


def test_numbers_and_sets_of_values() -> None:
    model = from_rpart(CARS)
    assert model.schema["Country"].values == ("Germany", "Japan", "Japan/USA", "Korea", "Mexico", "Sweden", "USA")
    rows = {"Country": ["USA", "USA", "Japan", None], "Type": ["Van", "Large", None, "Large"]}
    rows["Price"] = [1.0, 12822.5, 12302.0, 1.0]
    assert model.predict(rows).tolist() == [2.857143, 2.4, 4.333333, 1.9]


def test_costs_of_mistakes() -> None:
    with pytest.raises(DataError, match="Give them as classes"):
        from_rpart(LOSS)
    rows = {"Start": [13.0, 12.0, 12.0], "Age": [1.0, 34.0, 34.5]}
    for costs in (None, {("present", "absent"): 4.0}):
        model = from_rpart(LOSS, classes=["absent", "present"], cost_matrix=costs)
        assert model.predict(rows).tolist() == ["absent", "absent", "present"]
    with pytest.raises(DataError, match=r"Node '\d' answers.*cost_matrix"):
        from_rpart(LOSS, classes=["absent", "present"], cost_matrix={("present", "absent"): 40.0})


def test_many_classes_have_few_digits() -> None:
    classes = ["Compact", "Large", "Medium", "Small", "Sporty", "Van"]
    model = from_rpart(TYPES, classes=classes)
    assert model.tree.value[2].tolist() == [15.0, 3.0, 13.0, 2.0, 9.0, 7.0]
    assert from_rpart(TYPES).labels == ("Compact", "class 2", "class 3", "Small", "class 5", "class 6")


def test_a_single_leaf_and_a_schema(tmp_path: Path) -> None:
    leaf = "node), split, n, loss, yval, (yprob)\n\n1) root 60 10 No way (0.8333333 0.1666667) *\n"
    assert from_rpart(leaf, classes=["No way", "x"]).tree.n_nodes == 1
    schema = Schema((Attribute("Age", "numeric"), Attribute("Number", "numeric"), Attribute("Start", "numeric")))
    path = tmp_path / "tree.txt"
    path.write_text(KYPHOSIS)
    model = from_rpart(path, schema=schema.with_target("Kyphosis", ["absent", "present"]))
    assert len(model.schema) == 3 and model.schema.target == "Kyphosis"
    assert np.array_equal(model.tree.value, from_rpart(KYPHOSIS).tree.value)


@pytest.mark.parametrize(
    "text, words",
    [
        ("no tree\n", "there is no tree of rpart"),
        (KYPHOSIS.replace(" 1) root", " x"), "no root"),
        (KYPHOSIS.replace("        23)", "        99)"), "node 11 is no leaf, but has not both children 22 and 23"),
        (KYPHOSIS.replace("Age>=111", "Old>=111"), "are not two sides of one question"),
        (KYPHOSIS + "1) root 3 0 absent (1 0) *\n", "for the second time"),
        (KYPHOSIS + "99) Age< 3 4 0 absent (1 0) *\n", "stand below no question"),
        (KYPHOSIS.replace("14  2 absent (", "14  absent ("), "line 12 is no node"),
        (KYPHOSIS.replace("(0.85714286 0.14285714)", "(0.85714286)"), "different numbers of classes"),
        (KYPHOSIS.replace("(0.85714286 0.14285714)", "(1e400 0.14285714)"), "line 12 has '1e400', which is too large"),
        (KYPHOSIS.replace("14  2 absent (", "9" * 400 + "  2 absent ("), "line 12 has '999.*too large"),
        (KYPHOSIS.replace("Age< 55", "Age< 1e400"), "compares with '1e400', which is too large"),
        (CARS.replace("Country=Japan,", "Country=Japan,USA,"), "the children of node 1 name .USA. twice.*commas"),
    ],
)
def test_text_that_is_no_tree_is_refused(text: str, words: str) -> None:
    with pytest.raises(DataError, match=words):
        from_rpart(text)


def test_arguments_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ParameterError, match="the text tells 2 shares"):
        from_rpart(KYPHOSIS, classes=["a", "b", "c"])
    with pytest.raises(DataError, match="compares 'Age' with a number, but it is nominal"):
        from_rpart(KYPHOSIS, schema=Schema((Attribute("Start", "numeric"), Attribute("Age", "nominal", ("a", "b")))))
    with pytest.raises(DataError, match="'Korea', which is no value of 'Country'"):
        names = [Attribute("Country", "nominal", ("USA", "Germany")), Attribute("Type", "nominal", ("Van",))]
        from_rpart(CARS, schema=Schema((*names, Attribute("Price", "numeric"))))


def test_a_saved_import_is_loaded_as_a_model(tmp_path: Path) -> None:
    rows = {"Start": [3.0, 9.0, 15.0, None], "Age": [10.0, 60.0, 100.0, 55.0], "Number": [3.0, 4.0, 5.0, 2.0]}
    costs = {("present", "absent"): 4.0}
    by_costs = from_rpart(LOSS, classes=["absent", "present"], cost_matrix=costs)
    for model in (from_rpart(KYPHOSIS), by_costs):
        quercus.save(model, tmp_path / "model.json")
        loaded = quercus.load(tmp_path / "model.json")
        used = {name: rows[name] for name in model.schema.names}
        assert loaded.predict(used).tolist() == model.predict(used).tolist()
        assert loaded.predict_proba(used).tolist() == model.predict_proba(used).tolist()
