"""Both condensers on real traces of a real model, with a simulated author and a simulated judge."""

import asyncio
from collections import defaultdict
from pathlib import Path

import pytest

from memtrial.agents.traces import read_traces
from memtrial.agents.trajectory import Step, Trajectory
from memtrial.agents.trajectory_views import passages
from memtrial.condensers.baselines import Native
from memtrial.condensers.condenser import MOST_ITEMS, Condensation
from memtrial.gates.suite import SEED_SUBSET as NAMES
from memtrial.gates.suite import choose_gates
from memtrial.judges.closed_question import ModelJudge
from memtrial.ledger.memory_calls import MemoryCallStore
from memtrial.memory.item import NativeItem, TheoryItem
from memtrial.memory.markdown import parse, render
from memtrial.models.client.cache import CallCache
from memtrial.models.client.client import Caller, ModelClient
from memtrial.models.simulated.open_simulated import open_simulated
from memtrial.prompts.control_prompts import load_control
from tests.support.theory_loop import theory_loop

TRACES = Path(__file__).resolve().parents[3] / "shared" / "data" / "traces" / "hotpotqa_react.jsonl"
KINDS = ("native", "theory")
MARKS = "[[ ## answer ## ]]\npass\n\n[[ ## completed ## ]]"
ODD = (
    Trajectory("no steps", "a", "Open the box", "failure", ()),
    Trajectory("no query", "b", "", "success", (Step("", "look", "A box."),)),
    Trajectory("silent", "c", "Open it", "failure", (Step("", "", ""), Step("", "", ""))),
    Trajectory(
        "unicode", "d", "Öffne die 箱", "success", (Step("思考", "öffne «箱»", "Die Kiste — ist\u2028auf."),)
    ),
    Trajectory(
        "markup", "e", "{{ x }} **Query:** y", "success", (Step("</think>", "<action>", "## Claim x"),)
    ),
    Trajectory("marks", "f", MARKS, "failure", (Step(MARKS, MARKS, MARKS),)),
    Trajectory(
        "code", "g", "Fix it", "failure", (Step("t", "`a` | \"b\" 'c'", "```py\nraise X\n```"),), "$ "
    ),
    Trajectory(
        "long", "h", "Go on", "success", tuple(Step("t", f"act {n}", "word " * 300) for n in range(40))
    ),
)


def condenser(kind: str, model: str = "simulated/scribe", judge: str = "simulated/examiner"):
    model_client = ModelClient(CallCache(MemoryCallStore()), open_simulated)
    if kind == "native":
        return Native(Caller(model_client, model), load_control(None))
    return theory_loop(
        Caller(model_client, model), choose_gates(ModelJudge(Caller(model_client, judge)), NAMES)
    )


def condense(kind: str, traces: tuple[Trajectory, ...], **models: str) -> dict[str, Condensation]:
    async def main() -> list[Condensation]:
        one = condenser(kind, **models)
        return list(await asyncio.gather(*(one(trace) for trace in traces)))

    return dict(zip((trace.trace_id for trace in traces), asyncio.run(main()), strict=True))


def check(made: Condensation, trace: Trajectory, schema: type) -> None:
    """What holds for every condensation of every trace."""
    assert made.trace_id == trace.trace_id
    assert len(made.items) <= MOST_ITEMS
    for number, item in enumerate(made.items, 1):
        assert isinstance(item, schema)
        assert parse(render(item, number)) == item
    for review in made.reviews:
        finding = review.finding
        if finding.finding == "ERROR":
            assert finding.quote is None
            continue
        assert finding.quote
        places = (review.draft,) if finding.where == "item" else passages(trace)
        assert any(finding.quote in place for place in places)
    judged = {render(item) for item in made.items}
    last = defaultdict(dict)
    for review in made.reviews:
        if review.draft in judged:
            last[review.draft][review.finding.gate] = review.finding.finding
    if schema is TheoryItem:
        assert set(last) == judged
        assert all(set(found) == set(NAMES) for found in last.values())
        assert all("FAIL" not in found.values() and "ERROR" not in found.values() for found in last.values())


@pytest.fixture(scope="module")
def traces() -> tuple[Trajectory, ...]:
    if not TRACES.exists():
        pytest.skip("the real traces are not beside this checkout")
    return read_traces(TRACES)


@pytest.fixture(scope="module")
def condensed(traces) -> dict[str, dict[str, Condensation]]:
    return {kind: condense(kind, traces) for kind in KINDS}


@pytest.mark.parametrize(("kind", "schema"), [("native", NativeItem), ("theory", TheoryItem)])
def test_every_real_trace_has_a_result_and_every_quote_stands(traces, condensed, kind, schema):
    assert len(traces) == len(condensed[kind]) == 100
    for trace in traces:
        check(condensed[kind][trace.trace_id], trace, schema)


@pytest.mark.parametrize("kind", KINDS)
def test_most_real_traces_leave_an_item(condensed, kind):
    made = condensed[kind].values()
    assert sum(bool(one.items) for one in made) >= 80
    assert not any(one.faults for one in made)


def test_some_draft_was_flagged_and_passed_after_revision(condensed):
    mended = flagged = 0
    for one in condensed["theory"].values():
        stored = {render(item) for item in one.items}
        first = {review.round for review in one.reviews if review.draft in stored}
        flagged += any(
            review.finding.finding in ("WARN", "FAIL") for review in one.reviews if review.round == 0
        )
        last = [review for review in one.reviews if review.draft in stored and review.round == max(first)]
        mended += bool(last) and max(first) > 0 and all(review.finding.finding == "PASS" for review in last)
    assert flagged >= 20
    assert mended >= 10


def test_both_halves_of_the_gates_were_at_work(condensed):
    worst = [review.finding for one in condensed["theory"].values() for review in one.reviews]
    # the worst of both halves is the finding, and what the other half says stands beside it
    findings = [*worst, *(other for finding in worst for other in finding.beside)]
    asked = [
        finding for finding in findings if finding.reason.startswith("The passage ")
    ]  # the examiner's words
    assert {finding.gate for finding in asked} == set(NAMES)
    assert {finding.where for finding in asked} == {"item", "trace"}
    by_program = [finding for finding in findings if not finding.reason.startswith("The passage ")]
    assert {finding.gate for finding in by_program} == set(NAMES)
    assert {finding.finding for finding in by_program} == {"WARN", "FAIL"}
    assert all(("(proof: " in finding.reason) is (finding.finding == "FAIL") for finding in by_program)


def test_a_sound_author_before_a_perfect_judge_is_not_held_up(traces):
    """The gates' own false alarms: drafts without a defect before a judge who never errs."""
    models = {"model": "simulated/scribe?defects=0", "judge": "simulated/examiner?hit=1&false_alarm=0"}
    made = condense("theory", traces[::5], **models)
    by_program = [
        review
        for one in made.values()
        for review in one.reviews
        if review.finding.finding == "FAIL" and not review.finding.reason.startswith("The passage ")
    ]
    drafts = {(trace_id, review.draft) for trace_id, one in made.items() for review in one.reviews}
    assert len(drafts) >= 20
    assert len(by_program) <= 0.05 * len(drafts)


@pytest.mark.parametrize(("kind", "schema"), [("native", NativeItem), ("theory", TheoryItem)])
@pytest.mark.parametrize("trace", ODD, ids=lambda trace: trace.trace_id)
def test_an_odd_trace_has_a_result_too(kind, schema, trace):
    check(condense(kind, (trace,))[trace.trace_id], trace, schema)
