"""The line above the items: our own, or upstream's from the user's checkout, read and never executed.

Upstream's asks the agent to discuss each memory item before it acts (UPSTREAM.md 3.3). It is the same for
WebArena and SWE at all commits, and found by its digest.
"""

import ast
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Literal

from loadbearing.prompts.control import NO_PYTHON, ReplyLayout, read_small
from loadbearing.prompts.templates import cue_line

KNOWN = "f2023497f7f8ce1abbd4216c3838a42c5fc1d75b237133b6fd00582244ed6ccf"
"""Sha256 of upstream's cue, stripped; at 1f334c1 and ed80611."""
TOP = (".git", "LICENSE", "pyproject.toml")
"""One of these marks the top of a checkout; a ZIP file has no `.git`."""
MOST_LEVELS = 4
MOST_FILES = 500
LONGEST = 2_000
"""Characters of a cue."""
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
    known: str = KNOWN,
) -> Cue:
    """The cue that the spec asks for.

    Args:
        control_source: upstream's prompts; the known cue is looked for in the checkout around them.
        cue_source: a Python file with the known cue, or a text file that is taken whole.
        layout: upstream's SWE agent shows its items one line below its cue, and not after a blank line.

    Raises:
        CueFault: a file cannot be read, or does not hold the cue.
    """
    if asked == "ours":
        return Cue(cue_line(), "cue: ours")
    if cue_source is not None:
        text = _named(cue_source, known)
    elif control_source is not None and control_source.is_file():
        text = _around(control_source, known)
    else:
        raise CueFault("cue: upstream is read from your checkout; name control.source or control.cue_source")
    if not text or len(text) > LONGEST:
        where = cue_source or f"the checkout around {control_source}"
        raise CueFault(
            f"cue: upstream needs a file that holds it; {where}"
            f" does not: put it into a text file of 1 to {LONGEST} characters named by control.cue_source"
        )
    digest = sha256(text.encode()).hexdigest()
    label = "cue: upstream (verified)" if digest == known else f"cue: upstream, unverified {digest[:12]}"
    return Cue(f"{text}\n" if layout == "swe" else text, label)


def _named(source: Path, known: str) -> str:
    """The cue of the file that the user named."""
    try:
        if source.suffix.lower() == ".py":
            return _written(source, known)
        return read_small(source).decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n").strip()
    except (OSError, *NO_PYTHON) as fault:
        raise CueFault(
            f"control.cue_source needs a readable Python or text file; {source}: {fault}"
        ) from fault


def _around(source: Path, known: str) -> str:
    """The cue in the checkout; without one, in the folder of the control's source. Empty: it is not there."""
    folders = source.resolve().parents[: MOST_LEVELS + 1]
    top = next((one for one in folders if any((one / name).exists() for name in TOP)), folders[0])
    names = (path.relative_to(top) for path in top.rglob("*.py"))
    there = (one for one in names if not any(p.startswith(".") or p in PASSED_BY for p in one.parts))
    for name in islice(there, MOST_FILES):
        # a file that Python cannot read holds no cue that an agent uses
        with suppress(OSError, *NO_PYTHON):
            if text := _written(top / name, known):
                return text
    return ""


def _written(path: Path, known: str) -> str:
    """The known cue where it stands as a string in a Python file, stripped; empty where it does not."""
    nodes = ast.walk(ast.parse(read_small(path)))
    texts = (one.value.strip() for one in nodes if isinstance(one, ast.Constant) and type(one.value) is str)
    digests = ((text, sha256(text.encode("utf-8", "replace")).hexdigest()) for text in texts)
    return next((text for text, digest in digests if digest == known), "")
