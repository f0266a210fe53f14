"""A PostgreSQL of this machine in a folder of its own, reached through a socket; None where there is none."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

import pytest

PLACES = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
USER = "postgres"


def lacking_pgvector() -> str:
    """Why no server with pgvector can be started here; empty where one can."""
    if why := lacking_postgres():
        return why
    shared = Path("/usr/share/postgresql") / PLACES[-1].parent.name / "extension/vector.control"
    return "" if shared.exists() else "the extension pgvector is not installed"


def lacking_postgres() -> str:
    """Why no server can be started here; empty where one can."""
    if not PLACES or not (PLACES[-1] / "initdb").exists():
        return "PostgreSQL is not installed"
    if os.geteuid() == 0 and not shutil.which("runuser"):
        return "PostgreSQL refuses root, and there is no runuser"
    return ""


def skip_without_postgres() -> None:
    """Skip the test where no server can be started here, or nothing speaks to it."""
    if why := lacking_postgres():
        pytest.skip(why)
    pytest.importorskip("psycopg", reason="psycopg is not installed")


@dataclass(frozen=True, slots=True)
class PostgresServer:
    """A server of this machine: where it answers, and how it is driven."""

    address: str
    control: tuple[str, ...]
    options: tuple[str, ...]

    def restart(self) -> None:
        """End it as a crash would, every connection with it, and begin it again."""
        _run([*self.control, "-m", "immediate", "stop"])
        _run([*self.control, *self.options, "start"])


@contextmanager
def postgres_server() -> Iterator[str]:
    """The address of a server that lives for this block."""
    with restartable_server() as server:
        yield server.address


@contextmanager
def restartable_server(settings: str = "-c fsync=off") -> Iterator[PostgresServer]:
    """A server that lives for this block; that of a test keeps nothing through a crash of the machine."""
    folder = Path(mkdtemp(prefix="memtrial-pg-"))
    as_other = ("runuser", "-u", USER, "--") if os.geteuid() == 0 else ()
    if as_other:
        shutil.chown(folder, USER)
    data = str(folder / "data")
    control = (*as_other, str(PLACES[-1] / "pg_ctl"), "-D", data)
    settings = f"-c listen_addresses= -c unix_socket_directories={folder} {settings}"
    options = ("-w", "-l", str(folder / "log"), "-o", settings)
    try:
        _run([*as_other, str(PLACES[-1] / "initdb"), "-D", data, "-N", "-A", "trust", "-U", USER])
        _run([*control, *options, "start"])
        try:
            yield PostgresServer(f"postgresql://{USER}@/postgres?host={folder}", control, options)
        finally:
            _run([*control, "-m", "immediate", "stop"])
    finally:
        shutil.rmtree(folder)


def _run(command: list[str]) -> None:
    done = subprocess.run(command, cwd="/tmp", capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise RuntimeError(f"{command[0]} ended with {done.returncode}: {done.stderr[-500:]}")
