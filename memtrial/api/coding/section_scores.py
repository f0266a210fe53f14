"""What the trials of the two stages say: scores by text and task, and from them a word for each section."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from memtrial.analysis.arrays import Floats
from memtrial.analysis.screening.half_fractions import lay_out_few
from memtrial.analysis.screening.part_confirmation import confirm
from memtrial.analysis.screening.part_screening import ScreenedParts, choose, screen
from memtrial.analysis.screening.part_words import JudgedPart, judge
from memtrial.api.coding.section_plan import FEW, HALF, SectionPlan, name_arm
from memtrial.faults import RunFault
from memtrial.gates.notes.note_sections import tokens_of
from memtrial.ledger.rows import TrialRow
from memtrial.outcomes.reserved_names import NONE
from memtrial.views.rows.section_rows import SectionResults, SectionRow

LOST = "too many trials were lost to tell the sections apart; --retry-errors plays them again"


@dataclass(frozen=True, slots=True)
class ScreenedSections:
    """The end of the screening.

    Args:
        effects: None where there were so few sections that all are confirmed.
        few: those that are confirmed, by number from 0.
        score: mean over all halves; 1 where nothing was screened.
    """

    effects: ScreenedParts | None
    few: tuple[int, ...]
    score: float


@dataclass(frozen=True, slots=True)
class TrialNames:
    """What the file and the agent are called, and what a reader has to know first."""

    memory: str
    agent: str
    simulated: bool
    alarms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StageRows:
    """The trials of both stages; none of a stage that was not played."""

    screening: Sequence[TrialRow]
    confirmation: Sequence[TrialRow]


def screen_sections(plan: SectionPlan, rows: Sequence[TrialRow]) -> ScreenedSections:
    """Which sections fresh trials are worth. RunFault where too many trials were lost to tell."""
    if not plan.screens:
        return ScreenedSections(None, tuple(range(plan.n_parts)), 1.0)
    scores = gather_scores(rows, HALF, plan.size.pairs, tuple(plan.tasks))
    effects = screen(plan.halves, scores)
    if effects is None:
        raise RunFault(LOST)
    return ScreenedSections(effects, choose(effects, plan.screening), float(np.nanmean(scores)))


def judge_sections(
    plan: SectionPlan, screened: ScreenedSections, rows: StageRows, named: TrialNames
) -> SectionResults:
    """The results of both stages. RunFault where too many trials were lost."""
    few, whole, score = screened.few, None, screened.score
    confirmed = {}
    if few:
        first = lay_out_few(len(few))
        scores = gather_scores(rows.confirmation, FEW, len(first), tuple(plan.tasks))
        tested = confirm(first, scores, plan.size.fresh_repeats(len(few)), plan.family, plan.rules)
        if not tested:
            raise RunFault(LOST)
        confirmed = dict(zip(few, tested, strict=True))
        whole = score = float(np.nanmean(scores[:, 0, 0]))
    room = score > 2 * plan.rules.margin
    judged = judge(screened.effects, confirmed, plan.family, room, plan.rules)
    every = [*rows.screening, *rows.confirmation]
    without = [row.score for row in every if row.arm == NONE and row.score is not None]
    costs = [row.usd for row in every]
    return SectionResults(
        memory=named.memory,
        agent=named.agent,
        kind=plan.parts.kind,
        simulated=named.simulated,
        n_tasks=len(plan.tasks),
        n_screening=_count_scored(rows.screening),
        n_confirmation=_count_scored(rows.confirmation),
        n_lost=sum(row.status == "error" for row in every),
        solved_whole=whole,
        solved_without=float(np.mean(without)) if without else None,
        usd=None if any(usd is None for usd in costs) else sum(usd for usd in costs if usd is not None),
        margin=plan.rules.margin,
        alpha=plan.rules.alpha,
        threshold=plan.screening.threshold,
        most=plan.screening.most,
        room=room,
        sections=tuple(_write_row(plan, number, each, named.alarms) for number, each in enumerate(judged)),
        alarms=named.alarms,
    )


def gather_scores(rows: Iterable[TrialRow], stage: str, n_pairs: int, tasks: Sequence[str]) -> Floats:
    """Mean score of each text in each task, shape (n_tasks, n_pairs, 2); NaN where no trial has one."""
    held: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        if row.score is not None and row.status != "error":
            held.setdefault((row.arm, row.task), []).append(row.score)
    scores = np.full((len(tasks), n_pairs, 2), np.nan)
    for place, task in enumerate(tasks):
        for pair in range(n_pairs):
            for side in (0, 1):
                if seen := held.get((name_arm(stage, pair, side), task)):
                    scores[place, pair, side] = sum(seen) / len(seen)
    return scores


def _count_scored(rows: Iterable[TrialRow]) -> int:
    return sum(row.status != "error" for row in rows)


def _write_row(plan: SectionPlan, number: int, judged: JudgedPart, alarms: Sequence[str]) -> SectionRow:
    """A section's row; where the memory did not arrive nothing is judged."""
    part = plan.parts.parts[number]
    return SectionRow(
        number=number + 1,
        name=part.name,
        line=part.line,
        last_line=part.last_line,
        tokens=tokens_of(part.text),
        stage=judged.stage,
        estimate=judged.effect,
        low=judged.low,
        high=judged.high,
        p=judged.p,
        p_equivalence=judged.p_equivalence,
        word="not settled" if alarms else judged.word,
    )
