"""Which spans of an item are advice, and which stand around it.

Advice is what to do, and when. A Trigger and a Scope say when, and so do the conditions of other sentences; a
sentence of a Claim, a Content or prose advises unless it is sure that it only explains. All else is around
the advice: Title, Description, Mechanism, Form, reasons, and sentences that explain.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from memtrial.memory.language.lexicon import DETERMINERS, PRONOUNS, VERBS
from memtrial.memory.language.roles import Span, clauses
from memtrial.memory.language.sentences import Sentence, sentences_of
from memtrial.memory.language.structure import ADVISING, parts
from memtrial.perturbations.advice.advised_action import named_actions
from memtrial.perturbations.advice.verbs import finite

_WHEN = ("trigger", "scope")
_AROUND = ("mechanism", "form")
_HINTS = re.compile(
    r"(?i)\b(?:should|must|ought|needs?\s+to|ha(?:s|ve)\s+to|avoid\w*|prefer\w*|instead|rather\s+than|better|best"
    r"|ensure|sure|essential|crucial|important|recommended|worth|remember|not\s+to|why\s+not|consider)\b"
    r"|\bdon['’]t\b|\bdo\s+not\b"
)
_FAINT_HINTS = re.compile(r"(?i)\b(?:never|always|cannot|helps?|works?|only)\b|n['’]t\b")
_FAINT = frozenset({"never", "always", "only", "not"})
"""They advise, too, unless the sentence names what it speaks of: "the menu lists only new articles" does."""
_BEGUN = re.compile(
    r"(?i)(?:\A\W*|[,:;)]\s+)(?:(?:then|and|first|or|but|so|thus|therefore|hence|please|just)\s+){0,3}([^\W_]+)"
)


class Around(NamedTuple):
    """A stretch of an item that is no advice.

    Args:
        whole: it is a sentence or a body of its own, and no clause.
        apart: it stands in a field that advises nothing, or is a reason.
        names: it is a Form or a Title, or names an action: turned round, it would advise the opposite.
    """

    start: int
    end: int
    whole: bool
    apart: bool
    names: bool = False


def advice_spans(item: str) -> tuple[Span, ...]:
    """Where the advice stands; all of a raw trajectory."""
    return tuple((low, high) for low, high, around in _read_item(item) if around is None)


def spans_around(item: str) -> tuple[Around, ...]:
    """What stands around it, in order."""
    return tuple(around for _, _, around in _read_item(item) if around is not None)


@lru_cache(maxsize=2048)
def _read_item(item: str) -> tuple[tuple[int, int, Around | None], ...]:
    if any(part.step for part in parts(item)):
        return ((0, len(item), None),)
    return tuple(_cut_item(item))


def _cut_item(item: str) -> Iterator[tuple[int, int, Around | None]]:
    own = any(part.label in ADVISING and part.body.strip() for part in parts(item))
    for part, offset, sentence in sentences_of(item):
        end = offset + len(sentence.raw)
        if part.label in _AROUND:
            yield offset, end, Around(offset, end, True, True, part.label == "form")
        elif part.label in _WHEN:
            yield offset, end, None
        elif own and part.label not in ADVISING:
            yield from _with_conditions(offset, sentence, part.label == "title")
        elif _explains(sentence):
            yield offset, end, Around(offset, end, True, False)
        else:
            reason = offset + clauses(sentence).reason
            yield offset, reason, None
            if item[reason:end].strip():
                yield reason, end, Around(reason, end, False, True)


def _with_conditions(
    offset: int, sentence: Sentence, title: bool
) -> Iterator[tuple[int, int, Around | None]]:
    """A Title or a Description: all but its conditions, which say when."""
    place = 0
    whole = not clauses(sentence).opened
    names = title or bool(named_actions(sentence.raw))
    for low, high in [*sorted(clauses(sentence).opened), (len(sentence.raw),) * 2]:
        if sentence.raw[place:low].strip():
            yield offset + place, offset + low, Around(offset + place, offset + low, whole, True, names)
        if max(low, place) < high:
            yield offset + max(low, place), offset + high, None
        place = max(place, high)


def _explains(sentence: Sentence) -> bool:
    """Whether it tells no action, hints at none, and is a statement with a subject and a verb.

    In doubt it does not: advice that is damaged would cost a reader of the content something.
    """
    if named_actions(sentence.raw) or _HINTS.search(sentence.covered) or not sentence.words:
        return False
    if any(match[1].lower() in VERBS for match in _BEGUN.finditer(sentence.covered)):
        return False
    first = next(
        (offset for offset, word in enumerate(sentence.words) if word.start >= clauses(sentence).begin), 0
    )
    word, faint = sentence.word(first), _FAINT_HINTS.search(sentence.covered) is not None
    states = finite(sentence, first, len(sentence.words), 2) is not None
    if faint and (word in PRONOUNS or word in _FAINT):
        return False
    if word in DETERMINERS | PRONOUNS:
        return states or not faint
    return states or sentence.finite_in(sentence.clause(first))
