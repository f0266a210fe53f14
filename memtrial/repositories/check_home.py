"""The home of a check: as the set-up left it, whatever an agent made of its own."""

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from memtrial.commands.folder_removal import identify, remove_folder

HOME, TEMPORARY = "home", "tmp"


@contextmanager
def keep_home(root: Path) -> Iterator[Path]:
    """A copy of a home beside the folder that an agent may write into, for as long as this lasts.

    Raises:
        OSError: it cannot be made, or something else is in the home's place.
    """
    if (root / HOME).is_symlink():
        raise NotADirectoryError("a link is in its place")  # what that leads to is nobody's to be copied
    kept = Path(tempfile.mkdtemp(prefix="home-", dir=root.parent))
    identity = identify(kept)
    try:
        shutil.copytree(root / HOME, kept / HOME, symlinks=True, ignore=_name_special)
        yield kept
    finally:
        remove_folder(identity)


def _name_special(folder: str, names: Sequence[str]) -> list[str]:
    """Pipes, sockets and devices, which hold nothing."""
    paths = {name: os.path.join(folder, name) for name in names}
    plain = {name for name, path in paths.items() if os.path.islink(path) or os.path.isdir(path)}
    return [name for name in names if name not in plain and not os.path.isfile(paths[name])]


def renew_home(root: Path, kept: Path) -> None:
    """Put the kept home, and an empty folder for temporary files, in the place of what an agent left there.

    Once. OSError where the folder cannot be written.
    """
    left = Path(tempfile.mkdtemp(prefix="left-", dir=root))
    for name in (HOME, TEMPORARY):
        with suppress(FileNotFoundError):
            os.rename(root / name, left / name)
    os.rename(kept / HOME, root / HOME)
    (root / TEMPORARY).mkdir()
