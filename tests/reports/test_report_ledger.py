"""What results.json says of cost, losses and delivery is what stands in the ledger."""

from collections import Counter
from dataclasses import replace
from math import fsum
from pathlib import Path
from types import SimpleNamespace

import pytest

from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.analysis.reasons import Reason
from memtrial.analysis.result import Estimate
from memtrial.analysis.verdicts.facts import RowFacts, RunFacts
from memtrial.analysis.verdicts.guards.whole_run import control_notes, not_delivered, positive_control
from memtrial.analysis.verdicts.rules import word_rows
from memtrial.ledger.rows import TrialRow
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.reports.render.html_report import render_html
from memtrial.views.evidence.bundle_audit import MOST_BLOCKS
from memtrial.views.results.play_summary import attrition, history
from memtrial.views.results.run_results import results
from memtrial.views.rows.play_rows import Delivery
from memtrial.views.rows.results import Results
from tests.support.judging import facts_of
from tests.support.report_example import bare
from tests.support.report_ledger import ARMS, BACKBONES, fill_ledger


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> SqliteLedger:
    made = SqliteLedger(tmp_path_factory.mktemp("calm") / "ledger.sqlite")
    fill_ledger(made)
    return made


@pytest.fixture(scope="module")
def found(ledger: SqliteLedger) -> Results:
    return results(ledger)


@pytest.fixture(scope="module")
def spoiled(tmp_path_factory: pytest.TempPathFactory) -> Results:
    made = SqliteLedger(tmp_path_factory.mktemp("bad") / "ledger.sqlite")
    fill_ledger(made, spoil=25)
    return results(made)


def of_arm(ledger: SqliteLedger, arm: str) -> list[TrialRow]:
    return [trial for trial in ledger.trials() if trial.arm == arm]


@pytest.mark.parametrize("arm", ["none", *ARMS])
def test_cost_losses_and_failures_of_an_arm_are_those_of_its_trials(
    ledger: SqliteLedger, found: Results, arm: str
) -> None:
    trials, spent, lost = of_arm(ledger, arm), found.cost[arm], found.attrition[arm]
    for name in ("calls", "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"):
        assert getattr(spent, name) == sum(getattr(trial, name) for trial in trials) > 0
    prices = [trial.usd for trial in trials if trial.usd is not None]
    assert spent.usd == (pytest.approx(fsum(prices)) if len(prices) == len(trials) else None)
    assert (spent.usd is None) == (arm == "oracle")
    errors = [trial for trial in trials if trial.status == "error"]
    assert lost.errors == len(errors) == found.errors[arm] == sum(lost.causes.values()) > 0
    assert lost.trials == lost.planned == len(trials)
    assert lost.share == len(errors) / len(trials)
    assert set(lost.causes) <= {"rate limit", "WorldFault"}
    failures = Counter(trial.cause for trial in trials if trial.status == "failure")
    told = found.agent_failures[arm]
    assert sum((Counter(one) for one in told.values()), Counter()) == failures
    for condition, causes in told.items():
        of_cell = (t.cause for t in trials if (t.condition, t.status) == (condition, "failure"))
        assert causes == Counter(of_cell)
    assert set(failures) == {"step limit", "format"}


def test_every_loss_has_worst_case_bounds_beside_it(found: Results) -> None:
    for row in found.estimates:
        assert (row.worst_low is not None) == (row.n_errors > 0)


@pytest.mark.parametrize(
    ("boundary", "fault", "cause", "counted"),
    [
        ("provider", "rate limit", "ProviderFault (rate limit): asked: to wait", "rate limit"),
        ("world", "WorldFault", "ProviderFault (time-out): what a world says of itself", "WorldFault"),
        ("harness", "x" * 500, "", "x" * 119 + "…"),
        # rows of before it was stated
        (
            None,
            "",
            "ProviderFault (rate limit): asked: to wait",
            "ProviderFault (rate limit): asked: to wait",
        ),
        (None, "", "", "no cause recorded"),
    ],
)
def test_losses_are_counted_by_the_kind_that_was_stated(boundary, fault, cause, counted) -> None:
    row = TrialRow(
        *("k", "b", "none", "without", "t", "f", 0, "error", None, cause, "", False, ""),
        boundary=boundary,
        fault=fault,
    )
    plan = SimpleNamespace(arms=("none",), planned={"none": 1})
    lost = attrition([row], plan, {})["none"]
    assert (lost.causes, lost.first) == ({counted: 1}, cause)


def test_preparation_and_models_are_those_of_the_calls(found: Results) -> None:
    assert [(row.purpose, row.calls, row.usd) for row in found.preparation] == [
        ("condense theory", 2, 0.05),
        ("gate theory", 1, None),
    ]
    assert all(row.cache_read_tokens == 50 * row.calls for row in found.preparation)
    rows = {row.asked: row for row in found.models}
    assert rows[BACKBONES[0]].temperatures == (None, 1.0)
    assert rows[BACKBONES[0]].altered == 1
    assert rows[BACKBONES[1]].answered == f"{BACKBONES[1]}-1"


def test_another_temperature_than_the_one_asked_for_is_noted(found: Results) -> None:
    (note,) = [one for one in found.notes if "temperature" in one]
    # none was sent for condensing, where none was asked for
    assert note == f"{BACKBONES[0]} as agent: temperature 0.7 was asked for; sent was 1 in 1 of 1 call"
    assert any("1 of 3 calls a text did not stand verbatim" in one for one in found.notes)


def test_a_placebo_that_moves_the_agent_is_noted(ledger: SqliteLedger, tmp_path: Path) -> None:
    other = SqliteLedger(tmp_path / "ledger.sqlite")
    plan = ledger.fact("plan")
    other.state("plan", plan)
    # what was said of inverted content is said of the rewording instead
    renamed = {"corrupt_invert": "paraphrase", "paraphrase": "corrupt_invert"}
    other.add_trials(
        replace(trial, condition=renamed.get(trial.condition, trial.condition)) for trial in ledger.trials()
    )
    found = results(other)
    moved = [
        f"{row.backbone}, {row.arm}: "
        for row in found.estimates
        if (row.estimand, row.condition) == ("drop", "paraphrase")
        and row.backbone != "all"
        and row.p_adjusted <= found.alpha
        and row.estimate > 0
    ]
    noted = [note for note in found.notes if "wording alone moved the agent" in note]
    assert len(moved) == len(noted) > 0
    assert all(note.startswith(place) for note, place in zip(noted, moved, strict=True))


def test_delivery_counts_every_request_that_was_to_carry_memory(
    ledger: SqliteLedger, found: Results, spoiled: Results
) -> None:
    carrying = sum(trial.carrying for trial in ledger.trials())
    assert found.delivery == Delivery(carrying=carrying, undelivered=0, trials=())
    lost = spoiled.delivery
    assert (lost.carrying, lost.undelivered, len(lost.trials)) == (carrying, 25, 20)
    assert {(one.backbone, one.arm) for one in lost.trials} == {(BACKBONES[0], "artifact")}
    assert "MEMORY TEXT DID NOT REACH" in spoiled.notes[0]
    assert not any("MEMORY TEXT" in note for note in found.notes)


def test_no_verdict_stands_on_an_arm_whose_text_did_not_arrive(found: Results, spoiled: Results) -> None:
    touched = 0
    for before, after in zip(found.estimates, spoiled.estimates, strict=True):
        hit = after.backbone in (BACKBONES[0], "all") and "artifact" in (after.arm, after.versus)
        touched += hit
        if hit:
            reason = "memory text did not reach the prompt in 25 requests"
            assert (after.verdict, after.reason) == ("untestable", reason)
            assert after.estimate == before.estimate
        else:
            assert after == before
        if after.backbone == "all":
            continue
        if after.estimand == "drop":
            word = spoiled.verdicts[after.backbone][after.arm][after.condition]
            assert word == after.verdict
        if after.estimand == "utility":
            assert spoiled.utility[after.backbone][after.arm] == after.verdict
    # utility, drops, contrasts with control, shares retained, drops beyond the placebo; own and pooled
    assert touched == 2 * (1 + 4 + 4 + 6 + 3)
    hypotheses = [one for one in spoiled.hypotheses if one.backbone == BACKBONES[0]]
    assert [one.verdict for one in hypotheses] == ["untestable"]


def estimate(arm: str, condition: str, verdict: str) -> Estimate:
    unknown = "share low_family high_family low high sd p p_adjusted p_equivalence tasks_to_settle same_text"
    numbers = dict.fromkeys((*unknown.split(), "worst_low", "worst_high"))
    return Estimate(
        estimand="drop", backbone="b", arm=arm, versus="intact", condition=condition, family="drops",
        n_tasks=9, n_clusters=9, n_missing=0, n_informative=9, estimate=0.1, n_errors=0,
        verdict=verdict, code=Reason.WITHIN, **numbers,
    )  # fmt: skip


def judged(
    rows: tuple[Estimate, ...], lost: dict[tuple[str, str], int], plan: AnalysisPlan
) -> list[Estimate]:
    """The rows after the two guards that ask whether the text arrived, and after their sentences."""
    facts = facts_of(plan, *((one, RowFacts()) for one in rows), run=RunFacts(lost=lost))
    for guard in (not_delivered, positive_control):
        rows = tuple(guard(one, facts) for one in rows)
        facts = facts_of(plan, *((one, RowFacts()) for one in rows), run=RunFacts(lost=lost))
    return word_rows(rows, facts)


def test_inert_needs_a_positive_control_whose_text_arrived() -> None:
    rows = (estimate("oracle", "filler", "load-bearing"), estimate("control", "filler", "inert"))
    plan = AnalysisPlan(("oracle", "control"), ("filler",))
    assert [one.verdict for one in judged(rows, {}, plan)] == ["load-bearing", "inert"]
    assert control_notes(rows, plan) == ()
    shaken = judged(rows, {("b", "oracle"): 3}, plan)
    assert [one.verdict for one in shaken] == ["untestable", "insensitive"]
    assert any("load-bearing for no backbone" in note for note in control_notes(shaken, plan))


def test_a_contrast_falls_with_either_of_its_arms() -> None:
    apart = replace(estimate("artifact", "filler", "inert"), estimand="contrast", versus="control")
    plan = AnalysisPlan(("artifact", "control"), ("filler",))
    for arm, word in (("artifact", "untestable"), ("control", "untestable"), ("raw", "inert")):
        assert judged((apart,), {("b", arm): 3}, plan)[0].verdict == word
    (both,) = judged((apart,), {("b", "artifact"): 3, ("b", "control"): 4}, plan)
    assert both.reason == "memory text did not reach the prompt in 7 requests"


def test_only_planned_cells_are_judged(found: Results) -> None:
    for arms in found.verdicts.values():
        assert {arm: set(words) for arm, words in arms.items()} == {
            arm: set(names) for arm, names in ARMS.items()
        }
    assert {(one.treatment, one.control) for one in found.hypotheses} == {("artifact", "control")}
    for row in found.estimates:
        if row.estimand == "contrast":
            assert all(row.condition in ARMS[arm] for arm in (row.arm, row.versus))


def test_trials_of_a_cell_that_was_never_planned_are_left_out(tmp_path: Path, found: Results) -> None:
    other = SqliteLedger(tmp_path / "ledger.sqlite")
    fill_ledger(other)
    stray = next(trial for trial in other.trials() if trial.condition == "filler")
    other.add_trials([replace(stray, key="stray", arm="raw")])
    assert results(other) == found


def test_neither_the_order_of_trials_nor_the_sessions_are_in_the_results(
    tmp_path: Path, found: Results
) -> None:
    other = SqliteLedger(tmp_path / "ledger.sqlite")
    fill_ledger(other, backwards=True)
    other.begin_session({"engine": "another"})
    assert results(other).json_text() == found.json_text()


def test_episodes_are_opened_once_and_singly_for_the_audit_alone(ledger: SqliteLedger) -> None:
    asked: list[str] = []
    ledger.connection.set_trace_callback(asked.append)
    found = results(ledger)
    ledger.connection.set_trace_callback(None)
    opened = sum("FROM episodes" in one for one in asked)
    # once as a stream, for the actions; singly the row, and the row that holds the pack
    assert 1 <= opened <= 1 + 2 * MOST_BLOCKS * len(found.arms) * len(BACKBONES)


def test_history_says_how_sessions_ended_and_what_was_sent(ledger: SqliteLedger, tmp_path: Path) -> None:
    told = history(ledger)
    ends = [sentence.rpartition(": ")[2] for sentence in told[:3]]
    assert ends == ["interrupted.", "its process was killed.", "done."]
    text = " ".join(told)
    assert "2 requests were in flight when a process ended; they may have been paid" in text
    assert "2 ended in a fault: rate limit 1, time-out 1." in text
    page = render_html(bare(), told)
    assert all(sentence in page for sentence in told)
    made = SqliteLedger(tmp_path / "ledger.sqlite")
    made.begin_session({})
    first, last = history(made)
    assert first.endswith("it is still running, or its process was killed.")
    assert last == "No request went over a network."
