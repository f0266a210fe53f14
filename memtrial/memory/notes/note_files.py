"""Hand-written files as they lie on a disk: one, or a folder of such, with what they import.

`@path` in a file of Claude Code brings in another one. It is read where it lies inside the tree, and else
only named. The tree is the repository around the file, or its own folder where there is none.
"""

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from memtrial.faults import SpecFault
from memtrial.memory.notes.note_blocks import NoteBlock
from memtrial.memory.notes.note_items import NoteText, read_note

NEEDED = "a text that people write by hand is needed, as CLAUDE.md, SKILL.md or a folder of notes"
MOST_BYTES = 4 * 1024 * 1024
MOST_FILES = 2_000
MOST_HOPS = 5
"""Imports of imports that are followed, as many as Claude Code follows."""
ENDINGS = (".md", ".mdc", ".markdown", ".txt")
NAMES = (".cursorrules", ".windsurfrules", ".clinerules")
"""Files of notes that have no ending of their own."""
PASSED = frozenset({"node_modules", "__pycache__", "vendor", "target", "dist", "build", "venv"})
"""Folders that are not looked into; nor is one whose name begins with a dot, but for those of `OWN`."""
OWN = frozenset({".claude", ".codex", ".cursor", ".github", ".agents", ".gemini"})
_IMPORT = re.compile(r"(?<![\w`@/.])@(?P<path>~?[\w./-]*[\w-])")
_CODE_SPAN = re.compile(r"`[^`\n]*`")


@dataclass(frozen=True, slots=True)
class NoteImport:
    """A file that a text brings in.

    Args:
        written: the path as written, without the `@`.
        line: where.
        path: the file; None where there is none inside the tree.
        alone: nothing else stands on its line, so that it can be meant as nothing else.
    """

    written: str
    line: int
    path: Path | None
    alone: bool


@dataclass(frozen=True, slots=True)
class NoteFile:
    """A file, read.

    Args:
        name: as it was given, or as it lies below the folder that was, or beside the file that brings it in.
        root: the tree in which its references are looked up.
        imported: another file brought it in; nobody named it.
    """

    path: Path
    name: str
    root: Path
    text: str
    read: NoteText
    imports: tuple[NoteImport, ...]
    imported: bool = False


def read_note_files(given: Iterable[Path]) -> tuple[NoteFile, ...]:
    """Each file once, in the order given, folders by name; then what they import.

    Raises:
        SpecFault: a path is neither file nor folder, a file is no text or too large, or a folder holds none.
    """
    files: dict[Path, NoteFile] = {}
    for path in given:
        for place in _files_of(path):
            files.setdefault(place.resolve(), _read_file(place))
    latest = list(files.values())
    for _ in range(MOST_HOPS):
        wanted: dict[Path, NoteFile] = {}
        for file in latest:
            for brought in file.imports:
                if brought.path and brought.path not in files:
                    wanted.setdefault(brought.path, file)
        latest = [_read_file(path, brings) for path, brings in wanted.items()]
        files |= {file.path.resolve(): file for file in latest}
    return tuple(files.values())


def _files_of(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    names = [name for name in _walk(path) if name.suffix.lower() in ENDINGS or name.name in NAMES]
    if not names:
        raise SpecFault(f"{NEEDED}; {path} holds none (files that end in {', '.join(ENDINGS)})")
    if len(names) > MOST_FILES:
        raise SpecFault(f"{NEEDED}; {path} holds more than {MOST_FILES:,}: name a folder below it")
    yield from sorted(names)


def _walk(folder: Path) -> Iterator[Path]:
    """The plain files below it; links are not followed."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if is_looked_into(name))
        yield from (path for name in names if not (path := Path(place, name)).is_symlink())


def is_looked_into(name: str) -> bool:
    """Whether a folder of this name holds what people wrote."""
    return name not in PASSED and (not name.startswith(".") or name in OWN)


def _read_file(path: Path, brings: NoteFile | None = None) -> NoteFile:
    text = read_plain(path)
    read, root = read_note(text), root_of(path)
    imports = tuple(find_imports(read.blocks, path, root))
    name = _name_beside(brings, path) if brings else str(path)
    return NoteFile(path, name, root, text, read, imports, brings is not None)


def _name_beside(brings: NoteFile, path: Path) -> str:
    """The imported path as seen from where the file that brings it in was named."""
    below = os.path.relpath(path, brings.path.resolve().parent)
    return os.path.normpath(Path(brings.name).parent / below)


def read_plain(path: Path) -> str:
    """The text as it stands, line ends and byte order mark included.

    Raises:
        SpecFault: it is no plain file, too large, no UTF-8 text, or of lines that end in CR alone.
    """
    if not path.is_file():
        raise SpecFault(f"{NEEDED}; {path} {'is no plain file' if path.exists() else 'is not there'}")
    try:
        if path.stat().st_size > MOST_BYTES:
            raise SpecFault(f"{NEEDED}; {path} is larger than {MOST_BYTES // 1024**2} MiB")
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as fault:
        raise SpecFault(
            f"{NEEDED}; {path} is no UTF-8 text at byte {fault.start}: save it as UTF-8"
        ) from fault
    except OSError as fault:
        raise SpecFault(f"{NEEDED}; {path} cannot be read: {fault.strerror}") from fault
    if "\0" in text:
        raise SpecFault(f"{NEEDED}; {path} is no text: it holds zero bytes")
    if "\n" not in text and "\r" in text.rstrip():
        # one line to every reader of ours, with nothing to find in it
        raise SpecFault(f"{NEEDED}; the lines of {path} end in CR alone: save it with LF or CRLF")
    return text


def root_of(path: Path) -> Path:
    """The repository around the file, or its own folder."""
    folder = path.resolve().parent
    return next((place for place in (folder, *folder.parents) if (place / ".git").exists()), folder)


def find_imports(blocks: Iterable[NoteBlock], path: Path, root: Path) -> Iterator[NoteImport]:
    """The `@path` outside code; a mention of a person or a package is none, unless it stands alone."""
    for block in blocks:
        if block.kind not in ("paragraph", "item"):
            continue
        for offset, line in enumerate(block.text.split("\n") if "@" in block.text else ()):
            bare = _CODE_SPAN.sub("", line)
            for match in _IMPORT.finditer(bare):
                written = match["path"]
                target = _inside(path, written, root)
                alone = bare.strip(" \t\r-*") == match[0] and bool(Path(written).suffix)
                if target or alone:
                    yield NoteImport(written, block.line + offset, target, alone)


def _inside(path: Path, written: str, root: Path) -> Path | None:
    """The file that is meant, where it lies inside the tree."""
    if written.startswith("~"):
        return None
    try:
        target = (path.resolve().parent / written).resolve()
        inside = target.is_relative_to(root) and target.is_file()
    except (OSError, ValueError):
        return None
    return target if inside and target.stat().st_size <= MOST_BYTES else None
