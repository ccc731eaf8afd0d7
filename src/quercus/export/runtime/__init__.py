"""The parts of exports that are the same for every model: one file for each language and task."""

from importlib.resources import files


def runtime(name: str) -> str:
    """The text of a file in this folder."""
    return files(__name__).joinpath(name).read_text(encoding="utf-8")
