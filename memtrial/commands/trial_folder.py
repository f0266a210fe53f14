"""The folder of one trial: where a command works, with a home and a temporary folder of its own beside it."""

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from memtrial.commands.folder_removal import FolderIdentity, identify, remove_folder
from memtrial.commands.process_order import CommandFault

PASSED_ON = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ")
"""Variables of the user's that every command gets; no key and no token is among them."""
HERE, WORK, HOME, TEMPORARY, GIVEN = "here", "work", "home", "tmp", "given"


@dataclass(frozen=True, slots=True)
class TrialFolder:
    """A folder of its own.

    Args:
        identity: of the folder that holds all of it.
        base: the user's folder, where the files of the command lie; `here` is a link to it.
    """

    identity: FolderIdentity
    base: Path

    @property
    def root(self) -> Path:
        """The folder that holds all of it."""
        return self.identity.path

    @property
    def work(self) -> Path:
        """Where the command works; empty at first."""
        return self.root / WORK

    @property
    def here(self) -> Path:
        """The user's folder, by a path without blanks and quotes."""
        return self.root / HERE

    @property
    def given(self) -> Path:
        """Where the task and the memory lie as files."""
        return self.root / GIVEN

    def variables(self, passed: Mapping[str, str]) -> dict[str, str]:
        """The whole environment of what runs here, with further variables."""
        home = self.root / HOME
        own = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        return {
            "PATH": os.defpath,
            **own,
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home / ".config"),
            "XDG_CACHE_HOME": str(home / ".cache"),
            "XDG_DATA_HOME": str(home / ".local" / "share"),
            "XDG_STATE_HOME": str(home / ".local" / "state"),
            "TMPDIR": str(self.root / TEMPORARY),
            **passed,
        }


@contextmanager
def trial_folder(base: Path, keep: Path | None = None) -> Iterator[TrialFolder]:
    """A fresh folder, taken away in the end; no process may be at work in it by then.

    Args:
        keep: make it in this folder and leave it there; else it is made where the system has temporary files.

    Raises:
        CommandFault: it cannot be made, or cannot be taken away.
    """
    try:
        if keep is not None:
            keep.mkdir(parents=True, exist_ok=True)
        root = Path(tempfile.mkdtemp(prefix="trial-", dir=keep)).resolve()
        identity = identify(root)
        for name in (WORK, HOME, TEMPORARY, GIVEN):
            (root / name).mkdir()
        (root / HERE).symlink_to(base.resolve())
    except OSError as fault:
        raise CommandFault(f"no folder can be made for the command: {fault.strerror or fault}") from fault
    why = ""
    try:
        yield TrialFolder(identity, base.resolve())
    finally:
        why = remove_folder(identity) if keep is None else ""
    if why:
        raise CommandFault(why)
