"""Mode `stream`: an arm knows only what it has done before, and a run broken off ends as one that was not."""

import asyncio
import json
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from memtrial.cli.results.status import status_of
from memtrial.faults import SpecFault
from memtrial.ledger.memory_calls import MemoryCallStore
from memtrial.ledger.rows import EpisodeRow, TrialRow
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.memory.item import item_from_json
from memtrial.memory.markdown import render
from memtrial.models.client.cache import CallCache
from memtrial.models.client.client import ModelClient
from memtrial.models.providers.open import open_backend
from memtrial.models.scripted.fault_script import ScriptedFault
from memtrial.models.scripted.scripted_server import serve_script
from memtrial.prompts.control_prompts import load_control
from memtrial.protocols import Condenser
from memtrial.runs.engine.stream_mode import trajectory_of
from memtrial.runs.preparation.open_condensers import CondenserSetup, build_condenser
from memtrial.runs.setup.world_pool import open_world
from memtrial.runs.spec.read_spec import load_spec
from tests.support.carried_out import play_spec, run_spec
from tests.support.process import Process, begin
from tests.support.scripted_run import script, surroundings
from tests.support.small import write_spec

NOTEBOOK = Path(__file__).parents[1] / "own" / "notebook.py"
STREAM = f"""
name: stream
seed: 5
mode: stream
environment: {{world: workshop, train: 4, test: 5, families: 8}}
backbone: [simulated/reader]
roles: {{condenser: simulated/scribe, gate: simulated/examiner}}
condensers: {{native: {{kind: native}}, theory: {{kind: theory, gates: [trigger-presence, claim-strength]}}}}
arms:
  - none
  - control
  - artifact
  - activation
  - oracle
  - {{name: notebook, memory: "{NOTEBOOK}:Notebook"}}
conditions: [corrupt_invert, irrelevant_swap]
repeats: 2
"""
OWN = ("control", "artifact", "activation")
ARMS = (*OWN, "notebook")


def carry_out(place: Path, *settings: str, limit: int | None = None, told: bool = False, **more: Any) -> int:
    spec = load_spec(write_spec(place, STREAM), settings)
    return play_spec(spec, place / "out", limit, told=told, **more)


@dataclass(frozen=True)
class Read:
    """A run folder, read."""

    folder: Path
    trials: list[TrialRow]
    episodes: dict[str, EpisodeRow]
    texts: dict[str, str]
    items: dict[tuple[str, str, str], list[str]]
    recalled: dict[str, dict[str, Any]]
    plan: dict[str, Any]
    unplayed: dict[str, int]

    def streams(self) -> dict[tuple[str, int], list[str]]:
        """The tasks of each stream, in order."""
        found: dict[tuple[str, int], dict[str, None]] = defaultdict(dict)
        for trial in self.trials:
            found[trial.backbone, trial.repeat][trial.task] = None
        return {place: list(tasks) for place, tasks in found.items()}

    def intact(self, backbone: str, repeat: int, arm: str) -> dict[str, TrialRow]:
        """By task."""
        wanted = (backbone, repeat, arm, "intact")
        return {t.task: t for t in self.trials if (t.backbone, t.repeat, t.arm, t.condition) == wanted}


def read(folder: Path) -> Read:
    ledger = SqliteLedger.open_read_only(folder / "ledger.sqlite")
    trials = list(ledger.trials())
    said = {trial.key: ledger.episode(trial.key) for trial in trials}
    items = {
        (row.backbone, row.condenser, row.task): [
            render(item_from_json(raw), number) for number, raw in enumerate(row.body["items"], 1)
        ]
        for row in ledger.condensations()
    }
    names = {f"notebook · repeat {trial.repeat}" for trial in trials}
    backbones = {trial.backbone for trial in trials}
    recalled = {name: ledger.recollections(one, name) for name in names for one in backbones}
    found = Read(
        folder,
        trials,
        {key: episode for key, episode in said.items() if episode is not None},
        dict(ledger.slots()),
        items,
        recalled,
        ledger.fact("plan"),
        ledger.accounts.unplayed_trials(),
    )
    ledger.close()
    return found


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Read:
    place = tmp_path_factory.mktemp("stream")
    assert carry_out(place, "backbone=[simulated/reader, simulated/ignorer]") == 0
    return read(place / "out")


def test_the_order_is_the_repeats_own_and_the_same_for_every_backbone(run: Read) -> None:
    streams = run.streams()
    assert len(streams) == 4
    assert all(len(tasks) == 5 for tasks in streams.values())
    for repeat in (0, 1):
        assert streams["simulated/reader", repeat] == streams["simulated/ignorer", repeat]
    assert streams["simulated/reader", 0] != streams["simulated/reader", 1]


def test_an_arm_shows_only_what_it_made_of_earlier_tasks_of_its_own_stream(run: Read) -> None:
    shown = 0
    for (backbone, repeat), tasks in run.streams().items():
        for arm in OWN:
            name = f"{arm} · repeat {repeat}"
            for at, (task, trial) in enumerate(run.intact(backbone, repeat, arm).items()):
                assert task == tasks[at]
                if not at:
                    assert trial.empty_slot
                    assert run.texts[trial.slot] == ""
                    assert trial.record == ""
                    continue
                assert trial.record in tasks[:at]
                text = run.texts[trial.slot]
                wanted = run.items[backbone, name, trial.record]
                assert [item in text for item in wanted] == [True] * len(wanted)
                assert text.count("# Memory Item") == len(wanted)
                assert trial.empty_slot == (not wanted)
                shown += len(wanted)
    assert shown > 40


def test_a_bank_is_what_the_condenser_makes_of_the_arms_own_trials(run: Read) -> None:
    spec = load_spec(write_spec(run.folder.parent, STREAM))
    tasks = {task.id: task for task in open_world(spec).tasks("test")}
    model_client = ModelClient(CallCache(MemoryCallStore()), open_backend)
    rows = {(t.backbone, t.arm, t.repeat, t.task): t for t in run.trials if t.condition == "intact"}
    models = ("simulated/scribe", "simulated/examiner")
    setup = CondenserSetup(model_client, *models, load_control(None), "full", spec.seed)

    @cache
    def of_arm(arm: str, repeat: int) -> Condenser:
        return build_condenser(
            arm, spec.condensers["native" if arm == "control" else "theory"], setup, repeat
        )

    async def again(place: tuple[str, str, int, str]) -> list[str]:
        _, arm, repeat, task = place
        row = rows[place]
        made = await of_arm(arm, repeat)(trajectory_of(tasks[task], row, run.episodes[row.key]))
        return [render(item, number) for number, item in enumerate(made.items, 1)]

    places = [place for place in rows if place[1] in OWN]
    for place in places:
        backbone, arm, repeat, task = place
        assert run.items[backbone, f"{arm} · repeat {repeat}", task] == asyncio.run(again(place))
    kept = {arm: [run.items[b, f"{a} · repeat {r}", t] for b, a, r, t in places if a == arm] for arm in OWN}
    assert kept["artifact"] != kept["activation"]  # the same condenser, and each arm goes its own way


def test_every_condensation_is_of_one_intact_trial(run: Read) -> None:
    wanted = {(t.backbone, f"{t.arm} · repeat {t.repeat}", t.task) for t in run.trials
              if t.condition == "intact" and t.arm in OWN}  # fmt: skip
    assert set(run.items) == wanted


def test_damage_changes_the_text_that_is_shown_and_nothing_else(run: Read) -> None:
    damaged = 0
    for trial in run.trials:
        if trial.condition in ("intact", "without"):
            continue
        intact = run.intact(trial.backbone, trial.repeat, trial.arm)[trial.task]
        assert trial.empty_slot == intact.empty_slot
        assert (trial.slot == intact.slot) == trial.empty_slot
        assert trial.record == intact.record
        damaged += not trial.empty_slot
    assert damaged > 50


def test_what_fires_is_of_the_arms_own_bank_and_the_same_in_every_condition(tmp_path: Path) -> None:
    few = ("environment.test=18", "arms=[none, artifact, activation]", "repeats=1")
    assert carry_out(tmp_path, *few) == 0
    run = read(tmp_path / "out")
    shown = {t.arm for t in run.trials for firing in t.firings if firing["shown"]}
    assert shown == {"activation"}
    assert {t.arm for t in run.trials if t.firings} == {"none", "artifact", "activation"}
    intact = {(t.arm, t.task): t for t in run.trials if t.condition == "intact"}
    for trial in run.trials:
        if trial.condition not in ("intact", "without"):
            assert first_sight(trial) == first_sight(intact[trial.arm, trial.task])


def first_sight(trial: TrialRow) -> list[tuple[int, str]]:
    """What came up before the agent did anything: it depends on the intact memory alone."""
    return [(f["item"], f["why"]) for f in trial.firings if f["step"] == 0 and "action:" not in f["why"]]


def test_none_and_oracle_are_as_without_a_stream(run: Read, tmp_path: Path) -> None:
    plain = STREAM.replace("mode: stream\n", "").replace("backbone: [", "backbone: [simulated/ignorer, ")
    spec = load_spec(write_spec(tmp_path, plain), ["arms=[none, oracle]"])
    assert play_spec(spec, tmp_path / "out", told=False) == 0
    ledger = SqliteLedger.open_read_only(tmp_path / "out" / "ledger.sqlite")
    frozen = {(t.backbone, t.arm, t.condition, t.task, t.repeat): (t.slot, t.score) for t in ledger.trials()}
    ledger.close()
    mine = {(t.backbone, t.arm, t.condition, t.task, t.repeat): (t.slot, t.score)
            for t in run.trials if t.arm in ("none", "oracle")}  # fmt: skip
    # donors of the lessons are all tasks' in both; firings in the shadow are of other banks and not compared
    assert mine == frozen


def test_a_memory_system_sees_its_own_trials_in_order_and_recalls_from_them(run: Read) -> None:
    for (backbone, repeat), tasks in run.streams().items():
        trials = run.intact(backbone, repeat, "notebook")
        worked: list[tuple[str, str]] = []
        for task in tasks:
            trial = trials[task]
            query = run.episodes[trial.key].conversation[1]["content"].split("\n")[0].removeprefix("Task: ")
            words = set(query.lower().split())
            best = max(worked, key=lambda note: len(words & set(note[0].lower().split())), default=None)
            assert trial.empty_slot == (best is None)
            assert best is None or best[1] in run.texts[trial.slot]
            if trial.status == "success":
                actions = "; then ".join(step["action"] for step in run.episodes[trial.key].steps)
                worked.append((query, f"In '{query}' this worked: {actions}."))
        assert set(run.recalled[f"notebook · repeat {repeat}"]) == set(tasks)


def test_what_is_never_to_be_played_is_not_waited_for(run: Read) -> None:
    assert sum(run.unplayed.values()) > 0  # the first slots have no donor, or the kind finds nothing to turn
    assert len(run.trials) == run.plan["trials"] - sum(run.unplayed.values())
    status = status_of(run.folder)
    assert status["state"] == "finished"
    for arm, counts in status["by_arm"].items():
        assert counts["planned"] == sum(t.arm == arm for t in run.trials)
    assert "retry" not in status["next"]


SHORT = ("environment.test=4", "conditions=[corrupt_invert]")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The results of a run in one go."""
    place = tmp_path_factory.mktemp("undisturbed")
    assert carry_out(place, *SHORT, told=True) == 0
    return (place / "out" / "results.json").read_bytes()


def test_killed_twice_and_resumed_it_ends_with_the_same_bytes(undisturbed: bytes, tmp_path: Path) -> None:
    broken = tmp_path
    settings = ["engine.workers=4", *SHORT]
    write_spec(broken, STREAM, "spec.yaml")
    for blocks in (2, 5):
        process = begin(broken, "--display", "none", *(f"-S{one}" for one in settings))
        try:
            _wait_for(broken / "out", blocks, process)
        finally:
            process.kill()
        assert not (broken / "out" / "results.json").exists()
    assert carry_out(broken, *settings, told=True) == 0
    assert (broken / "out" / "results.json").read_bytes() == undisturbed


def _wait_for(folder: Path, blocks: int, process: Process) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        try:
            if status_of(folder)["blocks"]["done"] >= blocks:
                return
        except SpecFault:
            pass  # not there yet
        time.sleep(0.01)
    raise AssertionError(f"the run ended with {process.poll()} before it was killed")


def test_limits_stop_between_blocks_and_the_last_one_is_no_limit(run: Read, tmp_path: Path) -> None:
    few = ("environment.test=3", "repeats=1")
    for limit, played in ((1, 1), (1, 2), (1, 3)):
        assert carry_out(tmp_path, *few, limit=limit) == 0
        assert len(read(tmp_path / "out").streams()["simulated/reader", 0]) == played
        sessions = status_of(tmp_path / "out")["sessions"]
        ended = (sessions[-1]["how"], sessions[-1]["why"])
        assert ended == (("done", "") if played == 3 else ("limit", "blocks are left"))
    assert carry_out(tmp_path, *few) == 0


def test_errors_cannot_be_retried_and_nothing_is_written(tmp_path: Path) -> None:
    spec = load_spec(write_spec(tmp_path, STREAM))
    with pytest.raises(SpecFault, match=r"--retry-errors.*stream"):
        run_spec(spec, tmp_path / "out", False, None, "none", True, False, True)
    assert not (tmp_path / "out").exists()


PAID = ("backbone=openai/gpt-4.1-nano", "arms=[none, control]", "conditions=[corrupt_invert]", "repeats=1",
        "environment.test=4", "engine.first_wait_s=0.01", "engine.attempts=1")  # fmt: skip


@pytest.fixture
def after_an_error(tmp_path: Path) -> Iterator[Read]:
    """Every request of the second task is refused for what is in it."""
    with serve_script(script()) as server:
        assert carry_out(tmp_path, *PAID, limit=1, environment=surroundings(server.url)) == 0
    order = [row.task for row in read(tmp_path / "out").trials]
    spec = load_spec(write_spec(tmp_path, STREAM), list(PAID))
    second = next(task for task in open_world(spec).tasks("test") if task.id != order[0])
    fault = ScriptedFault("400", match=second.query)
    with serve_script(script(fault)) as server:
        settings = (*PAID, "engine.max_error_share=1")
        assert carry_out(tmp_path, *settings, environment=surroundings(server.url)) == 0
        assert carry_out(tmp_path, *settings, environment=surroundings(server.url)) == 0
        yield read(tmp_path / "out")


def test_an_error_leaves_an_empty_record_and_the_stream_goes_on(after_an_error: Read) -> None:
    run = after_an_error
    (tasks,) = run.streams().values()
    assert len(tasks) == 4
    (struck,) = {trial.task for trial in run.trials if trial.status == "error"}
    kept = {task for _, _, task in run.items}
    assert kept == set(tasks) - {struck}
    assert {t.status for t in run.trials if t.task == struck} == {"error"}
    for trial in run.trials:
        if trial.record == struck and trial.arm == "control":
            assert trial.empty_slot
    assert len(run.trials) == run.plan["trials"] - sum(run.unplayed.values())


def test_a_budget_stops_between_two_blocks_and_a_larger_one_goes_on(tmp_path: Path) -> None:
    with serve_script(script()) as server:
        surrounded = surroundings(server.url)
        assert carry_out(tmp_path, *PAID, limit=1, environment=surrounded) == 0
        cost = status_of(tmp_path / "out")["cost_usd"]
        settings = (*PAID, f"budget.max_cost_usd={2.5 * cost:.6f}")
        assert carry_out(tmp_path, *settings, environment=surrounded) == 0
        status = status_of(tmp_path / "out")
        assert status["sessions"][-1]["how"] == "budget"
        assert 0 < status["cost_usd"] <= 2.5 * cost
        before = server.counts()["requests"]
        assert carry_out(tmp_path, *settings, environment=surrounded) == 0
        assert server.counts()["requests"] == before
        found = read(tmp_path / "out")
        cells = defaultdict(set)
        for trial in found.trials:
            cells[trial.task].add((trial.arm, trial.condition))
        assert 1 <= len(cells) < 4
        assert all({("none", "without"), ("control", "intact")} <= one for one in cells.values())
        assert carry_out(tmp_path, *PAID, told=True, environment=surrounded) == 0
    assert json.loads((tmp_path / "out" / "results.json").read_text())["tasks"] == 4
    assert status_of(tmp_path / "out")["state"] == "finished"
