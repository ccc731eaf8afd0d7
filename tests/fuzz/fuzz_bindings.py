"""Fuzzing: every binding of the core is called with mutated arguments, again and again; a crash or a hang is a finding.

``make fuzz`` builds the core with AddressSanitizer and UndefinedBehaviorSanitizer and runs this for two minutes:

    python tests/fuzz/fuzz_bindings.py --core build/fuzz --seconds 120

The calls are numbered, and a number always means the same call. A finding names its number; ``--only NUMBER`` repeats
it. Without ``--core`` the installed core is called, without sanitizers.
"""

from __future__ import annotations

import argparse
import copy
import faulthandler
import importlib.util
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

HANG = 120  # seconds; calls take milliseconds
ERRORS = (ValueError, TypeError, OverflowError, RuntimeError, KeyError, IndexError, MemoryError)
OUT_OF_MEMORY = ("allocation-size-too-big", "out-of-memory", "hard rss limit", "exceeds maximum supported size")
SANITIZERS = {
    "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=2048:hard_rss_limit_mb=6000",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
    "PYTHONMALLOC": "malloc",
}


def installed_core(folder: Path | None) -> ModuleType:
    """The core that is to be called: the one that was built in ``folder``, or the package's own."""
    if folder is None:
        from quercus import _core

        return _core
    path = next(folder.glob("_core*.so"))
    spec = importlib.util.spec_from_file_location("quercus._core", path)
    assert spec is not None and spec.loader is not None
    core = importlib.util.module_from_spec(spec)
    sys.modules["quercus._core"] = core
    spec.loader.exec_module(core)
    return core


def recorded_calls(core: ModuleType) -> list[Any]:
    """Calls of every binding, as the package makes them."""
    from seeds import Recorder, core_functions, record

    import quercus

    recorder = Recorder(core, most=8)
    sys.modules["quercus._core"] = recorder  # type: ignore[assignment]
    quercus._core = recorder  # type: ignore[attr-defined]
    calls = record(recorder)
    absent = core_functions(core) - {name for name, _ in calls} - {"machine_width", "HeldTexts"}  # a reader makes these
    assert not absent, f"no call of {sorted(absent)} was recorded: let tests/fuzz/seeds.py make one"
    return calls


def mutated_call(calls: list[Any], seed: int, number: int) -> Any:
    """The call of this number: a recorded one with one to three changes; the first numbers are those without any."""
    from mutation import mutated

    if number < len(calls):
        return calls[number]
    chance = random.Random(f"{seed}:{number}")
    names = sorted({name for name, _ in calls})
    chosen = chance.choice(names)
    name, arguments = chance.choice([call for call in calls if call[0] == chosen])
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        arguments = (mutated(arguments[0], chance), arguments[1])
        if isinstance(arguments[1], tuple) and chance.random() < 0.3:
            arguments = (arguments[0], mutated(arguments[1], chance))
        if not isinstance(arguments[0], tuple) or not isinstance(arguments[1], tuple | dict):
            break
    return name, arguments


def make_call(core: ModuleType, name: str, arguments: Any) -> None:
    from seeds import OF_A_TREE, WORK

    first, second = arguments
    first = first if isinstance(first, tuple) else (first,)
    kind, _, method = name.partition(".")
    if name in OF_A_TREE:
        getattr(core, name)(core.CompactTree(*first), *(second if isinstance(second, tuple) else (second,)))
    elif kind in WORK:
        method = method or next(iter(WORK[kind]))
        watching = (None,) if name == "ForestGrower" else ()
        getattr(getattr(core, kind)(*first), method)(*(second if isinstance(second, tuple) else (second,)), *watching)
    else:
        getattr(core, name)(*first, **second)


def run_calls(options: argparse.Namespace) -> None:
    """The child: makes calls until the time is over. The number of the call is written down before it is made."""
    core = installed_core(options.core)
    calls = recorded_calls(core)
    until = time.monotonic() + options.seconds
    answers: Counter[str] = Counter()
    number = options.first
    with open(options.log, "wb", buffering=0) as log:
        while time.monotonic() < until and number < options.last:
            name, arguments = mutated_call(calls, options.seed, number)
            log.seek(0)
            log.write(f"{number} {name} {' ' * 30}".encode())
            faulthandler.dump_traceback_later(HANG, exit=True)
            try:
                make_call(core, name, copy.deepcopy(arguments))
                answers[f"{name} answered"] += 1
            except ERRORS as error:
                answers[f"{name} refused"] += 1
                if options.only is not None:
                    print(f"{name}: {type(error).__name__}: {error}")
                assert number >= len(calls), f"the core refuses what the package gave it, {name}: {error}"
            faulthandler.cancel_dump_traceback_later()
            number += 1
    log_text = ", ".join(f"{count} {what}" for what, count in sorted(answers.items()))
    Path(options.log).write_text(f"{number} finished {log_text}")


def environment(core: Path | None) -> dict[str, str]:
    runtime = {} if core is None else {"LD_PRELOAD": (core / "sanitizer_runtime").read_text().strip(), **SANITIZERS}
    return {**os.environ, **runtime}


def start(options: argparse.Namespace, first: int, seconds: float, log: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, __file__, "--child", "--log", log, "--first", str(first), "--seconds", str(seconds)]
    command += ["--seed", str(options.seed), "--last", str(options.last)]
    command += [] if options.core is None else ["--core", str(options.core)]
    command += [] if options.only is None else ["--only", str(options.only)]
    return subprocess.run(command, env=environment(options.core), stderr=subprocess.PIPE, text=True, check=False)


def fuzz(options: argparse.Namespace) -> int:
    """The parent: starts the child, once more behind a call that asked for more memory than it may have."""
    first, until, without_memory = options.first, time.monotonic() + options.seconds, 0
    with tempfile.TemporaryDirectory() as folder:
        log = str(Path(folder) / "call")
        while True:
            child = start(options, first, max(until - time.monotonic(), 1.0), log)
            told = Path(log).read_text(errors="replace").split(maxsplit=2) if Path(log).exists() else ["0", "no call"]
            number, name = int(told[0]), told[1]
            if child.returncode == 0:
                print(
                    f"{number - options.first} calls, {without_memory} of them stopped for want of memory: no finding."
                )
                print(f"In the last run: {told[2] if len(told) > 2 else 'none'}.")
                return 0
            if not any(words in child.stderr for words in OUT_OF_MEMORY):
                break
            without_memory += 1
            first = number + 1
            if time.monotonic() > until:
                until = time.monotonic() + 1.0
    print(child.stderr[-8000:], file=sys.stderr)
    print(f"FINDING: call {number} of {name}; repeat it with --seed {options.seed} --only {number}", file=sys.stderr)
    return 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--core", type=Path, help="folder of a core that was built with sanitizers")
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first call")
    parser.add_argument("--last", type=int, default=2**62, help="number behind the last call")
    parser.add_argument("--only", type=int, help="make this call alone")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--log", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only is not None:
        options.first, options.last = options.only, options.only + 1
    if not options.child:
        return fuzz(options)
    run_calls(options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
