"""The whole analysis: outcomes and a plan in, estimates with verdicts out."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from loadbearing.analysis.arrays import Floats
from loadbearing.analysis.behaviour.cancellation import cancellation
from loadbearing.analysis.estimands.contrast import Contrast, same_text
from loadbearing.analysis.families import Family, adjusted_for_family, families_of, follow_families
from loadbearing.analysis.groups import tables_of
from loadbearing.analysis.inference.contrast_inference import gather, units_of
from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.analysis.result import Analysis, Estimate, Key
from loadbearing.analysis.verdicts.facts import NOTHING_KNOWN, Facts, Headroom, Measured, RunFacts
from loadbearing.analysis.verdicts.guards.content import asks_for_content
from loadbearing.analysis.verdicts.guards.order import GUARDS, Guard, guarded
from loadbearing.analysis.verdicts.guards.run import control_notes
from loadbearing.analysis.verdicts.rules import WORDS, kind_of, ruled, worded
from loadbearing.ledger.random_streams import Stream, generator
from loadbearing.outcomes.outcomes import WITHOUT, CellTable, Outcomes
from loadbearing.outcomes.reserved_names import ALL, INSTRUCTED

UNKNOWN_CONTENT = (
    "this table has neither `counter` nor an oddity placebo: a drop may be content, or an agent that"
    " stumbles over odd text"
)
Found = tuple[Estimate, Measured]


def analyse(
    outcomes: Outcomes,
    plan: AnalysisPlan,
    run: RunFacts = NOTHING_KNOWN,
    acts: Outcomes | None = None,
    readable: Outcomes | None = None,
    guards: Sequence[Guard] = GUARDS,
) -> Analysis:
    """Estimate and judge every contrast of a run, or of somebody else's table.

    The rule gives a word from a row's own numbers, the guards take words away in their order, and at the
    very end a sentence is made for each.

    Args:
        outcomes: all trials; arms and conditions outside the plan are left out of the tests.
        run: what is known beside the scores.
        acts: a table whose score is 1 where the agent did the action that the intact item advises, at the
            first state where it applies, and 0 where it did not; None where no advised action is known.
        readable: the trials with those solved that were lost to unreadable replies; None where none was.
        guards: in their order; calibration leaves one out to see a band break.
    """
    found = _measured(outcomes, plan, families_of(plan, outcomes.backbones))
    if acts is not None:
        told = _measured(acts, plan, follow_families(plan, acts.backbones))
        found += [one for one in told if one[0].n_tasks]
    if readable is not None:
        found = _with_readable(found, _drops_of(readable, plan))
    facts = Facts(plan, {}, {row.key: beside for row, beside in found}, run)
    rows = worded(guarded([ruled(row, plan) for row, _ in found], facts, guards), facts)
    errors = outcomes.errors()
    # of the positive control of memory, a table that only compares arms is not told
    notes = () if run.reference else control_notes(rows, plan)
    if plan.conditions and run.fluent is None and not asks_for_content(facts):
        notes = (UNKNOWN_CONTENT, *notes)
    names = {WITHOUT[0]: run.reference} if run.reference else {}
    lost = ", ".join(f"{names.get(arm, arm)} {count}" for arm, count in errors.items() if count)
    if lost:
        bounds = "they are in no mean, and worst-case bounds stand beside"
        notes = (*notes, f"infrastructure errors per arm: {lost}; {bounds}")
    return Analysis(rows, errors, outcomes.empty_slots(), notes)


def _drops_of(readable: Outcomes, plan: AnalysisPlan) -> dict[Key, Estimate]:
    drops = [one for one in families_of(plan, readable.backbones) if one.name.startswith("drops")]
    family = [replace(one, stream=Stream.READABLE) for one in drops if one.members]
    return {row.key: row for row, _ in _measured(readable, plan, family)}


def _with_readable(found: Sequence[Found], drops: Mapping[Key, Estimate]) -> list[Found]:
    """The rows with the drop less unreadable replies, where that is another number."""
    return [
        (row, replace(beside, readable=less))
        if (less := drops.get(row.key)) is not None and less.estimate != row.estimate
        else (row, beside)
        for row, beside in found
    ]


def _measured(outcomes: Outcomes, plan: AnalysisPlan, families: Iterable[Family]) -> list[Found]:
    tables = tables_of(outcomes)
    listed: list[tuple[Contrast, Estimate, Measured]] = []
    for family in families:
        rng = generator(plan.seed, family.stream)
        rows = adjusted_for_family(gather(family.name, family.members, tables, plan, rng), plan.alpha)
        for (backbone, contrast), row in zip(family.members, rows, strict=True):
            table = tables[backbone]
            column = contrast.per_task(table)
            same = row.n_tasks > 0 and bool(np.nanmax(np.abs(column)) < 1e-9)
            beside = Measured(same, contrast.bounds, _headroom(row, table, column))
            if row.estimand == "contrast" and backbone != ALL:
                row = replace(row, same_text=same_text(outcomes, backbone, contrast))
            # what an agent would have done in a trial that broke has no worst case
            worst = contrast.worst_case(table) if row.n_errors and row.estimand != "follow" else None
            if worst:
                row = replace(row, worst_low=worst[0], worst_high=worst[1])
            listed.append((contrast, row, beside))
    # effects that cancel on one backbone cancel in the mean over all as well
    within = {contrast for contrast, row, _ in listed if row.backbone == ALL and row.within(plan.alpha)}
    found = []
    for contrast, row, beside in listed:
        small = row.backbone != ALL and row.p is not None and (row.within(plan.alpha) or contrast in within)
        if small and (WORDS[kind_of(row)].within or ("",))[0] == "inert":
            table = tables[row.backbone]
            cells = [(weight, table.scores(cell)) for cell, weight in contrast.weights]
            rng = generator(plan.seed, Stream.CANCELLATION)
            beside = replace(beside, cancellation=cancellation(cells, units_of(table), plan, rng))
        found.append((row, beside))
    return found


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
