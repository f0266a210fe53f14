"""Which action an item tells to do, where it stands in the text, and under which condition.

One reading for every schema: in a Claim, a Content or prose, each sentence is asked for the first action that
it tells to do: a quoted one behind `do`, one that the world lists, or the imperative with what belongs to it.
What a sentence tells to avoid is no such action. Raw trajectories tell nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice

from loadbearing.memory.words import content_words
from loadbearing.perturbations.advice.known_actions import LONGEST, NOTHING_KNOWN, Repertoire, words_of
from loadbearing.perturbations.language.flips import imperative_head
from loadbearing.perturbations.language.lexicon import VERBS, word_set
from loadbearing.perturbations.language.sentences import QUOTE_MASK, Sentence, sentences_of
from loadbearing.perturbations.language.structure import ADVISING, mask, parts

Span = tuple[int, int]

# white space is read from where it begins: tried at each blank, a long run would be read over and over
_COMMA = r"(?:,\s*+|(?:(?<!\s)\s++)?+)"
_REASON = re.compile(rf"{_COMMA}\b(?:because|since|so that|as it)\b", re.IGNORECASE)
_OPENERS = r"when|whenever|if|while|where|wherever|once|as soon as|after"
_LEADING = re.compile(
    rf"\s*+(?:(?P<order>before)\s[^,]++,\s*+|(?:in|{_OPENERS})\s++(?P<what>(?:(?!\bdo\b)[^,:])++)[,:]\s*+)",
    re.IGNORECASE,
)
_TRAILING = re.compile(rf"(?:,|(?<!\s))\s++(?:{_OPENERS})\s+(?P<what>[^,;:.]+)", re.IGNORECASE)
_UNLESS = re.compile(
    rf"{_COMMA}\b(?:unless|except\s+(?:when|if|where|while))\s+(?P<what>[^,;:.]+)", re.IGNORECASE
)
_ENDS_WHERE = re.compile(
    r"\b(?:does|do|did)(?:\s+not|n['’]t)\s+(?:apply|hold|help)\b[^,.;]{0,300}?\b(?:when|if|where|while|once)\s+"
    r"(?P<what>[^,.;]+)",
    re.IGNORECASE,
)
MOST_TOLD = 64
"""Actions of one item that are exchanged or followed up, one by one."""
MOST_EXCLUSIONS = 50
"""Exclusions of an item that are heeded; each is looked for in every state for every action it tells."""
_NEGATIVE = re.compile(
    r"\b(?:never|not|avoid\w*|cannot|without|refrain|stop|skip|instead\s+of|rather\s+than)\b|n['’]t\b",
    re.IGNORECASE,
)
_MODAL = re.compile(
    r"(?<!\bI )(?<!\bwe )\b(?:should|must|(?:need|have|ought)\s+to)\s+(?:always\s+|first\s+)?"
    r"(?=(?P<verb>\w+))",
    re.IGNORECASE,
)
_END = re.compile(
    r"[,;:]|\s[—–-]\s|[.!?]+(?=\W|$)"
    r"|\s(?:because|since|so|when|whenever|if|unless|while|until|before|after|once|as soon as|then|which"
    r"|where|wherever|in order to|but|instead)\b|\s(?:and|or)\s+(?=(?P<next>\w+))",
    re.IGNORECASE,
)
_ADVERB = re.compile(r"\b(?:first|again|twice|now|immediately|carefully|next|too|at once|right away)\Z")
_LONGEST_ADVERB = 11
_QUOTED_ACT = re.compile(rf"\b(?P<verb>_*+[^\W_]\w*+)(?P<gap>[\s*(:][\s*_(:]*+){QUOTE_MASK}++")
_HANDING = word_set("do try use run type issue enter execute perform choose say send call avoid never not")
_NO_ACTS = word_set("be remember note think keep stay plan consider learn know aim not never avoid always")


@dataclass(frozen=True, slots=True)
class Advised:
    """One action that a sentence of an item tells to do.

    Args:
        action: as written, without quotes around it.
        start: where it begins in the item's text.
        when: what must stand before the agent for it to apply, as written; none where it always does.
        unless: what must not.
        do: False where it is to be avoided.
        conditions: where `when` and `unless` stand in the item.
    """

    action: str
    start: int
    when: tuple[str, ...]
    unless: tuple[str, ...]
    do: bool = True
    conditions: tuple[Span, ...] = field(default=(), compare=False)


def advised(item: str, known: Repertoire = NOTHING_KNOWN) -> tuple[Advised, ...]:
    """The actions that the item tells to do, in the order written.

    Args:
        known: what the world accepts. Where something is known, nothing else counts as an action.
    """
    return tuple(one for one in _read(item, known) if one.do)


def named(item: str) -> tuple[str, ...]:
    """The actions that the item tells to do or to avoid: somewhere, some world took or refused them."""
    return tuple(one.action for one in _read(item, NOTHING_KNOWN))


def conditions(item: str, known: Repertoire = NOTHING_KNOWN) -> tuple[Span, ...]:
    """Where the conditions of the advice stand in the item."""
    return tuple(span for one in _read(item, known) for span in one.conditions)


@lru_cache(maxsize=4096)
def exclusions(item: str) -> tuple[str, ...]:
    """Where a Scope or a Description says that the item does not apply; a negated condition is left out.

    The first `MOST_EXCLUSIONS` of them.
    """
    told = (part.body for part in parts(item) if part.label in ("scope", "description"))
    found = (match["what"] for body in told for match in _ENDS_WHERE.finditer(body))
    return tuple(islice((what for what in found if not _NEGATIVE.search(what)), MOST_EXCLUSIONS))


@lru_cache(maxsize=4096)
def _read(item: str, known: Repertoire) -> tuple[Advised, ...]:
    """What each sentence advises, at most one action: the first to do, or else the first to avoid."""
    whole = parts(item)
    if any(part.step for part in whole):
        return ()
    own = any(part.label in ADVISING and part.body.strip() for part in whole)
    said = [(at, one) for part, at, one in sentences_of(item) if not own or part.label in ADVISING]
    return tuple(found for at, sentence in said if (found := _advice_of(sentence, at, known)))


def _advice_of(sentence: Sentence, at: int, known: Repertoire) -> Advised | None:
    raw, covered = sentence.raw, sentence.covered
    reason = _REASON.search(covered)
    stop = reason.start() if reason else len(covered)
    unless = [match.span("what") for match in _UNLESS.finditer(covered, 0, stop)]
    leading = _LEADING.match(covered, 0, stop)
    begin = leading.end() if leading else 0
    if unless and not covered[: unless[0][0]].split()[1:]:
        begin = min(len(covered), unless[0][1] + 1)  # "Unless the alarm is off, …"
    when = [leading.span("what")] if leading and leading["what"] else []
    when += [match.span("what") for match in _TRAILING.finditer(covered, begin, stop)]
    taken = mask(len(covered), (*when, *unless))
    told: tuple[Span, bool] | None = None
    for span, do in _candidates(sentence, begin, stop, known):
        if taken.find(1, *span) < 0 and (do or told is None):
            told = (span, do)
            if do:
                break
    if told is None:
        return None
    (low, high), do = told
    asked, excepted = (tuple(raw[slice(*span)] for span in of) for of in (when, unless))
    places = tuple((start + at, end + at) for start, end in (*when, *unless))
    return Advised(raw[low:high], at + low, asked, excepted, do, places)


def _candidates(s: Sentence, begin: int, stop: int, known: Repertoire) -> Iterator[tuple[Span, bool]]:
    """Places of actions in a part of a sentence, the surest first, and whether they are to be done."""
    turns = [match.end() for match in _NEGATIVE.finditer(s.covered, begin, stop)]
    listed = known.within(s.raw, begin, stop)
    quoted = [span for span in _quoted_acts(s.covered, begin, stop) if known.accepts(s.raw[slice(*span)])]
    for low, high in (*quoted, *listed):
        yield (low, high), bisect_right(turns, low) % 2 == 0
    ends = [match.start() for match in _END.finditer(s.covered, begin, stop) if _is_end(match)] + [stop]
    for low, do in _heads(s, begin, stop):
        high = _end(s.covered, low, ends[bisect_left(ends, low)])
        text = s.raw[low:high]
        acts = low < high <= low + LONGEST and content_words(text) and words_of(text)[0] not in _NO_ACTS
        if acts and known.accepts(text):
            yield (low, high), do


def _quoted_acts(covered: str, begin: int, stop: int) -> Iterator[Span]:
    """Quoted spans, without their marks, behind a word that only hands on to them: do `a`, do this: `a`."""
    tokens = re.finditer(r"(?<!\S)\S++(?=\s)", covered[begin:stop])
    first = next((begin + token.end() for token in tokens if token[0].lower() in _HANDING), stop)
    for match in _QUOTED_ACT.finditer(covered, begin, stop):
        handed = match["verb"].lower() in _HANDING or (":" in match["gap"] and first < match.start())
        low, high = match.end("gap") + 1, match.end() - 1
        if handed and low < high:
            yield low, high


def _heads(s: Sentence, begin: int, stop: int) -> Iterator[tuple[int, bool]]:
    """Where an imperative or the verb of a modal begins, and whether it is one to do."""
    clause = Sentence(s.raw[begin:stop], s.covered[begin:stop])
    at = imperative_head(clause)
    if at is not None:
        do = True
        while clause.word(at) in ("always", "only", "never", "not", "don't", "avoid", "do", "try", "to"):
            do = do and clause.word(at) in ("always", "only", "do", "try", "to")
            at += 1
        if at < len(clause.words):
            yield begin + clause.words[at].start, do
    for match in _MODAL.finditer(s.covered, begin, stop):
        if match["verb"].lower() not in _NO_ACTS:
            yield match.end(), True


def _is_end(match: re.Match[str]) -> bool:
    """An action ends before a clause, and before an `and` that another verb follows."""
    return match["next"] is None or match["next"].lower() in VERBS


def _end(covered: str, low: int, high: int) -> int:
    """Where the action ends, without the marks and the adverbs of time behind it."""
    while high > low:
        sign = covered[high - 1]
        adverb = _ADVERB.search(covered, max(low, high - _LONGEST_ADVERB), high)
        if adverb:
            high = adverb.start()
        elif sign.isalnum() or sign in f"_){QUOTE_MASK}]":
            break
        else:
            high -= 1
    return high
