"""Take a folder away, whatever a command made of it: links are not followed, depth costs nothing.

A folder is entered only after it was renamed by its descriptor, which the system refuses for a place where
something is mounted. So nothing outside is ever reached, and no path is ever longer than two names.
"""

import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class FolderIdentity:
    """A folder that was made here, as it is known again: its path, its device and its inode."""

    path: Path
    device: int
    inode: int

    @property
    def stands(self) -> bool:
        """The same folder is still in its place."""
        try:
            state = self.path.lstat()
        except OSError:
            return False
        return self.is_of(state)

    def is_of(self, state: os.stat_result) -> bool:
        """Whether a state is this folder's."""
        return stat.S_ISDIR(state.st_mode) and (state.st_dev, state.st_ino) == (self.device, self.inode)


def identify(path: Path) -> FolderIdentity:
    """The identity of a folder that was just made. OSError where it is not there."""
    state = path.lstat()
    return FolderIdentity(path, state.st_dev, state.st_ino)


def remove_folder(folder: FolderIdentity) -> str:
    """Take a folder away with all in it: an empty text, or why it is, or something of it, still there.

    What is in its place and is another folder, or a link, is left as it is. No process may be at work in it.
    """
    name, moved = folder.path.name, ""
    try:
        above = os.open(folder.path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        return ""
    try:
        state = os.stat(name, dir_fd=above, follow_symlinks=False)
        if not folder.is_of(state):
            return f"{folder.path} is something else now, which was left as it is"
        place = _open_unlocked(name, above)
        try:
            # what is entered is the folder that was opened and is ours, whatever has its name by then
            if not folder.is_of(os.fstat(place)):
                return f"{folder.path} is something else now, which was left as it is"
            prefix = f".{token_hex(12)}"
            os.rename(name, prefix, src_dir_fd=above, dst_dir_fd=above)
            moved = prefix
            _empty(place, prefix)
        finally:
            os.close(place)
        os.rmdir(moved, dir_fd=above)
    except FileNotFoundError:
        return ""
    except OSError as fault:
        return f"{folder.path.with_name(moved or name)} was not taken away: {fault.strerror or fault}"
    finally:
        os.close(above)
    return ""


def _empty(top: int, prefix: str) -> None:
    """Take away all in an open folder: folders below move up to it before they are entered.

    Args:
        prefix: of the names that they get; nobody else knows it.
    """
    waiting = _sort_out(top, top, prefix, 0)
    number = len(waiting)
    while waiting:
        name = waiting.pop()
        place = _open_unlocked(name, top)
        try:
            moved = _sort_out(place, top, prefix, number)
        finally:
            os.close(place)
        os.rmdir(name, dir_fd=top)
        number += len(moved)
        waiting += moved


def _sort_out(place: int, top: int, prefix: str, number: int) -> list[str]:
    """Take away the files of an open folder, and rename its folders into the top one: their new names, which
    count on from `number`."""
    moved: list[str] = []
    changed = True
    while changed:  # a listing may leave out entries while others go
        changed = False
        with os.scandir(place) as entries:
            for entry in entries:
                if entry.name.startswith(prefix):
                    continue
                changed = True
                if entry.is_dir(follow_symlinks=False):
                    moved.append(f"{prefix}-{number + len(moved)}")
                    _rename(entry.name, place, moved[-1], top)
                else:
                    os.unlink(entry.name, dir_fd=place)
    return moved


def _rename(name: str, place: int, new: str, top: int) -> None:
    try:
        os.rename(name, new, src_dir_fd=place, dst_dir_fd=top)
    except PermissionError:
        # a folder that its owner may not write into cannot get another parent
        _unlock(name, place)
        os.rename(name, new, src_dir_fd=place, dst_dir_fd=top)


def _open_unlocked(name: str, place: int) -> int:
    """A folder opened for reading, where its owner had closed it as well; no link is followed."""
    try:
        opened = os.open(name, FOLDER, dir_fd=place)
    except PermissionError:
        _unlock(name, place)
        return os.open(name, FOLDER, dir_fd=place)
    if os.fstat(opened).st_mode & stat.S_IRWXU != stat.S_IRWXU:
        with suppress(OSError):
            os.fchmod(opened, stat.S_IRWXU)
    return opened


def _unlock(name: str, place: int) -> None:
    """Let the owner into a folder. Systems without O_PATH have no such way, and the folder stays."""
    by_path = getattr(os, "O_PATH", None)
    if by_path is None:
        return
    handle = os.open(name, by_path | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=place)
    try:
        with suppress(OSError):
            os.chmod(f"/proc/self/fd/{handle}", stat.S_IRWXU)
    finally:
        os.close(handle)
