"""The layout of a body with other words in it."""

from __future__ import annotations

import re
from collections.abc import Callable

from loadbearing.episodes.slot import Slot
from loadbearing.memory.item import field_names
from loadbearing.memory.words import words
from loadbearing.perturbations.layout.structure import Part, mask

MOST_FRAMED = 0.20
"""Up to this share of the content words, cue names and the like stay."""
FENCE = re.compile(r"(?:`{3,}|~{3,})")
_TOKEN = re.compile(r"\S+")
# a word that would be read as a heading's label when it comes first behind the marks
_LABEL_LIKE = re.compile(
    rf"\W*(?:memory|item|{'|'.join((*field_names('native'), *field_names('theory')))}|[ivx]+|n|\d+)\W*",
    re.IGNORECASE,
)


def replaced(part: Part, say: Callable[[str, int], list[str]], keep_frame: bool) -> str:
    """The part with a new word for each of its words; marks that stand alone and fences stay.

    Args:
        say: the next n words for a field of this label.
        keep_frame: cue names, the word of a Form and list numbers stay.
    """
    framed = mask(len(part.body), part.frame() if keep_frame else ())
    spots = [spot for spot in _TOKEN.finditer(part.body) if words(spot[0]) and not framed[spot.end() - 1]]
    fresh = say(part.label, len(spots)) if spots else []
    if fresh and part.head and _LABEL_LIKE.fullmatch(fresh[0]):
        fresh[0] = "So"
    out: list[str] = []
    at = 0
    for spot, word in zip(spots, fresh, strict=True):
        fence = FENCE.match(spot[0])
        out += [part.body[at : spot.start()], fence[0] + "".join(words(word)) if fence else word]
        at = spot.end()
    return part.head + "".join(out) + part.body[at:]


def unspaced(slot: Slot) -> bool:
    """Whether blanks do not part the words."""
    text = " ".join(slot.items)
    spaced = len(text.split())
    return len(words(text)) > 4 * spaced
