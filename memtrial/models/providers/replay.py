"""`replay/<run folder>?model=<model string>`: answers from another run's ledger. Nothing is sent."""

import sqlite3
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

from memtrial.models.client.cache import COLUMNS, reply_of
from memtrial.models.client.client import key_of
from memtrial.models.client.types import ModelFault, Reply, Request


@dataclass
class Replay:
    """A model that was `recorded` under that model string in a run's folder."""

    folder: Path
    recorded: str
    ledger: sqlite3.Connection

    free: ClassVar[bool] = True

    async def answer(self, request: Request, repeat: int) -> Reply:
        """The recorded answer to this request in this repeat; ModelFault where it was never asked that."""
        key = key_of(replace(request, model=self.recorded), repeat)
        query = f"SELECT {', '.join(COLUMNS)} FROM calls WHERE key = ?"
        try:
            row = self.ledger.execute(query, (key,)).fetchone()
        except sqlite3.Error as fault:
            raise ModelFault(f"the ledger of {self.folder} cannot be read: {fault}") from None
        if row is None:
            raise ModelFault(
                f"{self.folder} has no answer of {self.recorded!r} to this request in repeat {repeat}:"
                " a replay asks what was asked then, with the same spec and the same prompts"
            )
        return replace(reply_of(row), usd=0.0)

    async def close(self) -> None:
        self.ledger.close()


def open_replay(model: str) -> Replay:
    """Open `replay/<run folder>`, or `replay/<run folder>?model=<model string>` where several were asked.

    Raises:
        ModelFault: no such folder, no ledger that can be read, or no such model in it.
    """
    address, _, query = model.partition("?")
    folder = Path(address.removeprefix("replay/"))
    ledger = folder / "ledger.sqlite"
    # the recorded model string may have settings: everything after model= belongs to it
    setting, _, wanted = query.partition("=")
    if query and (setting != "model" or not wanted):
        raise ModelFault(f"a replay has one setting, model=<model string>; got {query!r} in {model!r}")
    if not ledger.is_file():
        raise ModelFault(f"{model!r} needs a run folder with a ledger.sqlite; there is none in {folder}")
    for suffix in ("", "-wal", "-shm", "-journal"):
        if (one := ledger.with_name(f"{ledger.name}{suffix}")).is_symlink():
            raise ModelFault(f"{model!r} needs a run folder with a ledger of its own; {one} is a link")
    # without a writer SQLite need not make its -wal and -shm files
    alone = "" if ledger.with_name(f"{ledger.name}-wal").exists() else "&immutable=1"
    try:
        connection = sqlite3.connect(f"{ledger.resolve().as_uri()}?mode=ro{alone}", uri=True)
    except sqlite3.Error as fault:
        raise ModelFault(f"{ledger} cannot be read as a ledger: {fault}") from None
    try:
        return Replay(folder, _recorded(connection, wanted, folder), connection)
    except ModelFault:
        connection.close()
        raise


def _recorded(connection: sqlite3.Connection, wanted: str, folder: Path) -> str:
    """The model that is replayed: the one that is wanted, or the only one that was asked."""
    try:
        connection.execute(f"SELECT key, {', '.join(COLUMNS)} FROM calls LIMIT 1")
        asked = [str(row[0]) for row in connection.execute("SELECT DISTINCT asked FROM calls ORDER BY asked")]
    except sqlite3.Error as fault:
        raise ModelFault(f"{folder}/ledger.sqlite cannot be read as a ledger: {fault}") from None
    if not asked:
        raise ModelFault(f"no model was asked in {folder}: there is nothing to replay")
    if wanted in asked or (len(asked) == 1 and not wanted):
        return wanted or asked[0]
    what = f"no {wanted!r}" if wanted else "several models"
    raise ModelFault(f"{folder} has {what}; write replay/{folder}?model= with one of {', '.join(asked)}")
