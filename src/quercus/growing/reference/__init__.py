"""The reference: the grower of ``docs/specification.md`` in plain Python, the twin of the core."""

from quercus.growing.reference.grower import grow_reference

__all__ = ["grow_reference"]
