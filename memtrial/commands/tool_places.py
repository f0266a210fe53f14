"""Where the programs on PATH really lie: the folders below a home without which they do not run."""

import os
import re
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

MOST_LINKS = 10_000
"""Entries of a folder of PATH that are looked at."""
SHARED = (".local", ".config", ".cache")
"""Folders of a home that hold files of many programs."""
PROGRAMS = ("bin", "sbin", "shims", ".bin")
ABSOLUTE = re.compile(r"/[^\s'\"|&;<>()$`=,:{}\\]+")
RESOLVER = Path("/etc/resolv.conf")


def find_tools(home: Path, variables: Iterable[str]) -> tuple[Path, ...]:
    """Folders that programs need to read, each once; they may lie anywhere.

    Args:
        variables: names of variables of the user's; the folders that they hold count, too.
    """
    return tuple(dict.fromkeys(_tools(home, variables)))


def _tools(home: Path, variables: Iterable[str]) -> Iterator[Path]:
    yield from (RESOLVER.resolve(), Path(sys.prefix), Path(sys.base_prefix))
    for name in variables:
        yield from (
            Path(part)
            for part in os.environ.get(name, "").split(os.pathsep)
            if part.startswith("/") and os.path.exists(part)
        )
    for part in os.environ.get("PATH", os.defpath).split(os.pathsep):
        folder = Path(part)
        if folder.is_absolute() and folder.is_dir():
            yield find_holder(folder, home)
            yield from (find_holder(held, home) for held in dict.fromkeys(_targets(folder)))


def _targets(folder: Path) -> Iterator[Path]:
    """The folders that the links of a folder lead to."""
    try:
        with os.scandir(folder) as entries:
            for entry in islice(entries, MOST_LINKS):
                if entry.is_symlink():
                    target = Path(os.path.realpath(entry.path))
                    if target.parent != folder:
                        yield target.parent
    except OSError:
        return


def find_named(texts: Iterable[str]) -> tuple[Path, ...]:
    """What commands name by an absolute path; of a file its folder, which may hold more that it needs, and of
    a program what it belongs to."""
    words = (match[0] for text in texts for match in ABSOLUTE.finditer(text))
    paths = (Path(word) for word in words if os.path.exists(word))
    return tuple(dict.fromkeys(place for path in paths for place in _places_of(path)))


def _places_of(path: Path) -> Iterator[Path]:
    yield path if path.is_dir() else path.parent
    if path.is_file() and os.access(path, os.X_OK):
        home = Path(os.path.expanduser("~"))
        yield from (find_holder(each.parent, home) for each in (path, path.resolve()))


def find_holder(folder: Path, home: Path) -> Path:
    """The folder of the tool that a folder of programs belongs to: an environment, an installation."""
    parts = folder.parts
    if "node_modules" in parts:
        return Path(*parts[: parts.index("node_modules") + 1])
    below = folder.relative_to(home).parts if folder.is_relative_to(home) else ()
    for above in (folder, *folder.parents):
        if above in (home, Path("/")):
            break
        if (above / "pyvenv.cfg").is_file():
            return above
    if below and below[0].startswith(".") and below[0] not in (*SHARED, ".claude", ".codex"):
        return home / below[0]
    if below[:2] == (".local", "share") and len(below) > 2:
        return Path(home, *below[:3])
    above = folder.parent
    is_own = above not in (home, home / ".local") and len(above.parts) > 2
    return above if folder.name in PROGRAMS and is_own else folder
