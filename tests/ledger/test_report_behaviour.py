"""Divergence from a ledger: read as a stream, by place, the same whatever the order of the rows."""

from contextlib import nullcontext
from dataclasses import replace
from functools import partial

import pytest

from memtrial.ledger.rows import EpisodeRow, TrialRow
from memtrial.ledger.run_plan import stated_plan
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.protocol.run_cells import read_played
from memtrial.views.evidence.divergence import actions, against_inert, compare_trials, read_divergence
from tests.support.report_ledger import ARMS, BACKBONES, fill_ledger

READER, IGNORER = BACKBONES


def filled(path, **more):
    ledger = SqliteLedger(path)
    fill_ledger(ledger, n_tasks=16, **{"repeats": 3} | more)
    return ledger


def measured(ledger, **plan):
    facts = stated_plan(ledger).model_copy(update=plan)
    return diverge(ledger, read_played(ledger, facts), facts)


def diverge(ledger, trials, plan):
    return read_divergence(partial(nullcontext, ledger), compare_trials(trials, plan), plan)


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    ledger = filled(tmp_path_factory.mktemp("behaviour") / "l.sqlite")
    yield ledger, *measured(ledger)
    ledger.close()


def test_who_reads_acts_otherwise_and_who_ignores_does_not(found):
    _, by_place, rows = found
    for arm in ("control", "artifact", "oracle"):
        assert by_place[READER, arm, "corrupt_invert"].word == "above A/A"
        assert by_place[READER, arm, "paraphrase"].word == "not above A/A"
        assert by_place[IGNORER, arm, "corrupt_invert"].word == "not above A/A"
    assert set(against_inert(by_place)) == {
        place for place, one in by_place.items() if one.word == "above A/A"
    }
    assert all("actions" in reason for reason in against_inert(by_place).values())
    assert [(row.backbone, row.arm, row.condition) for row in rows] == list(by_place)
    assert len(rows) == len(BACKBONES) * sum(map(len, ARMS.values()))


def test_the_figures_are_of_the_actions(found):
    _, by_place, rows = found
    for row in rows:
        one = by_place[row.backbone, row.arm, row.condition]
        assert 0 < one.p <= one.p_adjusted <= 1
        assert 0 <= one.across <= 0.5  # of two actions the first is always the same
        assert (one.placebo_p is None) == (row.condition == "paraphrase" or row.arm == "raw")
    reads = by_place[READER, "artifact", "corrupt_invert"]
    assert reads.ratio > 1.3
    least = [row for row in rows if row.p == row.least_p]
    assert 0 < len(least) < len(rows)
    for row in rows:
        assert ("; p ≤ " in row.reason) == (row in least)
    assert reads.placebo_delta > 0
    assert reads.placebo_p < 0.05


def test_where_the_runs_part_stands_beside_it(found):
    _, by_place, rows = found
    reads, ignores = (by_place[who, "artifact", "corrupt_invert"] for who in (READER, IGNORER))
    assert reads.parting < reads.parting_aa  # damaged and intact episodes part sooner
    assert reads.parting_p < 0.05 < ignores.parting_p
    assert reads.first_delta == 0  # all look first
    assert reads.first_p == 1
    assert [row.parting for row in rows] == [one.parting for one in by_place.values()]


def test_observations_in_another_order_are_no_difference(found, tmp_path):
    ledger, by_place, rows = found
    turned = SqliteLedger(tmp_path / "l.sqlite")
    turned.state("plan", ledger.fact("plan"))
    trials = list(ledger.trials())
    episodes = [ledger.episode(one.key) for one in trials]
    for at, one in enumerate(episodes):
        if one is not None:
            steps = tuple(
                {**step, "observation": f"{step.get('observation', '')} {at}"[::-1]} for step in one.steps
            )
            episodes[at] = replace(one, steps=steps)
    turned.add_trials(trials, [one for one in episodes if one is not None])
    assert measured(turned) == (by_place, rows)
    turned.close()


def test_the_order_of_the_rows_does_not_matter(found, tmp_path):
    _, by_place, rows = found
    ledger = filled(tmp_path / "l.sqlite", backwards=True)
    assert measured(ledger) == (by_place, rows)
    ledger.close()


def test_repeats_with_banks_of_their_own_are_pairs(found):
    ledger, by_place, _ = found
    paired, _ = measured(ledger, draws=3)
    place = READER, "artifact", "corrupt_invert"
    assert paired[place].word == "above A/A"
    assert paired[place].p != by_place[place].p
    assert paired[place].n_tasks <= by_place[place].n_tasks


def test_one_repeat_cannot_be_measured_and_a_broken_off_run_is_no_fault(tmp_path):
    ledger = filled(tmp_path / "l.sqlite", repeats=1)
    by_place, rows = measured(ledger)
    assert {one.word for one in by_place.values()} == {"not measurable"}
    assert {row.p for row in rows} == {None}
    assert against_inert(by_place) == {}
    ledger.close()
    empty = SqliteLedger(tmp_path / "empty.sqlite")
    fill_ledger(empty, n_tasks=0)
    assert measured(empty) == ({}, ())
    empty.close()


def test_tasks_whose_text_stayed_are_left_out(found):
    ledger, by_place, _ = found
    plan = stated_plan(ledger)
    trials = read_played(ledger, plan)

    same = tuple(
        replace(t, slot=f"same {t.task}") if t.arm == "artifact" and t.task < "bench 04" else t
        for t in trials
    )
    less, _ = diverge(ledger, same, plan)
    place = READER, "artifact", "corrupt_invert"
    assert less[place].n_tasks <= by_place[place].n_tasks - 4 + 1
    assert less[READER, "control", "filler"].n_tasks == by_place[READER, "control", "filler"].n_tasks


def test_a_trial_that_broke_and_was_played_again_counts_with_what_it_did_then(tmp_path):
    ledger = SqliteLedger(tmp_path / "l.sqlite")
    trial = TrialRow("k", "b", "a", "intact", "t", "", 0, "error", None, "WorldFault", "", False, "")
    again = replace(trial, status="success", score=1.0, cause="")
    for row, action in ((trial, "look"), (again, "press")):
        ledger.add_trials([row], [EpisodeRow("k", (), ({"action": action},), ())])
    assert list(actions(ledger)) == [("k", ("press",))]
    ledger.close()


def test_actions_are_those_of_the_last_attempt(found):
    ledger, *_ = found
    said = dict(actions(ledger))
    ended = {trial.key for trial in ledger.trials() if trial.status != "error"}
    assert said.keys() == ended
    assert {acts[0] for acts in said.values()} == {"look"}
