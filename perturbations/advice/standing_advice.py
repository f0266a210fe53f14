"""Which sentences of an item advise, and which of them still give the same advice in the damaged text.

Read from the two texts alone, field by field: an item whose Title still advises what its Content turns round
contradicts itself, and a reader that stumbles there is no reader of the content.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from memtrial.memory.language.lexicon import words
from memtrial.memory.language.sentences import Sentence, sentences_of
from memtrial.memory.language.structure import ADVISING, parts
from memtrial.perturbations.advice.frame_spans import without_frame
from memtrial.perturbations.advice.imperatives import imperative_head
from memtrial.perturbations.language.differences import n_flips, share_said_again

_SILENT = ("trigger", "scope", "form", "mechanism")
"""They say when, why and in which form, and advise nothing of their own."""
_LEADS = re.compile(r"(?i)\b(?:should|must|(?:has|have|need)\s+to)\b")
_ASIDE = re.compile(r"(?i)\W*(?:otherwise|for example|e\.g|or else)\b")
_GOALS = words("names.goals")
_SAID_AGAIN = 0.75
"""Share of a sentence's content words; one that shares fewer is another sentence."""


class Advising(NamedTuple):
    """A sentence that advises, and the label of its field."""

    label: str
    text: str


@lru_cache(maxsize=2048)
def advising_sentences(item: str) -> tuple[Advising, ...]:
    """Commands and what should be done, of all fields that advise; none of a raw trajectory.

    A Description that begins with a verb is counted where that verb is one of the advice: others say what
    the item is for. A Title that names a goal ("get the parcel") is not: the opposite may serve it as well.
    """
    if any(part.step for part in parts(item)):
        return ()
    return tuple(_find_advising(item))


def _find_advising(item: str) -> Iterator[Advising]:
    cut = [
        (part.label, sentence)
        for part, start, sentence in sentences_of(item)
        if part.label not in _SILENT and without_frame(item, start, sentence)
    ]
    own = any(label in ADVISING for label, _ in cut)
    advised = {
        word.text for label, sentence in cut if label in ADVISING or not own for word in sentence.words
    }
    heads = {_head_word(sentence) for label, sentence in cut if label in ADVISING or not own} - {""}
    for label, sentence in cut:
        head = _head_word(sentence)
        goal = label in ("title", "memory item") and head in _GOALS and head not in advised
        named = (label != "description" or head in advised) and not goal
        if _ASIDE.match(sentence.covered) or sentence.covered.rstrip().endswith("?") or not named:
            continue
        # "Authenticate first": a Title that begins with a verb of the advice, and no other sign of it
        begins = label == "title" and sentence.word(0) in heads
        if head or begins or (label in ADVISING and _LEADS.search(sentence.covered)):
            yield Advising(label, sentence.raw)


def _head_word(sentence: Sentence) -> str:
    """The verb of a command, or what governs it; empty where there is none."""
    head = imperative_head(sentence)
    return "" if head is None else sentence.word(head)


def standing_advice(before: str, after: str, *, verbatim: bool = False) -> tuple[Advising, ...]:
    """The sentences of `before` that advise and still say the same in the same field of `after`.

    Args:
        verbatim: those alone that stand word for word.
    """
    there: dict[str, list[str]] = {}
    for part, _, sentence in sentences_of(after):
        there.setdefault(part.label, []).append(sentence.raw)
    return tuple(
        advice
        for advice in advising_sentences(before)
        if advice.text in (others := there.get(advice.label, []))
        or (not verbatim and _says_again(advice.text, others))
    )


def _says_again(text: str, others: list[str]) -> bool:
    shared, nearest = max(((share_said_again(text, other), other) for other in others), default=(0.0, ""))
    # "do not wait: it is cold" is one turn of what it tells and one of the reason behind the colon
    told = [sentence.partition(": ")[0] for sentence in (text, nearest)]
    return shared >= _SAID_AGAIN and not n_flips(text, nearest) and not n_flips(*told)
