"""One item's texts under another item's headings, and the same with whole sentences left out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from loadbearing.memory.language.sentences import spans
from loadbearing.memory.language.structure import Part, parts
from loadbearing.memory.words import words
from loadbearing.perturbations.language.words import n_words

_MARKS = "\"'”’)]*_`"
_LEAST = 4  # words of a sentence that counts as repeated
_TYPED = ("trigger", "form", "title", "action")  # no sentences
_LIST = re.compile(r"[-*+>|]\s|\d{1,3}[.)]\s|```|~~~")


@dataclass(frozen=True)
class Text:
    """A text and its length."""

    raw: str

    @cached_property
    def n_words(self) -> int:
        return n_words(self.raw)

    def distance(self, other: Text, words: int = 0, signs: int = 0) -> float:
        """By how much of this length the other misses it, where so many more words and signs came before."""
        of_words = (other.n_words + words - self.n_words) / max(1, self.n_words)
        return abs(of_words) + abs(len(other.raw) + signs - len(self.raw)) / max(1, len(self.raw))


def framed_alike(item: str, source: str) -> Text | None:
    """The source's texts under the item's headings; None where a text of the item has no counterpart."""
    mine, theirs = parts(item), parts(source)
    pairs = _steps(mine, theirs) if any(part.step for part in mine) else _fields(mine, theirs)
    out: list[str] = []
    for part, body in pairs:
        if part.body.strip() and not body.strip() and not part.step:
            return None
        out.append(_put(part, body.strip()))
    return Text("".join(out)) if out else None


def _fields(mine: tuple[Part, ...], theirs: tuple[Part, ...]) -> list[tuple[Part, str]]:
    """Each part and the body of the one at its place; nothing where the labels differ."""
    if any(part.step for part in theirs) or [one.label for one in mine] != [one.label for one in theirs]:
        return []
    return [(part, other.body) for part, other in zip(mine, theirs, strict=True)]


def _steps(mine: tuple[Part, ...], theirs: tuple[Part, ...]) -> list[tuple[Part, str]]:
    """As many steps: the first ones of the other trajectory, and its last; nothing where it has fewer."""
    n_mine, n_theirs = (max((part.step for part in of), default=0) for of in (mine, theirs))
    if n_theirs < n_mine:
        return []
    bodies = {(part.step, part.label): part.body for part in theirs}
    steps = {n_mine: n_theirs}
    return [(part, bodies.get((steps.get(part.step, part.step), part.label), "")) for part in mine]


def _put(part: Part, text: str) -> str:
    """The text in the place of the part's own, with its blanks; a list begins below the heading."""
    inner = part.body.strip()
    if not text:
        return part.head + (part.body.replace(inner, "") if inner else part.body)
    lead, trail = part.body.split(inner, 1) if inner else ("", part.body)
    head = part.head
    if not inner and head and not head[-1].isspace():
        lead = " "
    if head.strip() and "\n" not in lead and _LIST.match(text) and "\n" in text and not part.step:
        head, lead = head.rstrip(), "\n"
    return head + lead + text + trail


def shortened(item: str) -> str | None:
    """Without the last sentence of its longest text; None where no text has two."""
    cut = parts(item)
    for at in sorted(range(len(cut)), key=lambda at: -len(cut[at].body)):
        if cut[at].label not in _TYPED and (body := next(_shorter(cut[at].body), None)) is not None:
            return "".join(part.head + (body if part is cut[at] else part.body) for part in cut)
    return None


def _shorter(body: str) -> Iterator[str]:
    """The body less its last sentence, its last two, and so on; what announces something is not left last."""
    ends = [end for _, end in whole_sentences(body)]
    trail = body[len(body.rstrip()) :]
    for end in reversed(ends[:-1]):
        kept = body[:end].rstrip()
        if not kept.endswith((":", ",")) and kept.count("```") % 2 == 0:
            yield kept + trail


def whole_sentences(text: str) -> tuple[tuple[int, int], ...]:
    """Where they stand; list marks in front of them are left out."""
    found: list[tuple[int, int]] = []
    low = -1
    pieces = spans(text)
    for number, (start, end) in enumerate(pieces, 1):
        low = start if low < 0 else low
        if number == len(pieces) or _closed(text[start:end]):
            found.append((low, end))
            low = -1
    return tuple(found)


def _closed(text: str) -> bool:
    """Whether a full stop, or the end of a line, stands at its end."""
    bare = text.rstrip()
    return "\n" in text[len(bare) :] or bare.rstrip(_MARKS).endswith(tuple(".!?。！？"))


@lru_cache(maxsize=2048)  # choices come up again
def n_repeated(items: tuple[str, ...]) -> int:
    """Number of sentences that stood before, of those with at least four words."""
    said: Counter[tuple[str, ...]] = Counter()
    for item in items:
        for part in parts(item):
            for low, high in whole_sentences(part.body):
                said[tuple(word.casefold() for word in words(part.body[low:high]))] += 1
    return sum(n - 1 for sentence, n in said.items() if len(sentence) >= _LEAST)
