"""The manipulation check: whether the damage was really done, measured from the two texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from itertools import chain, zip_longest

from loadbearing.episodes.slot import Slot
from loadbearing.perturbations.counter import told_instead
from loadbearing.perturbations.language.differences import n_changed, n_flips
from loadbearing.perturbations.language.sentences import n_quotes_lost
from loadbearing.perturbations.language.structure import advising, skeleton
from loadbearing.perturbations.language.words import content, left, n_words
from loadbearing.perturbations.perturbation import Aim, Perturbation
from loadbearing.perturbations.shuffle import most_changed, order_changed, same_steps, steps


@dataclass(frozen=True, slots=True)
class Check:
    """What a perturbation did to a slot, and whether that is what its kind must do.

    Args:
        kind: the perturbation's name.
        words_changed: share of words taken out, put in or replaced, in [0, 1].
        content_words_left: share of the intact content words still there, by type or by token,
            whichever is more; 1.0 where there was none.
        length_ratio: words of the damaged items over words of the intact ones; 1.0 where both have none.
        structure_kept: the cue line, the number of items and every heading stand.
        flips: number of sentences that advise the opposite; 0 in an item whose steps only traded places.
        order_changed: share of the steps in whose place another step of the trajectory stands; 0.0 where
            no item is a raw trajectory.
        passed: all of it within the kind's aim.
        reason: what is not, in a sentence; empty when passed.
        told, told_instead: the actions that are advised before and after, where one is put for another.
    """

    kind: str
    words_changed: float
    content_words_left: float
    length_ratio: float
    structure_kept: bool
    flips: int
    order_changed: float
    passed: bool = True
    reason: str = ""
    told: str = ""
    told_instead: str = ""

    def to_json(self) -> dict[str, str | int | float | bool]:
        """The fields by name; the actions only where there are any."""
        return {name: value for name, value in asdict(self).items() if value or not name.startswith("told")}


def check(kind: Perturbation, before: Slot, after: Slot) -> Check:
    """Measure the damage. Of `kind` only its name and its aim are read, never what it says it did."""
    aim = kind.aim
    pairs = list(zip_longest(before.items, after.items, fillvalue=""))
    changed = sum(n_changed(*pair) for pair in pairs)
    words = max(1, *(sum(map(n_words, slot.items)) for slot in (before, after)))
    cue = after.cue.startswith(before.cue) if aim.instructs else before.cue == after.cue
    done = Check(
        kind=kind.name,
        words_changed=min(1.0, changed / words),
        content_words_left=left(content(before.items), content(after.items)),
        length_ratio=_ratio("\n".join(before.items), "\n".join(after.items)),
        structure_kept=cue and list(map(skeleton, before.items)) == list(map(skeleton, after.items)),
        flips=sum(
            0 if steps(one) and same_steps(one, other) else n_flips(one, other) for one, other in pairs
        ),
        order_changed=order_changed(before, after),
    )
    advice = [told_instead(*pair, aim.instead) for pair in pairs] if aim.instead is not None else []
    if None not in advice:
        told, instead = ("; ".join(chain(*(pair[at] for pair in advice if pair))) for at in (0, 1))
        done = replace(done, told=told, told_instead=instead)
    reason = next(_faults(aim, before, after, done), "")
    return replace(done, passed=not reason, reason=reason)


def _ratio(before: str, after: str) -> float:
    """Of words; against no words, one more than the number of words that came."""
    return n_words(after) / n_words(before) if n_words(before) else 1.0 + n_words(after)


def _faults(aim: Aim, before: Slot, after: Slot, done: Check) -> Iterator[str]:
    """What is not as the aim has it."""
    if aim.instructs:
        if before.items != after.items:
            yield "an item changed, where all were to stay verbatim"
        if not (after.cue.startswith(before.cue) and after.cue.removeprefix(before.cue).strip()):
            yield "no instruction was added to the cue line"
    elif before.text == after.text:
        yield "the text is as it was"
    elif after.items and not done.words_changed:
        yield "no word was changed"
    if not aim.block:
        if after.text:
            yield "the block is still there"
        return
    if not done.structure_kept:
        yield "the cue line, the headings or the number of items changed"
    low, high = aim.content_left
    if not low <= done.content_words_left <= high:
        share = f"{done.content_words_left:.0%}"
        yield f"{share} of the content words are left, where {low:.0%} to {high:.0%} were wanted"
    for number, (one, other) in enumerate(zip(before.items, after.items, strict=False), 1):
        yield from (f"item {number} {fault}" for fault in _item_faults(aim, one, other))
    wanted = aim.order * most_changed(before)
    if aim.order and (done.order_changed == 0 or done.order_changed < wanted - 1e-9):
        yield f"{done.order_changed:.0%} of the steps stand elsewhere, where at least {wanted:.0%} was wanted"
    if aim.instead is not None and not done.told:
        yield "no item tells an action"


def _item_faults(aim: Aim, before: str, after: str) -> Iterator[str]:
    if aim.length and not aim.length[0] <= _ratio(before, after) <= aim.length[1]:
        yield f"has {n_words(after)} words in the place of {n_words(before)}"
    if aim.flips or aim.most_flips is not None:
        # where the item advises: a turned title or reason leaves the advice as it was
        n = n_flips(advising(before), advising(after))
        if n < aim.flips:
            yield f"has {n} flips in what it advises, where at least {aim.flips} was wanted"
        if aim.most_flips is not None and n > aim.most_flips:
            yield f"has {n} flips in what it advises, where at most {aim.most_flips} was wanted"
    if aim.quotes and (n := n_quotes_lost(before, after)):
        yield f"has lost {n} of its quoted spans, where all were to stay verbatim"
    if aim.order and not same_steps(before, after):
        yield "changed in the text of a step, where steps were only to trade places"
    if aim.instead is not None and told_instead(before, after, aim.instead) is None:
        yield "changed in more, or in something else, than the action it tells"
