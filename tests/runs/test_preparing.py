"""Collecting and condensing: the same banks however they are made, broken off, or asked for."""

import asyncio
import json
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from memtrial.agents.trajectory import Trajectory
from memtrial.condensers.condenser import Condensation
from memtrial.faults import RunFault
from memtrial.ledger.memory_calls import MemoryCallStore
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.models.client.cache import CallCache
from memtrial.models.client.client import ModelClient
from memtrial.models.client.transport import HaltFault
from memtrial.models.client.types import ProviderFault
from memtrial.models.providers.open import open_backend
from memtrial.models.scripted.fault_script import ScriptedFault
from memtrial.models.scripted.scripted_server import serve_script
from memtrial.runs.preparation.backbone_memories import collect
from memtrial.runs.preparation.banks import condense_all
from memtrial.runs.setup.world_pool import open_world
from memtrial.runs.spec.read_spec import load_spec
from tests.support.carried_out import play_spec
from tests.support.scripted_run import GPT, script, surroundings
from tests.support.small import write_spec

NIGHT = """
name: night
seed: 4
environment: {world: workshop, train: 6, test: 3, families: 8}
backbone: BACKBONE
roles: ROLES
traces: {source: play, player: simulated/ignorer, attempts: 2}
arms: [none, control, artifact]
conditions: [filler]
repeats: 1
engine: {first_wait_s: 0.01, attempts: 2}
"""
SIMULATED = "{condenser: simulated/scribe, gate: simulated/examiner}"


def carry_out(place: Path, *settings: str, model: str = "simulated/reader", roles: str = SIMULATED,
              out: str = "out", environment: dict[str, str] | None = None) -> int:  # fmt: skip
    spec = load_spec(
        write_spec(place, NIGHT.replace("BACKBONE", model).replace("ROLES", roles)), list(settings)
    )
    return play_spec(spec, place / out, environment=environment)


def held(folder: Path) -> tuple[dict[tuple[str, str], Any], dict[str, Any]]:
    """What a ledger holds of condensations, and of traces."""
    ledger = SqliteLedger.open_read_only(folder / "ledger.sqlite")
    made = {(row.condenser, row.task): row.body for row in ledger.condensations()}
    traces = {
        row: body for one in ledger.fact("plan")["backbones"] for row, body in ledger.traces(one).items()
    }
    ledger.close()
    return made, traces


@pytest.mark.parametrize("source", ["play", "expert"])
def test_several_worlds_collect_the_same_traces_in_the_same_order(tmp_path: Path, source: str) -> None:
    text = NIGHT.replace("BACKBONE", "simulated/reader").replace("ROLES", "{}")
    spec = load_spec(write_spec(tmp_path, text), ["environment.train=12", f"traces.source={source}"])
    found = []
    for at_once in (1, 5, 40):
        ledger, world = SqliteLedger(tmp_path / f"{at_once}.sqlite"), open_world(spec)
        model_client, ticks = ModelClient(CallCache(ledger.calls), open_backend), []
        traces = asyncio.run(
            collect(
                spec, "simulated/reader", world, model_client, ledger, lambda _, n=ticks: n.append(1), at_once
            )
        )
        assert len(ticks) == len(traces) == 12
        again = asyncio.run(
            collect(spec, "simulated/reader", world, model_client, ledger, lambda _: None, at_once)
        )
        assert again == traces
        ledger.close()
        found.append(traces)
    assert [trace.task_id for trace in found[0]] == [task.id for task in world.tasks("train")]
    assert found[0] == found[1] == found[2]


def test_attempts_that_are_begun_together_leave_the_same_traces(tmp_path: Path) -> None:
    text = NIGHT.replace("BACKBONE", "simulated/reader").replace("ROLES", "{}")
    calls, found = [], []
    for name, setting in (("in turn", ["engine.attempts_together=false"]), ("together", [])):
        spec = load_spec(write_spec(tmp_path, text), ["environment.train=12", "traces.attempts=4", *setting])
        ledger = SqliteLedger(tmp_path / f"{name}.sqlite")
        model_client = ModelClient(CallCache(ledger.calls), open_backend)
        world = open_world(spec)
        found.append(
            asyncio.run(
                collect(spec, "simulated/reader", world, model_client, ledger, lambda _: None, at_once=5)
            )
        )
        ledger.close()
        calls.append(spent_calls(tmp_path / f"{name}.sqlite"))
    assert found[0] == found[1]
    assert {trace.outcome for trace in found[0]} == {"success", "failure"}
    assert calls[0] < calls[1]


def spent_calls(path: Path) -> int:
    with closing(SqliteLedger.open_read_only(path)) as ledger:
        return ledger.accounts.counts().answers


def traces_of(n: int) -> tuple[Trajectory, ...]:
    return tuple(Trajectory(f"t{i}", f"task {i}", f"query {i}", "failure", ()) for i in range(n))


@dataclass
class Moody:
    """A condenser that does as it is told for each trace, and notes what it was asked."""

    does: Callable[[str, int], BaseException | float]
    name: str = "moody"
    begun: list[str] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)

    async def __call__(self, trajectory: Trajectory) -> Condensation:
        trace = trajectory.trace_id
        self.begun.append(trace)
        said = self.does(trace, self.begun.count(trace))
        if isinstance(said, BaseException):
            await asyncio.sleep(0)
            raise said
        await asyncio.sleep(said)
        self.ended.append(trace)
        return Condensation(trace, self.name, ())


def condensed(moody: Moody, n: int, at_once: int, most_lost: int) -> dict[str, Condensation]:
    kept: dict[str, Condensation] = {}
    model_client = ModelClient(CallCache(MemoryCallStore()), open_backend)
    jobs = [(moody, trace) for trace in traces_of(n)]

    def keep(_: int, made: Condensation) -> None:
        kept[made.trace_id] = made

    try:
        asyncio.run(condense_all(jobs, model_client, keep, at_once, most_lost))
    finally:
        assert [trace for trace, made in kept.items() if not made.faults] == moody.ended
    return kept


def test_a_fault_is_tried_again_and_what_cannot_be_had_costs_its_own_trace_alone() -> None:
    def does(trace: str, nth: int) -> BaseException | float:
        if trace == "t2" and nth < 2:
            return ProviderFault("out of order", "server error", heals=True)
        if trace == "t4":
            return ProviderFault("prompt is too long", "bad request", heals=False)
        return 0.0

    moody = Moody(does)
    kept = condensed(moody, 8, 3, 2)
    assert set(kept) == {f"t{i}" for i in range(8)}
    assert [trace for trace, made in kept.items() if made.faults] == ["t4"]
    assert "too long" in kept["t4"].faults[0]
    assert moody.begun.count("t2") == 2
    assert moody.begun.count("t4") <= 2


@pytest.mark.parametrize(
    "fault", [HaltFault("the budget is spent"), ProviderFault("down", "server error", heals=True)]
)
def test_after_a_fault_nothing_more_is_begun_and_what_is_under_way_is_kept(fault: BaseException) -> None:
    # the first trace takes long: what broke is noticed although it comes later
    moody = Moody(lambda trace, _: fault if trace == "t2" else 0.3 if trace == "t0" else 0.02)
    with pytest.raises(type(fault), match=str(fault)):
        condensed(moody, 12, 4, 0)
    assert set(moody.begun) <= {"t0", "t1", "t2", "t3", "t4"}
    assert set(moody.ended) == set(moody.begun) - {"t2"}


ROLES = f"{{condenser: {GPT}, gate: simulated/examiner}}"
FIRST, NONE_LOST = "arms=[none, control]", "engine.max_error_share=0.01"


def one_query(place: Path) -> str:
    """The query of a training task, as it stands in a condensing prompt and in no other."""
    text = NIGHT.replace("BACKBONE", "simulated/reader").replace("ROLES", SIMULATED)
    return f"**Query:** {open_world(load_spec(write_spec(place, text))).tasks('train')[2].query}"


def test_a_trace_that_the_provider_refuses_is_left_out_and_said(tmp_path: Path) -> None:
    with serve_script(script(ScriptedFault("400", match=one_query(tmp_path)))) as server:
        assert carry_out(tmp_path, FIRST, roles=ROLES, environment=surroundings(server.url)) == 0
    made, _ = held(tmp_path / "out")
    faulty = {task for (_, task), body in made.items() if body["faults"]}
    assert len(made) == 6
    assert 1 <= len(faulty) < 6
    assert all(not body["items"] for body in made.values() if body["faults"])
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    assert [row["faults"] for row in results["condensation"]] == [len(faulty)]


def test_a_provider_that_is_down_stops_the_preparation_and_the_same_command_goes_on(tmp_path: Path) -> None:
    with serve_script(script(ScriptedFault("500", match=one_query(tmp_path)))) as server:
        with pytest.raises(RunFault, match=r"preparation broke.*same command"):
            carry_out(tmp_path, FIRST, NONE_LOST, roles=ROLES, environment=surroundings(server.url))
        answered = server.counts()["requests"] - server.counts()["faults"]["500"]
    with serve_script(script()) as server:
        assert carry_out(tmp_path, FIRST, roles=ROLES, environment=surroundings(server.url)) == 0
        # what was answered before the provider went down is not asked again
        assert server.counts()["requests"] == 6 - answered
    with serve_script(script()) as server:
        assert carry_out(tmp_path, FIRST, out="whole", roles=ROLES, environment=surroundings(server.url)) == 0
    assert held(tmp_path / "out") == held(tmp_path / "whole")


def test_a_replay_has_the_same_outcomes_for_nothing(tmp_path: Path) -> None:
    settings = ("traces={}",)
    with serve_script(script()) as server:
        environment = surroundings(server.url)
        assert carry_out(tmp_path, *settings, model=GPT, roles="{}", environment=environment) == 0
        asked = server.counts()["requests"]
        again = f"replay/{tmp_path / 'out'}"
        assert (
            carry_out(tmp_path, *settings, model=again, roles="{}", out="again", environment=environment) == 0
        )
        assert server.counts()["requests"] == asked
    one, two = (json.loads((tmp_path / name / "results.json").read_text()) for name in ("out", "again"))
    assert outcomes(tmp_path / "out") == outcomes(tmp_path / "again")
    assert sum(arm["usd"] for arm in one["cost"].values()) > 0
    assert {arm["usd"] for arm in two["cost"].values()} == {0}
    assert {row["usd"] for row in two["preparation"]} == {0}
    assert (one["simulated"], two["simulated"]) == (False, False)


def test_a_replay_of_a_simulated_run_is_labelled_so(tmp_path: Path) -> None:
    settings = ("arms=[none, oracle]", "traces={}")
    assert carry_out(tmp_path, *settings) == 0
    model = f"replay/{tmp_path / 'out'}?model=simulated/reader"
    assert carry_out(tmp_path, *settings, model=model, roles="{}", out="again") == 0
    assert outcomes(tmp_path / "out") == outcomes(tmp_path / "again")
    results = json.loads((tmp_path / "again" / "results.json").read_text())
    assert results["simulated"] is True


def outcomes(folder: Path) -> dict[tuple[str, str, str, int], tuple[str, float | None, str, str]]:
    ledger = SqliteLedger.open_read_only(folder / "ledger.sqlite")
    found = {
        (t.arm, t.condition, t.task, t.repeat): (t.status, t.score, t.cause, t.slot) for t in ledger.trials()
    }
    ledger.close()
    return found
