"""What `try --sections` says before anything is spent."""

import pytest

from memtrial.analysis.screening.stage_sizes import StageSizes
from memtrial.analysis_rules import AnalysisRules
from memtrial.runs.forecast.section_forecast import SectionForecast
from memtrial.runs.forecast.trial_forecast import Rehearsal, Spread


def forecast(sections: int = 12, tasks: int = 24, repeats: int = 1, **more: object) -> SectionForecast:
    given: dict[str, object] = {
        "about": ("Memory: CLAUDE.md.",), "tasks": tasks, "left_out": {}, "kind": "section",
        "sections": sections, "family": min(6, sections), "size": StageSizes(repeats),
        "rules": AnalysisRules(), "threshold": 0.2, "played": 0, "rehearsal": Rehearsal(), "most_s": 900.0,
        "at_once": 1, "max_usd": None,
    }  # fmt: skip
    return SectionForecast(**given | more)


def test_it_counts_both_stages_and_what_they_can_show() -> None:
    lines = list(forecast().lines())
    assert "Parts: the file's 12 sections." in lines
    assert any(line.startswith("Screening: 216 trials: each task with 4 pairs of random") for line in lines)
    assert any(
        line.startswith("Confirmation: at most 576 fresh trials for the 6 most likely") for line in lines
    )
    assert (
        "Can show of a section, with a power of about 0.8, of a score from 0 to 1: an effect from 0.20 on."
        in lines
    )
    assert any(line.startswith("Cannot show: that a section can go (less than 0.1") for line in lines)
    few = forecast(sections=4)
    assert (few.screening, few.confirmation) == (0, 432)
    assert any(line.startswith("Trials: 432; with so few sections") for line in few.lines())


def test_more_tasks_and_repeats_show_smaller_effects_and_let_sections_go() -> None:
    effects = [forecast(tasks=tasks).detectable or 2.0 for tasks in (10, 24, 100)]
    assert effects == sorted(effects, reverse=True)
    assert (forecast(repeats=3).detectable or 2) < (forecast().detectable or 0)
    assert (forecast(repeats=3).tasks_to_let_go or 0) < (forecast().tasks_to_let_go or 0)
    assert not any("can go" in line for line in forecast(tasks=200).lines())
    assert "no effect, however large" in "\n".join(forecast(tasks=2, sections=2).lines())


def test_trials_before_tell_time_and_cost() -> None:
    seen = forecast(played=92, rehearsal=Rehearsal(92, Spread(1, 2, 9), Spread(0.1, 0.5, 2.0)), max_usd=300.0)
    assert seen.left == 700
    assert any(line.startswith("Cost: at most about $350") for line in seen.lines())
    assert any("92 trials are played already" in line for line in seen.lines())
    assert seen.as_json()["left_at_most"] == 700
    assert seen.as_json()["detectable"] == pytest.approx(0.196, abs=0.002)
