"""What a Scope says: the class of cases it reaches, and where it ends."""

import re
from typing import NamedTuple

from memtrial.memory.language.lexicon import read_section
from memtrial.memory.language.sentences import cut_sentences, mask_quotes
from memtrial.memory.words import content_words

_BOUNDARY = re.compile(
    r"(?i)\b(?P<exclusion>(?:does|do|did|will|may|need|should)\s+not\s+(?:apply|hold|help|cover|reach|extend|count)"
    r"|(?:does|do)n['’]t\s+(?:apply|hold|help)|except|excluding|unless|outside|(?:stops|ends)\s+(?:at|with|where|when))\b"
    r"|\A\W*(?P<not_for>not\s+(?:for|when|if|where|on|in|to)\b)"
    r"|\b(?:not|never|cannot|only|without|excluded|elsewhere|unlike|untested|unseen|unknown|unclear"
    r"|conjecture)\b|n['’]t\b"
)
_NEGATIVE = re.compile(
    r"(?i)\b(?:no|not|never|without|lack\w*|missing|absent|none|nothing|nobody|cannot|nor)\b|n['’]t\b"
)
_EXCLUDES = re.compile(
    r"(?i)\b(?:(?:does|do|did|will|would|may|need|should|must|is|are|was|were|can)(?:\s+not|n['’]t)|cannot|not\s+to|no\s+longer|never"
    r"|not)\s+(?:be\s+|to\s+be\s+)?(?:appl(?:y|ies|ied|icable)|holds?|helps?|covers?|reach(?:es)?|extends?|counts?|works?|used?|valid"
    r"|needed|necessary|useful|relevant|meant|intended|true|transfers?|generali[sz]es?|matters?|rel(?:y|ied)|followed|when|where|if|once"
    r"|while|for)\b|(?:\A|[.,;:(])\W{0,3}not\s+(?:on|in|with|to|at|after|before)\b"
    r"|\b(?:except|excepting|excluding|excludes?|excluded|exclusions?|exceptions?|unless|outside|inapplicable|invalid|other\s+than"
    r"|(?:stops?|ceases?)\s+(?:to\s+)?(?:apply(?:ing)?|hold(?:ing)?|at|where|when)|(?:ignore|skip)\s+(?:it|this|when|if|where))\b"
)
EMPTY = frozenset(content_words(read_section("gates.empty")))
"""Content words that narrow nothing."""


class ScopeText(NamedTuple):
    """The text before the words that set a boundary, and what each sentence with one says of it.

    Args:
        beyond: the text behind words that exclude, or else the whole sentence.
        positive: the exclusions that name a sight, and not the absence of one.
    """

    reach: str
    beyond: tuple[str, ...]
    positive: tuple[str, ...]


def read_scope(text: str) -> ScopeText:
    """Sentence by sentence; one without a boundary is all reach."""
    reach, beyond, positive = [], [], []
    for sentence in cut_sentences(text):
        boundary = _BOUNDARY.search(sentence)
        reach.append(sentence[: boundary.start()] if boundary else sentence)
        if not boundary:
            continue
        excludes = bool(boundary["exclusion"] or boundary["not_for"])
        excluded = sentence[boundary.end() :] if excludes else sentence
        if excludes and not substance(excluded):  # "Where it is locked, this does not apply."
            excluded = sentence[: boundary.start()]
        beyond.append(excluded.strip(" .;,:"))
        if excludes and not _NEGATIVE.search(mask_quotes(excluded)):
            positive.append(beyond[-1])
    return ScopeText(" ".join(reach), tuple(beyond), tuple(positive))


def substance(text: str) -> frozenset[str]:
    """The stems that say something."""
    return frozenset(content_words(text)) - EMPTY


def find_exclusion(text: str) -> str:
    """The first sentence that says of which cases the item does not hold; empty where none does."""
    for sentence in cut_sentences(text):
        excludes = _EXCLUDES.search(mask_quotes(sentence))
        # "Where it is locked, this does not apply." names them in front
        if excludes and (substance(sentence[excludes.end() :]) or substance(sentence[: excludes.start()])):
            return sentence
    return ""
