"""The opposite advice in nearly the same words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, chain
from typing import TYPE_CHECKING

from memtrial.agents.slot import Slot
from memtrial.memory.language.sentences import Edit, Edits, Sentence, apply, n_quotes_lost, sentences_of
from memtrial.memory.language.structure import ADVISING, HeadedPart, advising_text, n_lessons, parts, skeleton
from memtrial.perturbations.advice.frame_spans import without_frame
from memtrial.perturbations.advice.standing_advice import standing_advice
from memtrial.perturbations.aim import FEW_WORDS, Aim, Declaration, Length, Verbatim, refuse_no_share
from memtrial.perturbations.damage_contract import DamageContext, Damaged, NotApplicable, PieceDamage
from memtrial.perturbations.inversion.inverted_sentences import turn_sentence
from memtrial.perturbations.inversion.sound_shapes import ItemStems, find_fault, join_stems
from memtrial.perturbations.language.differences import n_contradicted, n_flips
from memtrial.perturbations.language.grammar import brought_in, not_whole
from memtrial.perturbations.language.word_spans import count_content, n_words, share_left

if TYPE_CHECKING:
    from numpy.random import Generator

LEAST_LEFT = 0.6
_SPARED = ("trigger", "scope", "form")  # they say when an item counts; a turned condition would undo the turn
_FEW = 2  # a "never" in the Title, in the advice and in its reason
_GROWTH = 10  # one more word for so many


@dataclass(frozen=True, slots=True)
class CorruptInvert:
    """Turn what an item advises as a whole, and its reason with it; conditions and the form stay.

    Claim, Mechanism, Content and prose are turned sentence by sentence, a Title and a Description where they
    command; an item with a sentence of another shape than those of `sound_shapes` is left. Trigger, Scope,
    Form, conditional clauses, quoted spans, code and addresses stay verbatim, and so does what tells nobody
    to do anything (`frame_spans`).

    Source: the fluent kind of Corrupt in arXiv 2601.22436, appendix D.2.

    Args:
        dose: share of the sentences that are turned, at least one in every item.
    """

    dose: float = 1.0
    name: str = "corrupt_invert"

    def __post_init__(self) -> None:
        refuse_no_share(self.dose)

    @property
    def aim(self) -> Aim:
        return Aim(
            content_left=(LEAST_LEFT, 1.0),
            length=Length(few=_FEW),
            advice="turned" if self.dose == 1 else "turned in part",
            verbatim=Verbatim(quotes=True, all_but=("what", "why")),
            declared=Declaration("meaning"),
        )

    @property
    def pieces(self) -> PieceDamage:
        return PieceDamage(turn_sentences=turns_of)

    def apply(self, slot: Slot, rng: Generator, context: DamageContext) -> Damaged | NotApplicable:
        if written := context.find_written(self.name, slot):
            return written
        if slot.empty:
            return NotApplicable("the slot holds no item")
        for number, item in enumerate(slot.items, 1):
            if reason := _fitting_turns(item)[1]:
                return NotApplicable(f"item {number} {reason}")
        return Damaged(Slot(slot.cue, tuple(self._invert(item, rng) for item in slot.items)))

    def _invert(self, item: str, rng: Generator) -> str:
        turns = _fitting_turns(item)[0]
        n_kept = max(1, round(self.dose * len(turns)))
        # the first one is of the advice itself and always stays
        others = rng.permutation(max(0, len(turns) - 1))[: n_kept - 1]
        chosen = [*turns[:1], *(turns[int(i) + 1] for i in others)]
        return apply(item, chain(*chosen))


def _mechanism(item: str) -> str:
    return "".join(part.body for part in parts(item) if part.label == "mechanism").strip()


_LONGEST = 200
"""Words of a sentence that is read; a longer one is no sentence of a memory."""


@lru_cache(maxsize=1024)  # each repeat of a trial asks again
def turns_of(item: str) -> tuple[Edits, ...]:
    """The edits that turn each sentence of an item, advice first; none where no advice can be turned."""
    return _read_turns(item)[0]


def _read_turns(item: str) -> tuple[tuple[Edits, ...], str]:
    """The edits, and the first sentence that they would not turn cleanly, with the reason."""
    sentences = [
        (part, start, sentence)
        for part, start, sentence in sentences_of(item)
        if len(sentence.words) <= _LONGEST and without_frame(item, start, sentence)
    ]
    own = any(part.label in ADVISING for part, _, _ in sentences)
    # above the first heading stands what the condenser said before it began
    candidates = [
        (part, start, sentence)
        for part, start, sentence in sentences
        if part.label not in _SPARED and (part.head or not own)
    ]
    candidates.sort(key=lambda candidate: own and candidate[0].label not in ADVISING)
    advice = [sentence for part, _, sentence in candidates if part.label in ADVISING or not own]
    advised = frozenset(word.text for sentence in advice for word in sentence.words)
    if not advice:
        return (), ""
    stems = join_stems(advice)
    turned = [_turn(item, *candidate, advised, stems) for candidate in candidates]
    if not any(edits for edits, _ in turned[: len(advice)]):
        return (), ""
    faults = (fault for _, fault in turned if fault)
    return tuple(edits for edits, _ in turned if edits), next(faults, "")


def _turn(
    item: str, part: HeadedPart, start: int, s: Sentence, advised: frozenset[str], stems: ItemStems
) -> tuple[Edits, str]:
    """The edits of one sentence, in places of the item, and why they do not turn it cleanly.

    Where they do not, what a label stands before is read without the label.
    """
    edits = turn_sentence(s, part.label, advised)
    fault = "" if part.step else find_fault(s, edits, part.label, stems)
    behind = without_frame(item, start, s)
    if fault and behind and behind[0] > start:
        return _turn(item, part, *behind, advised, stems)
    moved = tuple(Edit(edit.start + start, edit.end + start, edit.text) for edit in edits)
    return moved, f"`{' '.join(s.raw.split())[:60]}`: {fault}" if fault else ""


@lru_cache(maxsize=1024)
def _fitting_turns(item: str) -> tuple[tuple[Edits, ...], str]:
    """Those of the edits that keep the length, advice first; or why there are none."""
    turns, fault = _read_turns(item)
    if not turns:
        return (), "advises in no English sentence outside quotes that can be turned round"
    if fault:
        return (), f"holds a sentence that rules cannot turn round cleanly, {fault}"
    room = max(n_words(item) // _GROWTH, _FEW * FEW_WORDS * n_lessons(item))
    longer = (
        sum(n_words(edit.text) - n_words(item[edit.start : edit.end]) for edit in edits) for edits in turns
    )
    if any(part.step for part in parts(item)):  # of a trajectory as many as there is room for
        fit = max((n for n, words in enumerate(accumulate(longer), 1) if abs(words) <= room), default=1)
        turns = turns[:fit]
    elif (more := abs(sum(longer))) > room:
        size = f"that changes its length by {more} words, and its {n_words(item)} allow {room}"
        return (), f"is too short for all that it advises to be turned: {size}"
    after = apply(item, chain(*turns))
    if skeleton(after) != skeleton(item) or n_quotes_lost(item, after):
        return (), "has a sentence that would become a heading, or a quote around one"
    if not n_flips(advising_text(item), advising_text(after)):
        return (), "has no advice whose opposite could be told from it"
    if _mechanism(item) == _mechanism(after) != "":
        return (), "gives a Mechanism that cannot be turned with its advice"
    if n_contradicted(advising_text(item), advising_text(after)):
        return (), "gives a reason that cannot be turned with its advice"
    if standing_advice(item, after):
        return (), "would still give a part of its advice"
    if fault := brought_in([item], [after]) or not_whole([item], [after]):
        return (), f"would not be sound English, {fault}"
    if share_left(count_content([item]), count_content([after])) < LEAST_LEFT:
        return (), "is too short to keep most of its words when it is turned"
    return turns, ""
