"""Paths that a file names and that are not in its tree.

A link and an import name their path for sure; words in backticks are looked up only where they look like a
path and their first folder is there: `src/old/api.ts` in a tree that has `src`. A skill works in trees of
others, so that its own folder is its tree. Read are the names of the tree, not its files. What a text asks to
be made, or gives as an example, need not be there.
"""

import os
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

from memtrial.gates.notes.note_report import SKILL, NoteFinding
from memtrial.memory.language.lexicon import word_set
from memtrial.memory.notes.note_files import NoteFile

GATE = "dead-reference"
MOST_NAMES = 50_000
"""Files and folders of a tree that are looked at; of a larger one nothing is said to be missing."""
_PASSED = frozenset({".git", "node_modules", "__pycache__", ".venv", "venv"})
_LINK = re.compile(r"(?<!!)\[[^\]\n]{1,300}\]\((?P<path>[^()\s]{1,300})\)")
_SPAN = re.compile(r"`[^`\n]*`(?!\])")
"""Code, but not where it is the text of a link."""
_CODE = re.compile(r"`(?P<path>[\w.@+-]+(?:/[\w.@+()\[\]-]+)+/?)(?::\d+(?:-\d+)?)?`")
_RUN = re.compile(
    r"`(?:(?:uv|poetry|pdm|pipenv)\s+run\s+)?(?:python3?|node|bash|sh|ruby|perl|tsx)\s+(?P<path>[\w.-]+(?:/[\w.-]+)+)(?=[\s`])"
)
"""A command that runs a file of the tree."""
_NO_PATH = re.compile(
    r"(?i)\b(?:branch\w*|tags?|routes?|endpoints?|get|post|put|patch|delete|url|api|prefix\w*|import\w*|packages?|scope|repos?|mime|type|label\w*|image)\b"
)
"""Words of a line whose words with a slash are no folders."""
_MADE = re.compile(
    r"(?i)\b(?:creat|generat|writ|add|new|output|e\.g|example|such\s+as|like|would|build|built|produc|sav|stor|temporar|emit|cop(?:y|ies)"
    r"|renam|mov|remov|delet|legacy|former|deprecat|no\s+longer|not\s+(?:in|exist|there)|missing|gitignore|ignored|install|will\s+be|planned"
    r"|instead|not\s+needed|todo|download|clone|put|place|optional|exist|present|available|persist|record|whether|look\s+for|template|user|project\s+root)"
)
"""Beginnings of words around a path that say it need not be there."""
_GONE = re.compile(
    r"(?i)\b(?:removed|deprecated|legacy|former|examples?|templates?|changelog|history|planned|roadmap)\b"
)
"""Of a heading under which paths need not be there."""
_GENERATED = word_set(
    "dist build out target coverage node_modules tmp temp logs log cache venv bin obj vendor generated"
    " artifacts results"
)
_MADE_AT_WORK = (".db", ".sqlite", ".sqlite3", ".log", ".pid", ".sock", ".tmp")
"""Endings of files that a program makes where it runs."""
_ADDRESS = re.compile(r"(?i)[a-z][a-z0-9+.-]*:|//|#")
_ELLIPSIS = re.compile(r"\.\.\.|…|[*<>{}$%]|N{2,}|X{2,}|Y{4}|(?i:\b(?:foo|bar|baz|your|my|example|path)\b)")


@dataclass(frozen=True)
class TreeNames:
    """The names below a root, which are listed when one of them is missed for the first time."""

    root: Path

    def holds(self, written: str, folder: str) -> bool:
        """Whether the path is there: from the file's folder or one above it, or as the end of a path.

        Of a tree of more names than `MOST_NAMES` nothing is said to be missing.
        """
        plain = written.rstrip("/")
        for above in (PurePosixPath(folder), *PurePosixPath(folder).parents):
            if self.is_there(os.path.normpath(above / plain)):
                return True
        bare = plain.removeprefix("./")
        ends = self.by_last_name
        if ends is None:
            return True
        return any(path.endswith(f"/{bare}") for path in ends.get(bare.rpartition("/")[2], ()))

    def is_there(self, path: str) -> bool:
        """Whether a path from the root on is there, and inside it."""
        return not path.startswith("..") and os.path.lexists(self.root / path)

    def parts_folders(self, path: str) -> bool:
        """Whether the folder above a path holds folders, and nothing that begins with its last name.

        So that "modules/rds" is missed beside "modules/vpc", and no "src/api" beside "src/api.ts".
        """
        folder, name = os.path.split(self.root / path)
        if path.startswith(".."):
            return False
        with suppress(OSError), os.scandir(folder) as entries:
            held = list(entries)
            alike = any(entry.name.startswith(f"{name}.") for entry in held)
            return not alike and any(
                entry.is_dir(follow_symlinks=False) and not entry.name.startswith(".") for entry in held
            )
        return False

    @cached_property
    def by_last_name(self) -> Mapping[str, Sequence[str]] | None:
        """By the last name, all paths that end in it, each from a slash on; None where there are too many."""
        ends: dict[str, list[str]] = {}
        n_names, folders = 0, [""]
        while folders:
            below = folders.pop()
            with suppress(OSError), os.scandir(f"{self.root}{below}") as entries:
                for entry in entries:
                    ends.setdefault(entry.name, []).append(path := f"{below}/{entry.name}")
                    n_names += 1
                    if entry.name not in _PASSED and entry.is_dir(follow_symlinks=False):
                        folders.append(path)
            if n_names > MOST_NAMES:
                return None
        return ends


def find_dead_references(file: NoteFile, tree: TreeNames, english: bool) -> Iterator[NoteFinding]:
    """Each path that is named and not there, once a path; in another language links and imports alone."""
    folder = os.path.relpath(file.path.resolve().parent, file.root)
    base = folder if file.path.name.lower() == SKILL else "."
    gone = [_GONE.search(" ".join(section.titles)) is not None for section in file.read.sections]
    starts = [section.line for section in file.read.sections]
    dead: dict[str, NoteFinding] = {}
    for brought in file.imports:
        if brought.path is None and not brought.written.startswith("~"):
            dead[brought.written] = _report_missing(file, brought.line, f"@{brought.written}", True)
    for block in file.read.blocks:
        if block.kind in ("code", "comment", "front matter", "blank", "rule"):
            continue
        if gone[bisect_right(starts, block.line) - 1]:
            continue
        for offset, line in enumerate(block.text.split("\n")):
            for written, quote, sure in _named_in(line):
                meant = sure or (english and _is_of_tree(written, tree, base))
                if meant and written not in dead and not tree.holds(written, folder):
                    dead[written] = _report_missing(file, block.line + offset, quote, sure)
    yield from dead.values()


def _named_in(line: str) -> Iterator[tuple[str, str, bool]]:
    """The paths of a line: as looked up, as written, and whether it is a link."""
    for link in _LINK.finditer(_SPAN.sub("", line)) if "](" in line else ():
        written = link["path"].partition("#")[0].partition("?")[0]
        local = not _ADDRESS.match(link["path"]) and not written.startswith(("/", "~", "<"))
        if local and not _ELLIPSIS.search(written) and ("/" in written or "." in written):
            yield written, link["path"], True
    if "`" not in line or _MADE.search(line):
        return
    plain = _SPAN.sub("", line)
    for code in _CODE.finditer(line):
        written = code["path"]
        bare = "." not in written.rpartition("/")[2] and not written.endswith("/")
        if (
            not _ELLIPSIS.search(written)
            and not _ADDRESS.match(written)
            and not (bare and _NO_PATH.search(plain))
        ):
            yield written, code[0].strip("`"), False
    for run in _RUN.finditer(line):
        if not _ELLIPSIS.search(run["path"]):
            yield run["path"], run["path"], False


def _is_of_tree(written: str, tree: TreeNames, base: str) -> bool:
    """Whether a missing path is one of this tree below `base`, and no package, route or branch."""
    first, *rest = PurePosixPath(written).parts
    last = rest[-1] if rest else ""
    if (
        {first.lower(), *(part.lower() for part in rest)} & _GENERATED
        or last.startswith(".env")
        or last.endswith(_MADE_AT_WORK)
    ):
        return False
    if first.startswith(".") or not tree.is_there(os.path.normpath(f"{base}/{first}")):
        return False
    return "." in last or written.endswith("/") or tree.parts_folders(os.path.normpath(f"{base}/{written}"))


def _report_missing(file: NoteFile, line: int, quote: str, sure: bool) -> NoteFinding:
    reason = "is not in the tree: name where it is now, or take it out"
    return NoteFinding(GATE, "FAIL" if sure else "WARN", file.name, line, quote, reason)
