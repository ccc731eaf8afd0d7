"""Real servers of PostgreSQL and MariaDB for the tests of exports, started here on sockets of their own."""

from __future__ import annotations

import getpass
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from export.databases import SOCKET


def _program(name: str) -> str | None:
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return str(found[-1]) if found else shutil.which(name)


@pytest.fixture(scope="session")
def postgres() -> Iterator[None]:
    """A server that listens on a socket in a folder of its own, run by a user without rights."""
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    initdb, control = _program("initdb"), _program("pg_ctl")
    if initdb is None or control is None:
        pytest.skip("PostgreSQL's server is not installed")
    user = "postgres" if getpass.getuser() == "root" else None
    folder = Path(tempfile.mkdtemp(prefix="quercus-pg-"))
    data = folder / "data"
    if user is not None:
        try:
            shutil.chown(folder, user)
        except LookupError:
            pytest.skip("a server may not be run by root, and there is no user postgres")
    names = {"LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"]}

    def run(*words: str) -> None:
        subprocess.run(words, user=user, cwd=folder, env=names, check=True, capture_output=True)

    run(initdb, "-D", str(data), "-U", "quercus", "-A", "trust", "-E", "UTF8")
    options = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off"
    before = {name: os.environ.get(name) for name in ("PGHOST", "PGUSER", "PGDATABASE")}
    try:
        run(control, "-D", str(data), "-o", options, "-l", str(folder / "log"), "-w", "start")
        os.environ.update(PGHOST=str(folder), PGUSER="quercus", PGDATABASE="postgres")
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
        subprocess.run(
            [control, "-D", str(data), "-m", "immediate", "stop"], user=user, cwd=folder, env=names, capture_output=True
        )
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def mariadb() -> Iterator[None]:
    """A server of MariaDB that listens on a socket in a folder of its own, run by a user without rights."""
    pymysql = pytest.importorskip("pymysql", reason="pymysql is not installed")
    path = f"{os.environ['PATH']}:/usr/sbin"
    install, server = (shutil.which(name, path=path) for name in ("mariadb-install-db", "mariadbd"))
    if install is None or server is None or shutil.which("my_print_defaults") is None:
        pytest.skip("MariaDB's server is not installed")
    user = "nobody" if getpass.getuser() == "root" else None
    folder = Path(tempfile.mkdtemp(prefix="quercus-mariadb-"))
    if user is not None:
        shutil.chown(folder, user)
    place, socket = f"--datadir={folder}/data", str(folder / "socket")
    words = [install, "--no-defaults", place, "--auth-root-authentication-method=normal"]
    subprocess.run(words, user=user, cwd=folder, check=True, capture_output=True)
    options = ["--no-defaults", place, f"--socket={socket}", "--skip-networking", f"--pid-file={folder}/pid"]
    process = subprocess.Popen([server, *options], user=user, cwd=folder, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            with suppress(pymysql.Error):
                pymysql.connect(unix_socket=socket, user="root").close()
                break
            time.sleep(0.1)
        os.environ[SOCKET] = socket
        yield
    finally:
        os.environ.pop(SOCKET, None)
        process.terminate()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)
