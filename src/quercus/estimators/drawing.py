"""What every tree estimator can draw: its tree as SVG, PNG or PDF, an example's path in it, itself in a notebook."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from sklearn import get_config
from sklearn.utils.validation import check_is_fitted

if TYPE_CHECKING:
    from quercus.tree import Tree


class DrawingMixin:
    """Adds pictures to an estimator that has a ``tree_``."""

    if TYPE_CHECKING:
        tree_: Tree

        def _encode_rows(self, X: Any) -> Any: ...
        def _costs(self) -> Any: ...

    def to_svg(self, X: Any = None, row: int = 0, **options: Any) -> str:
        """The fitted tree as an SVG picture.

        X, row: a table and the number of a row of it, whose path is highlighted; with unknown values all its paths,
        each by its part. options: as of :func:`quercus.draw.tree_svg` (max_depth, max_nodes, orientation, theme,
        title, legend).

        >>> from quercus import C45Classifier
        >>> from quercus.datasets import load_play_tennis
        >>> X, y = load_play_tennis()
        >>> model = C45Classifier().fit(X, y)
        >>> model.to_svg().count("<g class="), "lit" in model.to_svg(X, row=3)
        (15, True)
        """
        from quercus.draw import tree_svg

        check_is_fitted(self)
        return tree_svg(self.tree_, **self._drawing_options(X, row, options))

    def to_picture(
        self, path: str | os.PathLike[str], X: Any = None, row: int = 0, *, scale: float = 2.0, **options: Any
    ) -> None:
        """Save the picture of the fitted tree; the end of the name says how: .svg, .png or .pdf.

        X, row, options: as in :meth:`to_svg`, theme "light" if none is given. scale: pixels of a PNG for each unit of
        the SVG. PNG and PDF need ``pip install "quercus[png]"``.
        """
        from quercus.draw import save_picture

        svg = self.to_svg(X, row, **options if path_is_svg(path) else {"theme": "light", **options})
        save_picture(svg, path, scale=scale)

    def _drawing_options(self, X: Any, row: int, options: dict[str, Any]) -> dict[str, Any]:
        chosen = {"cost_matrix": self._costs(), **options}
        if X is not None:
            from quercus.draw import path_parts

            chosen["highlight"] = path_parts(self.tree_, self._encode_rows(X), row)
        return chosen

    def _notebook_html(self) -> str:
        from quercus.draw.notebook import notebook_html

        return notebook_html(self.tree_, repr(self), cost_matrix=self._costs())

    @property
    def _repr_html_(self) -> Any:
        """For notebooks: the tree once fitted, scikit-learn's diagram before (where that is switched on)."""
        diagram = super()._repr_html_  # type: ignore[misc]  # an AttributeError if diagrams are switched off
        return self._notebook_html if hasattr(self, "tree_") else diagram

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        """For notebooks that ask for all forms at once."""
        bundle: dict[str, Any] = super()._repr_mimebundle_(**options)  # type: ignore[misc]
        if hasattr(self, "tree_") and get_config()["display"] == "diagram":
            bundle["text/html"] = self._notebook_html()
        return bundle


def path_is_svg(path: str | os.PathLike[str]) -> bool:
    """Whether a picture's file is an SVG, whose reader chooses light or dark."""
    return os.fspath(path).lower().endswith(".svg")
