"""Real servers of PostgreSQL and MariaDB for the tests of exports, started here on sockets of their own."""

from __future__ import annotations

import ctypes
import getpass
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from export.databases import SOCKET

#: So many seconds a server may work on one statement.
LIMIT = 120


def _program(name: str) -> str | None:
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return str(found[-1]) if found else shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")


@contextmanager
def _folder(user: str) -> Iterator[tuple[Path, str | None]]:
    """A folder for a server, and the user that runs it. user: without rights, takes the place of root."""
    root = getpass.getuser() == "root"
    folder = Path(tempfile.mkdtemp(prefix="quercus-server-"))
    try:
        if root:
            _give(folder, user)
        yield folder, user if root else None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _give(folder: Path, user: str) -> None:
    try:
        shutil.chown(folder, user)
    except LookupError:
        pytest.skip(f"a server may not be run by root, and there is no user {user}")


@contextmanager
def _server(words: list[str], user: str | None, connect: Callable[[], object], end: signal.Signals) -> Iterator[None]:
    """A server, while the tests run. On Linux it also ends if this process is killed.

    connect: raises an error until the server answers. end: the signal that stops the server at once.
    """

    def end_with_parent() -> None:
        if sys.platform == "linux":
            ctypes.CDLL(None).prctl(1, int(end))  # 1: PR_SET_PDEATHSIG

    quiet = subprocess.DEVNULL
    process = subprocess.Popen(words, user=user, cwd="/", stdout=quiet, stderr=quiet, preexec_fn=end_with_parent)
    try:
        for _ in range(600):
            with suppress(Exception):  # of the driver, of any class
                connect()
                break
            assert process.poll() is None, f"The server ended: {words}"
            time.sleep(0.1)
        else:
            raise AssertionError(f"The server does not answer: {words}")
        yield
    finally:
        process.send_signal(end)
        with suppress(subprocess.TimeoutExpired):
            process.wait(10)
        process.kill()
        process.wait()


@pytest.fixture(scope="session")
def postgres() -> Iterator[None]:
    """A server of PostgreSQL that listens on a socket in a folder of its own, run by a user without rights."""
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
    initdb, server = _program("initdb"), _program("postgres")
    if initdb is None or server is None:
        pytest.skip("PostgreSQL's server is not installed")
    with _folder("postgres") as (folder, user), pytest.MonkeyPatch.context() as patch:
        data, names = str(folder / "data"), {"LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"]}
        words = [initdb, "-D", data, "-U", "quercus", "-A", "trust", "-E", "UTF8"]
        subprocess.run(words, user=user, cwd=folder, env=names, check=True, capture_output=True)
        for name, value in {"PGHOST": str(folder), "PGUSER": "quercus", "PGDATABASE": "postgres"}.items():
            patch.setenv(name, value)
        options = ["listen_addresses=", f"unix_socket_directories={folder}", "fsync=off"]
        options.append(f"statement_timeout={LIMIT}s")
        words = [server, "-D", data, *(word for option in options for word in ("-c", option))]
        with _server(words, user, lambda: psycopg.connect().close(), signal.SIGQUIT):
            yield


@pytest.fixture(scope="session")
def mariadb() -> Iterator[None]:
    """A server of MariaDB that listens on a socket in a folder of its own, run by a user without rights."""
    pymysql = pytest.importorskip("pymysql", reason="pymysql is not installed")
    install, server = _program("mariadb-install-db"), _program("mariadbd")
    if install is None or server is None or shutil.which("my_print_defaults") is None:
        pytest.skip("MariaDB's server is not installed")
    with _folder("nobody") as (folder, user), pytest.MonkeyPatch.context() as patch:
        place, socket = f"--datadir={folder}/data", f"{folder}/socket"
        words = [install, "--no-defaults", place, "--auth-root-authentication-method=normal"]
        subprocess.run(words, user=user, cwd=folder, check=True, capture_output=True)
        patch.setenv(SOCKET, socket)
        words = [server, "--no-defaults", place, f"--socket={socket}", "--skip-networking", f"--pid-file={folder}/pid"]
        words.append(f"--max-statement-time={LIMIT}")
        with _server(words, user, lambda: pymysql.connect(unix_socket=socket, user="root").close(), signal.SIGKILL):
            yield
