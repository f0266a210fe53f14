"""Where two texts differ, word by word, and which differences turn the advice round.

Read from the texts alone. Each sentence is compared with its counterpart; two turns in one sentence
cancel each other ("unless S, avoid A" is close to "when S, do A"), so that only an odd number counts.
A reason is read apart from what it is given for: "avoid A, because it does not B" is one turn of each.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import chain, groupby, pairwise
from typing import NamedTuple

from memtrial.memory.language.lexicon import ANTONYMS, CONDITIONS, NEGATORS, NUMBERS
from memtrial.memory.language.roles import reasons
from memtrial.memory.language.sentences import Sentence, cut_sentences, mask_quotes, masked_body
from memtrial.memory.words import words
from memtrial.perturbations.language.contrasts import halves_of, is_swapped, order_of, stems_of

Tokens = tuple[str, ...]
Change = tuple[Tokens, Tokens]
_PURPOSE = ("so", "that")
_NEGATING = frozenset(
    tuple(pair.split())
    for pair in ("refrain from", "refraining from", "steer clear", "hold back", "forget to", "fail to")
)
"""Two words that negate what follows: "do hold back from it", "do not forget to"."""
_JOINERS = frozenset((",", "and", "or", "then"))
_OF_NOUNS = frozenset(("no", "none", "nothing", "nobody", "nowhere", "neither"))
_MOST_ALIGNED = 2_500
"""Pairs of sentences that are held against each other."""
_MOST_PAIRS = 100_000
"""Pairs of words that are compared; longer texts are not laid side by side, but compared as two bags."""


@lru_cache(maxsize=2048)  # the check asks again what the damage was chosen by
def n_changed(before: str, after: str) -> int:
    """Number of words taken out, put in or replaced."""
    pairs = _pairs(_tokens(before.splitlines()), _tokens(after.splitlines()))
    return sum(max(len(old), len(new)) for first, second in pairs for old, new in _changes(first, second))


def n_negations(text: str) -> int:
    """Number of words that negate a verb, as `never`, `avoid` and `unless` do; those in quotes, too."""
    return _negations([word for word in _fold_tokens(text) if word not in _OF_NOUNS])


def share_reworded(before: Iterable[str], after: Iterable[str]) -> float:
    """Share of the words outside quotes that changed, items compared one by one; 0.0 without words."""
    pairs = list(zip(before, after, strict=False))
    outside = sum(len(words(masked_body(item))) for item, _ in pairs)
    return sum(n_changed(*pair) for pair in pairs) / outside if outside else 0.0


def n_flips(before: str, after: str, *, whys: bool = False) -> int:
    """Number of sentences that advise the opposite: polarity, order, condition, antonym or value changed.

    Args:
        whys: those whose reason turns count, too.
    """
    if before == after:
        return 0
    there, then = _read_sides(before, after)
    return sum(
        _is_turned(*pair)
        for side in range(1 + whys)
        for pair in _pairs(
            *([first[side] for first in sentences if first[side]] for sentences in (there, then))
        )
    )


def n_contradicted(before: str, after: str) -> int:
    """Number of sentences that advise the opposite for the reason that was given for the advice, verbatim.

    A purpose is no reason: "never open it so that they stay" may be said of what is done or of what is not.
    """
    there, then = _read_sides(before, after)
    if len(there) != len(then):
        return 0
    return sum(
        first.why[:2] not in ((), _PURPOSE)
        and first.why == second.why
        and _is_turned(first.what, second.what)
        for first, second in zip(there, then, strict=True)
    )


def share_said_again(before: str, after: str) -> float:
    """Share of the content words of the first, by type, that the second says, too; 0.0 without any."""
    own = _stems(before)
    return len(own & _stems(after)) / len(own) if own else 0.0


@lru_cache(maxsize=4096)  # each sentence is held against all of the other text
def _stems(text: str) -> frozenset[str]:
    return frozenset(stems_of(_fold_tokens(text)))


@lru_cache(maxsize=256)  # repeats change the same part in the same way
def count_touched(before: str, after: str) -> tuple[int, ...]:
    """For each word of `before` how many words were changed there, those put in behind it included."""
    old, new = (_fold_tokens(text) for text in (before, after))
    marks = [0] * len(old)
    low = _n_alike(old, new)
    tail = _n_alike(old[low:][::-1], new[low:][::-1])
    inner = old[low : len(old) - tail]
    between = gaps(inner, new[low : len(new) - tail])
    if between is None:
        here, there = Counter(inner), Counter(new[low : len(new) - tail])
        for place, word in enumerate(inner, low):
            marks[place] = int(here[word] > there[word])
        return tuple(marks)
    for a, b, c, d in between:
        marks[low + a : low + b] = [1] * (b - a)
        if d - c > b - a and marks:
            marks[max(0, low + b - 1)] += d - c - (b - a)
    return tuple(marks)


class _Sides(NamedTuple):
    """The words of a sentence: what it tells, under its conditions, and for which reason."""

    what: Tokens
    why: Tokens


def _read_sides(before: str, after: str) -> tuple[list[_Sides], list[_Sides]]:
    """The sentences of both; a reason that only one of two has is read with what it is given for."""
    there, then = list(_split_reasons(before)), list(_split_reasons(after))
    if len(there) != len(then):
        there, then = _align(there, then)
    if len(there) == len(then):
        for place, (first, second) in enumerate(zip(there, then, strict=True)):
            if bool(first.why) != bool(second.why):
                there[place], then[place] = (_Sides(side.what + side.why, ()) for side in (first, second))
    return there, then


def _align(there: list[_Sides], then: list[_Sides]) -> tuple[list[_Sides], list[_Sides]]:
    """Each sentence of the first with the one of the second that shares most of its content words; those
    that have no counterpart are left out. Texts of very many sentences stay as they are."""
    if not len(there) * len(then) <= _MOST_ALIGNED:
        return there, then
    stems = [stems_of(side.what + side.why) for side in then]
    pairs = []
    for side in there:
        own = stems_of(side.what + side.why)
        n, place = max(((len(own & other), -number) for number, other in enumerate(stems)), default=(0, 0))
        if own and 2 * n >= len(own):
            pairs.append((side, then[-place]))
    return ([first for first, _ in pairs], [second for _, second in pairs]) if pairs else (there, then)


@lru_cache(maxsize=512)  # the intact text is held against each way to damage it
def _split_reasons(text: str) -> tuple[_Sides, ...]:
    return tuple(map(_split_sentence, cut_sentences(text)))


@lru_cache(maxsize=2048)  # damage leaves most sentences as they were
def _split_sentence(raw: str) -> _Sides:
    sides: tuple[list[str], list[str]] = ([], [])
    place = 0
    for low, high in (*reasons(Sentence(raw, mask_quotes(raw))), (len(raw), len(raw))):
        sides[0].extend(_with_commas(raw[place:low]))
        sides[1].extend(_fold_tokens(raw[low:high]))
        place = high
    return _Sides(*map(tuple, sides))


def _tokens(pieces: list[str]) -> list[Tokens]:
    return [tokens for tokens in map(_fold_tokens, pieces) if tokens]


def _with_commas(text: str) -> list[str]:
    pieces = text.split(",")
    return [
        *_fold_tokens(pieces[0]),
        *chain.from_iterable([",", *_fold_tokens(piece)] for piece in pieces[1:]),
    ]


@lru_cache(maxsize=1024)  # a sentence comes up in each text that keeps it
def _fold_tokens(text: str) -> Tokens:
    return tuple(word.casefold().replace("’", "'") for word in words(text))


def _pairs(before: list[Tokens], after: list[Tokens]) -> Iterator[Change]:
    if len(before) == len(after):
        yield from ((first, second) for first, second in zip(before, after, strict=True) if first != second)
        return
    between = gaps([" ".join(first) for first in before], [" ".join(first) for first in after])
    for low, high, start, stop in between or ((0, len(before), 0, len(after)),):
        yield (tuple(chain(*before[low:high])), tuple(chain(*after[start:stop])))


@lru_cache(maxsize=256)  # the same sentence is held against the same other in text after text
def _changes(before: Tokens, after: Tokens) -> tuple[Change, ...]:
    low = _n_alike(before, after)
    tail = _n_alike(before[low:][::-1], after[low:][::-1])
    old, new = before[low : len(before) - tail], after[low : len(after) - tail]
    between = gaps(old, new)
    if between is None:
        here, there = Counter(old), Counter(new)
        return ((tuple((here - there).elements()), tuple((there - here).elements())),)
    return tuple((old[a:b], new[c:d]) for a, b, c, d in between)


def _n_alike(first: Tokens, second: Tokens) -> int:
    differ = (
        place for place, (word, new_word) in enumerate(zip(first, second, strict=False)) if word != new_word
    )
    return next(differ, min(len(first), len(second)))


def gaps(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int, int, int]] | None:
    """What lies between the stretches that both have in common; None where finding them takes too long."""
    if len(old) * len(new) > _MOST_PAIRS:
        return None
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return [(a, b, c, d) for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal"]


@lru_cache(maxsize=2048)
def _is_turned(before: Tokens, after: Tokens) -> bool:
    """Whether one sentence advises the opposite of the other, as a whole or in each step that changed."""
    if _turns(before, after) % 2:
        return True
    first, second = _steps(before), _steps(after)
    changed = [pair for pair in zip(first, second, strict=False) if pair[0] != pair[1]]
    if len(first) != len(second) or not changed or any(pair[0][0] in CONDITIONS for pair in changed):
        return False
    return all(_turns(*pair) % 2 and _alike(*map(stems_of, pair)) for pair in changed)


def _steps(tokens: Tokens) -> list[Tokens]:
    runs = groupby(tokens, key=_JOINERS.__contains__)
    return [tuple(run) for joins, run in runs if not joins]


def _alike(first: set[str], second: set[str]) -> bool:
    return 2 * len(first & second) >= min(len(first), len(second))


def _turns(before: Tokens, after: Tokens) -> int:
    """Changes of direction in one sentence: a negation more or less, opposites, other values."""
    negations = (_negations(after) - _negations(before)) % 2
    halves = halves_of(before), halves_of(after)
    orders = order_of(before), order_of(after)
    for first, second in (halves, orders):
        if first and second and CONDITIONS.get(first.word) == second.word and is_swapped(first, second):
            return negations  # "A before B", "B after A"
    # "A before B" and "not B before A" are one advice: a `not` is a contrast, too, and hides the order
    swapped = is_swapped(*halves) or (negations == 1 and is_swapped(*orders))
    return negations + sum(_opposites(old, new) for old, new in _changes(before, after)) + swapped


def _negations(tokens: Iterable[str]) -> int:
    verbs = sum(pair in _NEGATING for pair in pairwise(tokens))
    return verbs + sum(token in NEGATORS or token.endswith("n't") for token in tokens)


def _opposites(old: Tokens, new: Tokens) -> int:
    there = Counter(new)
    n = 0
    for word in old:
        for second in (ANTONYMS.get(word), CONDITIONS.get(word)):
            if second is not None and second not in NEGATORS and word not in NEGATORS and there[second] > 0:
                there[second] -= 1
                n += 1
                break
    values = [word for word in old if _is_value(word)]
    others = [word for word in new if _is_value(word)]
    return n + (len(values) if values != others and len(values) == len(others) else 0)


def _is_value(word: str) -> bool:
    return word in NUMBERS or re.fullmatch(r"\d+(?:\.\d+)*", word) is not None
