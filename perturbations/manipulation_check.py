"""The manipulation check: whether the damage was really done, measured from the two texts."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from itertools import chain, starmap, zip_longest

from memtrial.agents.slot import Slot
from memtrial.memory.language.roles import ROLES, Role, Run, runs_of
from memtrial.memory.language.sentences import n_quotes_lost
from memtrial.memory.language.structure import ADVISING, n_lessons, parts, place_parts, skeleton
from memtrial.perturbations.advice.advice_checks import check_hidden, check_kept, check_turned
from memtrial.perturbations.advice.compared_actions import compare_actions, still_named
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
from memtrial.perturbations.language.word_spans import count_content, locate_words, n_words, share_left
from memtrial.perturbations.shuffle import most_changed, order_changed, same_steps, steps
from memtrial.protocols import Perturbation

Figure = str | int | float | bool | dict[Role, float]
_ORDER_LEFT = 0.6
"""Share of the content words of a condition of order that stand."""
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

    def to_json(self) -> dict[str, Figure]:
        """The fields by name; the actions only where there are any."""
        return {name: value for name, value in asdict(self).items() if value or not name.startswith("told")}


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
    pairs = list(zip_longest(before.items, after.items, fillvalue=""))
    was, now = (sum(map(n_words, slot.items)) for slot in (before, after))
    cue = after.cue.startswith(before.cue) if aim.block == "instructed" else before.cue == after.cue
    done = ManipulationCheck(
        kind=kind.name,
        words_changed=min(1.0, sum(n_changed(*pair) for pair in pairs) / max(1, was, now)),
        content_words_left=share_left(count_content(before.items), count_content(after.items)),
        length_ratio=now / was if was else 1.0 + now,
        structure_kept=cue and list(map(skeleton, before.items)) == list(map(skeleton, after.items)),
        flips=sum(
            0 if steps(first) and same_steps(first, second) else n_flips(first, second)
            for first, second in pairs
        ),
        contradictions=sum(len(_find_standing(aim.advice, *pair)) for pair in pairs),
        order_changed=order_changed(before, after),
        roles=_roles_touched(pairs),
    )
    advice = [compare_actions(*pair, known) for pair in pairs] if aim.advice == "exchanged" else []
    if None not in advice:
        actions, instead = ("; ".join(chain(*(pair[place] for pair in advice if pair))) for place in (0, 1))
        done = replace(done, told=actions, told_instead=instead)
    reason = next(_faults(aim, before, after, done, known), "")
    return replace(done, passed=not reason, reason=reason)


def _roles_touched(pairs: Iterable[tuple[str, str]]) -> dict[Role, float]:
    """Of each role the share of its words that were changed; a word put in counts where it was put."""
    there: Counter[Role] = Counter()
    changed: Counter[Role] = Counter()
    for role, n in chain.from_iterable(starmap(_changes_by_role, pairs)):
        there[role] += 1
        changed[role] += n
    return {role: round(min(1.0, changed[role] / there[role]), 4) for role in ROLES if there[role]}


def _changes_by_role(before: str, after: str) -> Iterator[tuple[Role, int]]:
    """For each word that has a role how many words were changed there, part against part."""
    bodies = [part.body for part in parts(after)]
    if skeleton(before) != skeleton(after) or len(parts(before)) != len(bodies):
        bodies = [""] * len(parts(before))
    runs = [*runs_of(before)][::-1]
    for (old_part, place), body in zip(place_parts(before), bodies, strict=True):
        for word, n in zip(
            locate_words(old_part), differences.count_touched(old_part.body, body), strict=True
        ):
            while runs and runs[-1].end <= place + word.start:
                runs.pop()
            if runs and runs[-1].start <= place + word.start:  # list numbers have no role
                yield runs[-1].role, n


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
    if standing := _find_standing(aim.advice, before, after):
        label, text = standing[0]
        yield f"still advises in its {label or 'text'} what it did: `{text.strip()[:60]}`"
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
    if role := next((role for role in spared if not _role_stands(before, after, role)), ""):
        yield f"changed in what it says of `{role}`, which was to stay verbatim"
    if verbatim.spans is not None and not _stands(before, after, verbatim.spans(before)):
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


def _role_stands(before: str, after: str, role: Role) -> bool:
    """Whether the text of the role stands; a condition that says what comes first may turn with the advice.

    "Edit only after the test fails" is turned by "edit before the test fails".
    """
    runs = [run for run in runs_of(before) if run.role == role]
    ordered = [run for run in runs if _says_order(before, run)]
    fixed = [(run.start, run.end) for run in runs if run not in ordered]
    words_left = (differences.share_said_again(before[run.start : run.end], after) for run in ordered)
    return _stands(before, after, fixed) and all(share >= _ORDER_LEFT for share in words_left)


def _says_order(item: str, run: Run) -> bool:
    """Whether it says what comes first, in a field that advises: "only when it is lit", "after the test"."""
    text, ahead = item[run.start : run.end].lstrip(" ,"), item[max(0, run.start - 8) : run.start]
    ordered = text.lower().startswith("after ") or ahead.lower().endswith("only")
    return ordered and run.label in ("", "title", "description", *ADVISING)


def _stands(before: str, after: str, places: Iterable[tuple[int, int]]) -> bool:
    place = 0
    for low, high in places:
        text = before[low:high].strip()
        place = after.find(text, place)
        if place < 0:
            return False
        place += len(text)
    return True
