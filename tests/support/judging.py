"""Rows set by hand, judged by the rule, the guards and the sentences, as an analysis judges its own."""

from dataclasses import replace

from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.analysis.estimands.contrast import Contrast, drop, drops_apart, utility
from memtrial.analysis.reasons import Reason
from memtrial.analysis.result import Estimate
from memtrial.analysis.verdicts.facts import NOTHING_KNOWN, Facts, Headroom, RowFacts, RunFacts
from memtrial.analysis.verdicts.guards.order import apply_guards
from memtrial.analysis.verdicts.rules import rule_row, word_rows

FAMILY = 8
"""Tests in the family of each row."""


def facts_of(plan: AnalysisPlan, *found: tuple[Estimate, RowFacts], run: RunFacts = NOTHING_KNOWN) -> Facts:
    """What the guards may look at."""
    return Facts(plan, {row.key: row for row, _ in found}, {row.key: beside for row, beside in found}, run)


def judge_utility(seen: Estimate, plan: AnalysisPlan) -> Estimate:
    return judged(_about(utility("control"), seen), None, plan)


def judge_drop(seen: Estimate, room: Headroom, gain: Estimate, word: str, plan: AnalysisPlan) -> Estimate:
    """A drop beside a utility whose word is given."""
    beside = replace(_about(utility("control"), gain), verdict=word, family="utilities")
    return judged(_about(drop("control", "corrupt_invert"), seen), room, plan, beside)


def judge_contrast(
    seen: Estimate, room: Headroom, words: tuple[str, str], same_text: float | None, plan: AnalysisPlan
) -> Estimate:
    """A contrast beside two utilities whose words are given."""
    contrast = drops_apart("artifact", "control", "corrupt_invert")
    known = replace(seen, p=0.5, high=0.5, family="utilities")
    beside = [
        replace(_about(utility(arm), known), verdict=word)
        for arm, word in zip((contrast.arm, contrast.versus), words, strict=True)
    ]
    return judged(replace(_about(contrast, seen), same_text=same_text), room, plan, *beside)


def judged(row: Estimate, room: Headroom | None, plan: AnalysisPlan, *beside: Estimate) -> Estimate:
    """One row by the whole path, beside its family and beside others that have their words already."""
    family = [replace(row, condition=f"another {nth}") for nth in range(1, FAMILY)]
    given = [
        replace(one, code=Reason.NO_INFERENCE if one.p is None else Reason.UNDECIDED)
        for one in (*beside, *family)
    ]
    same = row.n_tasks > 0 and row.n_informative == 0
    facts = facts_of(plan, (row, RowFacts(same, room=room)))
    return word_rows(apply_guards((rule_row(row, plan), *given), facts), facts)[0]


def _about(contrast: Contrast, seen: Estimate) -> Estimate:
    names = ("estimand", "arm", "versus", "condition", "share")
    about = {name: getattr(contrast, name) for name in names}
    return replace(seen, **about, backbone="m", family="a family", verdict="", reason="", code=None)
