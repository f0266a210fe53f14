"""Blocks played by processes beside the run: the same rows by any number, however one of them ends."""

import os
import signal
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from memtrial.api.run import RunOptions, run
from memtrial.call_records import FreeCall
from memtrial.console.display import Display
from memtrial.evolution.evolve_spec import EvolveSpec
from memtrial.faults import RunFault, SpecFault
from memtrial.ledger.rows import CheckRow, EpisodeRow, TrialRow
from memtrial.ledger.run_plan import RunPlan, stated_plan
from memtrial.ledger.shared_work import SharedWork
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.models.embeddings.embedding import HashingEmbedder
from memtrial.models.yaml_text import read_yaml
from memtrial.runs.engine.processes.process_pool import PROGRAM, begin_processes, count_trials
from memtrial.runs.engine.schedule import Session
from memtrial.runs.setup.context import RunContext
from memtrial.runs.setup.preflight import check_spec
from memtrial.runs.setup.processes.process_count import WORTH, count_processes, refuse_processes
from memtrial.runs.setup.world_pool import open_world
from memtrial.runs.spec.read_spec import load_spec
from memtrial.runs.spec.spec import Spec
from tests.support.carried_out import play_spec
from tests.support.process import Process, begin, carry_out
from tests.support.scripted import simulated_client
from tests.support.scripted_run import query
from tests.support.small import write_spec

SPEC = """
name: processes
seed: 5
environment: {world: workshop, train: 8, test: 3}
backbone: [simulated/reader, simulated/ignorer]
roles: {condenser: simulated/scribe, gate: simulated/examiner}
traces: {source: play, player: simulated/ignorer}
condensers: {theory: {kind: theory, gates: [trigger-presence]}}
arms: [none, activation, oracle]
conditions: [filler, corrupt_invert]
repeats: 2
analysis: {flips: 199}
"""
SPECS = Path(__file__).resolve().parents[2] / "runs" / "specs"
OWN = """
name: own
seed: 5
environment: {world: "world.py:Frail"}
backbone: simulated/ignorer
arms: [none, oracle]
conditions: [filler]
repeats: 2
"""
FRAIL = """
import os
from pathlib import Path
from memtrial.worlds.workshop.task_families import STANDARD_DIFFICULTY
from memtrial.worlds.workshop.world import Workshop
from memtrial.worlds.world import Outcome, State, Task, Truth, WorldFault

class Frail(Workshop):
    def __init__(self, seed: int = 5) -> None:
        super().__init__(5, 8, 4, 12, STANDARD_DIFFICULTY)
        here = Path(__file__).parent
        if (here / "closed").exists() and "block_process" in Path("/proc/self/cmdline").read_text():
            raise WorldFault("the door is shut")
        self.note("opened")

    def note(self, what):
        pids = Path(__file__).parent / "pids"
        if pids.exists():
            (pids / f"{what} {os.getpid()}").touch()

    def step(self, action):
        self.note("stepped")
        here = Path(__file__).parent
        once = here / "ends once"
        if (here / "ends").exists() or once.exists():
            once.unlink(missing_ok=True)
            os._exit(7)
        if (here / "breaks").exists():
            raise WorldFault("the step is broken")
        return super().step(action)

class Alike:
    name, rules, digest, blocking = "alike", "Act.", "of alike", False
    def tasks(self, split):
        return tuple(Task(f"{split}-{i}", "Open the door.", f"door {i % 2}", "", split) for i in range(6))
    def step_limit(self, task):
        return 2
    def reset(self, task):
        return State("A door.", ("open", "wait"))
    def step(self, action):
        return State("It stays.", ("open", "wait"))
    def outcome(self):
        return Outcome(False, 0.0)
    def ground_truth(self, task):
        return Truth("Doors are to be opened.", ("open",))
    def close(self):
        pass
"""


def spec_of(folder: Path, n: int, text: str = SPEC, *settings: str) -> Spec:
    folder.mkdir(exist_ok=True)
    (folder / "world.py").write_text(FRAIL, encoding="utf-8")
    path = write_spec(folder, text.replace("world.py", str(folder / "world.py")))
    return load_spec(path, [f"engine.processes={n}", *settings])


def rows_of(out: Path) -> list[tuple[TrialRow, EpisodeRow | None]]:
    """All rows of a run in the order in which they were written, and what was said in each trial."""
    ledger = SqliteLedger.open_read_only(out / "ledger.sqlite")
    rows = [(row, ledger.episode(row.key)) for row in ledger.trials()]
    ledger.close()
    return rows


def free_calls_of(out: Path) -> list[FreeCall]:
    with closing(SqliteLedger.open_read_only(out / "ledger.sqlite")) as ledger:
        return sorted(ledger.calls.free_calls(), key=lambda call: call.key)


def checks_of(out: Path) -> list[CheckRow]:
    """All manipulation checks of a run, in the order in which they were written."""
    with closing(SqliteLedger.open_read_only(out / "ledger.sqlite")) as ledger:
        return list(ledger.checks())


def plan_of(out: Path) -> RunPlan:
    """The plan that was stated before the first trial."""
    with closing(SqliteLedger.open_read_only(out / "ledger.sqlite")) as ledger:
        return stated_plan(ledger)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that was played by one process."""
    folder = tmp_path_factory.mktemp("alone")
    assert play_spec(spec_of(folder, 1), folder / "out") == 0
    return folder / "out"


@pytest.mark.parametrize("n", [2, 3])
def test_rows_and_results_are_the_same_by_any_number_of_processes(
    tmp_path: Path, alone: Path, n: int
) -> None:
    assert play_spec(spec_of(tmp_path, n), tmp_path / "out") == 0
    assert rows_of(tmp_path / "out") == rows_of(alone)
    assert (tmp_path / "out/results.json").read_bytes() == (alone / "results.json").read_bytes()
    for table in ("calls", "shared_calls", "slots"):
        asked = f"SELECT * FROM {table} ORDER BY 1, 2"
        assert query(tmp_path, asked) == query(alone.parent, asked)
    # what each call was, and each once: a simulated participant answers again, and no text is kept
    free = free_calls_of(tmp_path / "out")
    assert free == free_calls_of(alone)
    assert len({call.key for call in free}) == len(free) > 0
    assert query(tmp_path, "SELECT count(*) FROM calls") == [(0,)]
    assert checks_of(tmp_path / "out") == checks_of(alone)
    assert plan_of(tmp_path / "out") == plan_of(alone)


def test_an_answer_that_another_process_had_counts_as_kept_as_it_does_alone(tmp_path: Path) -> None:
    played = {}
    for n in (1, 2):
        folder = tmp_path / str(n)
        assert play_spec(spec_of(folder, n, OWN.replace("Frail", "Alike")), folder / "out", told=False) == 0
        played[n] = rows_of(folder / "out")
    assert any(row.cached and not row.shared for row, _ in played[1])
    assert played[2] == played[1]


def test_a_process_that_ends_stops_the_run_in_one_line_and_it_goes_on(tmp_path: Path) -> None:
    spec = spec_of(tmp_path, 2, OWN)
    (tmp_path / "ends").touch()
    with pytest.raises(RunFault, match=r"a process that plays trials ended with exit code 7.*; run the same"):
        play_spec(spec, tmp_path / "out")
    (tmp_path / "ends").unlink()
    assert play_spec(spec, tmp_path / "out", told=False) == 0
    (tmp_path / "closed").touch()
    with pytest.raises(RunFault, match="no world can be opened: the door is shut"):
        play_spec(spec, tmp_path / "other")


def test_trials_are_played_by_others_than_those_that_damaged(tmp_path: Path) -> None:
    spec = spec_of(tmp_path, 2, OWN)
    (tmp_path / "pids").mkdir()
    assert play_spec(spec, tmp_path / "out", told=False) == 0
    pids: dict[str, set[int]] = {"opened": set(), "stepped": set()}
    for noted in (tmp_path / "pids").iterdir():
        what, pid = noted.name.split()
        pids[what].add(int(pid))
    assert len(pids["stepped"]) == 2
    assert pids["stepped"] < pids["opened"]
    # what the run opened itself it only asked for its tasks
    assert len(pids["opened"] - pids["stepped"] - {os.getpid()}) == 2


def test_a_run_of_errors_stops_where_one_process_would(tmp_path: Path) -> None:
    played = {}
    for n in (1, 3):
        folder = tmp_path / str(n)
        spec = spec_of(folder, n, OWN, "repeats=4")
        (folder / "breaks").touch()
        assert play_spec(spec, folder / "out", told=False) == 1
        played[n] = rows_of(folder / "out")
    assert played[3] == played[1]
    assert 0 < len(played[1]) < 4 * 4 * 3


def children(pid: int) -> list[int]:
    """Processes of a run that play blocks."""
    return [
        int(child)
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        if PROGRAM in Path(f"/proc/{child}/cmdline").read_text()
    ]


def wait_for(what: Callable[[], object], process: Process) -> None:
    while not what():
        assert process.poll() is None, process.err.read_text()
        time.sleep(0.01)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_with_the_run_its_processes_end_and_it_goes_on(tmp_path: Path, alone: Path, number: int) -> None:
    write_spec(tmp_path, SPEC, "spec.yaml")
    process = begin(tmp_path, "--processes", "2", "--display", "none")
    out = tmp_path / "out"
    wait_for(lambda: committed(tmp_path) > 10, process)
    playing = children(process.pid)
    assert len(playing) == 2
    process.send(number)
    code, err = process.ended()
    assert (code, err.count("\n")) == ((130, 1) if number == signal.SIGINT else (-number, 0)), err
    until = time.monotonic() + 60
    while any(Path(f"/proc/{child}").exists() for child in playing):
        assert time.monotonic() < until
        time.sleep(0.01)
    assert 10 < len(rows_of(out)) < len(rows_of(alone))
    code, err = carry_out(tmp_path, "--processes", "2", "--display", "none")
    assert code == 0, err
    # the calls of a block are committed before its rows: a kill between the two leaves them as kept
    assert [(replace(row, cached=0), spoken) for row, spoken in rows_of(out)] == [
        (replace(row, cached=0), spoken) for row, spoken in rows_of(alone)
    ]
    assert (out / "results.json").read_bytes() == (alone / "results.json").read_bytes()


def committed(folder: Path) -> int:
    """Trials that a process has committed so far."""
    with suppress(sqlite3.OperationalError):
        return int(query(folder, "SELECT count(*) FROM trials")[0][0])
    return 0


ELSEWHERE = {"ANTHROPIC_API_KEY": "sk-test"}


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        (["backbone=anthropic/claude-haiku-4-5"], "anthropic/claude-haiku-4-5 is not simulated"),
        (["mode=stream"], "in mode: stream each task is shown what came before"),
        (["engine.max_environments=2"], "engine.max_environments puts worlds into processes"),
    ],
)
def test_what_processes_cannot_play_is_refused_before_anything_is_written(
    tmp_path: Path, settings: list[str], why: str
) -> None:
    spec = spec_of(tmp_path, 2, SPEC, *settings)
    with pytest.raises(SpecFault, match=f"engine.processes: 2 needs .*{why}"):
        run(spec, RunOptions(tmp_path / "out", environment=ELSEWHERE))
    assert not (tmp_path / "out").exists()
    refuse_processes(check_spec(spec_of(tmp_path, 1, SPEC, *settings), ELSEWHERE), shared=False)


def test_an_evolution_is_played_by_one_process() -> None:
    raw = read_yaml((SPECS / "evolve.yaml").read_text(encoding="utf-8"))
    with pytest.raises(ValueError, match="each task is shown what came before; got processes: 2"):
        EvolveSpec.model_validate(raw | {"engine": {"processes": 2}})


def test_workers_of_a_shared_run_are_processes_already(tmp_path: Path) -> None:
    with pytest.raises(SpecFault, match="--ledger shares the blocks"):
        run(spec_of(tmp_path, 2), RunOptions(tmp_path / "out", ledger="postgresql://localhost/none"))


CONDENSING = "roles.condenser=simulated/scribe"


def test_worlds_in_processes_of_their_own_play_the_same_trials(tmp_path: Path) -> None:
    played = {}
    for settings in ((), ("engine.max_environments=2",)):
        folder = tmp_path / str(len(settings))
        spec = spec_of(
            folder, 1, OWN, "arms=[none, activation]", "roles.condenser=simulated/scribe", *settings
        )
        assert play_spec(spec, folder / "out", told=False) == 0
        rows = [row for row, _ in rows_of(folder / "out")]
        # two at a time: which of two trials asks first is chance
        played[settings] = sorted((row.key, row.status, row.score, row.output_tokens) for row in rows)
    first, second = played.values()
    assert first == second


def test_a_world_whose_process_ends_is_an_error_of_the_world_and_another_is_begun(tmp_path: Path) -> None:
    spec = spec_of(tmp_path, 1, OWN, "engine.max_environments=1", "engine.max_error_share=1")
    (tmp_path / "ends once").touch()
    assert play_spec(spec, tmp_path / "out", limit=1, told=False) == 0
    assert not (tmp_path / "ends once").exists()
    assert {row.status for row, _ in rows_of(tmp_path / "out")} <= {"success", "failure"}
    (tmp_path / "ends").touch()
    assert play_spec(spec, tmp_path / "lost", limit=1, told=False) == 0
    rows = [row for row, _ in rows_of(tmp_path / "lost")]
    assert {(row.status, row.boundary, row.cause) for row in rows} == {
        ("error", "world", "WorldFault: the process of workshop ended with exit code 7")
    }


def test_processes_are_begun_before_the_trials_are_known_and_not_where_workers_play(
    tmp_path: Path, alone: Path
) -> None:
    spec = spec_of(tmp_path, 2)
    ledger = SqliteLedger.open_read_only(alone / "ledger.sqlite")
    run = RunContext(
        check_spec(spec), open_world(spec), HashingEmbedder(), simulated_client(), ledger, Display("none")
    )
    in_block = 1 + 3 + 3  # without memory, and two arms, each as it is and under two conditions
    assert count_trials(run) == 12 * in_block >= len(ledger.finished_keys())
    # workers of a shared run are its processes already
    with begin_processes(run, Session(shared=cast(SharedWork, object()))) as processes:
        assert processes == ()
    # damage is done by them, too, where nothing is played
    with begin_processes(run, Session(freeze=lambda *_: None)) as processes:
        assert len(processes) == 2
        assert all(begun.child.process.poll() is None for begun in processes)
    assert all(begun.child.process.returncode is not None for begun in processes)
    ledger.close()


def test_few_trials_are_worth_no_process_and_nobodys_own_code_is_shared_out_unasked(tmp_path: Path) -> None:
    unsaid = load_spec(write_spec(tmp_path, SPEC))
    experiment = check_spec(unsaid)
    assert count_processes(experiment, WORTH) == 1
    most = len(os.sched_getaffinity(0))
    assert count_processes(experiment, WORTH * 1000) == most
    own = spec_of(tmp_path, 1, OWN)
    engine = own.engine.model_copy(update={"processes": None})
    own_experiment = replace(experiment, spec=own.model_copy(update={"engine": engine}))
    assert count_processes(own_experiment, WORTH * 1000) == 1
    assert count_processes(replace(experiment, spec=spec_of(tmp_path, 3)), 1) == 3
