"""Memory systems that break the laws of memories in a run are named, and those that keep them are not."""

import asyncio
from pathlib import Path

import pytest

from memtrial.agents.slot import Slot
from memtrial.faults import RunFault, SpecFault
from memtrial.ledger.run_plan import plan_in_force
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.plugins.conformance.fixtures import SEED, trajectories
from memtrial.plugins.own_memory import load_memory
from memtrial.runs.preparation.store_conduct import see_conduct
from memtrial.runs.setup.world_pool import begun
from memtrial.runs.spec.read_spec import load_spec
from memtrial.worlds.workshop.world import Workshop
from tests.support.carried_out import play_spec
from tests.support.scripted import caller_of, saying
from tests.support.small import write_spec

SHELF = """
from memtrial.memory.stored_item import StoredItem, replace_text

class Shelf:
    def __init__(self):
        self.notes, self.times = {}, 0

    def write(self, trajectory):
        self.notes[trajectory.trace_id] = f"In {trajectory.query} this came: {trajectory.outcome}."

    def find(self, task, k):
        words = set(task.query.split())
        items = [StoredItem(id, text, len(words & set(text.split()))) for id, text in self.notes.items()]
        return sorted(items, key=lambda item: -item.score)[:k]

    def read(self, task, state, k):
        return self.find(task, k)

    def list(self):
        return [StoredItem(id, text) for id, text in self.notes.items()]

    def replace(self, id, text):
        replace_text(self.notes, id, text)

class Class:
    def __init__(self):
        self.asked = 0

    def observe(self, trajectory):
        pass

    def recall(self, task, state):
        self.asked += 1
        return f"Asked {self.asked} times."

"""
READS = {
    "": "",
    "list(reversed(self.find(task, k)))": "items that are not the best first, for 5 of 5 tasks",
    "self.find(task, 1) * k": "an item twice, for 5 of 5 tasks",
    "[StoredItem('ghost', 'Look twice.')]": "items that it does not list, for 5 of 5 tasks",
    "[StoredItem(note.id, note.text.upper()) for note in self.find(task, k)]": "other texts than",
    "[StoredItem(item.id, item.text, float('nan')) for item in self.find(task, k)]": "no finite numbers",
    "[self.notes.pop(item.id) and item for item in self.find(task, k)]": "it gave 4 of 5 tasks another",
    "self.notes.update({task.id: task.query}) or self.list()[-2:]": "another test task's text alone has",
}


def write_store(folder: Path, read: str) -> str:
    """A store with another `read`; the shelf itself where it is empty."""
    path = folder / "mine.py"
    other = (
        f"class Other(Shelf):\n    def read(self, task, state, k):\n        return {read}\n" if read else ""
    )
    path.write_text(SHELF + other, encoding="utf-8")
    return f"{path}:{'Other' if read else 'Shelf'}"


async def conduct_of(source: str) -> str:
    world = Workshop(SEED, 12, 8, 8)
    tasks = world.tasks("test")
    memory = load_memory(source, caller_of(saying()), 0, k=3)
    for trajectory in trajectories():
        await memory.write(trajectory)
    shown: dict[str, Slot] = {task.id: await memory.recall(task, await begun(world, task)) for task in tasks}
    return "; ".join(
        await see_conduct(memory, world, tasks, shown, [trace.query for trace in trajectories()])
    )


@pytest.mark.parametrize("read", READS, ids=lambda read: read[:24] or "lawful")
def test_a_store_that_breaks_a_law_is_named_with_what_it_did(tmp_path: Path, read: str) -> None:
    seen = asyncio.run(conduct_of(write_store(tmp_path, read)))
    assert READS[read] in seen if READS[read] else seen == ""


def test_a_store_that_composes_what_it_shows_may_put_its_own_words_around_a_text(tmp_path: Path) -> None:
    framed = "[StoredItem(note.id, f'[1] {note.text}', note.score) for note in self.find(task, k)]"
    source = write_store(tmp_path, framed)
    assert "other texts than it lists" in asyncio.run(conduct_of(source))
    path = tmp_path / "mine.py"
    path.write_text(path.read_text() + "    takes_damage = True\n")
    assert asyncio.run(conduct_of(source)) == ""


def test_a_text_that_no_model_could_read_ends_the_run_in_a_line(tmp_path: Path) -> None:
    source = write_store(tmp_path, "[StoredItem('long', 'word ' * 300_000)]")
    with pytest.raises(
        RunFault, match=r"task workshop-test-0, returned a text of 1,500,000 characters; at most"
    ):
        asyncio.run(conduct_of(source))


def test_a_class_that_recalls_otherwise_when_it_is_asked_again_is_named(tmp_path: Path) -> None:
    source = write_store(tmp_path, "").replace(":Shelf", ":Class")
    assert "it gave 5 of 5 tasks another slot, as 'workshop-test-0'" in asyncio.run(conduct_of(source))


def test_a_fault_of_the_second_look_is_a_sentence_and_ends_no_run(tmp_path: Path) -> None:
    source = write_store(tmp_path, "self.find(task, k)")
    path = tmp_path / "mine.py"
    path.write_text(path.read_text() + "    def list(self):\n        raise OSError('no list')\n")
    seen = asyncio.run(conduct_of(source))
    assert seen.startswith("it failed when it was asked again: list of ")
    assert "OSError: no list" in seen


SPEC = """
name: shelf
seed: 1
environment: {{world: workshop, train: 4, test: 2}}
backbone: simulated/reader
traces: {{source: expert}}
arms: [none, {{name: mine, memory: "{source}"}}]
conditions: [corrupt_mask]
repeats: 1
"""


def test_the_plan_of_a_run_says_it_also_where_the_run_goes_on(tmp_path: Path) -> None:
    source = write_store(tmp_path, "self.find(task, 1) * k")
    spec = load_spec(
        write_spec(tmp_path, SPEC.format(source=source).replace("repeats", "retrieval: {k: 2}\nrepeats"))
    )
    for _ in range(2):
        assert play_spec(spec, tmp_path / "out") == 0
        ledger = SqliteLedger.open_read_only(tmp_path / "out" / "ledger.sqlite")
        plan = plan_in_force(ledger)
        ledger.close()
        assert plan is not None
        (note,) = [note for note in plan.notes if "breaks laws" in note]
        assert "The memory of mine breaks laws that `memtrial check` names: it gave an item twice" in note


KNOWING = """
from memtrial.worlds.workshop.world import Workshop

class Knowing:
    def observe(self, trajectory):
        pass

    def recall(self, task, state):
        world = Workshop(1, 4, 2)
        (other,) = (other for other in world.tasks("test") if other.id != task.id)
        return world.ground_truth(other).lesson
"""


def test_a_memory_that_knows_the_solution_of_another_test_task_is_played_in_no_trial(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(KNOWING)
    spec = load_spec(write_spec(tmp_path, SPEC.format(source=f"{tmp_path / 'mine.py'}:Knowing")))
    with pytest.raises(SpecFault, match=r"leakage: ground truth 2\. First: task 'workshop-test-1'"):
        play_spec(spec, tmp_path / "out")
