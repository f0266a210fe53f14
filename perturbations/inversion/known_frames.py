"""Statements of a known frame, with quotes for what it is about, and the opposite of each, word for word."""

import re

from memtrial.memory.language.lexicon import read_section
from memtrial.memory.language.sentences import QUOTE_MASK, Edit, Sentence
from memtrial.perturbations.language.grammar import with_capital

_QUOTED = re.compile(f"{QUOTE_MASK}+")


def _read_frames() -> dict[str, str]:
    lines = (line.replace("Q", QUOTE_MASK).split(" -> ") for line in read_section("frames").split("\n"))
    return dict(lines)


_FRAMES = _read_frames()


def _frame_of(text: str) -> str:
    return _QUOTED.sub(QUOTE_MASK, " ".join(text.split())).casefold()


def is_framed(s: Sentence) -> bool:
    """Whether the whole sentence is one of them."""
    return _frame_of(s.covered[: s.tail].rstrip(" ;\n")) in _FRAMES


def turn_frame(s: Sentence, low: int, high: int) -> list[Edit]:
    """The edits that put the opposite in the place of a frame in `[low, high)`; none where there is none."""
    text = s.covered[low:high].rstrip(" .!?;\n")
    other = _FRAMES.get(_frame_of(text))
    if other is None:
        return []
    edges = [low, *(low + edge for quote in _QUOTED.finditer(text) for edge in quote.span()), low + len(text)]
    pieces = zip(edges[::2], edges[1::2], other.split(QUOTE_MASK), strict=True)
    first = True
    edits = []
    for start, end, new in pieces:
        old = s.raw[start:end]
        if " ".join(old.split()).casefold() != new.strip():
            edits.append(Edit(start, end, with_capital(old, new) if first else new))
        first = False
    return edits
