"""One phrase put for another all through an item: inflected, with its article and capitals."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain
from typing import Literal, NamedTuple

from loadbearing.memory.words import STOP_WORDS
from loadbearing.perturbations.advice import siblings, verb_kinds
from loadbearing.perturbations.advice.known_actions import occurrences
from loadbearing.perturbations.language import roles
from loadbearing.perturbations.language.lexicon import (
    DETERMINERS,
    FINITE,
    NUMBERS,
    PREPOSITIONS,
    STATIVE,
    SUBORDINATORS,
    VERBS,
    forms_of,
    word_set,
)
from loadbearing.perturbations.language.sentences import Edit, apply
from loadbearing.perturbations.language.spelling import article, with_capital
from loadbearing.perturbations.language.structure import mask, parts

ANY = "any"
"""The domain of things that stand in all domains."""
SPARED = ("trigger", "scope", "form")
"""They say when an item counts. Firing is decided on the intact item, and the condition is not to change."""
Kind = Literal["thing", "verb", "name"]
_ARTICLE = re.compile(r"(?<!\w)(?P<article>an?)\s+\Z", re.IGNORECASE)
_LONGEST_ARTICLE = 12
_LEADS_TO_VERB = re.compile(
    r"(?:^|[^\w\s`\"'“‘)\]]|[\n`]|\b(?:to|and|then|should|must|can|will|always|first|or|not|never|only|just|n't"
    r"|do|please|you|finally|next|now|later|afterwards|agent|also|carefully|immediately|simply|instead|before|by))[\s*_]{0,3}\Z",
    re.IGNORECASE,
)
_LEADS_TO_NOUN = re.compile(
    r"\b(?:the|an?|each|every|any|its|your|their|this|that|of|by|for|with|per|in|all|no|one|new|old|missing|first"
    r"|last|second|next|correct|right|wrong|same|exact|both|[a-z]{2,12}ing)[ \n]\Z",
    re.IGNORECASE,
)


class Pair(NamedTuple):
    """A phrase and what stands in its place.

    Args:
        kind: a thing may be in the plural, a verb (or what begins with one) inflected; a name is verbatim.
    """

    old: str
    new: str
    kind: Kind


Known = dict[str, tuple[Pair, ...]]
"""Phrases, and what each may be exchanged for."""


class Sibling(NamedTuple):
    """A known phrase in a text, and what else there is of its kind."""

    start: int
    end: int
    others: tuple[Pair, ...]


@lru_cache(maxsize=4096)
def closed(item: str) -> tuple[tuple[int, int], ...]:
    """What stays of an item: headings, what says when it counts, and the condition of each sentence."""
    found = list(roles.spans(item, "when", "form"))
    at = 0
    for part in parts(item):
        body = at + len(part.head)
        found.append((at, body if part.label not in SPARED else body + len(part.body)))
        at = body + len(part.body)
    return tuple(sorted(found))


@lru_cache(maxsize=4096)
def conditions(item: str) -> str:
    """What says when the item counts, but not where it does not apply."""
    found = (run for run in roles.runs_of(item) if run.role == "when" and run.label != "scope")
    return "\n".join(item[run.start : run.end] for run in found)


def exchanged(text: str, pairs: Iterable[Pair], kept: Iterable[tuple[int, int]] = ()) -> str:
    """The text with each pair's phrase replaced in all its places outside what is kept, the longest first."""
    edits: list[Edit] = []
    for low, high, new in _places(text, pairs, kept):
        edits.append(Edit(low, high, _cased(text[low:high], new)))
        edits += _article(text, low, new)
    return apply(text, edits)


def _places(
    text: str, pairs: Iterable[Pair], kept: Iterable[tuple[int, int]]
) -> Iterator[tuple[int, int, str]]:
    """Where the phrases stand outside what is kept, and what comes there."""
    taken = mask(len(text), kept)
    variants = chain.from_iterable(map(_variants, pairs))
    for old, new, leads in sorted(variants, key=lambda one: (-len(one[0]), one[0])):
        for low, high in occurrences(old, text):
            led = leads is None or (low > 0 and taken[low - 1] == 1)  # behind a heading
            led = led or (leads is not None and leads.search(text, max(0, low - 24), low) is not None)
            if taken.find(1, low, high) < 0 and led:
                taken[low:high] = b"\1" * (high - low)
                yield low, high, new


@lru_cache(maxsize=1024)
def domain_of(text: str) -> str:
    """The domain of which most things stand there; empty where there are not two different ones."""
    hits = {
        name: len({text[one.start : one.end] for one in _found(known, text)})
        for name, known in _THINGS.items()
        if name != ANY
    }
    domain = max(hits, key=hits.__getitem__)
    return domain if hits[domain] > 1 else ""


@lru_cache(maxsize=8192)
def things_in(action: str, domain: str) -> tuple[Sibling, ...]:
    """Things of a known kind, in order: of the domain, and of any."""
    return tuple(one for one in _found(_IN[domain], action) if stands_alone(action, one.start, one.end))


def stands_alone(text: str, low: int, high: int) -> bool:
    """Whether a noun there is no part of a longer name: "the coupon" is none, "the coupon code" is one."""
    if text[low:high].lower() in siblings.ADJECTIVES:
        return True
    if text[high : high + 1] in _NO_END or text[low - 1 : low] == "_":
        return False
    behind, before = _BEHIND.match(text, high), _BEFORE.search(text, max(0, low - 24), low)
    if behind and behind[1].lower() not in _AFTER_NOUN and not behind[1].lower().endswith("ly"):
        return False
    if before is None or text[low:high][:1].isupper():
        return True
    word = before[1].lower()
    return word in _BEFORE_NOUN or word.endswith(("ed", "ing", "est")) or word in siblings.ADJECTIVES


def verbs_of(action: str, domain: str) -> tuple[Pair, ...]:
    """Verbs that may stand in the place of the first one, or commands in the place of the whole."""
    folded = " ".join(action.casefold().split())
    if folded in _WHOLE:
        return tuple(Pair(action, new, "verb") for new in _WHOLE[folded])
    rest = folded.removesuffix(" again").split()
    if not rest or rest[0] in _NO_OBJECT or (rest[0] in _GOES_ON and rest[1:2] != ["the"]):
        return ()
    if rest[0] in _WAITS and rest[1:2] != ["for"]:
        return tuple(Pair(rest[0], new, "verb") for new in _WAITS[rest[0]])
    if rest[-1] in _PARTICLES and len(rest) > 2:  # "take it out" is one verb around its object
        object_ = " ".join(action.split()[1:-1])
        return tuple(Pair(action, f"{new} {object_}", "name") for new in verb_kinds.ANY_VERB)
    size = next((size for size in (3, 2) if " ".join(rest[:size]) in _VERBS), 1)
    verb, behind = " ".join(rest[:size]), (rest[size : size + 1] or [""])[0]
    if behind in _CLAUSE:
        return tuple(Pair(verb, new, "verb") for new in _CLAUSE_VERBS.get(verb, ()) if behind != "what")
    known = verb in verb_kinds.ACTS or size > 1 or behind in DETERMINERS
    if not known or not behind or behind in _LOOSE | PREPOSITIONS:
        return ()
    behinds = zip(rest[size + 1 :], rest[size + 2 :], strict=False)  # "to find" is a purpose
    frames = [one for one, then in behinds if one in _FRAMES and not _apart(one, then)]
    own = _VERBS.get(verb, _HAND.get(verb, ()) if domain == "house" else ())
    if rest[0] in verb_kinds.OWN or f"{verb} {' '.join(frames[:1])}" in verb_kinds.WITH_FRAME:
        news = own
    elif frames == ["to"] and rest[-1] in verb_kinds.HEARERS:
        news = verb_kinds.ANY_VERB[:1]
    elif frames:
        news = verb_kinds.FRAMED.get(frames[0], ()) if len(frames) == 1 else ()
    else:
        news = (*own, *(verb_kinds.ASKING if verb in verb_kinds.TELLING else verb_kinds.ANY_VERB))
    return tuple(Pair(verb, new, "verb") for new in news if new.split()[0] != rest[0])


def _apart(one: str, then: str) -> bool:
    """Whether it goes with any verb: "to find" is a purpose, "for three minutes" a time."""
    return then in verb_kinds.PLAIN if one == "to" else one == "for" and (then in NUMBERS or then.isdigit())


def lacks_object(pair: Pair, item: str) -> bool:
    """Whether a verb that is put for another stands somewhere with nothing that it is done to."""
    places = _places(item, (pair,), closed(item)) if pair.kind == "verb" else ()
    ends = (_BEHIND_ANY.match(item, high) for _, high, _ in places)
    return any(end is None or end[1].lower() in _LOOSE | PREPOSITIONS | SUBORDINATORS for end in ends)


def gerund(verb: str) -> str:
    """The phrase with its first word in -ing."""
    word, _, rest = verb.partition(" ")
    return " ".join(filter(None, (with_capital(word, forms_of(word.casefold())[3]), rest)))


def plural(thing: str) -> str:
    """The phrase with its last word in the plural."""
    if thing.endswith(("s", "x", "ch", "sh")):
        return thing + "es"
    if thing.endswith(("leaf", "shelf", "wolf", "knife")):
        return thing.removesuffix("e")[:-1] + "ves"
    return thing[:-1] + "ies" if thing.endswith("y") and thing[-2:-1] not in tuple("aeiou") else thing + "s"


@lru_cache(maxsize=8192)
def _variants(pair: Pair) -> tuple[tuple[str, str, re.Pattern[str] | None], ...]:
    """The forms of both, and what must stand before an old one that may be another part of speech."""
    old, new, kind = pair
    if kind == "name":
        return ((old, new, None),)
    if kind == "thing":
        one, many = (old, new), (plural(old), plural(new))  # "it lists pages" names no list
        leads = _LEADS_TO_NOUN if old in VERBS else None
        return ((*one, leads), (*many, leads))
    found = [(old, new, None if " " in old else _LEADS_TO_VERB)]
    if (form := gerund(old)) != old:
        found.append((form, gerund(new), None))
    return tuple(found)


def _article(text: str, low: int, new: str) -> Iterator[Edit]:
    """A or an, as the word behind it has it now."""
    match = _ARTICLE.search(text, max(0, low - _LONGEST_ARTICLE), low)
    if match:
        fitting = article(new)
        start, end = match.span("article")
        if text[start:end].casefold() != fitting:
            yield Edit(start, end, _cased(text[start:end], fitting))


def _cased(like: str, text: str) -> str:
    """In capitals as the old one is: all, each word, or the first."""
    if len(like) > 3 and like.isupper():
        return text.upper()
    first, *others = like.split() or [""]
    if others and all(word[:1].isupper() for word in (first, *others)) and text.islower():
        return text.title()
    return with_capital(first, text)


def _lines(table: str) -> list[str]:
    return [line for line in table.replace("\n ", " ").strip().split("\n") if line]


def _kinds(table: str) -> list[list[list[str]]]:
    """Kinds, their members, and each member's words."""
    return [[one.strip().split("|") for one in line.split(",")] for line in _lines(table)]


def _things() -> dict[str, Known]:
    """By domain, each thing, in the singular and the plural, and what else there is of its kind."""
    found: dict[str, Known] = {}
    for section in siblings.THINGS.split("# ")[1:]:
        domain, _, table = section.partition("\n")
        known = found.setdefault(domain, {})
        for members in _kinds(table):
            for at, words in enumerate(members):
                others = [other[0] for number, other in enumerate(members) if number != at]
                for word in words:
                    pairs = tuple(Pair(word, other, "thing") for other in others)
                    known.setdefault(word, pairs)
                    known.setdefault(plural(word), pairs)
    return found


def _table(text: str) -> dict[str, tuple[str, ...]]:
    """Each verb in front of an arrow, and those behind it."""
    found: dict[str, tuple[str, ...]] = {}
    for line in _lines(text):
        olds, _, news = line.partition("->")
        others = tuple(new.strip() for new in news.split(","))
        for old in olds.split("|"):
            found.setdefault(old.strip(), tuple(new for new in others if new != old.strip()))
    return found


def _found(known: Known, text: str) -> tuple[Sibling, ...]:
    """The longest known phrases at each place, singular or plural."""
    found = []
    tokens = list(_TOKEN.finditer(text))
    at = 0
    while at < len(tokens):
        for size in range(min(_MOST_WORDS, len(tokens) - at), 0, -1):
            said = " ".join(token[0] for token in tokens[at : at + size])
            if pairs := known.get(said):
                found.append(Sibling(tokens[at].start(), tokens[at + size - 1].end(), pairs))
                at += size - 1
                break
        at += 1
    return tuple(found)


_MOST_WORDS = 4
_TOKEN = re.compile(r"[^\W_]+(?:[-/][^\W_]+)*")
_THINGS = _things()
_IN = {domain: known | _THINGS[ANY] for domain, known in (("", {}), *_THINGS.items())}
_NO_END = ("(", "_", "[", "'", "’")
_BEHIND_ANY = re.compile(r"[ \n*_]+([`\"'“]?[\w-]+)")
_BEHIND = re.compile(r"[ \n]([a-z][\w-]*)")
_BEFORE = re.compile(r"(?<![\w-])([A-Za-z][\w-]{0,30})[ \n]\Z")
_AFTER_NOUN = (
    STOP_WORDS
    | PREPOSITIONS
    | FINITE
    | frozenset(forms_of(verb)[1] for verb in VERBS | STATIVE)
    | word_set(
        "and or but then first again alone before after until unless because since so that which who whose "
        "when where while whenever instead rather once never always only also twice next outside inside"
    )
)
_BEFORE_NOUN = (
    STOP_WORDS
    | PREPOSITIONS
    | DETERMINERS
    | frozenset(NUMBERS)
    | verb_kinds.ACTS
    | word_set("and or then first last second next new old same whole full exact empty right wrong correct")
)
_VERBS = _table(verb_kinds.VERBS_OF)
_HAND = _table(verb_kinds.HAND_VERBS)
_CLAUSE_VERBS = _table(verb_kinds.CLAUSE_VERBS)
_WHOLE = {
    word: tuple(other[0] for other in members if word not in other)
    for members in _kinds(verb_kinds.WHOLE)
    for words in members
    for word in words
}
_WAITS = _table(verb_kinds.WAITS)
_CLAUSE = word_set("that whether if what which who whom whose where when how why")
_PARTICLES = word_set("out off back up down away over apart")
_NO_OBJECT = word_set(
    "let make help keep allow get see treat consider tell prefer favor ensure guarantee leave "
    "give avoid try be"
)
_GOES_ON = word_set("continue proceed start stop use apply")
_FRAMES = word_set("to into onto back for by as out off away through against over")
"""Behind the object they belong to the verb: only a verb that takes the same can stand in its place."""
_LOOSE = word_set(
    "to for with by from at in on up down out off away back as of about until outside inside upstairs "
    "downstairs there here home again first twice once further elsewhere"
)
"""Behind a verb they belong to it: another verb would not take what follows."""
