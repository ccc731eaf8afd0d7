"""Pruning: from a grown tree to a smaller one, with the reason for every cut. The tree that is given never changes."""

from __future__ import annotations

from importlib import import_module

from quercus.pruning.result import Cut, Pruned, Removal

__all__ = ["Cut", "Pruned", "Removal"]

for _module, _names in {
    "reduced_error": ("reduced_error",),
    "validation": ("hold_out", "stop_by_validation"),
    "error_based": ("error_based",),
    "cost_complexity": ("cost_complexity", "cost_complexity_path", "AlphaPath"),
    "alpha_table": ("CVTable", "cross_validated_alphas"),
    "mdl": ("mdl",),
    "minimum_error": ("minimum_error",),
    "critical_value": ("chi_square", "critical_value"),
    "same_prediction": ("same_prediction",),
    "manual": ("keep_depth", "keep_leaves", "snip"),
    "compare": ("compare_pruning",),
}.items():
    try:
        _found = import_module(f"quercus.pruning.{_module}")
    except ModuleNotFoundError:
        continue
    for _name in [name for name in _names if hasattr(_found, name)]:
        globals()[_name] = getattr(_found, _name)
        __all__ += [_name]
