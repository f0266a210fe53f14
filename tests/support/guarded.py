"""A folder whose every byte is compared before and after, and commands that mean harm below it alone."""

import os
from hashlib import sha256
from pathlib import Path


def state_of(folder: Path) -> dict[str, tuple[int, int, str]]:
    """Mode, time and content of all in a folder, its git directory included."""
    state = {}
    for above, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(above, name)
            stood = path.lstat()
            plain = path.is_file() and not path.is_symlink()
            content = sha256(path.read_bytes()).hexdigest() if plain else ""
            state[str(path)] = (stood.st_mode, stood.st_mtime_ns, content)
    return state


def make_guard(folder: Path) -> Path:
    """A folder that nobody is to touch."""
    folder.mkdir()
    (folder / "mine.txt").write_text("mine\n")
    (folder / "conftest.py").write_text("mine = True\n")
    return folder
