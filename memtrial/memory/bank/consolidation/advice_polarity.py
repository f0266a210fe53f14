"""Whether two items tell the opposite, read from their words: the port's default member.

Each item's orders and bans are read clause by clause: the sign, the content words of the action, and the
condition. Two clauses oppose each other where the actions are the same and the signs differ, or where the
signs are the same and the actions differ in a pair of opposites ("ascending" and "descending"). The strength
is the share of words in common; another condition takes it away, a condition on one side alone takes half.
A step that the other item tells, too, opposes nothing. What is opposed in meaning only, a judge sees.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from memtrial.memory.bank.bank_item import BankItem
from memtrial.memory.item import AdditiveItem, NativeItem
from memtrial.memory.item_roles import roles_of
from memtrial.memory.language.lexicon import ANTONYMS, CONDITIONS
from memtrial.memory.language.roles import clauses
from memtrial.memory.language.sentences import Sentence, mask_quotes, spans
from memtrial.memory.words import POLARITY, STOP_WORDS, content_words, folded_words, stem

_CUT = re.compile(
    r"(?i)[,.;:()—–]|\b(?P<turn>instead of|rather than)\b|\b(?P<order>before|after)\b"
    r"|(?P<over>\bover)\b|\b(?:and|but|then|or|so)\b"
)
_WITHOUT_VERB = re.compile(r"(?i)\s*+(?:never|not)\s++(?:the|a|an|any|its|your)\s")
_TURNING = POLARITY - {"always", "do", "doing", "unless"}
_PREFERS = frozenset(folded_words("prefer prefers preferring preferred favour favor"))
_IDLE = frozenset(
    content_words("always must should please make sure ensure use using take then prefer favour favor")
)
_MORE_PAIRS = (("ascending", "descending"), ("first", "last"), ("with", "without"), ("all", "none"))
_BOTH_WAYS = tuple(
    ends for pair in (*ANTONYMS.items(), *CONDITIONS.items(), *_MORE_PAIRS) for ends in (pair, pair[::-1])
)


def _pair_stems() -> Mapping[str, set[str]]:
    opposites: dict[str, set[str]] = {}
    for word, other in _BOTH_WAYS:
        opposites.setdefault(stem(word), set()).add(stem(other))
    return opposites


_OPPOSITES = _pair_stems()
_ORDERS = frozenset(map(stem, ("before", "after")))
MOST_CLAUSES = 12
"""Of an item that are compared, the first ones."""
MOST_CHARACTERS = 4_000
ENOUGH = 0.8
"""Share of words in common from which on two clauses tell the same."""


class AdviceClause(NamedTuple):
    """What a clause tells, or forbids.

    Args:
        do: False for a ban.
        action: stems of its content words.
        given: those of its condition.
        turned: the opposites of the action's words.
    """

    do: bool
    action: frozenset[str]
    given: frozenset[str]
    turned: frozenset[str]


def measure_opposition(first: BankItem, second: BankItem) -> float:
    """How strongly two items tell the opposite, in [0, 1]: that of the two clauses that do so most."""
    own, other = (read_advice(*_texts_of(item)) for item in (first, second))
    strength = 0.0
    for clause in own:
        for against in other:
            measured = _oppose(clause, against)
            if measured > strength and not (_is_told(against, own) or _is_told(clause, other)):
                strength = measured
    return strength


def _texts_of(item: BankItem) -> tuple[str, str]:
    """What the item tells; and, of a failure, what it tells in the place of what went wrong."""
    native = item.item if isinstance(item.item, NativeItem | AdditiveItem) else None
    text = f"{native.title}.\n{native.description}\n{native.content}" if native else roles_of(item.item).what
    if item.origin.outcome == "failure":
        return text, item.details.instead or " "
    return text, ""


@lru_cache(maxsize=16_384)
def read_advice(text: str, instead: str = "") -> tuple[AdviceClause, ...]:
    """The clauses of an item's words.

    Args:
        instead: of a failure, what to do instead; then the text tells what went wrong, and only its bans are
            advice.
    """
    told = list(_read_clauses(text[:MOST_CHARACTERS]))
    if instead:
        told = [*_read_clauses(instead[:MOST_CHARACTERS]), *(clause for clause in told if not clause.do)]
    return tuple(dict.fromkeys(told))[:MOST_CLAUSES]


def _read_clauses(text: str) -> Iterator[AdviceClause]:
    covered = mask_quotes(text)
    for low, high in spans(text):
        sentence = Sentence(text[low:high], covered[low:high])
        read = clauses(sentence)
        given = [word for begin, stop in read.opened for word in _words_of(sentence.raw[begin:stop])]
        place = read.begin
        for begin, stop in (*sorted(span for span in read.opened if span[0] >= read.begin), (read.reason, 0)):
            yield from _read_stretch(sentence.raw[place : max(place, begin)], given)
            place = max(place, stop)


def _read_stretch(text: str, given: list[str]) -> Iterator[AdviceClause]:
    """The clauses between the joints; "before" and "after" open a condition of the clause ahead of them."""
    clause: AdviceClause | None = None
    verb = ""
    for joint, piece in _cut_pieces(text):
        words = list(_words_of(piece))
        action = frozenset(words) - _IDLE
        if joint in ("before", "after") and clause is not None:
            clause = clause._replace(given=clause.given | action | {stem(joint)})
            continue
        if clause is not None:
            yield clause
            clause = None
        turns = sum(word in _TURNING for word in folded_words(piece.casefold())) + (joint == "turn")
        if _WITHOUT_VERB.match(piece) or (joint == "turn" and action):
            action |= {verb} - {""}  # "open the box, never the lid"
        elif words:
            verb = "" if words[0] in _IDLE else words[0]
        if action:
            clause = AdviceClause(turns % 2 == 0, action, frozenset(given), _turn_words(action))
    if clause is not None:
        yield clause


def _cut_pieces(text: str) -> Iterator[tuple[str, str]]:
    """The pieces of a stretch, each with the joint ahead of it: "turn", "before", "after" or empty."""
    place, before = 0, ""
    for joint in _CUT.finditer(text):
        piece = text[place : joint.start()]
        if joint["over"] and not _PREFERS & set(folded_words(piece.casefold())):
            continue
        yield before, piece
        place = joint.end()
        before = "turn" if joint["turn"] or joint["over"] else (joint["order"] or "").lower()
    yield before, text[place:]


def _words_of(text: str) -> Iterator[str]:
    for word in folded_words(text.casefold()):
        if word not in STOP_WORDS or stem(word) in _ORDERS:
            yield stem(word)


def _oppose(first: AdviceClause, second: AdviceClause) -> float:
    if first.do != second.do:
        if first.action.isdisjoint(second.action):
            return 0.0
        return _share(first.action, second.action) * _agree(first.given, second.given)
    if not first.turned.isdisjoint(second.action):
        return _turn(first.action, second.action) * _agree(first.given, second.given)
    if not first.given or not second.given:
        return 0.0
    orders = (first.given & _ORDERS, second.given & _ORDERS)
    if all(len(order) == 1 for order in orders) and orders[0] != orders[1]:
        rest = _share(first.given - _ORDERS, second.given - _ORDERS)
        return rest * _share(first.action, second.action)
    return 0.0


def _turn_words(words: frozenset[str]) -> frozenset[str]:
    return frozenset(opposite for word in words for opposite in _OPPOSITES.get(word, ()))


def _turn(first: frozenset[str], second: frozenset[str]) -> float:
    """The share of words that are the same, or opposites; 0 unless an odd number are opposites.

    Left to open and right to close is one lesson.
    """
    lost, come = first - second, second - first
    olds, news = lost & _turn_words(come), come & _turn_words(lost)
    if len(olds) % 2 == 0 or (not first & second and lost | come != olds | news):
        return 0.0
    common = len(first & second) + len(olds)
    return common / (common + len(lost - olds) + len(come - news))


def _agree(first: frozenset[str], second: frozenset[str]) -> float:
    """How far two conditions are one: 1 for none or the same, half for a single one, 0 for opposite ones."""
    if not first and not second:
        return 1.0
    if not first or not second:
        return 0.5
    if not (first - second).isdisjoint(_turn_words(second - first)):
        return 0.0
    return _share(first, second)


def _share(first: frozenset[str], second: frozenset[str]) -> float:
    common = len(first & second)
    return common / (len(first) + len(second) - common) if common else 0.0


def _is_told(clause: AdviceClause, others: tuple[AdviceClause, ...]) -> bool:
    return any(
        other.do == clause.do
        and other.given == clause.given
        and _share(other.action, clause.action) >= ENOUGH
        for other in others
    )
