"""The manipulation check: whether the damage was really done, measured from the two texts."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from itertools import chain, zip_longest
from typing import NamedTuple

from memtrial.agents.slot import Slot
from memtrial.memory.language.roles import ROLES, Role
from memtrial.memory.language.sentences import n_quotes_lost
from memtrial.memory.language.structure import n_lessons, skeleton
from memtrial.perturbations.advice.advice_checks import check_hidden, check_kept, check_turned
from memtrial.perturbations.advice.compared_actions import compare_actions, still_named
from memtrial.perturbations.advice.frame_spans import still_framing, telling_headings
from memtrial.perturbations.advice.known_actions import NOTHING_KNOWN, Repertoire
from memtrial.perturbations.advice.standing_advice import Advising, standing_advice
from memtrial.perturbations.aim import (
    FEW_CHARACTERS,
    FEW_WORDS,
    Advice,
    Aim,
    Block,
    Length,
    Verbatim,
    Wording,
)
from memtrial.perturbations.damage_contract import Damaged
from memtrial.perturbations.language import differences, grammar
from memtrial.perturbations.language.differences import n_changed, n_flips
from memtrial.perturbations.language.role_changes import (
    RoleCounts,
    count_by_role,
    role_stands,
    share_by_role,
    stand,
)
from memtrial.perturbations.language.word_spans import count_content, n_words, share_left
from memtrial.perturbations.shuffle import most_changed, order_changed, same_steps, steps
from memtrial.protocols import Perturbation

Figure = str | int | float | bool | dict[Role, float]
_WHERE_ANY = ("told", "told_instead", "left_standing")
MOST_FOREIGN = 0.30
"""Where no more of the content words are left the text is someone else's, whose grammar is no fault of the
damage."""


@dataclass(frozen=True, slots=True)
class ManipulationCheck:
    """What a perturbation did to a slot, and whether that is what its kind must do.

    Args:
        kind: the perturbation's name.
        words_changed: share of words taken out, put in or replaced, in [0, 1].
        content_words_left: share of the intact content words still there, by type or by token,
            whichever is more; 1.0 where there was none.
        length_ratio: words of the damaged items over words of the intact ones; 1.0 where both have none.
        structure_kept: the cue line, the number of items and every heading stand.
        flips: number of sentences that advise the opposite; 0 in an item whose steps only traded places.
        contradictions: number of sentences that still give the old advice in items that are turned or whose
            actions are exchanged; 0 for kinds that leave the advice, or turn part of it on purpose.
        order_changed: share of the steps in whose place another step of the trajectory stands; 0.0 where
            no item is a raw trajectory.
        roles: by role the share of its words that were touched; roles without a word are left out.
        passed: all of it within the kind's aim.
        reason: what is not, in a sentence; empty when passed.
        told, told_instead: the actions that are advised before and after, where one is put for another.
        left_standing: the lines that stand as they did in advice that is turned or exchanged, since they tell
            nobody to do anything (`frame_spans`), parted by semicolons.
    """

    kind: str
    words_changed: float
    content_words_left: float
    length_ratio: float
    structure_kept: bool
    flips: int
    contradictions: int
    order_changed: float
    roles: dict[Role, float]
    passed: bool = True
    reason: str = ""
    told: str = ""
    told_instead: str = ""
    left_standing: str = ""

    def to_json(self) -> dict[str, Figure]:
        """The fields by name; actions and lines only where there are any."""
        return {name: value for name, value in asdict(self).items() if value or name not in _WHERE_ANY}


def check_damage(
    kind: Perturbation, slot: Slot, damaged: Damaged, known: Repertoire = NOTHING_KNOWN
) -> ManipulationCheck:
    """Measure what was done to the slot; of a kind of two parts, what the second did after the first."""
    measured = check(kind, damaged.before or slot, damaged.slot, known)
    return replace(measured, kind=kind.aim.declared.part or kind.name)


def check(
    kind: Perturbation, before: Slot, after: Slot, known: Repertoire = NOTHING_KNOWN
) -> ManipulationCheck:
    """Measure the damage from the two texts alone.

    Args:
        kind: only its name and its aim are read, never what it says it did.
        known: what the world accepts, where actions are exchanged.
    """
    aim = kind.aim
    changes = [
        _compare_items(aim.advice, *pair) for pair in zip_longest(before.items, after.items, fillvalue="")
    ]
    was, now = (sum(map(n_words, slot.items)) for slot in (before, after))
    cue = after.cue.startswith(before.cue) if aim.block == "instructed" else before.cue == after.cue
    done = ManipulationCheck(
        kind=kind.name,
        words_changed=min(1.0, sum(change.n_changed for change in changes) / max(1, was, now)),
        content_words_left=share_left(count_content(before.items), count_content(after.items)),
        length_ratio=now / was if was else 1.0 + now,
        structure_kept=cue
        and len(before.items) == len(after.items)
        and all(change.framed_alike for change in changes),
        flips=sum(change.flips for change in changes),
        contradictions=sum(len(change.standing) for change in changes),
        order_changed=order_changed(before, after),
        roles=share_by_role(change.roles for change in changes),
        left_standing="; ".join(chain(*(change.framing for change in changes))),
    )
    pairs = zip_longest(before.items, after.items, fillvalue="")
    advice = [compare_actions(*pair, known) for pair in pairs] if aim.advice == "exchanged" else []
    if None not in advice:
        actions, instead = ("; ".join(chain(*(pair[place] for pair in advice if pair))) for place in (0, 1))
        done = replace(done, told=actions, told_instead=instead)
    reason = next(_faults(aim, before, after, done, known), "")
    return replace(done, passed=not reason, reason=reason)


class _ItemChange(NamedTuple):
    """What became of one item.

    Args:
        framed_alike: its headings stand.
        roles: its words by role, as in `count_by_role`.
        standing: the sentences that give the old advice, as in `_find_standing`.
        framing: the lines of its frame that stand, where its advice was to be turned or exchanged.
    """

    n_changed: int
    framed_alike: bool
    flips: int
    roles: RoleCounts
    standing: tuple[Advising, ...]
    framing: tuple[str, ...]


@lru_cache(maxsize=512)  # an item stands in several slots, and repeats draw the same text for it again
def _compare_items(advice: Advice, before: str, after: str) -> _ItemChange:
    moved = steps(before) and same_steps(before, after)
    flips = 0 if moved else n_flips(before, after)
    alike = skeleton(before) == skeleton(after)
    standing, roles = _find_standing(advice, before, after), count_by_role(before, after)
    meant = before != after and advice in ("turned", "turned in part", "exchanged")
    framing = still_framing(before, after) if meant else ()
    return _ItemChange(n_changed(before, after), alike, flips, roles, standing, framing)


def _faults(aim: Aim, before: Slot, after: Slot, done: ManipulationCheck, known: Repertoire) -> Iterator[str]:
    """What the damaged slot lacks of each thing that is claimed, the frame first."""
    yield from _check_block(aim.block, before, after, done)
    if aim.block == "removed":
        return
    if not done.structure_kept:
        yield "the cue line, the headings or the number of items changed"
    yield from _check_content(aim.content_left, done)
    if aim.advice_hidden is not None:
        yield from check_hidden(aim.advice_hidden, before.items, after.items)
    if aim.length and aim.length.unit == "slot":
        yield from (f"the slot {fault}" for fault in _check_length(aim.length, before.items, after.items))
    for number, (first, second) in enumerate(zip(before.items, after.items, strict=False), 1):
        yield from (f"item {number} {fault}" for fault in _item_faults(aim, first, second, known))
    if aim.steps_moved is not None:
        yield from _check_order(aim.steps_moved * most_changed(before), done)
    yield from _check_wording(aim.wording, before.items, after.items, done)


def _item_faults(aim: Aim, before: str, after: str, known: Repertoire) -> Iterator[str]:
    if aim.length and aim.length.unit == "item":
        yield from _check_length(aim.length, (before,), (after,))
    if aim.advice in ("turned", "turned in part"):
        yield from check_turned(before, after, with_reason=not aim.verbatim.spares("why"))
    if standing := _compare_items(aim.advice, before, after).standing:
        label, text = standing[0]
        yield f"still advises in its {label or 'text'} what it did: `{text.strip()[:60]}`"
    unnamed = aim.advice == "exchanged" and not known.known
    if (aim.advice == "turned" or unnamed) and (heading := next(telling_headings(before, after), "")):
        yield f"has a heading that may tell something and stands as it did: `{heading[:60]}`"
    if aim.advice == "kept":
        yield from check_kept(before, after)
    if aim.advice == "exchanged" and compare_actions(before, after, known) is None:
        yield "changed in more, or in something else, than the action it tells"
    yield from _check_verbatim(aim.verbatim, before, after)
    if aim.steps_moved is not None and not same_steps(before, after):
        yield "changed in the text of a step, where steps were only to trade places"


def _check_block(block: Block, before: Slot, after: Slot, done: ManipulationCheck) -> Iterator[str]:
    if block == "instructed":
        if before.items != after.items:
            yield "an item changed, where all were to stay verbatim"
        if not (after.cue.startswith(before.cue) and after.cue.removeprefix(before.cue).strip()):
            yield "no instruction was added to the cue line"
    elif before.text == after.text:
        yield "the text is as it was"
    elif after.items and not done.words_changed:
        yield "no word was changed"
    if block == "removed" and after.text:
        yield "the block is still there"


def _check_content(content_left: tuple[float, float], done: ManipulationCheck) -> Iterator[str]:
    low, high = content_left
    if not low <= done.content_words_left <= high:
        share = f"{done.content_words_left:.0%}"
        yield f"{share} of the content words are left, where {low:.0%} to {high:.0%} were wanted"


def _check_length(length: Length, before: tuple[str, ...], after: tuple[str, ...]) -> Iterator[str]:
    """Against a text that is longer in letters where its words are as many, a second treatment."""
    low, high = length.least, length.most
    few = [length.few * n_lessons(item) for item in before]
    short = sum(
        max(0, FEW_WORDS * n - (1 - low) * n_words(item)) for n, item in zip(few, before, strict=True)
    )
    for what, slack, counts in (
        ("words", short, [sum(map(n_words, items)) for items in (before, after)]),
        (
            "characters",
            FEW_CHARACTERS * sum(few),
            [sum(map(len, items)) for items in (before, after)],
        ),
    ):
        if not low * counts[0] - slack <= counts[1] <= high * counts[0] + slack:
            yield f"has {counts[1]} {what} in the place of {counts[0]}"


def _find_standing(advice: Advice, before: str, after: str) -> tuple[Advising, ...]:
    """The sentences that give the old advice where it was to be turned, or its actions exchanged."""
    if before == after or advice not in ("turned", "exchanged"):
        return ()
    if advice == "turned":
        return standing_advice(before, after)
    return still_named(before, standing_advice(before, after, verbatim=True))


def _check_verbatim(verbatim: Verbatim, before: str, after: str) -> Iterator[str]:
    spared = filter(verbatim.spares, ROLES)
    if role := next((role for role in spared if not role_stands(before, after, role)), ""):
        yield f"changed in what it says of `{role}`, which was to stay verbatim"
    if verbatim.spans is not None and not stand(before, after, verbatim.spans(before)):
        yield "changed in text that was to stay verbatim"
    if verbatim.quotes and (n := n_quotes_lost(before, after)):
        yield f"has lost {n} of its quoted spans, where all were to stay verbatim"


def _check_order(wanted: float, done: ManipulationCheck) -> Iterator[str]:
    if done.order_changed == 0 or done.order_changed < wanted - 1e-9:
        yield f"{done.order_changed:.0%} of the steps stand elsewhere, where at least {wanted:.0%} was wanted"


def _check_wording(
    wording: Wording, before: tuple[str, ...], after: tuple[str, ...], done: ManipulationCheck
) -> Iterator[str]:
    reworded = differences.share_reworded(before, after) if wording.least_changed else 0.0
    if reworded < wording.least_changed:
        least = f"{wording.least_changed:.0%}"
        yield f"{reworded:.0%} of the words outside quotes changed, where at least {least} was wanted"
    if wording.sentences:
        if fault := grammar.not_whole(before, after):
            yield f"not all sentences are whole: {fault}"
        foreign = done.content_words_left <= MOST_FOREIGN
        if not foreign and (fault := grammar.brought_in(before, after)):
            yield f"the damage brought in a fault of grammar: {fault}"
