"""A word for each arm of a probe: whether what is done next follows what its memory says.

Source: STATISTICS 0e.1 (two halves), 0e.5 (mention and polarity).
"""

from collections.abc import Mapping, Sequence

from memtrial.analysis.probe.probed_effects import ProbedEffect, all_shown
from memtrial.analysis_rules import AnalysisRules
from memtrial.api.probe.asked_decision import COUNTERED, INVERTED
from memtrial.views.rows.probe_rows import ArmWord, ProbeArm, ProbeOutcome, ProbeRow

RowsOfArm = Mapping[tuple[ProbeOutcome, str], ProbeRow]


def answer_arms(rows: Sequence[ProbeRow], rules: AnalysisRules) -> tuple[ProbeArm, ...]:
    """A word for each arm: it follows its memory, is shown not to, does the contrary, or none is shown."""
    arms = []
    for backbone, arm in dict.fromkeys((row.backbone, row.arm) for row in rows):
        own = {
            (row.outcome, row.condition): row for row in rows if (row.backbone, row.arm) == (backbone, arm)
        }
        word, why = _answer(own, rules)
        arms.append(ProbeArm(backbone=backbone, arm=arm, word=word, why=why))
    return tuple(arms)


def _answer(rows: RowsOfArm, rules: AnalysisRules) -> tuple[ArmWord, str]:
    told, other = rows.get(("advised", COUNTERED)), rows.get(("other", COUNTERED))
    if not any(outcome == "advised" for outcome, _ in rows):
        return "untestable", "what it advises cannot be read, so that only shifts are measured"
    if told is None or other is None:
        return "inconclusive", _say_without_counter(rows)
    turned = rows.get(("advised", INVERTED))
    if all_shown((_effect_of(told), _effect_of(other)), rules):
        return _tell_from_naming(turned, rules)
    if told.word == other.word == "still":
        return "ignores", "advice moves neither the action of the memory nor another one by the margin"
    if "reversed" in (told.word, other.word):
        return "defies", "an action is done less where it is advised"
    if "untestable" in (told.word, other.word):
        return "untestable", "there is no room to see it, or there are fewer than two clusters"
    if told.word == "moves":
        return "inconclusive", (
            "what is advised is done less under other advice, but that other advice is not shown to be done"
            " more: the text may only disturb"
        )
    return "inconclusive", "neither that it is followed nor that it is ignored is shown"


def _tell_from_naming(turned: ProbeRow | None, rules: AnalysisRules) -> tuple[ArmWord, str]:
    """Whether what is done more where it is advised is done less where it is advised against."""
    both = "an action is done more where it is advised, be it the one of the memory or another"
    if turned is None:
        return "inconclusive", f"{both}; that it is not merely named was not asked (corrupt_invert)"
    if all_shown((_effect_of(turned),), rules):
        return "follows", f"{both}, and less where it is advised against"
    if turned.word == "still":
        return "naming", f"{both}, and as much where it is advised against"
    return "inconclusive", f"{both}; whether it is done less where it is advised against is not shown"


def _say_without_counter(rows: RowsOfArm) -> str:
    turned = rows.get(("advised", INVERTED))
    if turned is not None and turned.word == "moves":
        return (
            "what is advised is done less where it is turned round, but no other advice was put in its place:"
            " the text may only disturb"
        )
    return "no other advice that can be read was put in the place of it"


def _effect_of(row: ProbeRow) -> ProbedEffect:
    return ProbedEffect(row.n_decisions, row.n_tasks, row.n_clusters, row.estimate, p=row.p)
