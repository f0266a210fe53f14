"""The line above the items: our own, or upstream's from the user's checkout, read and never executed.

Upstream's asks the agent to discuss each memory item before it acts (UPSTREAM.md 3.3). It is the same for
WebArena and SWE at all commits, and known by its digest.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import groupby, islice
from pathlib import Path
from typing import Literal

from loadbearing.prompts.control import NO_PYTHON, ReplyLayout, is_text, read_small
from loadbearing.prompts.templates import cue_line

KNOWN = "f2023497f7f8ce1abbd4216c3838a42c5fc1d75b237133b6fd00582244ed6ccf"
"""Sha256 of upstream's cue, stripped; at 1f334c1 and ed80611."""
TOP = (".git", "LICENSE", "pyproject.toml")
"""One of these marks the top of a checkout; a ZIP file has no `.git`."""
MOST_LEVELS = 4
MOST_FILES = 500
LONGEST = 2_000
"""Characters of a cue. It has three sentences; instructions of condensers and judges are longer."""

SPEAKS = re.compile(r"\bmemor(?:y|ies)\b", re.IGNORECASE)
OF_ITEMS = re.compile(r"\bitems?\b", re.IGNORECASE)
ASKS = re.compile(r"\bdiscuss(?:es|ing)?\b", re.IGNORECASE)
PLACEHOLDER = re.compile(r"%[sdr]|\{\{?+\s*+(?:\w++\s*+)?+\}")
PASSED_BY = {"node_modules", "site-packages", "venv", "__pycache__"}


class CueFault(ValueError):
    """Upstream's cue cannot be had."""


@dataclass(frozen=True, slots=True)
class Cue:
    """The text above the items, and how plans, ledgers and reports name it."""

    text: str
    label: str

    @property
    def digest(self) -> str:
        """Sha256 of the text."""
        return sha256(self.text.encode()).hexdigest()


def load_cue(
    asked: Literal["ours", "upstream"],
    control_source: Path | None,
    cue_source: Path | None,
    layout: ReplyLayout = "webarena",
) -> Cue:
    """The cue that the spec asks for.

    Args:
        control_source: upstream's prompts; the cue is looked for in the checkout around them.
        cue_source: where upstream's cue stands: a Python file, or a text file that is taken whole.
        layout: upstream's SWE agent shows its items one line below its cue, and not after a blank line.

    Raises:
        CueFault: a file cannot be read, or does not hold exactly one text that can be the cue.
    """
    if asked == "ours":
        return Cue(cue_line(), "cue: ours")
    if cue_source is not None:
        found, where = _in_file(cue_source), f"control.cue_source {cue_source}"
    elif control_source is not None and control_source.is_file():
        found, where = _around(control_source), f"the checkout around {control_source}"
    else:
        raise CueFault("cue: upstream is read from your checkout; name control.source or control.cue_source")
    if len(found) != 1:
        files = f", in {', '.join(sorted({str(path) for path in found.values()}))}" if found else ""
        raise CueFault(
            f"cue: upstream needs one text in {where} that speaks of memory items and asks to discuss them;"
            f" {len(found)} do{files}: put it into a text file and name that as control.cue_source"
        )
    (text,) = found
    digest = sha256(text.encode()).hexdigest()
    label = "cue: upstream (verified)" if digest == KNOWN else f"cue: upstream, unverified {digest[:12]}"
    return Cue(f"{text}\n" if layout == "swe" else text, label)


def _in_file(source: Path) -> dict[str, Path]:
    """The texts that can be the cue in the file that the user named."""
    try:
        if source.suffix.lower() == ".py":
            return dict.fromkeys(cues_in(read_small(source)), source)
        text = read_small(source).decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n").strip()
    except (OSError, *NO_PYTHON) as fault:
        raise CueFault(
            f"control.cue_source needs a readable Python or text file; {source}: {fault}"
        ) from fault
    if not text or len(text) > LONGEST:
        raise CueFault(f"a cue has 1 to {LONGEST} characters; control.cue_source {source} has {len(text)}")
    return {text: source}


def _around(source: Path) -> dict[str, Path]:
    """The texts that can be the cue in the folder of the control's source or, where there is none, in the
    nearest folder above it that has one, within the checkout."""
    folders = source.resolve().parents[: MOST_LEVELS + 1]
    top = next(
        (level for level, folder in enumerate(folders) if any((folder / name).exists() for name in TOP)), 0
    )
    found: dict[str, Path] = {}
    for folder in folders[: top + 1]:
        names = (path.relative_to(folder) for path in folder.rglob("*.py"))
        there = (one for one in names if not any(p.startswith(".") or p in PASSED_BY for p in one.parts))
        files = [folder / one for one in islice(there, MOST_FILES + 1)]
        if len(files) > MOST_FILES:
            raise CueFault(
                f"cue: upstream is looked for in {MOST_FILES} Python files at most; {folder} has more:"
                " name the file as control.cue_source"
            )
        for path in files:
            try:
                found |= dict.fromkeys(cues_in(read_small(path)), path)
            except (OSError, *NO_PYTHON):
                continue  # a file that Python cannot read holds no cue that an agent uses
        if found:
            break
    return found


def cues_in(source: bytes) -> tuple[str, ...]:
    """The texts in a Python file that speak of memory items and ask to discuss them, stripped, each once.

    A text is a string literal wherever it stands, docstrings apart, or several joined by `+`. It is whole
    sentences, without a placeholder: what stands between those of an f-string may be cut.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: it is no Python.
    """
    texts = dict.fromkeys(text.strip() for text in _texts(ast.parse(source)))
    return tuple(
        text
        for text in texts
        if len(text) <= LONGEST
        and all(pattern.search(text) for pattern in (SPEAKS, OF_ITEMS, ASKS))
        and is_text(text)
        and text[0].isupper()
        and text.endswith((".", "!", "?", ":"))
        and not PLACEHOLDER.search(text)
    )


def _texts(node: ast.AST) -> Iterator[str]:
    """Every string in the tree; neighbours in a sum are one."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        for literal, parts in groupby(_summands(node), lambda part: isinstance(part, ast.Constant)):
            strings = (text for part in parts for text in _texts(part))
            yield from ["".join(strings)] if literal else strings
    elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
        for child in ast.iter_child_nodes(node):
            yield from _texts(child)


def _summands(node: ast.expr) -> Iterator[ast.expr]:
    """The terms of `a + b + c`, from left to right."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield from _summands(node.left)
        yield from _summands(node.right)
    else:
        yield node
