"""What names an item, its title and its description, turned where it advises."""

import re

from loadbearing.memory.language import lexicon
from loadbearing.memory.language.lexicon import VERBS, base_of
from loadbearing.memory.language.sentences import Edit, Sentence
from loadbearing.memory.language.word_lists import words
from loadbearing.perturbations.advice.verbs import finite
from loadbearing.perturbations.inversion.contrasts import swapped
from loadbearing.perturbations.inversion.statements import turned
from loadbearing.perturbations.inversion.word_edits import insert, put_before, replaced

_GOALS = words("names.goals")
_OF_VERBS = lexicon.word_set("before after first instead rather not by until")
_TOPICS = lexicon.word_set("approach strategy tips method rules")
_GUIDE = re.compile(
    r"\b(?P<noun>strateg(?:y|ies)|guidance|guide|guidelines?|tips?|advice|approach|methods?|rules?|techniques?|ways?"
    r"|lessons?|heuristics?|importance|benefits?|value|need|case|reasons?|reminder|habit|practice)\s+"
    r"(?P<link>for|on|about|of|to|in)\s+(?P<verb>\w+)",
    re.IGNORECASE,
)


def is_noun(s: Sentence, at: int) -> bool:
    """Whether the first word of a title is a noun: "search bar usage"."""
    third = lexicon.forms_of(s.word(at))[1] if s.word(at) in VERBS else ""
    if third not in lexicon.NOUNISH or s.quote_after(at):
        return False
    later = [s.word(one) for one in range(at + 1, min(at + 24, len(s.words)))]
    led = not later or later[0] in lexicon.OBJECTS | lexicon.PREPOSITIONS or later[0].endswith("s")
    return not led and not any(word in _OF_VERBS or word.endswith("ly") for word in later)


def is_goal(verb: str, advised: frozenset[str]) -> bool:
    """Whether the opposite advice may serve it as well."""
    return verb in _GOALS and verb not in advised


def named(s: Sentence, start: int, stop: int, naming: tuple[str, frozenset[str]]) -> list[Edit]:
    """The edits for a title or a description that advises in other words than an imperative."""
    low, high = s.words[start].start, s.words[stop - 1].end
    verb = finite(s, start, stop, 2)
    should = any(s.word(one) in ("should", "must") for one in range(start, stop))
    text, following = s.word(start), s.word(start + 1)
    base = base_of(text)
    if verb is not None:
        about = should or base or text in ("always", "never")
        return turned(s, start, stop) if about else []
    if base:
        if naming[0] == "description" and base not in naming[1]:
            return []
        if is_goal(base, naming[1]) or following in _TOPICS:
            return []
        return swapped(s, start, stop) or [put_before(s, start, start, "not")]
    if guide := _GUIDE.search(s.covered, low, high):
        return _against(s, guide, naming[1])
    for one in range(start + 1, stop if naming[0] != "description" else start):
        if s.word(one) in ("before", "after") or (s.word(one) in ("first", "last") and one == stop - 1):
            return replaced(s, one, lexicon.CONDITIONS[s.word(one)])
    return []


def _against(s: Sentence, guide: re.Match[str], advised: frozenset[str]) -> list[Edit]:
    """ "a strategy for checking" → "a strategy against checking", "a reminder to" → "… never to"."""
    link, verb = guide["link"].lower(), guide["verb"].lower()
    at = next(one for one, word in enumerate(s.words) if word.start == guide.start("link"))
    if link == "to":
        return insert(s, at, "never") if verb in VERBS else []
    if verb == "avoiding":
        return [] if base_of(s.word(at + 2)) else replaced(s, at + 1, "using")
    if base_of(verb) not in advised:
        return []
    return replaced(s, at, "against")
