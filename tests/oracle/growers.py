"""The growers that must have the properties: the core and the reference."""

from __future__ import annotations

import pytest

from quercus.growing.grow import grow
from quercus.growing.reference.grower import grow_reference

both = pytest.mark.parametrize("grower", [grow, grow_reference], ids=["core", "reference"])
