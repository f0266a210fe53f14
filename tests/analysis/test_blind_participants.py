"""A small part of `bench/blind`: who does not read is not called a reader where acts are not seen."""

import numpy as np
import polars as pl
import pytest

from bench.blind.participants import CONDITIONS, PARTICIPANTS, WITHOUT, TriedParticipant, draw_trials, seeded
from memtrial.analysis.analyse import analyse
from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.analysis.result import Estimate
from memtrial.analysis.verdicts.facts import RunFacts
from memtrial.analysis_rules import AnalysisRules
from memtrial.outcomes.outcomes import Outcomes

TASKS, SEEDS = 24, 8
PLAN = AnalysisPlan(("memory",), CONDITIONS[2:], rules=AnalysisRules(flips=299), positive_control=None)


def judge(who: TriedParticipant, seed: int) -> dict[str, Estimate]:
    """The drops of one experiment, by condition."""
    solved = draw_trials(who, CONDITIONS, TASKS, 1, seeded(who, TASKS, seed)).solved[:, :, 0]
    place, task = (np.ravel(axis) for axis in np.indices(solved.shape))
    columns = {
        "backbone": ["own/agent"] * solved.size,
        "arm": ["none" if CONDITIONS[cell] == WITHOUT else "memory" for cell in place],
        "condition": [CONDITIONS[cell] for cell in place],
        "task": [f"task {number}" for number in task],
        "repeat": np.zeros(solved.size, dtype=int),
        "score": solved.ravel().astype(float),
    }
    found = analyse(Outcomes(pl.DataFrame(columns)), PLAN, RunFacts(fluent=frozenset(), unseen=True))
    return {row.condition: row for row in found.estimates if row.estimand == "drop"}


@pytest.mark.parametrize("who", PARTICIPANTS, ids=lambda who: who.name)
def test_only_who_reads_carries_content(who: TriedParticipant) -> None:
    drops = [judge(who, seed) for seed in range(SEEDS)]
    carrying = sum(any(row.verdict == "load-bearing" for row in rows.values()) for rows in drops)
    if not who.reads:
        assert carrying <= 1, "5 % of these would be 0.4"
    elif who.reach == 1:
        assert carrying >= SEEDS - 1
