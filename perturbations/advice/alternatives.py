"""What may take the place of an advised action: what the world accepts, its kind offers, or a donor names."""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import chain

from memtrial.agents.slot import NOTHING, Slot
from memtrial.memory.language.lexicon import VERBS, phrases
from memtrial.memory.language.sentences import quotes
from memtrial.memory.language.structure import body
from memtrial.memory.words import STOP_WORDS, content_words
from memtrial.perturbations.advice.advised_action import Advised, named_actions
from memtrial.perturbations.advice.imperatives import WHOLE
from memtrial.perturbations.advice.known_actions import Repertoire, words_of
from memtrial.perturbations.advice.phrase_exchange import Pair, things_in

_WAITING = ("look around", "count to ten", "step back")


def whole_commands(action: str) -> tuple[Pair, ...]:
    """Commands that may stand in the place of a whole one without an object: of "wait", "look around"."""
    lowered = " ".join(action.casefold().split())
    if lowered in WHOLE:
        return tuple(Pair(action, new, "verb") for new in WHOLE[lowered])
    rest = lowered.removesuffix(" again").split()
    waits = rest[:1] == ["wait"] and rest[1:2] != ["for"]
    return tuple(Pair("wait", new, "verb") for new in _WAITING) if waits else ()


MARKS = "`\"'“”‘’«»"
_ARGUMENT = re.compile(r"\w\[(?P<what>[^\[\]\n]{1,200})\]")
_TRUTH = phrases("yes=no; no=yes; true=false; false=true; supports=refutes; refutes=supports")
_SAYS = re.compile(r"(?i)(?:answer|reply|respond|finish|say)\s(?:with\s)?(?P<what>yes|no|true|false)\b")
_AND = re.compile(r"(?:\b(?:and|or|then)|,)\s(?:then\s)?(?:the\s|its\s|an?\s)?\Z")
_AGAINST = re.compile(r"\b(?:not|never|instead|rather|over)\b")
_YEAR = re.compile(r"\b1[0-9]{3}\b|\b20[0-9]{2}\b")
_NAME = re.compile(
    r"(?<![^\W_])[A-Z][\w'’-]{1,30}(?: (?:of |the |de |von )?[A-Z][\w'’.-]{1,30}){0,4}(?![^\W_])"
)
_CODE = re.compile(r"[_=<>{}\\/]|\w[(.]\w|\(\)|\s-|--")
_PLAIN_COMMAND = re.compile(r"[a-z' -]{1,200}")
_PLACEHOLDERS = frozenset(["...", "…", "keyword", "entity", "query", "question", "answer", "title", "obj"])
_NUMBER = re.compile(r"\d{1,9}")
_COUNT = re.compile(r"\d[\d.,:]{0,20}(?: [a-z]{1,20})?")
_DATE = re.compile(
    r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\b.{0,5}\d"
)
MOST_NAMED = 200
"""Things of a donor that are tried."""


def rank_alternatives(
    action: str, quoted: bool, donor: Slot, known: Repertoire, kept: str, domain: str
) -> Iterator[list[Pair]]:
    """Exchanges that would make another action, those that are asked first in front.

    Args:
        quoted: it stands in quotes, as a command; so does then the donor's.
        kept: conditions and Triggers of its slot; what stands there is exchanged last.
        domain: what the slot is about.
    """
    if known.known:
        yield from _accepted_pairs(action, donor, known, domain)
        return
    arguments = [match["what"].strip(MARKS) for match in _ARGUMENT.finditer(action)]
    inner = [quote.strip(MARKS) for quote in quotes(action)]
    if any('"' in argument for argument in arguments):
        return  # half of a quote would be left
    for argument in arguments:
        other = _TRUTH.get(argument.casefold(), "")
        if other and other not in action.casefold():
            turned = action.replace(argument, other.title() if argument[:1].isupper() else other)
            yield [Pair(action, turned, "name")]
        else:
            yield from _other_arguments(argument, donor, domain)
    if arguments or any(map(_CODE.search, inner)):
        return
    if match := _SAYS.match(action):
        yield [Pair(match["what"], _TRUTH[match["what"].lower()], "name")]
        return
    own_part = _AGAINST.split(action, maxsplit=1)[0]
    for thing in sorted(
        things_in(own_part, domain), key=lambda thing: action[thing.start : thing.end].lower() in kept
    ):
        yield list(thing.others)
    yield list(whole_commands(action))
    if quoted and _is_plain(action):
        yield [Pair(action, other, "name") for other in _donor_commands(donor, True) if _is_plain(other)]


def _is_plain(command: str) -> bool:
    """Whether it says in plain words what is done to what: another such one can stand in its place."""
    plain = command.islower() and _PLAIN_COMMAND.fullmatch(command) is not None
    return plain and len(content_words(command)) > 1 and not _CODE.search(command)


def donor_actions(donor: Slot, known: Repertoire) -> Slot:
    """The donor, or an empty slot where nothing it tells could be put anywhere: all such give the same."""
    if not known.known or any(known.place_action(command)[1] for command in _donor_commands(donor)):
        return donor
    return NOTHING


def split_joined(advice: Advised, domain: str) -> tuple[Advised, ...]:
    """What the action names beside its first thing: the size in "choose the color and the size"."""
    further = (thing.start for thing in things_in(advice.action, domain)[1:])
    starts = [position for position in further if _AND.search(advice.action, 0, position)]
    return tuple(
        replace(advice, action=advice.action[position:], start=advice.start + position) for position in starts
    )


def _accepted_pairs(action: str, donor: Slot, known: Repertoire, domain: str) -> Iterator[list[Pair]]:
    """Another thing in a form, or another action of the list it stands in."""
    form, things = known.place_action(action)
    there = [known.place_action(command) for command in _donor_commands(donor)]
    for position in reversed(range(len(things))):
        yield [Pair(things[position], foreign[position], "name") for same, foreign in there if same == form]
        yield list(chain.from_iterable(thing.others for thing in things_in(things[position], domain)))
        yield [Pair(things[position], other, "name") for _, foreign in there for other in foreign]
    yield [Pair(action, other, "verb") for other in known.others(action)]


def _other_arguments(what: str, donor: Slot, domain: str) -> Iterator[list[Pair]]:
    """Another of the same kind: a thing, a year, a number, a name, or what else a donor has."""
    if what.casefold() in _PLACEHOLDERS or _CODE.search(what):
        return  # "Lookup[keyword]" shows a form, and names nothing
    known = things_in(what, domain)
    if known and known[0].end - known[0].start == len(what):
        yield list(known[0].others)
    yield [Pair(what, other, "name") for other in _donor_arguments(donor) if _shape(other) == _shape(what)]
    if _shape(what) in ("year", "number"):
        yield [Pair(what, _move_number(what, by), "name") for by in (3, 4, 6, 7)]
        return
    if len(known) == 1:
        yield list(known[0].others)


def _move_number(what: str, by: int) -> str:
    pattern = _YEAR if _YEAR.search(what) else _NUMBER
    return pattern.sub(lambda number: str(int(number[0]) + by), what)


def _shape(what: str) -> str:
    if _YEAR.fullmatch(what):
        return "year"
    if _COUNT.fullmatch(what) or _DATE.search(what):
        return "number"
    if what[:1].islower():
        return "phrase"
    plain = all(word.isalpha() and word[0].isupper() for word in what.replace("-", "").split())
    return f"name of {min(2, len(what.split()))}" if plain else "title"


@lru_cache(maxsize=1024)
def _donor_arguments(donor: Slot) -> tuple[str, ...]:
    """Arguments and quotes of what the donor tells, then the names and years in its text."""
    arguments = [match["what"].strip(MARKS) for item in donor.items for match in _ARGUMENT.finditer(item)]
    arguments += [quote.strip(MARKS) for action in _donor_commands(donor) for quote in quotes(action)]
    texts = [body(item) for item in donor.items]
    names = [match[0] for text in texts for match in _NAME.finditer(text)]
    opening = STOP_WORDS | VERBS  # "Use Lookup" begins a sentence, and names nothing
    seen = [name for name in names if " " in name and name.split()[0].lower() not in opening]
    seen += [match[0] for text in texts for match in _YEAR.finditer(text)]
    plain = (name for name in (*arguments, *seen) if not set(name) & set(MARKS + "[]") and name not in _TRUTH)
    return tuple(dict.fromkeys(plain))[:MOST_NAMED]


@lru_cache(maxsize=1024)
def _donor_commands(donor: Slot, quoted: bool = False) -> tuple[str, ...]:
    """What the donor tells, as commands in quotes and as plain imperatives; `quoted`: in quotes alone."""
    commands = []
    for item in donor.items:
        for action in named_actions(item):
            position = item.find(action)
            inside = item[position - 1 : position] in tuple(MARKS) and position > 0
            if inside or not quoted:
                commands.append(action if inside else _lower_first(action))
    fitting = (name for name in commands if words_of(name)[:1] and words_of(name)[0] in VERBS)
    return tuple(dict.fromkeys(fitting))[:MOST_NAMED]


def _lower_first(action: str) -> str:
    return action[:1].lower() + action[1:] if action[1:2].islower() else action
