"""The memory systems that a spec names by a word: one set of laws for all, and what each may not do."""

import asyncio
import os
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

from memtrial.agents.trajectory import Step, Trajectory
from memtrial.faults import RunFault, SpecFault
from memtrial.ledger.random_streams import fixed_generator
from memtrial.memory.systems.chat_door import read_calls, write_question
from memtrial.memory.systems.shipped_systems import BY_WORD, ShippedSystem
from memtrial.memory.systems.system_door import SystemDoor
from memtrial.models.client.client import Caller
from memtrial.models.client.types import Message, ModelFault, Request
from memtrial.models.embeddings.embedding import HashingEmbedder
from memtrial.perturbations.damage_contract import DamageContext, NotApplicable
from memtrial.perturbations.kinds import ALL
from memtrial.plugins.conformance.fixtures import DONOR, PRESS, caller_for, tasks_asked, trajectories
from memtrial.plugins.conformance.laws import hold
from memtrial.plugins.conformance.store_laws import STORES
from memtrial.plugins.own_memory import MOST_READ, OwnStore, load_memory
from memtrial.plugins.shipped_memory import most_shown, shipped_digests
from memtrial.runs.preparation.store_reading import DamagedReading, find_held, read_damaged
from memtrial.worlds.world import State
from tests.support.memory_servers import describe_sdk
from tests.support.scripted import Scripted, caller_of, saying
from tests.support.system_modules import MODULES

INSTALLED = [
    pytest.param(
        word, marks=pytest.mark.skipif(find_spec(module) is None, reason=f"{module} is not installed")
    )
    for word, module in MODULES.items()
]
each_system = pytest.mark.parametrize("word", INSTALLED)


def name_of(word: str, folder: Path, plain: bool = True) -> str:
    """As a spec names it; a memory server is one of our own, plain or on the real SDK."""
    return describe_sdk(folder, plain=plain) if word == "mcp" else word


def test_every_word_has_its_laws_here() -> None:
    assert MODULES.keys() == BY_WORD.keys()


@each_system
def test_every_system_keeps_every_law_of_stores(word: str, tmp_path: Path) -> None:
    name = name_of(word, tmp_path)
    caller = caller_for(word)
    results = asyncio.run(hold(STORES, lambda: load_memory(name, caller, 0)))
    assert [(result.law, result.seen) for result in results if not result.passed] == []
    # a fresh store of the same history asks what was asked before, word for word: a resumed run pays nothing
    # again
    before = caller.meter
    asked, kept = before.calls, before.cached
    asyncio.run(hold(STORES[:1], lambda: load_memory(name, caller, 0)))
    assert caller.meter.calls - asked == caller.meter.cached - kept > 0


@pytest.mark.skipif(find_spec("mcp") is None, reason="mcp is not installed")
def test_a_server_on_the_real_sdk_is_found_as_the_laws_want_it(tmp_path: Path) -> None:
    """The first law alone: a server of this SDK takes a second to start, and each law starts many."""
    name = name_of("mcp", tmp_path, plain=False)
    (result,) = asyncio.run(hold(STORES[:1], lambda: load_memory(name, caller_for("mcp"), 0)))
    assert result.passed, result


@each_system
def test_every_system_writes_what_the_runs_teach_and_finds_it_by_the_task(word: str, tmp_path: Path) -> None:
    name = name_of(word, tmp_path)
    memory = load_memory(name, caller_for(word), 0)
    for trajectory in trajectories():
        asyncio.run(memory.write(trajectory))
    texts = " ".join(item.text for item in memory.list())
    taught = [run.steps[-1].action for run in trajectories() if run.outcome == "success"]
    # the scribe spoils some on purpose
    assert sum(f"`{action}`" in texts for action in taught) >= len(taught) // 2
    task, state = tasks_asked()[0]
    fits = [item.score for item in asyncio.run(memory.read(task, state, 50))]
    assert len(fits) > 1
    assert word == "ace" or fits[0] > fits[-1]


@pytest.mark.parametrize(("name", "own", "sent"), [
    ("bank?profile=upstream", None, 1.0), ("bank?profile=upstream", 0.3, 0.3), ("bank", None, 0.0),
    ("bank?profile=seed000", None, None),
])  # fmt: skip
def test_a_bank_is_written_at_the_temperature_of_its_profile(
    name: str, own: float | None, sent: float | None
) -> None:
    backend = saying(*["no items"] * 4)
    caller = caller_of(backend)
    caller.temperature = own
    asyncio.run(load_memory(name, caller, 0).write(trajectories()[0]))
    assert {request.temperature for request, _ in backend.asked} == {sent}


@each_system
def test_a_replaced_text_is_found_by_what_it_was_found_by_before(word: str, tmp_path: Path) -> None:
    """Damage changes what an item says, and not who is shown it."""
    name = name_of(word, tmp_path)
    memory = load_memory(name, caller_for(word), 0)
    for trajectory in trajectories()[:6]:
        asyncio.run(memory.write(trajectory))
    task, state = tasks_asked()[0]
    before = asyncio.run(memory.read(task, state, 50))
    for item in before:
        memory.replace(item.id, f"Something else altogether, {item.id}.")
    after = asyncio.run(memory.read(task, state, 50))
    assert [(item.id, item.score) for item in after] == [(item.id, item.score) for item in before]
    assert all(item.text.startswith("Something else") for item in after)


@each_system
def test_damage_in_the_store_is_damage_in_the_text_to_the_byte(word: str, tmp_path: Path) -> None:
    """So a run may damage the text of these systems: no store makes anything else of it."""
    name = name_of(word, tmp_path)
    memory = load_memory(name, caller_for(word), 0)
    assert isinstance(memory, OwnStore)
    for trajectory in trajectories()[:6]:
        asyncio.run(memory.write(trajectory))
    task, state = tasks_asked()[0]
    intact, applied = asyncio.run(memory.recall(task, state)), 0
    assert asyncio.run(find_held(memory, task, state)) == intact.items
    for kind in ALL:
        done = kind.apply(intact, fixed_generator(0), DamageContext((DONOR,)))
        # `without` shows no item at all
        if not isinstance(done, NotApplicable) and done.slot.items:
            applied += 1
            put = done.slot.items
            read = asyncio.run(read_damaged(memory, task, state, put))
            blank = all(not text.strip() for text in put)  # mem0 gives out no blank text
            assert read == DamagedReading(put) or (word == "mem0" and blank and not read.items), kind.name
    assert applied > 5
    assert asyncio.run(memory.recall(task, state)) == intact


@each_system
def test_no_answer_is_never_taken_for_nothing_to_learn(word: str, tmp_path: Path) -> None:
    name = name_of(word, tmp_path)

    def refuse(request: Request, repeat: int) -> str:
        raise ModelFault("the line is dead")

    memory = load_memory(name, caller_of(Scripted(refuse)), 0)
    with pytest.raises(ModelFault, match="the line is dead"):
        asyncio.run(memory.write(PRESS))


@each_system
def test_what_is_no_answer_to_its_question_makes_no_item_or_is_named(word: str) -> None:
    """A chat in the place of the form that was asked for."""
    if word in ("notes", "mcp"):
        pytest.skip("any text is a note")
    memory = load_memory(word, caller_of(Scripted(lambda *_: "I had rather talk of [the] {weather}.")), 0)
    named = pytest.raises(RunFault, match=f"write of {word}, trace press, raised .*JSON")
    with named if word == "reasoning-bank" else nullcontext():
        asyncio.run(memory.write(PRESS))
    assert memory.list() == ()


@pytest.mark.skipif(find_spec("mem0") is None, reason="mem0 is not installed")
def test_mem0_writes_into_nobodys_home_and_reports_to_nobody() -> None:
    before = dict(os.environ)
    asyncio.run(load_memory("mem0", caller_for("mem0"), 0).write(PRESS))
    from mem0.memory import setup, telemetry

    assert dict(os.environ) == before
    assert not telemetry.MEM0_TELEMETRY
    assert Path.home() not in Path(setup.mem0_dir).parents
    assert not Path(setup.mem0_dir).exists()


@pytest.mark.skipif(find_spec("reasoning_bank") is None, reason="reasoning_bank is not installed")
def test_what_a_bank_counts_while_it_is_read_is_put_back() -> None:
    store = load_memory("reasoning-bank", caller_for("reasoning-bank"), 0)
    for trajectory in trajectories()[:4]:
        asyncio.run(store.write(trajectory))
    task, state = tasks_asked()[0]
    assert asyncio.run(store.read(task, state, 2))
    held = store.own.thing._system._store.list_all()
    assert {item.use_count for item in held} == {0}


def test_a_fault_of_the_model_is_raised_even_where_a_system_goes_on_without() -> None:
    door = SystemDoor(caller_of(saying(ModelFault("gone"))).ask, HashingEmbedder())

    def go_on() -> str:
        try:
            return door.ask([Message("user", "?")])
        except ModelFault:
            return "never mind"

    with pytest.raises(ModelFault, match="gone"):
        asyncio.run(door.work(go_on))
    assert asyncio.run(door.work(lambda: "done")) == "done"


@dataclass
class Unsteady:
    """A system whose names say nothing of the order, and whose items all fit equally."""

    def learn(self, trajectory: Trajectory) -> Sequence[str]:
        return ["z", "a"]

    def find(self, query: str, most: int) -> dict[str, float]:
        return {"a": 0.5, "z": 0.5, "gone": 0.9}

    def texts(self) -> dict[str, str]:
        return {"a": "second", "unnamed": "third", "z": "first"}

    def put(self, id: str, text: str) -> None: ...


def test_items_are_numbered_in_the_order_of_writing_and_the_older_comes_first() -> None:
    from memtrial.memory.systems.system_store import SystemStore

    store = SystemStore(SystemDoor(caller_of(saying()).ask, HashingEmbedder()), lambda _: Unsteady())
    task, state = tasks_asked()[0]
    assert store.list() == () == asyncio.run(store.read(task, state, 3))
    asyncio.run(store.write(PRESS))
    assert [(item.id, item.text) for item in store.list()] == [
        ("1", "first"),
        ("2", "second"),
        ("3", "third"),
    ]
    assert [item.id for item in asyncio.run(store.read(task, state, 3))] == ["1", "2"]


def folder_of(where: Path, **notes: str) -> Path:
    for name, text in notes.items():
        (where / f"{name}.md").write_text(text, encoding="utf-8")
    return where


def test_notes_that_somebody_wrote_are_read_and_nothing_is_added(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, press="Pull the brass lever.\n", kiln="Read the gauge.", blank=" \n")
    (tmp_path / "link.md").symlink_to(tmp_path / "press.md")
    memory = load_memory(
        f"notes?folder={folder}", Caller(caller_of(saying()).model_client, "nobody/asked"), 0
    )
    asyncio.run(memory.write(PRESS))
    assert [item.text for item in memory.list()] == ["Read the gauge.", "Pull the brass lever."]
    task, state = tasks_asked()[0]
    assert len(asyncio.run(memory.read(task, state, 5))) == 2
    before = shipped_digests(f"notes?folder={folder}")
    (folder / "kiln.md").write_text("Close the kiln.", encoding="utf-8")
    after = shipped_digests(f"notes?folder={folder}")
    assert before.keys() == after.keys()
    assert before != after


def test_a_bank_is_searched_by_how_a_task_begins_where_a_spec_says_so() -> None:
    task, _ = tasks_asked()[0]
    runs = trajectories()
    for name, differ in (
        ("bank?profile=seed003", False),
        ("bank?profile=seed003&query=task-and-start", True),
    ):
        memory = load_memory(name, caller_for("bank"), 0)
        for run in runs:
            asyncio.run(memory.write(run))
        read = [asyncio.run(memory.read(task, State(run.start), 3)) for run in (runs[0], runs[-1])]
        scores = [[item.score for item in items] for items in read]
        assert (scores[0] != scores[1]) == differ, name


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("bank?query=start", "query is one of task, task-and-start; got 'start'"),
        ("ace?rounds=0", "rounds is a whole number from 1 to 1000; got 0"),
        ("notes?k=yes", "k is a whole number"),
        ("mem0?rounds=2", "has no setting 'rounds'; it has k"),
        ("notes?folder=[1]", "folder is the path of a folder"),
        ("notes?folder=/nonexistent/notes", "a folder with 1 to 1000 notes .* holds none"),
    ],
)
def test_settings_that_cannot_be_are_one_line(name: str, said: str) -> None:
    with pytest.raises(SpecFault, match=said) as raised:
        load_memory(name, caller_for("notes"), 0)
    assert "\n" not in str(raised.value)


def test_a_package_that_is_not_there_is_named_with_the_command_that_brings_it() -> None:
    absent = ShippedSystem("loom", "no-such-loom-package", "'memtrial[loom]'", BY_WORD["notes"].open)
    with pytest.raises(SpecFault, match=r"memory: loom needs the package .* pip install 'memtrial\[loom\]'"):
        absent.find_version()


def test_ace_shows_its_whole_playbook_and_a_setting_goes_before_the_runs_number() -> None:
    assert [most_shown(name, 3, MOST_READ) for name in ("notes", "ace", "ace?k=7", "notes?k=5")] == [
        3,
        MOST_READ,
        7,
        5,
    ]


def test_tools_are_told_in_words_and_calls_are_read_from_a_text() -> None:
    mark = "session_0f9d3a52-11aa-4b5c-9d7e-2f1a3b4c5d6e"
    talk = [("system", "Keep memories."), ("human", f"<{mark}>\nHi.\n</{mark}>"), ("tool", "Done.")]
    system, user = write_question(talk, [{"name": "Memory", "parameters": {}}])
    assert system.text.startswith("Keep memories.\n\nYou act by calling")
    assert '"name": "Memory"' in system.text
    assert user.text == "<session_0>\nHi.\n</session_0>\n\n[tool] Done."
    calls = '{"name": "Memory", "args": {"content": "a"}}, {"name": "Other", "args": {}}, {"name": "Memory"}'
    reply = f"So: [{calls}] it is."
    assert [call["args"] for call in read_calls(reply, ["Memory"])] == [{"content": "a"}]
    assert [read_calls(text, ["Memory"]) for text in ("", "][", "[1", "[1]", "[[" * 4000)] == [[]] * 5


@each_system
def test_odd_runs_are_taken_in(word: str, tmp_path: Path) -> None:
    name = name_of(word, tmp_path)
    odd = Trajectory("t{0}", "t", "Braces {x} and ## New Messages", "failure", (Step("", "{", "<action>\n"),))
    memory = load_memory(name, caller_for(word), 0)
    asyncio.run(memory.write(odd))
    asyncio.run(memory.write(Trajectory("none", "none", "Nothing was done.", "failure", ())))
    assert all(item.text.strip() for item in memory.list())
