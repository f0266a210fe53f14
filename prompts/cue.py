"""The line above the items: our own, or upstream's from the user's checkout, read and never executed.

Upstream's asks the agent to discuss each memory item before it acts (UPSTREAM.md 3.3). It is the same for
WebArena and SWE at all commits, and known by its digest.
"""

import ast
import re
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
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
    """The texts that can be the cue in the checkout; without one, in the folder of the control's source."""
    folders = source.resolve().parents[: MOST_LEVELS + 1]
    top = next((one for one in folders if any((one / name).exists() for name in TOP)), folders[0])
    names = (path.relative_to(top) for path in top.rglob("*.py"))
    there = (one for one in names if not any(p.startswith(".") or p in PASSED_BY for p in one.parts))
    files = [top / one for one in islice(there, MOST_FILES + 1)]
    if len(files) > MOST_FILES:
        raise CueFault(
            f"cue: upstream is looked for in {MOST_FILES} Python files at most; {top} has more:"
            " name the file as control.cue_source"
        )
    found: dict[str, Path] = {}
    for path in files:
        # a file that Python cannot read holds no cue that an agent uses
        with suppress(OSError, *NO_PYTHON):
            found |= dict.fromkeys(cues_in(read_small(path)), path)
    return found


def cues_in(source: bytes) -> tuple[str, ...]:
    """The texts in a Python file that speak of memory items and ask to discuss them, stripped, each once.

    A text is a string literal wherever it stands, docstrings apart. It is whole sentences, without a
    placeholder: what stands between those of an f-string may be cut.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: it is no Python.
    """
    nodes = list(ast.walk(ast.parse(source)))
    docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    literals = (node for node in nodes if isinstance(node, ast.Constant) and id(node) not in docstrings)
    texts = dict.fromkeys(node.value.strip() for node in literals if isinstance(node.value, str))
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
