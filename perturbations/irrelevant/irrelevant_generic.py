"""General platitudes in the frame of this memory."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from numpy.random import Generator

from loadbearing.episodes.slot import Slot
from loadbearing.memory.language.structure import Part, parts
from loadbearing.memory.words import words
from loadbearing.perturbations.irrelevant.platitudes import Speaker, sayable, titled
from loadbearing.perturbations.language.words import (
    FENCE,
    LABEL_LIKE,
    MOST_FRAMED,
    content,
    framed_share,
    n_words,
    nothing_to_refill,
)
from loadbearing.perturbations.perturbation import FEW_CHARACTERS, Aim, Effect, Raw

MOST_LEFT = 0.30
_LONGEST_WORDS = 9.5
_SHORTEST_WORDS = 4.5
"""Characters a word, on average and with the blank, between which general sentences are as long."""
_LEAST = 4  # content words
_PHRASED = ("memory item", "title", "trigger", "form", "action", "step", "outcome")
_SENTENCE = 8  # words of a line that is one without a full stop
# an item of a list, a cell of a table or a cue, and the marks in front of it
_PIECE = re.compile(
    r"(?P<mark>(?:[ \t]*+(?:[-*+•>]|\(?\d{1,3}[.)]|\([a-z]\)|\#+)[ \t]++)*+[ \t]*+)(?P<text>[^\n|]*+)"
)
_STOP = re.compile(r"[.!?:][\"')\]*_”]*\Z")


@dataclass(frozen=True, slots=True)
class IrrelevantGeneric:
    """Keep cue, headings, layout and the number of words; say what is true of everything.

    Whole sentences, line by line; a phrase where there was one.

    Source: the generic kind of Irrelevant in arXiv 2601.22436, Table 3.
    """

    name: str = "irrelevant_generic"
    effect: Effect = "other"
    raw: Raw = "no"
    aim: Aim = Aim(content_left=(0.0, MOST_LEFT))

    def why_not(self, slot: Slot, donor: Slot) -> str:  # noqa: ARG002
        if reason := nothing_to_refill(slot):
            return reason
        if content(slot.items).total() < _LEAST:
            return "the slot says too little: its frame would be most of what is left"
        if sayable(content(slot.items)) is None:
            return "the items are made of general sentences already"
        for item in slot.items:
            if any(line.count('"') % 2 for line in item.splitlines()):
                return "a quote in it runs over the end of a line"
            n = n_words(item)
            if (
                not _SHORTEST_WORDS * n - FEW_CHARACTERS / 2
                < len(item)
                <= _LONGEST_WORDS * n + FEW_CHARACTERS
            ):
                return "its words are too long, or too short, for general sentences of the same length"
        return ""

    def __call__(self, slot: Slot, rng: Generator, donor: Slot) -> Slot:  # noqa: ARG002
        there = sayable(content(slot.items))
        if there is None:
            return slot
        speaker = Speaker(there, rng)
        keep_frame = framed_share(slot) <= MOST_FRAMED
        items = ("".join(_said(part, speaker, keep_frame) for part in parts(item)) for item in slot.items)
        return Slot(slot.cue, tuple(items))


def _said(part: Part, speaker: Speaker, keep_frame: bool) -> str:
    out = [part.head]
    at = 0
    frames = [
        *(part.frame() if keep_frame and part.label in ("trigger", "form") else ()),
        (len(part.body),) * 2,
    ]
    for low, high in frames:
        out += [*_pieces(part.body[at:low], part, speaker, first=at == 0), part.body[low:high]]
        at = high
    return "".join(out)


def _pieces(text: str, part: Part, speaker: Speaker, first: bool) -> Iterator[str]:
    at = 0
    for match in _PIECE.finditer(text):
        own = match["text"].strip()
        if not words(own) or FENCE.match(own):
            continue
        start = match.start("text") + match["text"].index(own)
        said = _instead(own, part.label, speaker)
        if first and at == 0 and part.head and LABEL_LIKE.fullmatch(said.split()[0]):
            said = f"So {said}"
        yield text[at:start] + said
        at = start + len(own)
    yield text[at:]


def _instead(own: str, label: str, speaker: Speaker) -> str:
    n = n_words(own)
    if label not in _PHRASED and (n >= _SENTENCE or (n > 2 and _STOP.search(own))):
        return speaker.sentences(n, len(own))
    phrase = speaker.phrase(n, len(own))
    large = [word[0].isupper() for word in own.split() if word[0].isalpha() and len(word) > 3]
    if large and all(large) and label in ("title", "memory item", ""):
        return titled(phrase)
    return phrase[0].upper() + phrase[1:] if own[0].isupper() else phrase
