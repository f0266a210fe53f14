"""Files below a folder of ours: walked and written without following a link.

Whoever had the folder may have put links where folders were: each folder on a way is opened by itself.
"""

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

PLAIN, EXECUTABLE, LINK, SUBMODULE = 0o100644, 0o100755, 0o120000, 0o160000
"""Modes, as git has them."""
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW


def walk(folder: Path, skipped: frozenset[str] = frozenset()) -> Iterator[tuple[str, os.stat_result]]:
    """Every file and link below a folder with its state, by path; no link is followed.

    Args:
        skipped: names of folders that are left out, wherever they lie.
    """
    waiting = [] if folder.is_symlink() else [""]
    while waiting:
        above = waiting.pop()
        try:
            entries = sorted(os.scandir(folder / above), key=lambda entry: entry.name)
        except OSError:
            continue  # gone just now, closed to us, or too deep for a path
        for entry in entries:
            path = f"{above}{entry.name}"
            if not entry.is_dir(follow_symlinks=False):
                try:
                    yield path, entry.stat(follow_symlinks=False)
                except OSError:
                    continue  # taken away just now, or too deep
            elif entry.name not in skipped:
                waiting.append(f"{path}/")


def list_folders(folder: Path, names: frozenset[str]) -> frozenset[str]:
    """The folders of these names below a folder, by path; none within another of them."""
    listed: set[str] = set()
    waiting = [] if folder.is_symlink() else [""]
    while waiting:
        above = waiting.pop()
        try:
            with os.scandir(folder / above) as entries:
                inner = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
        except OSError:
            continue
        listed.update(f"{above}{name}" for name in inner if name in names)
        waiting += [f"{above}{name}/" for name in inner if name not in names]
    return frozenset(listed)


def put_file(tree: Path, path: str, content: bytes, mode: int) -> None:
    """Write one file of a tree anew, whatever stood there or in the place of a folder above it."""
    *folders, name = path.split("/")
    place = os.open(tree, FOLDER)
    try:
        for folder in folders:
            inner = _enter(place, folder)
            os.close(place)
            place = inner
        _clear(place, name)
        if mode == LINK:
            os.symlink(content, name, dir_fd=place)
            return
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        number = os.open(name, flags, 0o755 if mode == EXECUTABLE else 0o644, dir_fd=place)
        with open(number, "wb") as file:
            file.write(content)
    finally:
        os.close(place)


def _enter(place: int, folder: str) -> int:
    """A folder in an open one; a file or link in its place goes."""
    try:
        return os.open(folder, FOLDER, dir_fd=place)
    except FileNotFoundError:
        pass
    except NotADirectoryError:
        os.unlink(folder, dir_fd=place)
    except OSError:  # a link, by ELOOP
        if not stat.S_ISLNK(os.stat(folder, dir_fd=place, follow_symlinks=False).st_mode):
            raise
        os.unlink(folder, dir_fd=place)
    os.mkdir(folder, 0o755, dir_fd=place)
    return os.open(folder, FOLDER, dir_fd=place)


def _clear(place: int, name: str) -> None:
    try:
        os.unlink(name, dir_fd=place)
    except FileNotFoundError:
        return
    except (IsADirectoryError, PermissionError):
        shutil.rmtree(name, dir_fd=place)
