"""Notebooks: fitted models show their tree, unfitted ones scikit-learn's diagram; large trees are closed."""

from __future__ import annotations

import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from tree.build import large_arrays

from quercus import C45Classifier, CARTClassifier
from quercus.datasets import load_play_tennis
from quercus.tree import Tree
from quercus.tree.numbering import renumbered


def test_a_tree_shows_itself() -> None:
    tree = C45Classifier().fit(*load_play_tennis()).tree_
    assert tree._repr_svg_().startswith("<svg") and tree._repr_svg_()[5:] in tree._repr_html_()
    assert tree.to_svg(theme="dark").startswith("<svg")


def test_a_large_tree_is_closed_to_what_can_be_read() -> None:
    arrays, schema = large_arrays(5000)
    tree = Tree.from_arrays(renumbered(arrays), schema, ["No", "Yes"], criterion="entropy")
    assert "63 of 10,001 nodes shown" in tree._repr_html_()
    assert len(tree._repr_svg_()) < 200_000


def test_a_large_tree_is_not_shrunk_to_the_width_of_the_page_but_scrolls() -> None:
    arrays, schema = large_arrays(5000)
    shown = Tree.from_arrays(renumbered(arrays), schema, ["No", "Yes"], criterion="entropy")._repr_html_()
    picture = shown[shown.index("<svg") : shown.index(">", shown.index("<svg"))]
    assert "max-width:none" in picture and "overflow:auto" in shown[: shown.index("<svg")]


def test_a_fitted_estimator_shows_its_tree_and_an_unfitted_one_its_parameters() -> None:
    model = C45Classifier(min_leaf_weight=1) if "min_leaf_weight" in C45Classifier().get_params() else C45Classifier()
    before = model._repr_html_()
    assert "quercus-tree" not in before and "sk-" in before
    assert "quercus-tree" not in model._repr_mimebundle_()["text/html"]
    model.fit(*load_play_tennis())
    for shown in (model._repr_html_(), model._repr_mimebundle_(include=None, exclude=None)["text/html"]):
        assert "quercus-tree" in shown and "C45Classifier(" in shown
        assert "sk-" in shown and "min_objects" in shown  # scikit-learn's box of parameters stays
    assert model._repr_mimebundle_()["text/plain"] == repr(model)
    assert "quercus-tree" not in clone(model)._repr_html_()


def test_text_display_is_respected() -> None:
    model = CARTClassifier().fit({"x": [1, 2, 3]}, ["a", "b", "b"])
    with config_context(display="text"):
        assert not hasattr(model, "_repr_html_")
        assert set(model._repr_mimebundle_()) == {"text/plain"}
    assert hasattr(model, "_repr_html_")


def test_a_pipeline_keeps_its_own_diagram() -> None:
    model = make_pipeline(CARTClassifier()).fit([[1.0], [2.0], [3.0]], ["a", "b", "b"])
    assert "sk-" in model._repr_html_()


def test_names_of_the_parameters_are_escaped() -> None:
    model = CARTClassifier(kinds={"<script>alert(1)</script>": "numeric"})
    model.fit({"<script>alert(1)</script>": [1, 2, 3]}, ["a", "b", "b"])
    assert "<script>alert" not in model._repr_html_()


def test_an_unfitted_estimator_has_no_picture() -> None:
    with pytest.raises(ValueError, match="not fitted"):
        CARTClassifier().to_svg()
