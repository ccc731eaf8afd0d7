"""How notebooks show an estimator: scikit-learn's box of parameters, and beside it the tree once it is fitted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn import get_config


class NotebookMixin:
    """The forms that notebooks ask for."""

    if TYPE_CHECKING:

        def _notebook_html(self) -> str: ...

    @property
    def _repr_html_(self) -> Any:
        """A function that gives the diagram with the tree, if diagrams are switched on."""
        diagram = super()._repr_html_  # type: ignore[misc]  # an AttributeError if diagrams are switched off
        return lambda: self._with_picture(diagram())

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        """All forms at once."""
        bundle: dict[str, Any] = super()._repr_mimebundle_(**options)  # type: ignore[misc]
        if get_config()["display"] == "diagram":
            bundle["text/html"] = self._with_picture(bundle["text/html"])
        return bundle

    def _with_picture(self, diagram: str) -> str:
        """The diagram of parameters, and beside it (on a narrow page below it) the picture of the fitted tree."""
        if "_model" not in vars(self):
            return diagram
        return (
            '<div style="display:flex;flex-wrap:wrap;gap:1em;align-items:flex-start">'
            f'<div>{diagram}</div><div style="min-width:0;max-width:100%">{self._notebook_html()}</div></div>'
        )
