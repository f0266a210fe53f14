"""Another verb for an advised one: what is done to the same object, in the same frame of prepositions."""

from itertools import pairwise

from loadbearing.memory.language.lexicon import DETERMINERS, NUMBERS, PREPOSITIONS, word_set
from loadbearing.memory.language.word_lists import listing, words
from loadbearing.perturbations.advice.exchange import Pair
from loadbearing.perturbations.advice.imperatives import ACTS, LOOSE, PLAIN, WHOLE

_TO_HEARER = ("describe",)
_HEARERS = word_set("user customer supervisor manager team agent reviewer caller owner guest")
"""To whom something is described; all else is compared to."""
_FRAMED = listing("other_verbs.framed")
"""Verbs with the preposition that their object is followed by, and what takes the same one."""
_OTHERS = listing("other_verbs.others")
"""Verbs, and what stands in their place; the object stays."""
_PREPOSITIONAL = frozenset(listing("other_verbs.prepositional").replace("\n", " ").split("; "))
"""Verbs with a preposition of their own, which goes with them."""
_WAITING = ("look around", "count to ten", "step back")
_SAME_FRAME = ("sort by", "group by", "rank by", "order by", "divide by", "multiply by")
_BOUND = ("ask", "compare", "match", "contrast")
"""They take what no other verb takes: "ask the user to check"."""
_CHECKS = word_set("check verify confirm double-check validate ensure determine see identify decide")
_OF_CLAUSES = ("assume", "announce", "predict")
_CLAUSE = word_set("that whether if who whom whose where when how why")
_PARTICLES = word_set("out off back up down away over apart")
_NO_OBJECT = words("other_verbs.no_object")
_GOES_ON = word_set("continue proceed start stop use apply")
_FRAMES = word_set("to into onto back for by as out off away through against over")
"""Behind the object they belong to the verb: only a verb that takes the same can stand in its place."""


def verbs_of(action: str) -> tuple[Pair, ...]:
    """Verbs that may stand in the place of the first one, or commands in the place of the whole."""
    said = " ".join(action.casefold().split())
    if said in WHOLE:
        return tuple(Pair(action, new, "verb") for new in WHOLE[said])
    rest = said.removesuffix(" again").split()
    if rest[:1] == ["wait"] and rest[1:2] != ["for"]:
        return tuple(Pair("wait", new, "verb") for new in _WAITING)
    if not rest or rest[0] in _NO_OBJECT or (rest[0] in _GOES_ON and rest[1:2] != ["the"]):
        return ()
    if rest[-1] in _PARTICLES and len(rest) > 2:  # "take it out" is one verb around its object
        what = " ".join(action.split()[1:-1])
        other = (new.partition(" ") for new in _VERBS.get(f"{rest[0]} {rest[-1]}", ()))
        return tuple(Pair(action, f"{new} {what} {particle}".strip(), "name") for new, _, particle in other)
    sizes = (size for size in (3, 2) if " ".join(rest[:size]) in _PREPOSITIONAL | _VERBS.keys())
    size = next(sizes, 1)
    verb, behind = " ".join(rest[:size]), "".join(rest[size : size + 1])
    news = _instead(verb, behind, rest[size + 1 :])
    return tuple(Pair(verb, new, "verb") for new in news if new.split()[0] != rest[0])


def _instead(verb: str, behind: str, rest: list[str]) -> tuple[str, ...]:
    if behind in _CLAUSE:
        return _OF_CLAUSES if verb in _CHECKS else ()
    known = verb in ACTS or " " in verb or behind in DETERMINERS
    if not known or not behind or behind in LOOSE | PREPOSITIONS or behind == "what":
        return ()
    pairs = pairwise(rest)
    frames = [one for one, then in pairs if one in _FRAMES and not _is_free(one, then)]
    if verb in _BOUND or " ".join((verb, *frames)) in _SAME_FRAME:
        return _VERBS[verb]
    if frames == ["to"] and rest[-1] in _HEARERS:
        return _TO_HEARER
    return _WITH_FRAME.get(" ".join((verb, *frames)), ()) if frames else _VERBS.get(verb, ())


def _is_free(one: str, then: str) -> bool:
    """Whether it goes with any verb: "to find" is a purpose, "for three minutes" a time."""
    return then in PLAIN if one == "to" else one == "for" and (then in NUMBERS or then.isdigit())


def _table(lines: str) -> dict[str, tuple[str, ...]]:
    pairs = (line.split(" -> ") for line in lines.split("\n"))
    return {old: tuple(news.split(", ")) for olds, news in pairs for old in olds.split(" | ")}


_VERBS, _WITH_FRAME = _table(_OTHERS), _table(_FRAMED)
