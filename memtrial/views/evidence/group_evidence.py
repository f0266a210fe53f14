"""Utilities and drops by family of tasks and by item: where effects that cancel in the mean are seen."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial

import numpy as np

from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.analysis.arrays import Bools
from memtrial.analysis.estimands.contrast import Contrast
from memtrial.analysis.inference.contrast_inference import units_of
from memtrial.analysis.inference.group_effects import (
    MOST_GROUPS,
    GroupEffect,
    GroupSpread,
    measure_groups,
    step_down,
)
from memtrial.ledger.random_streams import Stream, generator
from memtrial.ledger.rows import TrialRow
from memtrial.outcomes.outcomes import Outcomes
from memtrial.outcomes.reserved_names import INTACT
from memtrial.views.computation import Begin, compute_all, compute_late
from memtrial.views.evidence.contrast_rows import shown_contrasts
from memtrial.views.rows.group_rows import GroupRow, SpreadRow

FAMILIES, ITEMS = "families", "items"
LEAST_TASKS = 4
"""An item that was shown in fewer is left out: nothing can be said of it."""
_NAMING = ("title", "claim")
"""Fields that name an item, of either schema."""
Effects = tuple[tuple[GroupEffect, ...], GroupSpread | None]
Measure = Callable[[], Effects]
Measured = tuple[str, Contrast, tuple[GroupEffect, ...], GroupSpread | None]
"""Backbone and contrast, with its effects by group and how far these lie apart."""


@dataclass(frozen=True, slots=True)
class GroupEvidence:
    """Effects by one kind of group, and whether they differ."""

    rows: tuple[GroupRow, ...] = ()
    spreads: tuple[SpreadRow, ...] = ()


def begin_families(
    outcomes: Outcomes, plan: AnalysisPlan, families: Mapping[str, str], begin: Begin = compute_late
) -> Callable[[], GroupEvidence]:
    """Every utility and drop within each family of tasks; `families` names that of each task."""
    asked = asked_contrasts(outcomes, plan)
    measures: list[Measure] = []
    for number, (backbone, contrast) in enumerate(asked):
        table = outcomes.cells(backbone)
        of_task = np.array([families.get(task, "") for task in table.tasks])
        members = {name: of_task == name for name in sorted({*families.values()}) if name}
        rng = generator(plan.rules.seed, Stream.TASK_FAMILIES, number)
        column, repeats = contrast.per_task(table), contrast.repeats(table)
        alone = column, units_of(table), members, repeats, contrast.bounds, plan.rules.alpha, rng
        measures.append(partial(measure_groups, *alone))
    measure = begin(partial(compute_all, tuple(measures)))
    return partial(_gather_measured, FAMILIES, asked, measure, plan.rules.alpha, {})


def begin_items(
    outcomes: Outcomes,
    plan: AnalysisPlan,
    trials: Iterable[TrialRow],
    text_of: Callable[[str], str | None],
    begin: Begin = compute_late,
) -> Callable[[], GroupEvidence]:
    """Every utility and drop where the slot held an item, of at most 24 items: those in most tasks.

    Items that were always shown together cannot be told apart, and are one group. Where each repeat has a
    bank of its own, an item is in single trials of its tasks, and these are what is counted.

    Args:
        text_of: the text of an item by its digest.
    """
    held: dict[tuple[str, str], dict[tuple[str, int], frozenset[str]]] = {}
    for trial in trials:
        if trial.items and trial.condition == INTACT:
            held.setdefault((trial.backbone, trial.arm), {})[trial.task, trial.repeat] = frozenset(
                trial.items
            )
    asked, measures = list[tuple[str, Contrast]](), list[Measure]()
    headings: dict[str, str] = {}
    grouped: dict[tuple[str, str, bytes], list[tuple[tuple[str, ...], Bools]]] = {}
    for number, (backbone, contrast) in enumerate(asked_contrasts(outcomes, plan)):
        slots, table = held.get((backbone, contrast.arm)), outcomes.cells(backbone)
        if not slots:
            continue
        drawn = plan.draws > 1
        column = contrast.per_repeat(table) if drawn else contrast.per_task(table)[:, None]
        places = [(task, repeat) for task in table.tasks for repeat in range(column.shape[1])]
        column = column.reshape(-1)
        known = ~np.isnan(column)
        # most contrasts of an arm rest on the same trials
        same = (backbone, contrast.arm, known.tobytes())
        if same not in grouped:
            grouped[same] = _group_items([slots.get(place, frozenset()) for place in places], known)
        members = grouped[same]
        named = {items[0][:12]: here for items, here in members}
        for items, _ in members:
            headings[items[0][:12]] = "; ".join(
                dict.fromkeys(name_item(text_of(item) or "") for item in items)
            )
        rng = generator(plan.rules.seed, Stream.MEMORY_ITEMS, number)
        repeats = 1 if drawn else contrast.repeats(table)
        alone = column, np.arange(len(column)), named, repeats, contrast.bounds, plan.rules.alpha, rng
        asked.append((backbone, contrast))
        measures.append(partial(measure_groups, *alone))
    measure = begin(partial(compute_all, tuple(measures)))
    return partial(_gather_measured, ITEMS, asked, measure, plan.rules.alpha, headings)


def _gather_measured(
    of: str,
    asked: Sequence[tuple[str, Contrast]],
    measure: Callable[[], tuple[Effects, ...]],
    alpha: float,
    headings: Mapping[str, str],
) -> GroupEvidence:
    pairs = zip(asked, measure(), strict=True)
    evidence = gather_groups(of, ((*place, *effects) for place, effects in pairs), alpha)
    rows = tuple(replace(row, heading=headings.get(row.group, row.heading)) for row in evidence.rows)
    return replace(evidence, rows=rows)


def name_item(text: str) -> str:
    """What names an item to a reader: its title or claim, else its first line with a word."""
    lines = [line.strip(" \t#*") for line in text.splitlines() if line.strip(" \t#*")]
    for number, line in enumerate(lines, 1):
        head, _, rest = line.partition(" ")
        if head.rstrip(":").casefold() in _NAMING:
            return rest.strip() or "".join(lines[number : number + 1])
    return lines[0] if lines else ""


def _group_items(slots: Sequence[frozenset[str]], known: Bools) -> list[tuple[tuple[str, ...], Bools]]:
    """The items with the places whose slot held them, those that are always together as one."""
    places: dict[str, list[int]] = {}
    for place, items in enumerate(slots):
        for item in items if known[place] else ():
            places.setdefault(item, []).append(place)
    together: dict[tuple[int, ...], list[str]] = {}
    for item, held_in in sorted(places.items()):
        together.setdefault(tuple(held_in), []).append(item)
    ranked = sorted(together.items(), key=lambda entry: (-len(entry[0]), entry[1]))[:MOST_GROUPS]
    return [
        (tuple(items), np.isin(np.arange(len(slots)), held_in))
        for held_in, items in ranked
        if len(held_in) >= LEAST_TASKS
    ]


def asked_contrasts(outcomes: Outcomes, plan: AnalysisPlan) -> list[tuple[str, Contrast]]:
    """The utilities and drops of each named backbone."""
    return [
        (backbone, contrast)
        for _, backbone, contrast in shown_contrasts(plan, outcomes.backbones)
        if contrast.estimand in ("utility", "drop")
    ]


def gather_groups(of: str, measured: Iterable[Measured], alpha: float) -> GroupEvidence:
    """The rows of all contrasts, the tests whether groups differ adjusted among them."""
    known = list(measured)
    p = {place: spread.p for place, (*_, spread) in enumerate(known) if spread is not None}
    adjusted = step_down(p)
    rows, spreads = [], []
    for place, (backbone, contrast, effects, spread) in enumerate(known):
        rows += [
            GroupRow(
                estimand=contrast.estimand,
                backbone=backbone,
                arm=contrast.arm,
                condition=contrast.condition,
                **asdict(effect),
            )
            for effect in effects
        ]
        if spread is None:
            continue
        drawn = [(effect.shrunk, effect.group) for effect in effects if effect.shrunk is not None]
        shown = [effect for effect in effects if effect.p_adjusted is not None and effect.p_adjusted <= alpha]
        spreads.append(
            SpreadRow(
                of=of,
                estimand=contrast.estimand,
                backbone=backbone,
                arm=contrast.arm,
                condition=contrast.condition,
                **asdict(spread),
                p_adjusted=adjusted[place],
                above=tuple(effect.group for effect in shown if effect.estimate > 0),
                below=tuple(effect.group for effect in shown if effect.estimate < 0),
                largest=max(drawn)[1],
                least=min(drawn)[1],
            )
        )
    return GroupEvidence(tuple(rows), tuple(spreads))
