"""A copy of what a memory server works on, so that no trial sees what another changed."""

import os
import shutil
import stat
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from memtrial.faults import SpecFault

MOST_FILES, MOST_BYTES = 10_000, 256 * 1024 * 1024


def copy_state(source: Path, target: Path) -> Path:
    """A copy of a file or a folder; links and whatever is no plain file are left out.

    Raises:
        SpecFault: there is none, it is too large, or cannot be read.
    """
    needed = f"mcp: state is a file or a folder of at most {MOST_BYTES // 2**20} MiB"
    try:
        if not (source.is_file() or source.is_dir()):
            raise SpecFault(f"{needed}; {source} is {'neither' if source.exists() else 'not there'}")
        pairs = list(_list_files(source))
        if len(pairs) > MOST_FILES or sum(size for _, size in pairs) > MOST_BYTES:
            raise SpecFault(f"{needed} and {MOST_FILES:,} files; {source} is larger; name what it needs")
        if source.is_dir():
            target.mkdir(parents=True)
        for path, _ in pairs:
            place = target / path.relative_to(source) if source.is_dir() else target
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place)
    except OSError as fault:
        raise SpecFault(f"{needed}; {source} cannot be copied: {fault.strerror or fault}") from fault
    return target


def digest_state(source: Path) -> str:
    """Sha256 of the names and the bytes of its plain files; the same where there is none."""
    whole = sha256()
    for path, size in sorted(_list_files(source)):
        whole.update(f"{path.relative_to(source)}\0{size}\0".encode("utf-8", "surrogateescape"))
        whole.update(path.read_bytes())
    return whole.hexdigest()


def _list_files(source: Path) -> Iterator[tuple[Path, int]]:
    """Plain files and their sizes; a few more than are allowed are enough to refuse them."""
    if source.is_file():
        yield source, source.stat().st_size
        return
    number = 0
    for folder, _, names in os.walk(source):
        for name in names:
            path = Path(folder, name)
            state = path.lstat()
            if stat.S_ISREG(state.st_mode):
                yield path, state.st_size
                number += 1
                if number > MOST_FILES:
                    return
