"""What a simulated judge says of two texts: what each advises, as the participants read it, and how they
compare."""

import json
import re
from dataclasses import dataclass

from memtrial.models.simulated.advice import Advice, read
from memtrial.models.simulated.prompt import answer
from memtrial.models.simulated.text import choice, stems, uniform

RELATIONS = ("same", "opposite", "another action")
NEGATIONS = frozenset(stems("never not avoid do don't doing no stop skip refrain from without"))
"""Words that say whether something is to be done, and not what."""
MARK = re.compile(r"\[[A-Z]{1,6}\]|囗")
MOST = 40
"""Pieces of advice of one text that it lists."""
_Words = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class _Piece:
    """One sentence of advice, its actions in the order to do them; `quote` stands in the text."""

    words: _Words
    do: bool
    states: frozenset[frozenset[str]]
    action: str
    quote: str


def compare_texts(first: str, second: str, hit: float, noise: float, draw: tuple[str, int]) -> str:
    """The reply of a judge that sees what there is with the chance `hit`, else nothing in either text.

    It errs in one pair with the chance `noise`.
    """
    seen = uniform(*draw, "see") < hit
    ours, theirs = (_pieces(text) if seen else () for text in (first, second))
    pairs = _pair_up(ours, theirs)
    if pairs and uniform(*draw, "err") < noise:
        place = int(uniform(*draw, "which") * len(pairs))
        our, their, relation = pairs[place]
        if our and their:
            others = tuple(name for name in RELATIONS if name != relation)
            pairs[place] = our, their, choice(others, *draw, "other")
    return answer(
        {
            "first": _list_pieces(ours),
            "second": _list_pieces(theirs),
            "pairs": json.dumps(
                [{"first": our, "second": their, "relation": relation} for our, their, relation in pairs]
            ),
            "first_contradicts": _contradicts(ours),
            "second_contradicts": _contradicts(theirs),
        }
    )


def read_masked(text: str, hit: float, draw: tuple[str, int]) -> str:
    """The reply of a judge about a text with marks: with the chance `hit` it tells what no mark stands in."""
    seen = uniform(*draw, "see") < hit
    told = tuple(piece for piece in _pieces(text) if not MARK.search(piece.action)) if seen else ()
    return answer({"pieces": _list_pieces(told)})


def _pieces(text: str) -> tuple[_Piece, ...]:
    return tuple(_piece(advice, text) for advice in read(text)[:MOST])


def _piece(advice: Advice, text: str) -> _Piece:
    words = tuple(tuple(word for word in act.words if word not in NEGATIONS) for act in advice.acts)
    passages = [*(span for act in advice.acts for span in act.spans), *(act.text for act in advice.acts)]
    first_line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    quote = next((passage for passage in passages if passage and passage in text), first_line)
    action = ", then ".join(act.text for act in advice.acts)
    return _Piece(words, advice.do, frozenset(advice.states), action[:500], quote[:500])


def _pair_up(ours: tuple[_Piece, ...], theirs: tuple[_Piece, ...]) -> list[tuple[int, int, str]]:
    """Pieces of the same actions first, then those that are left in their order."""
    pairs: list[tuple[int, int, str]] = []
    left = list(range(len(theirs)))
    alone = []
    for number, piece in enumerate(ours):
        match = next((place for place in left if _alike(piece, theirs[place])), None)
        if match is None:
            alone.append(number)
        else:
            left.remove(match)
            pairs.append((number + 1, match + 1, _relation(piece, theirs[match])))
    for number in alone:
        if left:
            place = left.pop(0)
            pairs.append((number + 1, place + 1, _relation(ours[number], theirs[place])))
        else:
            pairs.append((number + 1, 0, "not there"))
    return [*pairs, *((0, place + 1, "not there") for place in left)]


def _alike(ours: _Piece, theirs: _Piece) -> bool:
    return sorted(ours.words) == sorted(theirs.words)


def _relation(ours: _Piece, theirs: _Piece) -> str:
    if not _alike(ours, theirs):
        return "another action"
    turned = (ours.do != theirs.do) ^ (ours.words != theirs.words)
    return "opposite" if turned else "same"


def _list_pieces(pieces: tuple[_Piece, ...]) -> str:
    return json.dumps(
        [
            {
                "field": "text",
                "polarity": "do" if piece.do else "avoid",
                "action": piece.action,
                "quote": piece.quote,
            }
            for piece in pieces
        ],
        ensure_ascii=False,
    )


def _contradicts(pieces: tuple[_Piece, ...]) -> str:
    advised = {(piece.words, piece.states): piece.do for piece in pieces}
    return "yes" if any(advised[piece.words, piece.states] != piece.do for piece in pieces) else "no"
