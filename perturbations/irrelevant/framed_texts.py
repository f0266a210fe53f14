"""The texts of one item under the headings of another."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial

from memtrial.memory.language.layout_parts import written_in
from memtrial.memory.language.structure import HeadedPart, parts
from memtrial.perturbations.language.word_spans import n_words

_LIST = re.compile(r"[-*+>|]\s|\d{1,3}[.)]\s|```|~~~")


@dataclass(frozen=True)
class Text:
    """A text and its length."""

    raw: str

    @cached_property
    def n_words(self) -> int:
        return n_words(self.raw)

    def distance(self, other: Text, words: int = 0, signs: int = 0) -> float:
        """Misfit of the other's length as a share of this one's, with the surplus of the texts before it."""
        of_words = (other.n_words + words - self.n_words) / max(1, self.n_words)
        return abs(of_words) + abs(len(other.raw) + signs - len(self.raw)) / max(1, len(self.raw))


def texts_under(item: str) -> Callable[[str], Text | None]:
    """What puts the texts of a source under this item's headings; it gives None where a text of the item has
    no counterpart."""
    return _fill_frame(_frame_of(item))


@lru_cache(maxsize=4096)
def _frame_of(item: str) -> tuple[HeadedPart, ...]:
    """The parts of an item, whose words do not count: a letter stands for each text, with its blanks."""
    return tuple(
        replace(part, body=part.body.replace(part.body.strip(), "x")) if part.body.strip() else part
        for part in parts(item)
    )


@lru_cache(maxsize=256)  # items of one schema have few frames
def _fill_frame(frame: tuple[HeadedPart, ...]) -> Callable[[str], Text | None]:
    """What puts the texts of a source under these headings, and each source once."""
    return lru_cache(maxsize=2048)(partial(_put_into, frame))


def _put_into(mine: tuple[HeadedPart, ...], source: str) -> Text | None:
    theirs = parts(source)
    pairs = _steps(mine, theirs) if any(part.step for part in mine) else _fields(mine, theirs)
    out: list[str] = []
    for part, body in pairs:
        if part.body.strip() and not body.strip() and not part.step:
            return None
        out.append(_put_text(part, body.strip()))
    return Text("".join(out)) if out else None


def _fields(mine: tuple[HeadedPart, ...], theirs: tuple[HeadedPart, ...]) -> list[tuple[HeadedPart, str]]:
    """Each part and the body of the one at its place; nothing where the labels differ."""
    if any(part.step for part in theirs) or [part.label for part in mine] != [part.label for part in theirs]:
        return []
    return [(part, other.body) for part, other in zip(mine, theirs, strict=True)]


def _steps(mine: tuple[HeadedPart, ...], theirs: tuple[HeadedPart, ...]) -> list[tuple[HeadedPart, str]]:
    """As many steps: the first ones of the other trajectory, and its last; nothing where it has fewer."""
    n_mine, n_theirs = (max((part.step for part in both), default=0) for both in (mine, theirs))
    if n_theirs < n_mine:
        return []
    bodies = {(part.step, part.label): part.body for part in theirs}
    steps = {n_mine: n_theirs}
    return [(part, bodies.get((steps.get(part.step, part.step), part.label), "")) for part in mine]


def _put_text(part: HeadedPart, text: str) -> str:
    """The text in the place of the part's own, with its blanks; a list begins below the heading."""
    inner = part.body.strip()
    text = written_in(text, part.layout) if part.layout else text
    if not text:
        return part.head + (part.body.replace(inner, "") if inner else part.body)
    lead, trail = part.body.split(inner, 1) if inner else ("", part.body)
    head = part.head
    if not inner and head and not head[-1].isspace():
        lead = " "
    if head.strip() and "\n" not in lead and _LIST.match(text) and "\n" in text and not part.step:
        head, lead = head.rstrip(), "\n"
    return head + lead + text + trail
