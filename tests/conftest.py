"""What all tests share: no property is judged by its time, since a busy machine is slow without being wrong."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile("quercus", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("quercus")
