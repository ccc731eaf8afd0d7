"""Old names of quercus.tree that still work."""

from __future__ import annotations

import pytest

import quercus.tree


def test_the_old_name_of_a_branch_taken_works_and_warns() -> None:
    with pytest.warns(FutureWarning, match="BranchTaken"):
        assert quercus.tree.Step is quercus.tree.BranchTaken


def test_other_names_are_refused_as_ever() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Steps'"):
        _ = quercus.tree.Steps
