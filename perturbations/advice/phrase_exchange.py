"""One phrase replaced by another throughout an item: inflected, with its article and capitals."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain
from typing import Literal, NamedTuple

from memtrial.memory.language import lexicon, roles
from memtrial.memory.language.lexicon import sections, words
from memtrial.memory.language.sentences import Edit, apply
from memtrial.memory.language.structure import mask, place_parts
from memtrial.memory.words import STOP_WORDS
from memtrial.perturbations.advice.imperatives import LOOSE, PLAIN
from memtrial.perturbations.advice.known_actions import occurrences
from memtrial.perturbations.language.grammar import article, with_capital

ADJECTIVES = words("exchange.adjectives")
"""Things that describe others."""
_LEAST_THINGS = 3
ANY = "any"
"""The domain of things that stand in all domains."""
SPARED = ("trigger", "scope", "form")
"""They say when an item counts, and stay; all but the `action:` of a Trigger, which names an action. Firing
is decided on the intact item, so that the one shown may name another."""
_ACTION_CUE = re.compile(r"(?i)(?<![^\W_])action[\s*_]{0,3}:(?P<what>[^|\n]*+)")
Kind = Literal["thing", "verb", "name"]
_ARTICLE = re.compile(r"(?i)(?<!\w)(?P<article>an?)\s+\Z")
_LONGEST_ARTICLE = 12
_LEADS_TO_VERB = re.compile(
    r"(?i)(?:^|[^\w\s`\"'“‘)\]]|[\n`]|\b(?:to|and|then|should|must|can|will|always|first|or|not|never|only|just|n't"
    r"|do|please|you|finally|next|now|later|afterwards|agent|also|carefully|immediately|simply|instead|before|by))[\s*_]{0,3}\Z"
)
_LEADS_TO_NOUN = re.compile(
    r"(?i)\b(?:the|an?|each|every|any|its|your|their|this|that|of|by|for|with|per|in|all|no|one|new|old|missing|first"
    r"|last|second|next|correct|right|wrong|same|exact|both|[a-z]{2,12}ing)[ \n]\Z"
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


@lru_cache(maxsize=512)
def closed_spans(item: str) -> tuple[tuple[int, int], ...]:
    """What stays of an item: headings, what says when it counts, and the condition of each sentence."""
    runs = (run for run in roles.runs_of(item) if run.role in ("when", "form") and run.label != "trigger")
    closed = [(run.start, run.end) for run in runs]
    for part, place in place_parts(item):
        if part.label == "trigger":
            closed += _around_actions(part.body, place - len(part.head), place)
        else:
            closed.append((place - len(part.head), place + len(part.body) * (part.label in SPARED)))
    return tuple(sorted(closed))


def _around_actions(trigger: str, start: int, place: int) -> Iterator[tuple[int, int]]:
    """From the Trigger's heading on, what lies before, between and behind the actions that it names."""
    for match in _ACTION_CUE.finditer(trigger):
        yield start, place + match.start("what")
        start = place + match.end()
    yield start, place + len(trigger)


@lru_cache(maxsize=4096)
def conditions(item: str) -> str:
    """What says when the item counts, but not where it does not apply."""
    runs = (run for run in roles.runs_of(item) if run.role == "when" and run.label != "scope")
    return "\n".join(item[run.start : run.end] for run in runs)


def exchange_words(text: str, pairs: Iterable[Pair], kept: Iterable[tuple[int, int]] = ()) -> str:
    """The text with each pair's phrase replaced in all its places outside what is kept, the longest first."""
    edits: list[Edit] = []
    for low, high, new in _locate_phrases(text, pairs, kept):
        edits.append(Edit(low, high, _match_case(text[low:high], new)))
        edits += _fix_article(text, low, new)
    return apply(text, edits)


def _locate_phrases(
    text: str, pairs: Iterable[Pair], kept: Iterable[tuple[int, int]]
) -> Iterator[tuple[int, int, str]]:
    """Where the phrases stand outside what is kept, and what comes there."""
    taken = mask(len(text), kept)
    variants = chain.from_iterable(map(_inflect, pairs))
    for old, new, leads in sorted(variants, key=lambda variant: (-len(variant[0]), variant[0])):
        for low, high in occurrences(old, text):
            led = leads is None or (low > 0 and taken[low - 1] == 1)  # behind a heading
            led = led or (leads is not None and leads.search(text, max(0, low - 24), low) is not None)
            if taken.find(1, low, high) < 0 and led:
                taken[low:high] = b"\1" * (high - low)
                yield low, high, new


@lru_cache(maxsize=1024)
def domain_of(text: str) -> str:
    """The domain of which most things stand there; empty where there are not three different ones, and twice
    as many as of any other: a table of a database is no furniture."""
    hits = {
        name: len({text[thing.start : thing.end] for thing in _find_siblings(known, text)})
        for name, known in _THINGS.items()
        if name != ANY
    }
    first, second = sorted(hits, key=hits.__getitem__, reverse=True)[:2]
    return first if hits[first] >= max(_LEAST_THINGS, 2 * hits[second]) else ""


@lru_cache(maxsize=8192)
def things_in(action: str, domain: str) -> tuple[Sibling, ...]:
    """Things of a known kind, in order: of the domain, and of any."""
    return tuple(
        thing for thing in _find_siblings(_IN[domain], action) if stands_alone(action, thing.start, thing.end)
    )


def stands_alone(text: str, low: int, high: int) -> bool:
    """Whether a noun there is no part of a longer name: "the coupon" is none, "the coupon code" is one."""
    if text[low:high].lower() in ADJECTIVES:
        return True
    if text[high : high + 1] in _NO_END or text[low - 1 : low] == "_":
        return False
    behind, before = _BEHIND.match(text, high), _BEFORE.search(text, max(0, low - 24), low)
    if behind and behind[1].lower() not in _AFTER_NOUN and not behind[1].lower().endswith("ly"):
        return False
    if before is None or text[low:high][:1].isupper():
        return True
    word = before[1].lower()
    return word in _BEFORE_NOUN or word.endswith(("ed", "ing", "est")) or word in ADJECTIVES


def lacks_object(pair: Pair, item: str) -> bool:
    """Whether a verb that is put for another stands somewhere with nothing that it is done to."""
    places = _locate_phrases(item, (pair,), closed_spans(item)) if pair.kind == "verb" else ()
    ends = (_BEHIND_ANY.match(item, high) for _, high, _ in places)
    return any(
        end is None or end[1].lower() in LOOSE | lexicon.PREPOSITIONS | lexicon.SUBORDINATORS for end in ends
    )


def gerund(verb: str) -> str:
    """The phrase with its first word in -ing."""
    word, _, rest = verb.partition(" ")
    return " ".join(filter(None, (with_capital(word, lexicon.forms_of(word.casefold())[3]), rest)))


def plural(thing: str) -> str:
    """The phrase with its last word in the plural."""
    if thing.endswith(("s", "x", "ch", "sh")):
        return thing + "es"
    if thing.endswith(("leaf", "shelf", "wolf", "knife")):
        return thing.removesuffix("e")[:-1] + "ves"
    return thing[:-1] + "ies" if thing.endswith("y") and thing[-2:-1] not in tuple("aeiou") else thing + "s"


@lru_cache(maxsize=8192)
def _inflect(pair: Pair) -> tuple[tuple[str, str, re.Pattern[str] | None], ...]:
    """The forms of both, and what must stand before an old one that may be another part of speech."""
    old, new, kind = pair
    if kind == "name":
        return ((old, new, None),)
    if kind == "thing":
        singular, plurals = (old, new), (plural(old), plural(new))  # "it lists pages" names no list
        leads = _LEADS_TO_NOUN if old in lexicon.VERBS else None
        return ((*singular, leads), (*plurals, leads))
    forms = [(old, new, None if " " in old else _LEADS_TO_VERB)]
    if (form := gerund(old)) != old:
        forms.append((form, gerund(new), None))
    return tuple(forms)


def _fix_article(text: str, low: int, new: str) -> Iterator[Edit]:
    match = _ARTICLE.search(text, max(0, low - _LONGEST_ARTICLE), low)
    if match and match["article"].casefold() != article(new):
        yield Edit(*match.span("article"), _match_case(match["article"], article(new)))


def _match_case(like: str, text: str) -> str:
    """In capitals as the old one is: all, each word, or the first."""
    if len(like) > 3 and like.isupper():
        return text.upper()
    first, *others = like.split() or [""]
    if others and all(word[:1].isupper() for word in (first, *others)) and text.islower():
        return text.title()
    return with_capital(first, text)


def _read_things() -> dict[str, Known]:
    by_domain: dict[str, Known] = {}
    for domain, table in sections("things").items():
        known = by_domain.setdefault(domain, {})
        for line in table.replace("\n ", " ").strip().split("\n"):
            members = [spellings.strip().split("|") for spellings in line.split(",")]
            for place, spellings in enumerate(members):
                others = [other[0] for number, other in enumerate(members) if number != place]
                for word in spellings:
                    pairs = tuple(Pair(word, other, "thing") for other in others)
                    known.setdefault(word, pairs)
                    known.setdefault(plural(word), pairs)
    return by_domain


def _find_siblings(known: Known, text: str) -> tuple[Sibling, ...]:
    """The longest known phrases at each place, singular or plural."""
    siblings = []
    tokens = list(_TOKEN.finditer(text))
    place = 0
    while place < len(tokens):
        longest = min(_MOST_WORDS, len(tokens) - place) if tokens[place][0] in _OPENS else 0
        for size in range(longest, 0, -1):
            spelling = " ".join(token[0] for token in tokens[place : place + size])
            if pairs := known.get(spelling):
                siblings.append(Sibling(tokens[place].start(), tokens[place + size - 1].end(), pairs))
                place += size - 1
                break
        place += 1
    return tuple(siblings)


_MOST_WORDS = 4
_TOKEN = re.compile(r"[^\W_]+(?:[-/][^\W_]+)*")
_THINGS = _read_things()
_OPENS = frozenset(phrase.split(" ")[0] for known in _THINGS.values() for phrase in known)
_IN = {domain: known | _THINGS[ANY] for domain, known in (("", {}), *_THINGS.items())}
_NO_END = ("(", "_", "[", "'", "’")
_BEHIND_ANY = re.compile(r"[ \n*_]+([`\"'“]?[\w-]+)")
_BEHIND = re.compile(r"[ \n]([a-z][\w-]*)")
_BEFORE = re.compile(r"(?<![\w-])([A-Za-z][\w-]{0,30})[ \n]\Z")
_SMALL = STOP_WORDS | lexicon.PREPOSITIONS
_STATED = frozenset(lexicon.forms_of(verb)[1] for verb in lexicon.VERBS | lexicon.STATIVE)
_AFTER_NOUN = _SMALL | lexicon.FINITE | _STATED | words("exchange.after_noun")
_BEFORE_NOUN = _SMALL | lexicon.DETERMINERS | {*lexicon.NUMBERS} | PLAIN | words("exchange.before_noun")
