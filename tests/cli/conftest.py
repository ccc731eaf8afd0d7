"""Models that the tests of the command line share."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.calling import ROWS, call


@pytest.fixture(scope="session")
def tennis(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """C4.5 on PlayTennis."""
    path = tmp_path_factory.mktemp("models") / "tennis.json"
    call("fit", "play_tennis", "-o", path)
    return path


@pytest.fixture(scope="session")
def fruit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """CART on lemons and oranges, two numeric attributes."""
    path = tmp_path_factory.mktemp("models") / "fruit.json"
    call("fit", "lemons_and_oranges", "-a", "cart", "-o", path)
    return path


@pytest.fixture(scope="session")
def prices_csv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table whose target is a number."""
    path = tmp_path_factory.mktemp("tables") / "prices.csv"
    lines = [f"{size},{'city' if size % 3 else 'village'},{size * 1.5 + (size % 3) * 20:.2f}" for size in range(60)]
    path.write_text("\n".join(["size,place,price", *lines]) + "\n")
    return path


@pytest.fixture(scope="session")
def prices(tmp_path_factory: pytest.TempPathFactory, prices_csv: Path) -> Path:
    """A regression tree."""
    path = tmp_path_factory.mktemp("models") / "prices.json"
    call("fit", prices_csv, "-t", "price", "-p", "max_depth=3", "-o", path)
    return path


@pytest.fixture(scope="session")
def ripper(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rules without a tree."""
    path = tmp_path_factory.mktemp("models") / "rules.json"
    call("fit", "play_tennis", "-a", "ripper", "-o", path)
    return path


@pytest.fixture(scope="session")
def forest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random forest of 12 trees."""
    path = tmp_path_factory.mktemp("models") / "forest.json"
    call("fit", ROWS, "-a", "forest", "--trees", 12, "-o", path)
    return path


@pytest.fixture(scope="session")
def number_forest(tmp_path_factory: pytest.TempPathFactory, prices_csv: Path) -> Path:
    """A random forest for numbers."""
    path = tmp_path_factory.mktemp("models") / "prices.json"
    call("fit", prices_csv, "-t", "price", "-a", "forest", "--trees", 9, "-o", path)
    return path
