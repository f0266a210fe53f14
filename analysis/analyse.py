"""The whole analysis: outcomes and a plan in, estimates with verdicts out; and the effects of an ablation."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.analysis.arrays import Floats
from memtrial.analysis.behaviour.acts import OF_ACTS, Acts
from memtrial.analysis.behaviour.cancellation import cancellation
from memtrial.analysis.estimands.contrast import Contrast, same_text
from memtrial.analysis.estimands.subset_effects import Outcome, SubsetCells, outcome_contrast
from memtrial.analysis.hypothesis_families import (
    HypothesisFamily,
    adjusted_for_family,
    families_of,
    follow_families,
    follow_other_families,
    polarity_families,
    with_pooled,
)
from memtrial.analysis.inference.contrast_inference import gather, tables_of, units_of
from memtrial.analysis.inference.interval import POWER, quantile
from memtrial.analysis.result import Analysis, Estimate, Key
from memtrial.analysis.verdicts.estimand_words import WORDS, kind_of
from memtrial.analysis.verdicts.facts import NOTHING_KNOWN, Facts, Headroom, RowFacts, RunFacts
from memtrial.analysis.verdicts.guards.content import asks_for_content
from memtrial.analysis.verdicts.guards.order import GUARDS, Guard, apply_guards
from memtrial.analysis.verdicts.guards.whole_run import control_notes
from memtrial.analysis.verdicts.rules import rule_row, word_rows
from memtrial.ledger.random_streams import Stream, generator
from memtrial.outcomes.outcomes import WITHOUT, CellTable, Outcomes
from memtrial.outcomes.reserved_names import ALL, INSTRUCTED

NO_CONTENT_EVIDENCE = (
    "this table has neither `counter` nor an oddity placebo: no drop in it is called load-bearing, as an"
    " agent that only stumbles over odd text looks the same"
)
UNKNOWN_CONTENT = (
    "load-bearing rests on the names of this table's conditions: a table does not show what the texts said,"
    " nor that the agent did what it was told"
)
JudgedRow = tuple[Estimate, RowFacts]


def analyse(
    outcomes: Outcomes,
    plan: AnalysisPlan,
    run: RunFacts = NOTHING_KNOWN,
    acts: Acts | None = None,
    readable: Outcomes | None = None,
    guards: Sequence[Guard] = GUARDS,
) -> Analysis:
    """Estimate and judge every contrast of a run, or of somebody else's table; the arguments are those of
    the two halves."""
    return judge(estimate(outcomes, plan, acts, readable), outcomes, plan, run, guards)


def estimate(
    outcomes: Outcomes, plan: AnalysisPlan, acts: Acts | None = None, readable: Outcomes | None = None
) -> list[JudgedRow]:
    """Estimate every contrast, before anything is known beside the scores.

    Args:
        outcomes: all trials; arms and conditions outside the plan are left out of the tests.
        acts: how often the agent did what its memory advises; None where no advised action is known.
        readable: the trials with those solved that were lost to unreadable replies; None where none was.
    """
    measured = _measure_rows(outcomes, plan, families_of(plan, outcomes.backbones))
    if acts is not None:
        measured += [pair for pair in _measure_acts(acts, plan) if pair[0].n_tasks]
    if readable is not None:
        measured = _add_readable(measured, _drops_in(readable, plan))
    return measured


def judge(
    measured: Sequence[JudgedRow],
    outcomes: Outcomes,
    plan: AnalysisPlan,
    run: RunFacts = NOTHING_KNOWN,
    guards: Sequence[Guard] = GUARDS,
) -> Analysis:
    """Judge every contrast that was estimated.

    The rule gives a word from a row's own numbers, the guards take words away in their order, and at the
    very end a sentence is made for each.

    Args:
        measured: what `estimate` gave for these outcomes.
        run: what is known beside the scores.
        guards: in their order; calibration leaves one out to see a band break.
    """
    facts = Facts(plan, {}, {row.key: beside for row, beside in measured}, run)
    judged = apply_guards([rule_row(row, plan) for row, _ in measured], facts, guards)
    facts = replace(facts, rows={row.key: row for row in judged})
    rows = word_rows(judged, facts)
    errors = outcomes.errors()
    # of the positive control of memory, a table that only compares arms is not told
    notes = () if run.reference else control_notes(rows, plan)
    if plan.conditions and run.of_table:
        notes = (UNKNOWN_CONTENT if asks_for_content(facts) else NO_CONTENT_EVIDENCE, *notes)
    return Analysis(rows, errors, outcomes.empty_slots(), notes)


def _measure_acts(acts: Acts, plan: AnalysisPlan) -> Iterator[JudgedRow]:
    yield from _measure_rows(acts.told, plan, follow_families(plan, acts.told.backbones))
    yield from _measure_rows(acts.other, plan, follow_other_families(plan, acts.other.backbones))
    yield from _measure_rows(acts.obeyed, plan, polarity_families(plan, acts.obeyed.backbones))


def _drops_in(readable: Outcomes, plan: AnalysisPlan) -> dict[Key, Estimate]:
    drops = [family for family in families_of(plan, readable.backbones) if family.estimand == "drop"]
    family = [replace(family, stream=Stream.READABLE) for family in drops]
    return {row.key: row for row, _ in _measure_rows(readable, plan, family)}


def _add_readable(measured: Sequence[JudgedRow], drops: Mapping[Key, Estimate]) -> list[JudgedRow]:
    """The rows with the drop less unreadable replies, where that is another number."""
    return [
        (row, replace(beside, readable=less))
        if (less := drops.get(row.key)) is not None and less.estimate != row.estimate
        else (row, beside)
        for row, beside in measured
    ]


def _measure_rows(
    outcomes: Outcomes, plan: AnalysisPlan, families: Iterable[HypothesisFamily]
) -> list[JudgedRow]:
    tables = tables_of(outcomes)
    listed: list[tuple[Contrast, Estimate, RowFacts]] = []
    for family in families:
        rng = generator(plan.rules.seed, family.stream)
        rows = adjusted_for_family(gather(family.name, family.members, tables, plan, rng), plan.rules.alpha)
        for (backbone, contrast), row in zip(family.members, rows, strict=True):
            table = tables[backbone]
            column = contrast.per_task(table)
            same = row.n_tasks > 0 and bool(np.nanmax(np.abs(column)) < 1e-9)
            beside = RowFacts(same, contrast.bounds, _headroom(row, table, column))
            if row.estimand == "contrast" and backbone != ALL:
                row = replace(row, same_text=same_text(outcomes, backbone, contrast))
            # what an agent would have done in a trial that broke has no worst case
            worst = contrast.worst_case(table) if row.n_errors and row.estimand not in OF_ACTS else None
            if worst:
                row = replace(row, worst_low=worst[0], worst_high=worst[1])
            listed.append((contrast, row, beside))
    # effects that cancel on one backbone cancel in the mean over all as well
    within = {contrast for contrast, row, _ in listed if row.backbone == ALL and row.within(plan.rules.alpha)}
    measured = []
    for contrast, row, beside in listed:
        small = (
            row.backbone != ALL and row.p is not None and (row.within(plan.rules.alpha) or contrast in within)
        )
        if small and WORDS[kind_of(row)].may_cancel:
            table = tables[row.backbone]
            cells = [(weight, table.scores(cell)) for cell, weight in contrast.weights]
            rng = generator(plan.rules.seed, Stream.CANCELLATION)
            beside = replace(beside, cancellation=cancellation(cells, units_of(table), plan, rng))
        measured.append((row, beside))
    return measured


def _headroom(row: Estimate, table: CellTable, column: Floats) -> Headroom | None:
    """Room for a drop, over the tasks that the contrast rests on; None where no drop is meant."""
    if kind_of(row) not in ("drop", "contrast"):
        return None
    tasks = ~np.isnan(column)
    if not tasks.any():
        return Headroom(0.0, False)
    whole = INSTRUCTED if row.estimand == "instructed" else "intact"
    arms = (row.arm, row.versus) if row.estimand == "contrast" else (row.arm,)
    intact = [table.mean((arm, whole))[tasks] for arm in arms]
    full = [bool((scores == 1.0).all()) for scores in (*intact, table.mean(WITHOUT)[tasks])]
    return Headroom(min(float(scores.mean()) for scores in intact), all(full))


Asked = tuple[tuple[str, ...], Outcome, str]
"""The factors of an effect, the outcome, and the condition."""


@dataclass(frozen=True, slots=True)
class SubsetEffect:
    """One effect, of one factor or two, on one outcome.

    Args:
        row: its numbers; of its intervals, those of the family hold together.
        shapley: of a main effect, where the design tells it.
        unchanged: no task differs: the data of the cells are the same. That is no proof of no effect.
    """

    factors: tuple[str, ...]
    outcome: Outcome
    row: Estimate
    shapley: Estimate | None
    unchanged: bool

    @property
    def detectable(self) -> float | None:
        """The size from which on an effect has 80 % power to be seen: its interval, as wide as this row's,
        would leave zero out. In points of score; None without an interval."""
        row = self.row
        if row.estimate is None or row.low_family is None or row.high_family is None:
            return None
        if row.sd is None or row.freedom is None:
            return None
        half = max(row.estimate - row.low_family, row.high_family - row.estimate)
        return half + quantile(row.freedom, 2 * (1 - POWER)) * row.sd / sqrt(row.n_clusters)


def subset_effects(outcomes: Outcomes, cells: SubsetCells, plan: AnalysisPlan) -> tuple[SubsetEffect, ...]:
    """Every effect that the design tells, on utility, and on drop and retention under each damage.

    All of them, over all backbones, are one family of tests; the means over several backbones are another.
    """
    kinds: list[tuple[Outcome, str]] = [("utility", WITHOUT[1])]
    kinds += [(kind, name) for kind in ("drop", "retention") for name in plan.damages]
    asked: list[Asked] = [(term, *kind) for kind in kinds for term in cells.terms]
    contrasts = [_name_contrast(effect, cells.effect(effect[0])) for effect in asked]
    alone = [(effect, cells.shapley(effect[0][0])) for effect in asked if len(effect[0]) == 1]
    values = {effect: _name_contrast(effect, weights) for effect, weights in alone if weights is not None}
    tables = tables_of(outcomes)

    def estimate_contrasts(name: str, stream: Stream, contrasts_asked: Sequence[Contrast]) -> list[Estimate]:
        measurements: list[Estimate] = []
        for family in with_pooled([(name, stream, contrasts_asked)], outcomes.backbones):
            rng = generator(plan.rules.seed, family.stream)
            measurements += gather(family.name, family.members, tables, plan, rng)
        return measurements

    rows = estimate_contrasts("effects of gates", Stream.SUBSET_EFFECTS, contrasts)
    credit = estimate_contrasts("Shapley values", Stream.SHAPLEY, list(values.values()))
    credited = {
        (row.backbone, *effect): row
        for row, effect in zip(credit, list(values) * (len(credit) // max(1, len(values))), strict=True)
    }
    effects = []
    for place, row in enumerate(rows):
        effect = asked[place % len(asked)]
        column = contrasts[place % len(asked)].per_task(tables[row.backbone])
        known = column[~np.isnan(column)]
        same = len(known) > 0 and bool(np.abs(known).max() < 1e-9)
        effects.append(SubsetEffect(effect[0], effect[1], row, credited.get((row.backbone, *effect)), same))
    return tuple(effects)


def _name_contrast(asked: Asked, weights: dict[str, float]) -> Contrast:
    factors, outcome, condition = asked
    return outcome_contrast(" × ".join(factors), weights, outcome, condition)
