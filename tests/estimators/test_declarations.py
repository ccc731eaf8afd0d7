"""Declarations: signature, parameters, docstring and checks of every estimator come from what it declares, once."""

from __future__ import annotations

import inspect
import pickle
from typing import Any

import pytest
from sklearn.base import clone

import quercus
from quercus import BaggingClassifier, C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier
from quercus.datasets import load_play_tennis
from quercus.errors import ParameterError
from quercus.estimators.checks import choice, optional
from quercus.estimators.declaration import changed, declares, parameter, parameter_table, parameters_of
from quercus.fitted.algorithms import ALGORITHMS
from quercus.pruning import METHODS

KINDS = [getattr(quercus, row.name) for row in ALGORITHMS.values() if row.module]
#: What is looked at where the table or the target is read, or together with other parameters.
READ_LATER = {"kinds", "domains", "missing_tokens", "attribute_costs", "class_weight", "priors", "cost_matrix"}


@pytest.mark.parametrize("kind", KINDS)
def test_the_signature_has_the_declared_parameters_with_their_defaults(kind: Any) -> None:
    shown = inspect.signature(kind).parameters
    declared = parameters_of(kind)
    assert list(shown) == list(declared) and sorted(shown) == sorted(kind().get_params(deep=False))
    for name, entry in declared.items():
        assert shown[name].default is entry.default and shown[name].annotation == entry.annotation != ""
        by_name = shown[name].kind is inspect.Parameter.KEYWORD_ONLY
        assert by_name == (name not in ("estimator", "n_estimators"))


@pytest.mark.parametrize("kind", KINDS)
def test_every_parameter_is_documented(kind: Any) -> None:
    text = inspect.getdoc(kind)
    assert text is not None and text.index("Parameters\n---") < text.index("Attributes\n---") < text.index(
        "Examples\n---"
    )
    joined = " ".join(text.split())
    for name, allowed, default, documentation in parameter_table(kind):
        assert f"\n{name} : {allowed}; default {default!r}.\n" in text
        assert documentation[0].isupper() and documentation.endswith(".") and " ".join(documentation.split()) in joined
    assert all(len(line) <= 120 for line in text.splitlines() if " : " not in line)


@pytest.mark.parametrize("kind", KINDS)
def test_every_learnt_attribute_is_documented(kind: Any) -> None:
    fitted = clone(kind()).set_params(**({"n_estimators": 2} if "n_estimators" in kind().get_params() else {}))
    numbers = ALGORITHMS[kind.__name__].numbers
    fitted.fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1] if numbers else list("aabb"))
    learnt = {name for name in dir(fitted) if name.endswith("_") and not name.startswith("_")}
    assert {name for name in learnt if f"\n{name}\n" not in (inspect.getdoc(kind) or "")} == set()


@pytest.mark.parametrize("kind", KINDS)
def test_the_check_is_the_declared_one(kind: Any) -> None:
    for name, entry in parameters_of(kind).items():
        entry.check(name, entry.default)
        if name in READ_LATER:
            continue
        with pytest.raises(ParameterError, match=f"^{name}=b'no'"):
            kind(**{name: b"no"}).fit([[0], [1]], [0, 1])


def test_an_own_parameter_is_one_declaration() -> None:
    @declares
    class Stump(C45Classifier):
        """A stump.

        Examples
        --------
        None.
        """

        side: str | None = parameter(
            optional(choice({"left": "the first", "right": "the last"})), "The larger side.", default=None
        )
        max_depth = changed(default=1)

    assert list(inspect.signature(Stump).parameters)[:3] == ["preset", "min_objects", "missing"]
    assert "side : None or one of 'left', 'right'; default None." in (Stump.__doc__ or "")
    assert 'The larger side. "left": the first; "right": the last.' in (Stump.__doc__ or "")
    assert Stump().max_depth == 1 and C45Classifier().max_depth is None
    with pytest.raises(ParameterError, match="side='up' is not allowed; give None or one of 'left', 'right'"):
        Stump(side="up").fit(*load_play_tennis())
    with pytest.raises(TypeError, match=r"Stump\.__init__\(\) got an unexpected keyword argument 'sides'"):
        Stump(sides="left")
    assert clone(Stump(side="left", prune=False)).fit(*load_play_tennis()).get_depth() == 1


class Own(CARTClassifier):
    """A class of the user's own, with a constructor of its own."""

    def __init__(self, *, half: int = 2, criterion: str = "entropy") -> None:
        super().__init__(criterion=criterion, max_depth=2 * half)  # type: ignore[arg-type]
        self.half = half


def test_a_class_of_the_users_own_keeps_its_constructor() -> None:
    tree = Own(half=1)
    assert tree.get_params() == {"half": 1, "criterion": "entropy"}
    fitted = clone(tree).set_params(half=1).fit(*load_play_tennis())
    assert fitted.get_depth() <= 2 and fitted.recipe_.criterion == "entropy"
    X, _ = load_play_tennis()
    assert (pickle.loads(pickle.dumps(fitted)).predict_proba(X) == fitted.predict_proba(X)).all()
    with pytest.raises(ParameterError, match="criterion='x'"):
        Own(criterion="x").fit(*load_play_tennis())


def test_parameters_of_members_are_reached() -> None:
    bag = BaggingClassifier(C45Classifier(), 3).set_params(estimator__confidence=0.1)
    assert bag.get_params()["estimator__confidence"] == 0.1 and clone(bag).estimator.confidence == 0.1
    assert repr(bag) == "BaggingClassifier(estimator=C45Classifier(confidence=0.1), n_estimators=3)"
    with pytest.raises(TypeError, match="takes from 1 to 3 positional arguments but 4 were given"):
        BaggingClassifier(None, 3, 4)
    with pytest.raises(TypeError, match="takes 1 positional argument but 2 were given"):
        C45Classifier("c45")


@pytest.mark.parametrize("kind", [ID3Classifier, C45Classifier, CARTClassifier, CARTRegressor])
def test_the_table_of_pruning_methods_documents_and_checks_prune(kind: Any) -> None:
    numbers = kind is CARTRegressor
    table = {name: method for name, method in METHODS.items() if method.numbers or not numbers}
    joined = " ".join((inspect.getdoc(kind) or "").split())
    assert all(f'"{name}": {method.documentation}' in joined for name, method in table.items())
    allowed = f"False, True ({kind.own_pruning}) or one of {', '.join(map(repr, table))}"
    with pytest.raises(ParameterError) as caught:
        kind(prune="none").fit([[0], [1]], [0, 1])
    assert str(caught.value) == f"prune='none' is not allowed; give {allowed}."
    known = set(parameters_of(C45Classifier)) | set(parameters_of(kind))
    assert all(set(method.reads) <= known for method in METHODS.values())
