"""The build backend: scikit-build-core, plus a C++ compiler from PyPI on machines that have none.

Every hook of PEP 517 and PEP 660 is passed on. When the machine has no C++ compiler, the requirements of a build grow
by ``ziglang`` (a whole clang toolchain in one wheel) and CC/CXX name two small scripts that call it.

What this deliberately does not do: replace a compiler that is there, even an old one, or act on Windows, where CMake
finds Visual Studio without PATH.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

COMPILER_NAMES = ("c++", "g++", "clang++")
ZIG_REQUIREMENT = "ziglang>=0.13"
# The baseline processor, because zig's default is the one it runs on; and no sanitizer, which zig adds to plain builds.
ZIG_FLAGS = "-mcpu=baseline -fno-sanitize=undefined"
EDITABLE_SCRIPTS = Path("build") / "zig"

Config = dict[str, Any] | None


def needs_zig(environment: Mapping[str, str] | None = None, platform: str = sys.platform) -> bool:
    """Say whether the build must bring its own compiler: CXX unset and no c++, g++ or clang++ on PATH."""
    environment = os.environ if environment is None else environment
    if platform == "win32" or environment.get("CXX"):
        return False
    path = environment.get("PATH", "")
    return not any(shutil.which(name, path=path) for name in COMPILER_NAMES)


def write_scripts(directory: Path) -> dict[str, str]:
    """Write scripts that call zig into ``directory``; return the variables CC, CXX, AR and RANLIB that name them."""
    directory.mkdir(parents=True, exist_ok=True)
    commands = {"CC": f"cc {ZIG_FLAGS}", "CXX": f"c++ {ZIG_FLAGS}", "AR": "ar", "RANLIB": "ranlib"}
    variables = {}
    for variable, command in commands.items():
        script = directory / f"zig-{command.split()[0]}"
        text = f'#!/bin/sh\nexec "{sys.executable}" -m ziglang {command} "$@"\n'
        if not script.exists() or script.read_text() != text:
            script.write_text(text)
        script.chmod(script.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
        variables[variable] = str(script.resolve())
    return variables


@contextmanager
def compiler(directory: Path | None = None) -> Iterator[None]:
    """Make a C++ compiler available inside the block; the scripts go to ``directory`` or to a temporary one."""
    if not needs_zig():
        yield
        return
    with tempfile.TemporaryDirectory(prefix="quercus-zig-") as temporary:
        added = write_scripts(directory or Path(temporary))
        before = {name: os.environ.get(name) for name in added}
        os.environ.update(added)
        print("quercus: no C++ compiler on PATH and CXX is unset; building with ziglang from PyPI", file=sys.stderr)
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value


def _with_zig(requirements: list[str]) -> list[str]:
    return [*requirements, ZIG_REQUIREMENT] if needs_zig() else requirements


def get_requires_for_build_wheel(config_settings: Config = None) -> list[str]:
    """Return scikit-build-core's requirements, and ziglang where no compiler is found."""
    from scikit_build_core import build

    return _with_zig(build.get_requires_for_build_wheel(config_settings))


def get_requires_for_build_editable(config_settings: Config = None) -> list[str]:
    """Return the same as for a wheel."""
    from scikit_build_core import build

    return _with_zig(build.get_requires_for_build_editable(config_settings))


def get_requires_for_build_sdist(config_settings: Config = None) -> list[str]:
    """Return scikit-build-core's requirements: a source archive compiles nothing."""
    from scikit_build_core import build

    return list(build.get_requires_for_build_sdist(config_settings))


def build_wheel(wheel_directory: str, config_settings: Config = None, metadata_directory: str | None = None) -> str:
    """Build a wheel."""
    from scikit_build_core import build

    with compiler():
        return str(build.build_wheel(wheel_directory, config_settings, metadata_directory))


def build_editable(wheel_directory: str, config_settings: Config = None, metadata_directory: str | None = None) -> str:
    """Build a development install; its zig scripts stay in build/zig, since the kept build tree names them."""
    from scikit_build_core import build

    with compiler(EDITABLE_SCRIPTS):
        return str(build.build_editable(wheel_directory, config_settings, metadata_directory))


def build_sdist(sdist_directory: str, config_settings: Config = None) -> str:
    """Build a source archive."""
    from scikit_build_core import build

    return str(build.build_sdist(sdist_directory, config_settings))


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Config = None) -> str:
    """Write the wheel's metadata without compiling."""
    from scikit_build_core import build

    return str(build.prepare_metadata_for_build_wheel(metadata_directory, config_settings))


def prepare_metadata_for_build_editable(metadata_directory: str, config_settings: Config = None) -> str:
    """Write the development install's metadata without compiling."""
    from scikit_build_core import build

    return str(build.prepare_metadata_for_build_editable(metadata_directory, config_settings))


if __name__ == "__main__":  # `make setup` asks which extra requirement an un-isolated build has
    print(ZIG_REQUIREMENT if needs_zig() else "")
