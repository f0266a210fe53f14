"""The line above the items: our own, or upstream's from the user's checkout, read and never executed.

Upstream's asks the agent to discuss each memory item before it acts (UPSTREAM.md 3.3). No digest of it is
known to us, so it is always named as unverified.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal

from loadbearing.prompts.templates import cue_line

MOST_LEVELS = 4
MOST_FILES = 500
MOST_BYTES = 512 * 1024
LONGEST = 2_000
"""Characters of a cue. It has three sentences; instructions of condensers and judges are longer."""

TEXTS = (".txt", ".md")
SPEAKS = re.compile(r"\bmemor(?:y|ies)\b", re.IGNORECASE)
OF_ITEMS = re.compile(r"\bitems?\b", re.IGNORECASE)
ASKS = re.compile(r"\bdiscuss(?:es|ing)?\b", re.IGNORECASE)
PLACEHOLDER = re.compile(r"%[sdr]|\{\{?+\s*+(?:\w++\s*+)?+\}")
PASSED_BY = ("node_modules", "site-packages", "venv", "__pycache__")


class CueFault(ValueError):
    """Upstream's cue cannot be had. The message is one line and says what was needed."""


@dataclass(frozen=True, slots=True)
class Cue:
    """The text above the items.

    Args:
        text: without blanks around it; the slot joins it to the items by a blank line.
        label: how plans, ledgers and reports name it.
    """

    text: str
    label: str

    @property
    def digest(self) -> str:
        """Sha256 of the text."""
        return sha256(self.text.encode()).hexdigest()


def load_cue(asked: Literal["ours", "upstream"], control_source: Path | None, cue_source: Path | None) -> Cue:
    """The cue that the spec asks for.

    Args:
        control_source: upstream's prompts; the cue is looked for in the checkout around them.
        cue_source: where upstream's cue stands: a Python file, or a text file that is taken whole.

    Raises:
        CueFault: a file cannot be read, or does not hold exactly one text that can be the cue.
    """
    if asked == "ours":
        return Cue(cue_line(), "cue: ours")
    if cue_source is not None:
        text = _of_file(cue_source)
    elif control_source is not None:
        text = _around(control_source)
    else:
        raise CueFault("cue: upstream is read from your checkout; name control.source or control.cue_source")
    cue = Cue(text, "")
    return Cue(text, f"cue: upstream, unverified {cue.digest[:12]}")


def _of_file(source: Path) -> str:
    """The cue in the file that the user named."""
    if source.suffix.lower() in TEXTS:
        try:
            text = _read(source).decode("utf-8-sig")
        except ValueError as fault:
            raise CueFault(f"control.cue_source needs a readable text file; {source}: {fault}") from fault
        text = text.replace("\r\n", "\n").replace("\r", "\n").strip()
        if not text or len(text) > LONGEST:
            raise CueFault(
                f"a cue has 1 to {LONGEST} characters; control.cue_source {source} has {len(text)}"
            )
        return text
    if source.suffix.lower() != ".py":
        raise CueFault(f"control.cue_source needs a .py, .txt or .md file, got {source}")
    try:
        found = cues_in(_read(source))
    except (ValueError, SyntaxError, RecursionError, MemoryError) as fault:
        raise CueFault(f"control.cue_source needs a readable Python file; {source}: {fault}") from fault
    return _only(dict.fromkeys(found, source), f"control.cue_source {source}")


def _around(source: Path) -> str:
    """The cue in the checkout around the control's source: the folder it lies in, then those above it."""
    if not source.is_file():
        raise CueFault(f"control.source needs a readable Python file; there is none at {source}")
    folders = source.resolve().parents[: MOST_LEVELS + 1]
    top = next((level for level, folder in enumerate(folders) if (folder / ".git").exists()), 0)
    seen: set[Path] = set()
    for folder in folders[: top + 1]:
        found: dict[str, Path] = {}
        for path in _python_files(folder, seen):
            try:
                found |= dict.fromkeys(cues_in(_read(path)), path)
            except (ValueError, SyntaxError, RecursionError, MemoryError):
                continue  # a file that Python cannot read holds no cue that an agent uses
        if found:
            return _only(found, f"the checkout around {source}")
    where = f"{len(seen)} Python files in {folders[top]}"
    raise CueFault(
        f"cue: upstream needs the text that asks the agent to discuss each memory item; none is in {where}:"
        " name the file as control.cue_source"
    )


def _only(found: dict[str, Path], where: str) -> str:
    if len(found) == 1:
        return next(iter(found))
    if not found:
        said = "none does"
    else:
        said = f"{len(found)} do, in {', '.join(sorted({str(path) for path in found.values()}))}"
    raise CueFault(
        f"cue: upstream needs one text in {where} that speaks of memory items and asks to discuss them;"
        f" {said}: put it into a text file and name that as control.cue_source"
    )


def _python_files(folder: Path, seen: set[Path]) -> Iterator[Path]:
    """Python files below the folder that were not seen before, in a fixed order.

    Raises:
        CueFault: there are too many.
    """
    for where, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in PASSED_BY)
        for path in (Path(where) / name for name in sorted(names) if name.endswith(".py")):
            if path in seen or not path.is_file():
                continue
            if len(seen) == MOST_FILES:
                raise CueFault(
                    f"cue: upstream is looked for in {MOST_FILES} Python files at most; {folder} has more:"
                    " name the file as control.cue_source"
                )
            seen.add(path)
            yield path


def _read(path: Path) -> bytes:
    """The bytes of a file of bounded size.

    Raises:
        ValueError: it is larger, no plain file, or cannot be read.
    """
    try:
        if not path.is_file():
            raise ValueError("no such file")
        if path.stat().st_size > MOST_BYTES:
            raise ValueError(f"it is larger than {MOST_BYTES // 1024} kB")
        return path.read_bytes()
    except OSError as fault:
        raise ValueError(fault.strerror or "it cannot be read") from fault


def cues_in(source: bytes) -> tuple[str, ...]:
    """The texts in a Python file that speak of memory items and ask to discuss them, stripped, each once.

    A text is a string literal wherever it stands, or several joined by `+`; of an f-string, what stands on
    lines of its own. Docstrings are none, nor is what has a placeholder in it.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: it is no Python.
    """
    # bytes: the file's own encoding line and byte-order mark count, as they would for Python
    texts = dict.fromkeys(text.strip() for text in _texts(ast.parse(source)))
    return tuple(text for text in texts if _is_cue(text))


def _is_cue(text: str) -> bool:
    wanted = all(pattern.search(text) for pattern in (SPEAKS, OF_ITEMS, ASKS))
    plain = text == text.encode("utf-8", "replace").decode("utf-8")
    return wanted and plain and len(text) <= LONGEST and not PLACEHOLDER.search(text)


def _texts(node: ast.AST) -> Iterator[str]:
    """Every string in the tree, sums as a whole."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            yield node.value
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        run = ""
        for part in _summands(node):
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                run += part.value
            else:
                yield run
                run = ""
                yield from _texts(part)
        yield run
    elif isinstance(node, ast.JoinedStr):
        yield from _pieces(node)
    else:
        for child in ast.iter_child_nodes(node):
            yield from _texts(child)


def _summands(node: ast.expr) -> Iterator[ast.expr]:
    """The terms of `a + b + c`, from left to right."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield from _summands(node.left)
        yield from _summands(node.right)
    else:
        yield node


def _pieces(node: ast.JoinedStr) -> Iterator[str]:
    """What an f-string says between its placeholders, where it does not break off in the middle of a line."""
    for place, part in enumerate(node.values):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            text = part.value
            begins = place == 0 or text.lstrip(" \t").startswith("\n")
            ends = place == len(node.values) - 1 or text.rstrip().endswith((".", "!", "?", ":"))
            if begins and ends:
                yield text
        elif isinstance(part, ast.FormattedValue):
            yield from _texts(part.value)
