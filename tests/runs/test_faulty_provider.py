"""Whole runs with a provider that fails in every way: no fault is ever the agent's, nor the reverse."""

import json
from pathlib import Path

import pytest

from memtrial.models.scripted.fault_script import ScriptedFault
from memtrial.models.scripted.scripted_server import Script, serve_script
from memtrial.worlds.workshop.world import Workshop
from tests.support.scripted_run import (
    CLAUDE,
    GPT,
    KEY,
    carry_out,
    query,
    refuse_key,
    refuse_unlawful,
    said,
    script,
    sent,
    trials,
)
from tests.support.stub_provider import Heard, Said, anthropic_reply, openai_reply, provider

ON = "Thought: on.\nAction: look"
BOTH = pytest.mark.parametrize("model", [CLAUDE, GPT])
TASKS = tuple(task.query for task in Workshop(3, 8, 3).tasks("test"))


@pytest.fixture(scope="module", autouse=True)
def loaded() -> None:
    """The libraries are there before the first short time-out begins."""
    import anthropic  # noqa: F401
    import dspy  # noqa: F401


HEALING = (
    ScriptedFault("429", every=9, retry_after_s=0.01),
    ScriptedFault("429", at=(25, 26)),
    ScriptedFault("529", every=11),
    ScriptedFault("500", every=13),
    ScriptedFault("503", every=17, retry_after_s=0.02),
    ScriptedFault("reset", every=19),
    ScriptedFault("cut-off body", every=23),
    ScriptedFault("malformed JSON", every=29),
    ScriptedFault("empty content", every=37),
    ScriptedFault("time-out", at=(15,)),
    ScriptedFault("slow drip", at=(35,), lasts_s=60.0),
)


@BOTH
def test_what_heals_leaves_no_error(tmp_path: Path, model: str) -> None:
    with serve_script(script(*HEALING)) as server:
        assert carry_out(tmp_path, server.url, model, ("engine.call_timeout_s=1", "engine.attempts=12")) == 0
        assert set(refuse_unlawful(tmp_path, server, 12)) <= {"success", "failure"}
        stands = sent(tmp_path)
        struck = server.counts()["faults"]
    assert set(struck) >= {"429", "529", "500", "503", "reset", "cut-off body", "malformed JSON"}
    assert {"rate limit", "overloaded", "server error", "connection", "time-out"} <= set(stands.faults)
    assert sum(stands.faults.values()) == stands.sent - stands.answered
    # on a busy machine an answer may come too late
    late = stands.faults["time-out"] - struck["time-out"] - struck.get("slow drip", 0)
    for seen, kind in (("rate limit", "429"), ("overloaded", "529"), ("empty reply", "empty content")):
        assert 0 <= struck[kind] - stands.faults[seen] <= late
    keys = [key for (key,) in query(tmp_path, "SELECT key FROM calls")]
    assert len(keys) == len(set(keys))


@BOTH
@pytest.mark.parametrize(
    ("kind", "attempts"),
    [("malformed JSON", 4), ("no credit", 1)],
)
def test_what_does_not_heal_is_an_error_of_that_task_alone(
    tmp_path: Path, model: str, kind: str, attempts: int
) -> None:
    fault = ScriptedFault(kind, match=TASKS[1])  # type: ignore[arg-type]
    settings = ("engine.max_error_share=1", "arms=[none, control]")
    with serve_script(script(fault)) as server:
        assert carry_out(tmp_path, server.url, model, settings) == 0
        counts = refuse_unlawful(tmp_path, server)
    by_task: dict[str, set[str]] = {}
    for row in trials(tmp_path):
        by_task.setdefault(row.task, set()).add(row.status)
    assert [found == {"error"} for _, found in sorted(by_task.items())] == [False, True, False]
    assert counts["error"] == 3
    # each cell of the task asked one request of its own, as often as there is hope and no more
    requests = {count for _, count in query(tmp_path, "SELECT key, count(*) FROM sends GROUP BY key")}
    assert max(requests) == attempts
    # and when the provider is well again, they are played, and nothing else is
    done = {row.key for row in trials(tmp_path) if row.status != "error"}
    with serve_script(script()) as server:
        assert carry_out(tmp_path, server.url, model, settings) == 0
        assert query(tmp_path, "SELECT key FROM trials WHERE attempt > 0") == []  # not unasked
        assert carry_out(tmp_path, server.url, model, settings, retry_errors=True) == 0
    assert all(row.status != "error" for row in trials(tmp_path))
    again = {key for (key,) in query(tmp_path, "SELECT key FROM trials WHERE attempt > 0")}
    assert len(again) == 3
    assert not again & done


@BOTH
def test_what_the_agent_does_wrong_is_never_an_error(tmp_path: Path, model: str) -> None:
    answers = said(
        (TASKS[0], "I would rather not say."),
        (TASKS[1], "Thought: up.\nAction: fly to the moon"),
        (TASKS[2], ON),
    )
    faults = (
        ScriptedFault("refusal", match=TASKS[2]),
        ScriptedFault("empty content", match=TASKS[0], every=5),
    )
    with serve_script(script(*faults, answers=answers)) as server:
        assert carry_out(tmp_path, server.url, model) == 0
        assert set(refuse_unlawful(tmp_path, server)) == {"failure"}
    causes: dict[str, set[str]] = {}
    for row in trials(tmp_path):
        causes.setdefault(row.task, set()).add(row.cause)
    assert [found for _, found in sorted(causes.items())] == [{"broken format"}, {"step limit"}, {"refusal"}]
    assert set(sent(tmp_path).faults) <= {"empty reply"}


@pytest.mark.parametrize("model", [CLAUDE])
def test_a_model_that_stays_silent_is_an_error_and_one_that_is_cut_short_fails_by_itself(
    tmp_path: Path, model: str
) -> None:
    endless = "Thought: " + "well " * 4000
    answers = said((TASKS[0], " \n\t"), ("", endless))
    with serve_script(script(answers=answers)) as server:
        assert carry_out(tmp_path, server.url, model, ("arms=[none, control]", "engine.attempts=2")) == 0
        assert set(refuse_unlawful(tmp_path, server, 2)) == {"failure", "error"}
    causes = {row.task: row.cause for row in trials(tmp_path)}
    mute, *others = [cause for _, cause in sorted(causes.items())]
    assert mute.startswith("ProviderFault (empty reply)")
    assert set(others) == {"broken format"}
    lost = {(row.boundary, row.fault) for row in trials(tmp_path) if row.status == "error"}
    assert lost == {("provider", "empty reply")}


@pytest.mark.parametrize("model", [GPT])
def test_every_role_of_a_run_may_be_played_by_a_faulty_provider(tmp_path: Path, model: str) -> None:
    faults = [
        ScriptedFault(one.kind, every=one.every, retry_after_s=0.01) for one in HEALING[:3] if one.every
    ]
    settings = (f"roles.condenser={model}", f"roles.gate={model}", f"traces.player={model}",
                "environment.train=2", "environment.test=1", "arms=[none, artifact]")  # fmt: skip
    with serve_script(script(*faults)) as server:
        assert carry_out(tmp_path, server.url, model, settings) == 0
        assert set(refuse_unlawful(tmp_path, server)) <= {"success", "failure"}
    purposes = {purpose for (purpose,) in query(tmp_path, "SELECT DISTINCT purpose FROM calls")}
    assert {"play", "collect", "condense theory", "gate theory claim-strength"} <= purposes


@pytest.mark.parametrize("model", [CLAUDE])
def test_a_key_that_is_refused_stops_the_run_early(tmp_path: Path, model: str) -> None:
    settings = ("environment.test=12", "engine.max_error_share=0.3", "engine.workers=2")
    with serve_script(script(ScriptedFault("401"))) as server:
        assert carry_out(tmp_path, server.url, model, settings) == 1
        assert set(refuse_unlawful(tmp_path, server)) == {"error"}
        assert sent(tmp_path).sent <= 35
    assert set(sent(tmp_path).faults) == {"not permitted"}


@pytest.mark.parametrize("model", [GPT])
def test_a_model_that_changes_in_mid_run_stops_it_and_the_answer_is_not_used(
    tmp_path: Path, model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with serve_script(script(ScriptedFault("wrong model", at=(30,)))) as server:
        assert carry_out(tmp_path, server.url, model, ("engine.workers=1",), reports=True) == 1
        assert server.counts()["requests"] == sent(tmp_path).sent
        said = capsys.readouterr().err
        assert "some-other-model" in said
        assert "the model changed during the run" in said
        assert query(tmp_path, "SELECT count(*) FROM calls WHERE answered = 'some-other-model'") == [(0,)]
        assert not any(row.status == "error" for row in trials(tmp_path))
        # the same command asks again; here it was a passing fault
        assert carry_out(tmp_path, server.url, model) == 0
        refuse_unlawful(tmp_path, server)


@pytest.mark.parametrize("model", [CLAUDE])
def test_a_provider_that_loses_the_system_prompt_is_found_out(
    tmp_path: Path, model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    faults = (ScriptedFault("drop system", match=TASKS[1]),)
    with serve_script(Script(script().answers, faults, echo=True)) as server:
        assert carry_out(tmp_path, server.url, model, ("arms=[none, control, oracle]",), reports=True) == 1
        refuse_unlawful(tmp_path, server)
    rows = trials(tmp_path)
    spoilt = {(row.task, row.arm, row.condition) for row in rows if row.undelivered}
    wanted = {(row.task, row.arm, row.condition) for row in rows if row.carrying and row.task.endswith("-1")}
    assert wanted
    assert spoilt == wanted
    assert all(row.undelivered == row.carrying for row in rows if row.undelivered)
    assert "memory text did not reach the prompt" in capsys.readouterr().err.lower()
    named = json.loads((tmp_path / "out" / "results.json").read_text())["delivery"]["trials"]
    assert {one["key"] for one in named} <= {row.key for row in rows if row.undelivered}
    assert named


@BOTH
def test_a_key_that_the_server_sends_back_is_kept_nowhere(
    tmp_path: Path, model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    heard = 0

    def answer(asked: Heard) -> Said:
        nonlocal heard
        heard += 1
        reply = anthropic_reply if asked.path.endswith("/messages") else openai_reply
        told = asked.headers.get("x-api-key", "") + asked.headers.get("authorization", "")
        assert KEY in told
        match heard % 5:
            case 0:
                return Said({"error": {"type": "api_error", "message": f"key {told} is busy"}}, status=500)
            case 1:
                return Said(reply(f"Thought: my key is {told}.\nAction: look"))
            case 2:
                return Said(f"<html>{told}".encode(), status=200)
            case 3:
                return Said({"error": {"type": "x", "message": f"bad request of {told}"}}, status=400)
        return Said(reply(ON))

    with provider(answer) as stub:
        settings = ("engine.workers=1", "engine.max_error_share=1", "arms=[none, control]")
        assert carry_out(tmp_path, stub.url, model, settings, reports=True) in (0, 1)
    assert heard > 20
    assert sent(tmp_path).sent == heard
    assert {row.status for row in trials(tmp_path)} == {"error"}
    refuse_key(tmp_path)
    said = capsys.readouterr()
    assert KEY not in said.out + said.err
