"""Every header of the core compiles alone: it includes what it uses, so that files can be read and moved one by one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

CORE = Path(__file__).parents[2] / "core"
COMPILER = os.environ.get("CXX") or next(filter(None, map(shutil.which, ("c++", "g++", "clang++"))), None)


def included_folders() -> list[str]:
    """What a header may include beside the core: those that bind it need nanobind and Python."""
    nanobind = pytest.importorskip("nanobind", reason="the headers of the bindings include nanobind's")
    return [str(CORE), nanobind.include_dir(), sysconfig.get_path("include")]


@pytest.mark.slow
@pytest.mark.skipif(COMPILER is None, reason="compiling a header needs c++, g++ or clang++ on PATH, or CXX")
@pytest.mark.parametrize("header", sorted(path.name for path in CORE.glob("*.h")))
def test_a_header_compiles_alone(header: str) -> None:
    command = [str(COMPILER), "-std=c++20", "-fsyntax-only", "-x", "c++", "-"]
    command += [f"-I{folder}" for folder in included_folders()]
    result = subprocess.run(command, input=f'#include "{header}"\n', capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
