"""What a Scope says: the class of cases it reaches, and where it ends."""

import re
from typing import NamedTuple

from loadbearing.memory.language.sentences import cut, mask_quotes
from loadbearing.memory.words import content_words

_BOUNDARY = re.compile(
    r"\b(?:(?:does|do|did|will|may|need|should)\s+not(?:\s+(?:apply|hold|help|cover|reach|extend|count))?"
    r"|(?:does|do)n['’]t(?:\s+(?:apply|hold|help))?|cannot|not|never|except|excluding|unless|outside|only"
    r"|untested|unseen|unknown|unclear|conjecture)\b",
    re.IGNORECASE,
)
_NEGATIVE = re.compile(
    r"\b(?:no|not|never|without|lack\w*|missing|absent|none|nothing|nobody|cannot|nor)\b|n['’]t\b",
    re.IGNORECASE,
)
EMPTY = frozenset(
    content_words(
        "case cases like such similar situation task thing apply applies word words example relative context"
        " here other same condition differ different otherwise kind type way anything something"
        " everything else hold use used need true false so advice item rule lesson"
    )
)
"""Content words that narrow nothing."""


class ScopeText(NamedTuple):
    """The text before the words that set a boundary, and the texts behind them, one a sentence.

    Args:
        positive: the boundaries that name a sight, and not the absence of one.
    """

    reach: str
    beyond: tuple[str, ...]
    positive: tuple[str, ...]


def read_scope(text: str) -> ScopeText:
    """Sentence by sentence; one without a boundary is all reach."""
    reach, beyond = [], []
    for sentence in cut(text):
        found = _BOUNDARY.search(sentence)
        reach.append(sentence[: found.start()] if found else sentence)
        if found:
            beyond.append(sentence[found.end() :].strip(" .;,:"))
    positive = tuple(one for one in beyond if not _NEGATIVE.search(mask_quotes(one)))
    return ScopeText(" ".join(reach), tuple(beyond), positive)


def substance(text: str) -> frozenset[str]:
    """The stems that say something."""
    return frozenset(content_words(text)) - EMPTY
