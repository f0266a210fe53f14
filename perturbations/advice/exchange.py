"""One phrase put for another all through an item: inflected, with its article and capitals."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain
from typing import Literal, NamedTuple

from loadbearing.perturbations.advice import siblings, verb_kinds
from loadbearing.perturbations.advice.known_actions import occurrences
from loadbearing.perturbations.language import roles
from loadbearing.perturbations.language.lexicon import DETERMINERS, VERBS, word_set
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
    r"|last|second|next|correct|right|wrong|same|exact|and|or|both)[ \n]\Z",
    re.IGNORECASE,
)
_DOUBLED = re.compile(r"[^aeiou][aeiou][bdgmnpt]\Z")
_ONE_SYLLABLE = re.compile(r"[^aeiou]*[aeiou][^aeiou]\Z")
_UNDOUBLED = frozenset({"open", "visit", "edit", "limit", "enter", "rephrase", "highlight"})


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
    taken = mask(len(text), kept)
    edits: list[Edit] = []
    variants = chain.from_iterable(map(_variants, pairs))
    for old, new, verb in sorted(variants, key=lambda one: (-len(one[0]), one[0])):
        for low, high in occurrences(old, text):
            leads = _LEADS_TO_VERB if verb else _LEADS_TO_NOUN
            led = verb is None or leads.search(text, max(0, low - 24), low) is not None
            if taken.find(1, low, high) < 0 and led:
                taken[low:high] = b"\1" * (high - low)
                edits.append(Edit(low, high, _cased(text[low:high], new)))
                edits += _article(text, low, new)
    return apply(text, edits)


@lru_cache(maxsize=1024)
def domain_of(text: str) -> str:
    """The domain of which most things stand there; empty where there is none."""
    hits = {name: len(_found(known, text)) for name, known in _THINGS.items() if name != ANY}
    return max(hits, key=hits.__getitem__) if any(hits.values()) else ""


@lru_cache(maxsize=8192)
def things_in(action: str, domain: str) -> tuple[Sibling, ...]:
    """Things of a known kind, in order: of the domain, and of any."""
    return _found(_IN[domain], action) or _found(_LONG, action)


_PARTICLES = frozenset(["out", "off", "back", "in", "on", "up", "down", "away", "over", "apart"])


def verbs_of(action: str, domain: str) -> tuple[Pair, ...]:
    """Verbs that may stand in the place of the first one, or commands in the place of the whole."""
    folded = " ".join(action.casefold().split())
    if folded in _WHOLE:
        return tuple(Pair(action, new, "verb") for new in _WHOLE[folded])
    found = []
    rest = folded.removesuffix(" again").split()
    if len(rest) > 2 and rest[-1] in _PARTICLES:
        return ()  # "take it out" is one verb around its object
    if rest and rest[0] in _WAITS and rest[1:2] != ["for"]:
        return tuple(Pair(rest[0], new, "verb") for new in _WAITS[rest[0]])
    for size in (3, 2, 1):
        verb, behind = " ".join(rest[:size]), (rest[size : size + 1] or [""])[0]
        if behind in _CLAUSE and behind != "what":
            found += [Pair(verb, new, "verb") for new in _CLAUSE_VERBS.get(verb, ())]
        elif behind and behind not in _LOOSE and not _FRAMES & set(rest):
            known = _VERBS.get(verb, ())
            # a hand lifts no text, and no cup is underlined
            alike = _VERBS["inspect"] if domain in ("house", "") else _VERBS["check"]
            known = alike if known in _BODILY and domain not in ("house", "") else known
            if (
                not known
                and verb not in _NO_OBJECT
                and (verb in VERBS or (size == 1 and behind in DETERMINERS))
            ):
                known = alike
            found += [Pair(verb, new, "verb") for new in known]
        if found:
            break
    return tuple(found)


def inflected(verb: str, ending: str) -> str:
    """The phrase with its first word in this form: `-s`, `-ing` or `-ed`, regular verbs alone."""
    word, _, rest = verb.partition(" ")
    folded = word.casefold()
    if ending == "s":
        made = word + ("es" if folded.endswith(("s", "sh", "ch", "x", "z")) else "s")
        if folded.endswith("y") and folded[-2:-1] not in tuple("aeiou"):
            made = word[:-1] + "ies"
    elif folded.endswith("e") and not folded.endswith("ee"):
        made = word[:-1] + ending
    elif ending == "ed" and folded.endswith("y") and folded[-2:-1] not in tuple("aeiou"):
        made = word[:-1] + "ied"
    elif _DOUBLED.search(folded) and (_ONE_SYLLABLE.match(folded) or folded.endswith("mit")):
        made = word + ("" if folded in _UNDOUBLED else word[-1]) + ending
    else:
        made = word + ending
    return f"{made} {rest}" if rest else made


def plural(thing: str) -> str:
    """The phrase with its last word in the plural."""
    if thing.endswith(("s", "x", "ch", "sh")) and not thing.endswith("ss's"):
        return thing + "es"
    return thing[:-1] + "ies" if thing.endswith("y") and thing[-2:-1] not in tuple("aeiou") else thing + "s"


@lru_cache(maxsize=8192)
def _variants(pair: Pair) -> tuple[tuple[str, str, bool | None], ...]:
    """The forms of both, and for an old one that is both a verb and a noun, which of these it is here."""
    old, new, kind = pair
    if kind == "name":
        return ((old, new, None),)
    if kind == "thing":
        return ((old, new, False if old in VERBS else None), (plural(old), plural(new), None))
    found = [(old, new, None if " " in old else True)]
    for ending in ("s", "ing", "ed"):
        if ending == "ing" or old.split()[0].casefold() not in verb_kinds.NOUNISH:
            found.append((inflected(old, ending), inflected(new, ending), None))
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
# of other domains, what can hardly mean anything else
_LONG = {name: pairs for known in _THINGS.values() for name, pairs in known.items() if " " in name}
_VERBS = _table(verb_kinds.VERBS_OF)
_CLAUSE_VERBS = _table(verb_kinds.CLAUSE_VERBS)
_WHOLE = {
    word: tuple(other[0] for other in members if word not in other)
    for members in _kinds(verb_kinds.WHOLE)
    for words in members
    for word in words
}
_WAITS = _table(verb_kinds.WAITS)
_CLAUSE = word_set("that whether if what which who whom whose where when how why")
_BODILY = (_VERBS["put"], _VERBS["take"])
_NO_OBJECT = word_set(
    "let make help keep allow get see treat consider tell go wait look continue proceed start stop"
)
_FRAMES = frozenset({"into", "back"})
_LOOSE = word_set("to for with by from at in on up down out off away back as of about until")
"""Behind a verb they belong to it: another verb would not take what follows."""
