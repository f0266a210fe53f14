"""Memory systems: what they may recall, recall once and for all conditions, and a whole run with one."""

import asyncio
import shutil
from pathlib import Path
from typing import Any

import pytest

from memtrial.agents.slot import NOTHING, Slot
from memtrial.faults import RunFault, SpecFault
from memtrial.ledger.rows import TrialRow
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.plugins.conformance.fixtures import PRESS, trajectories
from memtrial.plugins.own_memory import load_memory
from memtrial.runs.forecast.power_table import PlanOptions
from memtrial.runs.forecast.spec_forecast import Forecast, forecast_of
from memtrial.runs.preparation.backbone_memories import OpenedMemory, Recollections, recall_all
from memtrial.runs.setup.preflight import check_spec
from memtrial.runs.spec.read_spec import load_spec
from memtrial.worlds.workshop.world import Workshop
from memtrial.worlds.world import State, Task
from tests.support.carried_out import play_spec, run_spec
from tests.support.scripted import caller_of, saying
from tests.support.small import write_spec

NO_CALLER: Any = caller_of(saying())
TASK = Task("t", "Start the press.", "press", "press", "test")
OWN = Path(__file__).resolve().parents[1] / "own"
ALWAYS = ("empty", "filler", "corrupt_mask")
KINDS = (*ALWAYS, "corrupt_invert", "irrelevant_swap", "irrelevant_generic", "paraphrase")
SPEC = f"""
name: mine
seed: 3
environment: {{world: workshop, train: 16, test: 6}}
backbone: simulated/reader
roles: {{condenser: simulated/scribe}}
traces: {{source: expert}}
condensers:
  native: {{kind: native}}
  last: {{kind: "OWN/last_actions.py:last_actions"}}
arms:
  - none
  - control
  - {{name: notebook, memory: "OWN/notebook.py:Notebook"}}
  - {{name: last, condenser: last}}
conditions: [without, {", ".join(KINDS)}, "OWN/babble.py:babble"]
repeats: 1
analysis: {{flips: 199}}
"""


def own(folder: Path, code: str) -> str:
    path = folder / "mine.py"
    path.write_text(code, encoding="utf-8")
    return f"{path}:Object"


@pytest.mark.parametrize(
    ("returned", "slot"),
    [
        ("'Pull.'", Slot("", ("Pull.",))),
        ("['Pull.', ' ']", Slot("", ("Pull.",))),
        ("None", NOTHING),
        ("''", NOTHING),
        ("[]", NOTHING),
        ("Slot('Mine:', ('Pull.',))", Slot("Mine:", ("Pull.",))),
        ("Slot('Mine:', ())", NOTHING),
    ],
)
@pytest.mark.parametrize("word", ["def", "async def"])
def test_a_memory_system_may_recall_in_many_ways(
    tmp_path: Path, word: str, returned: str, slot: Slot
) -> None:
    code = (
        "from memtrial.agents.slot import Slot\nclass Object:\n"
        f"    {word} observe(self, run): pass\n    {word} recall(self, task, state): return {returned}\n"
    )
    memory = load_memory(own(tmp_path, code), NO_CALLER, 0)
    assert asyncio.run(memory.recall(TASK, State("It is dark."))) == slot


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        ("7", "recall of .*mine.py:Object, task t, returned int; a text"),
        ("['a', None]", "list with NoneType in it"),
        ("['a', 'b' * 1_048_577]", "recall of .*, task t, returned a text of 1,048,577 characters; at most"),
        ("'\\ud83d'", "recall of .*, task t, returned text with half of a surrogate"),
        ("task.none", r"recall of .*, task t, raised AttributeError.*line 3"),
    ],
)
def test_what_a_memory_system_does_wrong_names_method_and_task(
    tmp_path: Path, returned: str, said: str
) -> None:
    observe, recall = "def observe(self, run): return run.none", "def recall(self, task, state): return"
    code = f"class Object:\n    {observe}\n    {recall} {returned}\n"
    memory = load_memory(own(tmp_path, code), NO_CALLER, 0)
    with pytest.raises(RunFault, match=said):
        asyncio.run(memory.recall(TASK, State("")))
    with pytest.raises(RunFault, match=r"observe of .*, trace press, raised AttributeError.*line 2"):
        asyncio.run(memory.write(PRESS))


COUNTING = """
class Object:
    def __init__(self, seed):
        self.seen = []
    def observe(self, trajectory):
        self.seen.append(trajectory.trace_id)
    def recall(self, task, state):
        if task.id == STOPS_AT:
            raise LookupError("no shelf")
        assert state.observation
        said = f"{len(self.seen)} runs, first {self.seen[0]}, for {task.id}"
        return None if task.id.endswith("3") else said
"""


def recalled(code: str, folder: Path, ledger: SqliteLedger, ticks: list[int]) -> dict[str, Slot]:
    world = Workshop(1, 8, 8, 8)
    memory = load_memory(own(folder, code), NO_CALLER, 0)
    tick = lambda: ticks.append(1)  # noqa: E731
    tasks, traces = world.tasks("test"), trajectories()
    kept = Recollections(ledger, "b", "mine", "Notes:", lambda: None)
    return asyncio.run(recall_all(OpenedMemory(memory, traces), world, tasks, kept, tick))


def test_each_task_is_asked_once_and_what_is_kept_is_not_asked_again(tmp_path: Path) -> None:
    ledger = SqliteLedger(tmp_path / "ledger")
    tasks = Workshop(1, 8, 8, 8).tasks("test")
    ticks: list[int] = []
    with pytest.raises(RunFault, match=rf"recall of .*, task {tasks[5].id}, raised LookupError: no shelf"):
        recalled(f"STOPS_AT = {tasks[5].id!r}\n{COUNTING}", tmp_path, ledger, ticks)
    assert list(ledger.recollections("b", "mine")) == [task.id for task in tasks[:5]]
    whole = recalled(f"STOPS_AT = {tasks[0].id!r}\n{COUNTING}", tmp_path, ledger, ticks)
    assert list(whole) == [task.id for task in tasks]
    assert len(ticks) == 5 + 8
    for task in tasks:
        first = trajectories()[0].trace_id
        said = f"12 runs, first {first}, for {task.id}"
        assert whole[task.id] == (NOTHING if task.id.endswith("3") else Slot("Notes:", (said,)))
    # nothing is missing: the system is not even taught
    deaf = "class Object:\n    def observe(self, *_): raise OSError\n    recall = observe\n"
    again = recalled(deaf, tmp_path, ledger, ticks)
    assert again == whole
    ledger.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with a memory system, a condenser and a perturbation of one's own."""
    place = tmp_path_factory.mktemp("own")
    for name in ("notebook.py", "last_actions.py", "babble.py"):
        shutil.copy(OWN / name, place)
    assert play_spec(load_spec(spec_in(place)), place / "out") == 0
    return place


def spec_in(folder: Path) -> Path:
    return write_spec(folder, SPEC.replace("OWN", str(folder)))


@pytest.fixture(scope="module")
def trials(folder: Path) -> list[TrialRow]:
    ledger = SqliteLedger(folder / "out" / "ledger.sqlite")
    rows = list(ledger.trials())
    ledger.close()
    return rows


def test_a_memory_system_runs_as_an_arm_under_all_conditions(folder: Path, trials: list[TrialRow]) -> None:
    ledger = SqliteLedger(folder / "out" / "ledger.sqlite")
    mine = [trial for trial in trials if trial.arm == "notebook"]
    shown = {(trial.condition, trial.task): ledger.slot(trial.slot) or "" for trial in mine}
    assert {trial.status for trial in mine} <= {"success", "failure"}
    assert sum(trial.undelivered for trial in mine) == 0
    for task in {trial.task for trial in mine}:
        assert "this worked: " in shown["intact", task]
        for kind in (*KINDS, "babble"):
            assert shown.get((kind, task)) != shown["intact", task]
    conditions = {trial.condition for trial in mine}
    assert {"intact", "babble", *ALWAYS} <= conditions <= {"intact", "babble", *KINDS}
    assert len(ledger.recollections("simulated/reader", "notebook")) == 6
    ledger.close()


def test_a_condenser_of_ones_own_is_an_arm_beside_ours(folder: Path, trials: list[TrialRow]) -> None:
    ledger = SqliteLedger(folder / "out" / "ledger.sqlite")
    mine = [trial for trial in trials if (trial.arm, trial.condition) == ("last", "intact")]
    assert len(mine) == 6
    assert all("When the task is like" in (ledger.slot(trial.slot) or "") for trial in mine)
    ledger.close()


def test_a_plan_looks_at_it_also_where_an_event_loop_runs(folder: Path) -> None:
    """As in a notebook, and while a run is locked."""
    experiment = check_spec(load_spec(spec_in(folder)))

    async def forecast() -> Forecast:
        return forecast_of(experiment, wanted=PlanOptions(simulate=0))

    found = asyncio.run(forecast())
    assert any("notebook" in (row.arm, row.versus) for row in found.audit)
    assert found == forecast_of(experiment, wanted=PlanOptions(simulate=0))


def test_a_changed_file_is_another_experiment(folder: Path) -> None:
    path = folder / "notebook.py"
    code = path.read_text(encoding="utf-8")
    path.write_text(code.replace("this worked", "this went well"), encoding="utf-8")
    with pytest.raises(SpecFault, match=r"another experiment; changed: .*notebook\.py:Notebook"):
        run_spec(load_spec(spec_in(folder)), folder / "out", False, None, "none", True, False)
