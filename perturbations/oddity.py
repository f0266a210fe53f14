"""The oddity placebo of a kind: the advice stands, as many words around it are damaged in the same way.

Advice is what to do, and when. A Trigger and a Scope say when, and so do the conditions of other sentences; a
sentence of a Claim, a Content or prose advises unless it is sure that it only explains. All else is around
the advice: Title, Description, Mechanism, Form, reasons, and sentences that explain.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from numpy.random import Generator, default_rng

from memtrial.agents.slot import Slot
from memtrial.memory.language.lexicon import DETERMINERS, PRONOUNS, VERBS
from memtrial.memory.language.roles import Span, clauses
from memtrial.memory.language.sentences import Edit, Sentence, apply, mask_quotes, sentences_of
from memtrial.memory.language.structure import ADVISING, parts, place_parts
from memtrial.memory.words import words
from memtrial.perturbations.advice.advised_action import named_actions
from memtrial.perturbations.advice.verbs import finite
from memtrial.perturbations.damage_contract import NO_CONTEXT, DamageContext, Damaged, NotApplicable
from memtrial.perturbations.language.differences import n_changed
from memtrial.perturbations.language.word_spans import TextWord, locate_words, n_words
from memtrial.perturbations.perturbation import Aim, PieceDamage
from memtrial.protocols import Perturbation

ODDITY = "oddity"
ODD = ("corrupt_mask", "filler", "corrupt_invert", "irrelevant_generic")
"""Kinds that can be done to some of the words, and the same way to others."""
TOLERANCE = 0.15
_JOINT = re.compile(r"(?<=[,;:])(?=\s)|(?=\s(?:and|or|but|so|when|where|if|than|by|for|from|with|of)\s)")


class Around(NamedTuple):
    """A stretch of an item that is no advice.

    Args:
        whole: it is a sentence or a body of its own, and no clause.
        apart: it stands in a field that advises nothing, or is a reason.
        names: it is a Form or a Title, or names an action: turned round, it would advise the opposite.
    """

    start: int
    end: int
    whole: bool
    apart: bool
    names: bool = False


_Place = tuple[int, str, Around]


class _Damage(NamedTuple):
    """One change that can be made to an item, and the number of words that it damages."""

    item: int
    edit: Edit
    n: int
    longer: int = 0


@dataclass(frozen=True, slots=True)
class Oddity:
    """Keep what to do and when verbatim; damage as many other words as the kind damages in the whole slot.

    It costs a reader of the content nothing, and one that stumbles over odd text as much as the kind does.

    Source: STATISTICS 0d.
    """

    kind: Perturbation

    @property
    def name(self) -> str:
        return f"{ODDITY}+{self.kind.name}"

    @property
    def aim(self) -> Aim:
        aim = replace(self.kind.aim, effect="wording", raw="no", prose=False, pieces=None)
        return replace(aim, content_left=(0.0, 1.0), flips=0, roles=None, standing=advice_spans)

    @property
    def pieces(self) -> PieceDamage:
        """How the kind damages some of the words."""
        return self.kind.aim.pieces or PieceDamage()

    def apply(
        self,
        slot: Slot,
        rng: Generator,
        context: DamageContext,  # noqa: ARG002
    ) -> Damaged | NotApplicable:
        promised = _promise(self, slot)
        if isinstance(promised, NotApplicable):
            return promised
        wanted, possible = promised
        # the slack of a word is no leave to do nothing
        if not possible or possible < wanted - _slack(wanted):
            return NotApplicable(
                f"too few words stand outside its advice: {possible} can be damaged there, where"
                f" {self.kind.name} damages {wanted} in the whole slot"
            )
        chosen = self._damage_most(slot, wanted, rng)
        if sum(piece.n for piece in chosen) < wanted - _slack(wanted):
            chosen = self._damage_most(slot, wanted, default_rng(0))  # the draw on which the promise rests
        items = (
            apply(item, [piece.edit for piece in chosen if piece.item == number])
            for number, item in enumerate(slot.items)
        )
        return Damaged(Slot(slot.cue, tuple(items)))

    def _damage_most(self, slot: Slot, wanted: int, rng: Generator) -> list[_Damage]:
        """Damage to so many words, or to all that there are; fields that advise nothing come first."""
        chosen: list[_Damage] = []
        left, room = wanted, [n_words(item) // 10 for item in slot.items]
        for piece in self._possible(slot, rng):
            fits = piece.n <= left or (not chosen and piece.n <= wanted + _slack(wanted))
            if fits and abs(piece.longer) <= room[piece.item]:
                chosen.append(piece)
                left, room[piece.item] = (
                    left - piece.n,
                    room[piece.item] - abs(piece.longer),
                )
        return chosen

    def _possible(self, slot: Slot, rng: Generator) -> Iterator[_Damage]:
        candidates = [
            (number, item, piece) for number, item in enumerate(slot.items) for piece in spans_around(item)
        ]
        for apart in (True, False):
            of_rank = [place for place in candidates if place[2].apart == apart]
            if self.pieces.replace_words is not None:
                damage = [*_replace_words(of_rank, self.pieces.replace_words(slot, rng))]
            else:
                damage = [*self._stretch_by_stretch(of_rank, rng)]
            yield from (damage[int(offset)] for offset in rng.permutation(len(damage)))

    def _stretch_by_stretch(self, candidates: list[_Place], rng: Generator) -> Iterator[_Damage]:
        for number, item, piece in candidates:
            text = item[piece.start : piece.end]
            if self.pieces.write_sentence is not None:
                # a sentence does not stand in the place of a clause
                ways = [self._write_alone(text, rng)] if piece.whole else []
            elif piece.names:
                continue
            else:
                ways = [
                    self._write_alone(text, rng),
                    "".join(self._write_alone(piece, rng) for piece in _pieces(text)),
                ]
            n, after = max(((n_changed(text, way), way) for way in ways), default=(0, text))
            if n:
                yield _Damage(
                    number,
                    Edit(piece.start, piece.end, after),
                    n,
                    n_words(after) - n_words(text),
                )

    def _write_alone(self, text: str, rng: Generator) -> str:
        """A piece of text as the kind damages it; as it was where it cannot."""
        if self.pieces.write_sentence is not None:
            return self.pieces.write_sentence(text, rng)
        return apply(text, chain(*self.pieces.turn_sentences(text))) if self.pieces.turn_sentences else text


def _replace_words(places: list[_Place], change: Callable[[TextWord], str]) -> Iterator[_Damage]:
    for number, item, stretch in places:
        for start, word in _words(item, stretch):
            yield _Damage(number, Edit(start + word.start, start + word.end, change(word)), 1)


def _slack(wanted: int) -> float:
    """Words more or less: a share of them, and one where they are few."""
    return max(1.0, TOLERANCE * wanted)


@lru_cache(maxsize=1024)
def _promise(placebo: Oddity, slot: Slot) -> tuple[int, int] | NotApplicable:
    """Words that its kind damages in the slot, and how many of them it can damage outside the advice."""
    # the same for every seed, so that it can be promised
    done = placebo.kind.apply(slot, default_rng(0), NO_CONTEXT)
    if isinstance(done, NotApplicable):
        return done
    count = _n_replaced if placebo.pieces.replace_words is not None else n_changed
    wanted = sum(map(count, slot.items, done.slot.items))
    return wanted, sum(piece.n for piece in placebo._damage_most(slot, wanted, default_rng(0)))


def _n_replaced(before: str, after: str) -> int:
    """Where each word has another one in its place, or itself."""
    return sum(piece != second for piece, second in zip(words(before), words(after), strict=False))


def _pieces(text: str) -> Iterator[str]:
    offset = 0
    for joint in _JOINT.finditer(mask_quotes(text)):
        yield text[offset : joint.start()]
        offset = joint.start()
    yield text[offset:]


def _words(item: str, stretch: Around) -> Iterator[tuple[int, TextWord]]:
    """The words in a stretch that do not only shape the text, with the place of their body."""
    for part, offset in place_parts(item):
        if offset <= stretch.start < offset + len(part.body):
            for word in locate_words(part):
                if stretch.start <= offset + word.start < stretch.end and not word.framed:
                    yield offset, word


_WHEN = ("trigger", "scope")
_AROUND = ("mechanism", "form")
_HINTS = re.compile(
    r"(?i)\b(?:should|must|ought|needs?\s+to|ha(?:s|ve)\s+to|avoid\w*|prefer\w*|instead|rather\s+than|better|best"
    r"|ensure|sure|essential|crucial|important|recommended|worth|remember|not\s+to|why\s+not|consider)\b"
    r"|\bdon['’]t\b|\bdo\s+not\b"
)
_FAINT_HINTS = re.compile(r"(?i)\b(?:never|always|cannot|helps?|works?|only)\b|n['’]t\b")
_FAINT = frozenset({"never", "always", "only", "not"})
"""They advise, too, unless the sentence names what it speaks of: "the menu lists only new articles" does."""
_BEGUN = re.compile(
    r"(?i)(?:\A\W*|[,:;)]\s+)(?:(?:then|and|first|or|but|so|thus|therefore|hence|please|just)\s+){0,3}([^\W_]+)"
)


def advice_spans(item: str) -> tuple[Span, ...]:
    """Where the advice stands; all of a raw trajectory."""
    return tuple((low, high) for low, high, around in _read_item(item) if around is None)


def spans_around(item: str) -> tuple[Around, ...]:
    """What stands around it, in order."""
    return tuple(around for _, _, around in _read_item(item) if around is not None)


@lru_cache(maxsize=2048)
def _read_item(item: str) -> tuple[tuple[int, int, Around | None], ...]:
    if any(part.step for part in parts(item)):
        return ((0, len(item), None),)
    return tuple(_cut_item(item))


def _cut_item(item: str) -> Iterator[tuple[int, int, Around | None]]:
    own = any(part.label in ADVISING and part.body.strip() for part in parts(item))
    for part, offset, sentence in sentences_of(item):
        end = offset + len(sentence.raw)
        if part.label in _AROUND:
            yield offset, end, Around(offset, end, True, True, part.label == "form")
        elif part.label in _WHEN:
            yield offset, end, None
        elif own and part.label not in ADVISING:
            yield from _with_conditions(offset, sentence, part.label == "title")
        elif _explains(sentence):
            yield offset, end, Around(offset, end, True, False)
        else:
            reason = offset + clauses(sentence).reason
            yield offset, reason, None
            if item[reason:end].strip():
                yield reason, end, Around(reason, end, False, True)


def _with_conditions(
    offset: int, sentence: Sentence, title: bool
) -> Iterator[tuple[int, int, Around | None]]:
    """A Title or a Description: all but its conditions, which say when."""
    place = 0
    whole = not clauses(sentence).opened
    names = title or bool(named_actions(sentence.raw))
    for low, high in [*sorted(clauses(sentence).opened), (len(sentence.raw),) * 2]:
        if sentence.raw[place:low].strip():
            yield offset + place, offset + low, Around(offset + place, offset + low, whole, True, names)
        if max(low, place) < high:
            yield offset + max(low, place), offset + high, None
        place = max(place, high)


def _explains(sentence: Sentence) -> bool:
    """Whether it tells no action, hints at none, and is a statement with a subject and a verb.

    In doubt it does not: advice that is damaged would cost a reader of the content something.
    """
    if named_actions(sentence.raw) or _HINTS.search(sentence.covered) or not sentence.words:
        return False
    if any(match[1].lower() in VERBS for match in _BEGUN.finditer(sentence.covered)):
        return False
    first = next(
        (offset for offset, word in enumerate(sentence.words) if word.start >= clauses(sentence).begin), 0
    )
    word, faint = sentence.word(first), _FAINT_HINTS.search(sentence.covered) is not None
    states = finite(sentence, first, len(sentence.words), 2) is not None
    if faint and (word in PRONOUNS or word in _FAINT):
        return False
    if word in DETERMINERS | PRONOUNS:
        return states or not faint
    return states or sentence.finite_in(sentence.clause(first))
