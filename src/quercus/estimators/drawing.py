"""How notebooks show an estimator: its tree once it is fitted, scikit-learn's diagram before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn import get_config


class NotebookMixin:
    """The forms that notebooks ask for."""

    if TYPE_CHECKING:

        def _notebook_html(self) -> str: ...

    @property
    def _repr_html_(self) -> Any:
        """The tree once fitted, scikit-learn's diagram before (where that is switched on)."""
        diagram = super()._repr_html_  # type: ignore[misc]  # an AttributeError if diagrams are switched off
        return self._notebook_html if "_model" in vars(self) else diagram

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        """All forms at once."""
        bundle: dict[str, Any] = super()._repr_mimebundle_(**options)  # type: ignore[misc]
        if "_model" in vars(self) and get_config()["display"] == "diagram":
            bundle["text/html"] = self._notebook_html()
        return bundle
