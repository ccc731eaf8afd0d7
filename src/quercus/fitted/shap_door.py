"""The door for shap: ``shap.TreeExplainer(model)`` explains models of Quercus as ``model.shap_values`` does.

shap knows its models by their classes and has no list to register others in. So, when shap is imported, its
``TreeExplainer`` learns one more case: given a model of Quercus, it becomes a ``quercus.explain.shap.explainer``. All
other models are explained as before. ``open_shap_door`` is called when the methods of models are first loaded; it
imports nothing of shap itself.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any


def open_shap_door() -> None:
    """Let shap's TreeExplainer take models of Quercus: now, if shap is there, else when it is imported."""
    shap = sys.modules.get("shap")
    if shap is not None:
        if hasattr(shap, "TreeExplainer"):
            teach(shap)
    elif not any(isinstance(finder, _Door) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Door())


def teach(shap: ModuleType) -> None:
    """Give shap's TreeExplainer the case of a model of Quercus; a second call changes nothing."""
    explainer: Any = shap.TreeExplainer
    made, supports = explainer.__init__, explainer.supports_model_with_masker
    if getattr(made, "quercus", False):
        return

    def __init__(self: Any, model: Any, *arguments: Any, **options: Any) -> None:  # noqa: N807
        """As shap's own, and for models of Quercus."""
        if type(self) is explainer and _is_ours(model):
            from quercus.explain.shap.explainer import explainer_class

            self.__class__ = explainer_class(explainer)
            self.__init__(model, *arguments, **options)
        else:
            made(self, model, *arguments, **options)

    def supports_model_with_masker(model: Any, masker: Any) -> bool:
        """As shap's own, and for models of Quercus."""
        return True if _is_ours(model) else bool(supports(model, masker))

    __init__.__doc__, __init__.quercus = made.__doc__, True  # type: ignore[attr-defined]
    explainer.__init__ = __init__
    explainer.supports_model_with_masker = staticmethod(supports_model_with_masker)


def _is_ours(model: Any) -> bool:
    from quercus.fitted.reading import Readable

    return isinstance(model, Readable)


class _Door(MetaPathFinder):
    """Finds shap as the other finders do, and teaches it when it has been loaded."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Of shap its own, with a loader that calls ``teach`` at the end; of anything else None."""
        if name != "shap":
            return None
        sys.meta_path.remove(self)
        spec = find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, teach)
        return spec


class _Loader(Loader):
    """Another loader, and what is done after it."""

    def __init__(self, loader: Any, then: Callable[[ModuleType], None]) -> None:
        self.loader, self.then = loader, then

    def __getattr__(self, name: str) -> Any:
        """What the other loader offers."""
        return getattr(self.loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """As the other."""
        module: ModuleType | None = self.loader.create_module(spec)
        return module

    def exec_module(self, module: ModuleType) -> None:
        """As the other, then what follows."""
        self.loader.exec_module(module)
        self.then(module)
