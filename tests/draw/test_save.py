"""Pictures as files: the ending chooses the format, what is missing is named, no half file is left."""

from __future__ import annotations

import struct
import sys
from pathlib import Path

import pytest
from tree.build import build, leaf, schema_of

from quercus import C45Classifier
from quercus.datasets import load_play_tennis
from quercus.draw import entropy_curve, save_picture, tree_svg
from quercus.errors import DependencyError, ParameterError


@pytest.fixture(scope="module")
def model() -> C45Classifier:
    return C45Classifier().fit(*load_play_tennis())


def test_svg_needs_nothing(tmp_path: Path, model: C45Classifier) -> None:
    model.to_picture(tmp_path / "tree.svg", orientation="left-right")
    assert (tmp_path / "tree.svg").read_text("utf-8") == model.to_svg(orientation="left-right")


def test_png_has_the_size_of_the_picture(tmp_path: Path, model: C45Classifier) -> None:
    pytest.importorskip("resvg_py", reason="the extra png is not installed")
    model.to_picture(tmp_path / "tree.PNG", scale=1.5)
    data = (tmp_path / "tree.PNG").read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", data[16:24])
    svg = model.to_svg()
    asked = [float(svg.split(f'{side}="')[1].split('"')[0]) * 1.5 for side in ("width", "height")]
    assert [width, height] == pytest.approx(asked, abs=2)


def test_a_picture_for_both_themes_becomes_a_light_png(tmp_path: Path, model: C45Classifier) -> None:
    pytest.importorskip("resvg_py", reason="the extra png is not installed")
    save_picture(model.to_svg(theme="auto"), tmp_path / "auto.png")
    save_picture(model.to_svg(theme="light"), tmp_path / "light.png")
    assert (tmp_path / "auto.png").read_bytes() == (tmp_path / "light.png").read_bytes()


def test_pdf(tmp_path: Path, model: C45Classifier) -> None:
    pytest.importorskip("svglib", reason="the extra png is not installed")
    model.to_picture(tmp_path / "tree.pdf")
    entropy = tmp_path / "entropy.pdf"
    save_picture(entropy_curve().to_svg(theme="light"), entropy)
    many = build(leaf([1] * 12), schema_of(x="numeric"), list(range(12)))
    save_picture(tree_svg(many, theme="light"), tmp_path / "many.pdf")
    for path in tmp_path.glob("*.pdf"):
        assert path.read_bytes().startswith(b"%PDF") and path.stat().st_size > 1000


def test_a_missing_library_is_named_and_the_old_file_stays(
    tmp_path: Path, model: C45Classifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    monkeypatch.setitem(sys.modules, "svglib.svglib", None)
    for name in ("tree.png", "tree.pdf"):
        (tmp_path / name).write_text("old")
        with pytest.raises(DependencyError, match=r"quercus\[png\]"):
            model.to_picture(tmp_path / name)
        assert (tmp_path / name).read_text() == "old"


@pytest.mark.parametrize(
    ("name", "scale", "words"), [("t.jpg", 2.0, ".svg"), ("t.png", 0.0, "scale"), ("t.png", 500.0, "pixels")]
)
def test_what_cannot_be_written_is_refused(
    tmp_path: Path, model: C45Classifier, name: str, scale: float, words: str
) -> None:
    with pytest.raises(ParameterError, match=words):
        model.to_picture(tmp_path / name, scale=scale)
    assert list(tmp_path.iterdir()) == []
