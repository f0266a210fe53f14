"""The manipulation check: whether the damage was really done, measured from the two texts."""

from __future__ import annotations

from dataclasses import asdict, dataclass

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
    passed: bool
    reason: str
    told: str = ""
    told_instead: str = ""

    def to_json(self) -> dict[str, str | int | float | bool]:
        """The fields by name; the actions only where there are any."""
        return {name: value for name, value in asdict(self).items() if value or not name.startswith("told")}


def check(kind: Perturbation, before: Slot, after: Slot) -> Check:
    """Measure the damage. Of `kind` only its name and its aim are read, never what it says it did."""
    changed = sum(n_changed(*pair) for pair in _paired(before, after))
    share = left(content(before.items), content(after.items))
    ratio = _ratio("\n".join(before.items), "\n".join(after.items))
    cue = after.cue.startswith(before.cue) if kind.aim.instructs else before.cue == after.cue
    structure = cue and list(map(skeleton, before.items)) == list(map(skeleton, after.items))
    flips = [_flips(*pair) for pair in _paired(before, after)]
    order = order_changed(before, after)
    told, instead, wrong_advice = _advice(kind.aim, before, after)
    reason = (
        (_not_instructed(before, after) if kind.aim.instructs else _unchanged(before, after, changed))
        or _wrong_block(kind.aim, after, structure)
        or _wrong_content(kind.aim, share)
        or _wrong_length(kind.aim, before, after)
        or _wrong_flips(kind.aim, before, after)
        or _wrong_quotes(kind.aim, before, after)
        or _wrong_order(kind.aim, before, after, order)
        or wrong_advice
    )
    words = max(1, *(sum(n_words(item) for item in slot.items) for slot in (before, after)))
    share_changed = min(1.0, changed / words)
    figures = (share_changed, share, ratio, structure, sum(flips), order)
    return Check(kind.name, *figures, not reason, reason, told, instead)


def _paired(before: Slot, after: Slot) -> list[tuple[str, str]]:
    """The i-th damaged item with the i-th intact one; an item that is gone is empty."""
    n_items = max(len(before.items), len(after.items))
    one, other = (slot.items + ("",) * (n_items - len(slot.items)) for slot in (before, after))
    return list(zip(one, other, strict=True))


def _flips(before: str, after: str) -> int:
    moved = steps(before) and same_steps(before, after)
    return 0 if moved else n_flips(before, after)


def _ratio(before: str, after: str) -> float:
    """Of words; against no words, one more than the number of words that came."""
    return n_words(after) / n_words(before) if n_words(before) else 1.0 + n_words(after)


def _unchanged(before: Slot, after: Slot, changed: int) -> str:
    if before.text == after.text:
        return "the text is as it was"
    return "" if changed or not after.items else "no word was changed"


def _not_instructed(before: Slot, after: Slot) -> str:
    if before.items != after.items:
        return "an item changed, where all were to stay verbatim"
    added = after.cue.removeprefix(before.cue).strip()
    return "" if added and after.cue.startswith(before.cue) else "no instruction was added to the cue line"


def _wrong_block(aim: Aim, after: Slot, structure: bool) -> str:
    if aim.block:
        return "" if structure else "the cue line, the headings or the number of items changed"
    return "the block is still there" if after.text else ""


def _wrong_content(aim: Aim, share: float) -> str:
    low, high = aim.content_left
    if low <= share <= high or not aim.block:
        return ""
    return f"{share:.0%} of the content words are left, where {low:.0%} to {high:.0%} were wanted"


def _wrong_length(aim: Aim, before: Slot, after: Slot) -> str:
    if aim.length is None:
        return ""
    low, high = aim.length
    for number, (one, other) in enumerate(_paired(before, after), 1):
        if not low <= _ratio(one, other) <= high:
            return f"item {number} has {n_words(other)} words in the place of {n_words(one)}"
    return ""


def _wrong_flips(aim: Aim, before: Slot, after: Slot) -> str:
    """Counted where the item advises: a turned title or reason leaves the advice as it was."""
    most = aim.most_flips
    asked = aim.flips > 0 or most is not None
    for number, (one, other) in enumerate(_paired(before, after) if asked else (), 1):
        n = n_flips(advising(one), advising(other))
        if n < aim.flips:
            return f"item {number} has {n} flips in what it advises, where at least {aim.flips} was wanted"
        if most is not None and n > most:
            return f"item {number} has {n} flips in what it advises, where at most {most} was wanted"
    return ""


def _wrong_quotes(aim: Aim, before: Slot, after: Slot) -> str:
    for number, pair in enumerate(_paired(before, after) if aim.quotes else (), 1):
        if n := n_quotes_lost(*pair):
            return f"item {number} has lost {n} of its quoted spans, where all were to stay verbatim"
    return ""


def _wrong_order(aim: Aim, before: Slot, after: Slot, order: float) -> str:
    if not aim.order:
        return ""
    if not all(same_steps(*pair) for pair in _paired(before, after)):
        return "the text of a step changed, where steps were only to trade places"
    wanted = aim.order * most_changed(before)
    if order == 0 or order < wanted - 1e-9:
        return f"{order:.0%} of the steps stand elsewhere, where at least {wanted:.0%} was wanted"
    return ""


def _advice(aim: Aim, before: Slot, after: Slot) -> tuple[str, str, str]:
    """The actions told before, those told after, and what is wrong with them."""
    if aim.instead is None:
        return "", "", ""
    told: list[str] = []
    instead: list[str] = []
    for number, (one, other) in enumerate(_paired(before, after), 1):
        pairs = told_instead(one, other, aim.instead)
        if pairs is None:
            return "", "", f"item {number} changed in more, or in something else, than the action it tells"
        told += pairs[0]
        instead += pairs[1]
    wrong = "" if told else "no item tells an action"
    return "; ".join(told), "; ".join(instead), wrong
