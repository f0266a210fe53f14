"""What every memory store must do. One of your own is a line of MEMBERS."""

import ast
import asyncio
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from memtrial.agents.trajectory import Trajectory
from memtrial.memory.bank_store import BankStore
from memtrial.memory.item import ProseItem
from memtrial.memory.record_bank import Bank, Record
from memtrial.memory.stated_store import StatedStore
from memtrial.memory.stored_item import MemoryFault, StoredItem, replace_text
from memtrial.models.embeddings.embedding import Array, HashingEmbedder
from memtrial.plugins.conformance.fixtures import steady_caller, tasks_asked, trajectories
from memtrial.plugins.conformance.laws import Law, hold
from memtrial.plugins.conformance.store_laws import STORES, digest_reads
from memtrial.plugins.own_memory import OwnStore, load_memory
from memtrial.protocols import MemoryStore
from memtrial.worlds.world import State, Task

OWN = Path(__file__).parents[1] / "own"


async def condense(trajectory: Trajectory) -> Record:
    items = tuple(ProseItem(f"In '{trajectory.query}', {step.action}.") for step in trajectory.steps[:2])
    names = (trajectory.task_id, trajectory.query, trajectory.family, "")
    return Record(*names, items, trajectory.trace_id, trajectory.outcome)


@dataclass
class Frozen(BankStore):
    """A bank that was written before the laws look at it."""

    async def write(self, trajectory: Trajectory) -> None:
        """Nothing is taken in any more."""


RECORDS = tuple(asyncio.run(condense(trajectory)) for trajectory in trajectories())
EMPTY = Bank("mine", ())
STATED = {task.id: (f"The lesson of {task.id}.", "Wait a moment.") for task, _ in tasks_asked()}
MEMBERS: dict[str, Callable[[], MemoryStore]] = {
    "growing bank": lambda: BankStore(HashingEmbedder(), EMPTY, "task", condense),
    "frozen bank": lambda: Frozen(HashingEmbedder(), Bank("frozen", RECORDS), "task"),
    "what a world states": lambda: StatedStore(STATED),
    "a user's store": lambda: load_memory(f"{OWN / 'card_box.py'}:CardBox", steady_caller(), 0),
    "a user's class that recalls": lambda: load_memory(f"{OWN / 'notebook.py'}:Notebook", steady_caller(), 0),
}


@pytest.mark.parametrize("law", STORES, ids=lambda law: law.name)
@pytest.mark.parametrize("name", MEMBERS)
def test_every_store_keeps_every_law(name: str, law: Law[MemoryStore]) -> None:
    (result,) = asyncio.run(hold((law,), MEMBERS[name]))
    assert result.passed, result.seen


def digest_members() -> dict[str, str]:
    return {name: asyncio.run(digest_reads(make)) for name, make in MEMBERS.items()}


def test_every_store_gives_the_same_in_another_process() -> None:
    """One where Python hashes texts otherwise."""
    code = f"from {__name__} import digest_members; print(digest_members())"
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=OWN.parents[1],
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ast.literal_eval(done.stdout) == digest_members()


@dataclass
class Sound:
    """A store that keeps the law: the newest items fit best. The wrong ones below differ in one thing."""

    texts: dict[str, str] = field(default_factory=dict)

    async def write(self, trajectory: Trajectory) -> None:
        self.texts[trajectory.trace_id] = f"{trajectory.query} {trajectory.outcome}"

    async def read(self, task: Task, state: State, k: int) -> tuple[StoredItem, ...]:
        items = (StoredItem(name, text, n / 100) for n, (name, text) in enumerate(self.texts.items()))
        return tuple(reversed(tuple(items)))[:k]

    def list(self) -> tuple[StoredItem, ...]:
        return tuple(StoredItem(name, text) for name, text in self.texts.items())

    def replace(self, id: str, text: str) -> None:
        replace_text(self.texts, id, text)


class Generous(Sound):
    async def read(self, task: Task, state: State, k: int) -> tuple[StoredItem, ...]:
        return await super().read(task, state, k + 1)


class Rising(Sound):
    async def read(self, task: Task, state: State, k: int) -> tuple[StoredItem, ...]:
        return (await super().read(task, state, k))[::-1]


class Doubled(Sound):
    async def read(self, task: Task, state: State, k: int) -> tuple[StoredItem, ...]:
        return ((await super().read(task, state, k)) * 2)[:k]


class Unlisted(Sound):
    async def read(self, task: Task, state: State, k: int) -> tuple[StoredItem, ...]:
        return tuple(replace(item, text=f"{item.text}!") for item in await super().read(task, state, k))


class Learning(Sound):
    async def read(self, task: Task, state: State, k: int) -> tuple[StoredItem, ...]:
        items = await super().read(task, state, k)
        self.texts[task.id] = task.query
        return items


class Stubborn(Sound):
    def replace(self, id: str, text: str) -> None:
        replace_text(dict(self.texts), id, text)


class Careless(Sound):
    def replace(self, id: str, text: str) -> None:
        self.texts[id] = text


class Sweeping(Sound):
    def replace(self, id: str, text: str) -> None:
        replace_text(self.texts, id, text)
        self.texts |= dict.fromkeys(self.texts, text)


SHARED: dict[str, str] = {}


class Shared(Sound):
    async def write(self, trajectory: Trajectory) -> None:
        SHARED[f"{trajectory.trace_id}/{len(SHARED)}"] = trajectory.query
        self.texts = SHARED


class NewestFirst(Sound):
    def list(self) -> tuple[StoredItem, ...]:
        return super().list()[::-1]


class Sorted(Sound):
    def list(self) -> tuple[StoredItem, ...]:
        return tuple(sorted(super().list(), key=lambda item: item.text))


class Displacing(Sound):
    def replace(self, id: str, text: str) -> None:
        replace_text(self.texts, id, text)
        self.texts[id] = self.texts.pop(id)


class Noting(Sound):
    """It keeps what it was asked, and never gives it out."""

    async def read(self, task: Task, state: State, k: int) -> tuple[StoredItem, ...]:
        items = await super().read(task, state, k)
        self.texts = {f"asked {task.id}": task.query, **self.texts}
        return tuple(item for item in items if not item.id.startswith("asked"))


class Unscored(Sound):
    """No search of its own orders what has no number."""

    async def read(self, task: Task, state: State, k: int) -> tuple[StoredItem, ...]:
        return tuple(replace(item, score=float("nan")) for item in await super().read(task, state, k))


class Nameless(Sound):
    """One id for all, by which nothing can be replaced."""

    async def read(self, task: Task, state: State, k: int) -> tuple[StoredItem, ...]:
        return tuple(replace(item, id="x") for item in await super().read(task, state, k))

    def list(self) -> tuple[StoredItem, ...]:
        return tuple(replace(item, id="x") for item in super().list())


class Bounded(Sound):
    """A store that keeps the law and holds four items: what was written first goes."""

    async def write(self, trajectory: Trajectory) -> None:
        await super().write(trajectory)
        self.texts = dict(list(self.texts.items())[-4:])


def test_a_sound_store_keeps_all_laws() -> None:
    assert all(result.passed for result in asyncio.run(hold(STORES, Sound)))


ORDER, MOST, TEACHES, REPLACED = (
    "it lists in the order of writing",
    "it gives out at most k, the best first",
    "reading teaches it nothing",
    "a text can be replaced",
)
WRONG = (
    (Generous, MOST),
    (Rising, MOST),
    (Doubled, MOST),
    (Unlisted, MOST),
    (NewestFirst, ORDER),
    (Sorted, ORDER),
    (Learning, TEACHES),
    (Noting, TEACHES),
    (Stubborn, REPLACED),
    (Careless, REPLACED),
    (Sweeping, REPLACED),
    (Displacing, REPLACED),
    (Shared, "same history same items"),
    (Unscored, MOST),
    (Nameless, REPLACED),
)


@pytest.mark.parametrize(("wrong", "law"), WRONG)
def test_a_store_that_breaks_a_law_is_found_by_it(wrong: type[Sound], law: str) -> None:
    results = asyncio.run(hold(STORES, wrong))
    assert law in [result.law for result in results if not result.passed]


def test_what_a_store_let_go_of_is_counted_and_breaks_no_law() -> None:
    results = {result.law: result for result in asyncio.run(hold(STORES, Bounded))}
    assert all(result.passed for result in results.values())
    assert results[ORDER].seen == "12 writings; items that a later writing took away: 8"


def test_a_bank_takes_in_one_record_a_task_and_a_frozen_one_none() -> None:
    trajectory = trajectories()[0]
    bank = BankStore(HashingEmbedder(), EMPTY, "task", condense)
    asyncio.run(bank.write(trajectory))
    with pytest.raises(MemoryFault, match="one record a task"):
        asyncio.run(bank.write(trajectory))
    with pytest.raises(MemoryFault, match="a frozen bank takes in nothing"):
        asyncio.run(BankStore(HashingEmbedder(), EMPTY, "task").write(trajectory))


def test_a_bank_never_shows_a_task_its_own_record() -> None:
    bank = BankStore(HashingEmbedder(), EMPTY, "task", condense)
    trajectory = trajectories()[1]
    asyncio.run(bank.write(trajectory))
    own = Task(trajectory.task_id, trajectory.query, trajectory.family, "", "test")
    assert asyncio.run(bank.read(own, State(""), 5)) == ()
    other = replace(own, id="another")
    assert [item.score for item in asyncio.run(bank.read(other, State(""), 5))] == [1.0] * len(bank.list())


@dataclass
class AskedEmbedder:
    """The default, which lets others come in between, and what it was asked for."""

    space: str = "asked"
    asked: list[str] = field(default_factory=list)

    async def embed(self, texts: Sequence[str]) -> Array:
        self.asked += texts
        await asyncio.sleep(0)
        return HashingEmbedder().vectors(texts)


TASKS = tuple(task for task, _ in tasks_asked())


async def grown(embedder: AskedEmbedder) -> BankStore:
    """A bank that was searched after each record, and by two at once."""
    bank = BankStore(embedder, EMPTY, "task", condense)
    for trajectory in trajectories():
        await bank.write(trajectory)
        await asyncio.gather(bank.search(TASKS[:1], 1), bank.search(TASKS[:1], 2))
    return bank


def test_a_bank_that_grew_finds_what_one_of_the_same_records_finds() -> None:
    embedder = AskedEmbedder()
    bank = asyncio.run(grown(embedder))
    whole = BankStore(HashingEmbedder(), Bank("mine", RECORDS), "task")
    for k in (1, 2, 9):
        assert asyncio.run(bank.search(TASKS, k)).rows == asyncio.run(whole.search(TASKS, k)).rows
    assert bank.bank == whole.bank
    # each record by the two who searched at once, and never again
    assert [embedder.asked.count(record.query) for record in RECORDS[1:]] == [2] * (len(RECORDS) - 1)


def test_a_bank_shows_no_task_a_record_of_its_template_where_that_is_asked() -> None:
    records = tuple(replace(record, template=f"template {n % 2}") for n, record in enumerate(RECORDS))
    asked = replace(TASKS[0], template="template 1")
    for leave_out, shown in (("task", len(records)), ("template", len(records[::2]))):
        bank = BankStore(HashingEmbedder(), Bank("mine", records), leave_out)
        (rows,) = asyncio.run(bank.search((asked,), 50)).rows
        assert len(rows) == shown
        assert {row.place % 2 for row in rows} == ({0, 1} if leave_out == "task" else {0})


def test_a_bank_reads_the_items_of_the_records_that_a_run_shows() -> None:
    bank = BankStore(HashingEmbedder(), Bank("mine", RECORDS), "task")
    near = asyncio.run(bank.search(TASKS, 2))
    for task, rows in zip(TASKS, near.rows, strict=True):
        items = asyncio.run(bank.read(task, State(""), 50))
        shown = [text for row in rows for text in bank.texts_by_source()[RECORDS[row.place].task_id]]
        assert [item.text for item in items][: len(shown)] == shown
        assert rows[0].cosine == items[0].score


def test_a_reply_with_a_blank_part_is_shown_whole_and_others_by_their_nearest_texts() -> None:
    bank = BankStore(HashingEmbedder(), EMPTY, "task")
    queries = HashingEmbedder().vectors(["buy soap"] * 4)
    listed = [("boil water", "buy soap", "soap"), ("boil water", " "), (), ("soap", "buy soap", "buy soap")]
    assert asyncio.run(bank.nearest_texts(queries, listed, 2)) == ((1, 2), (0, 1), (), (1, 2))
    assert asyncio.run(bank.nearest_texts(queries, [(" ",)] * 4, 2)) == ((0,),) * 4


def test_a_bank_of_replies_holds_their_own_words_and_a_blank_one_is_no_item() -> None:
    replies = ("# Memory Item 1\n\nWait.\n\n# Memory Item 2\n\nGo.", " \n", None)
    records = tuple(replace(record, reply=reply) for record, reply in zip(RECORDS, replies, strict=False))
    bank = BankStore(HashingEmbedder(), Bank("control", records, "swe"), "task")
    texts = list(bank.texts_by_source().values())
    assert texts[0] == ("# Memory Item 1\n\nWait.", "# Memory Item 2\n\nGo.")
    assert texts[1] == ()
    assert [item.text for item in bank.list()] == [text for listed in texts for text in listed]


def test_a_store_shows_what_it_reads_and_its_number_is_bounded_by_the_spec() -> None:
    store = load_memory(f"{OWN / 'card_box.py'}:CardBox", steady_caller(), 0, 2)
    assert isinstance(store, OwnStore)
    for trajectory in trajectories():
        asyncio.run(store.write(trajectory))
    task, state = tasks_asked()[0]
    slot = asyncio.run(store.recall(task, state))
    assert slot.items == tuple(item.text for item in asyncio.run(store.read(task, state, 2)))
    assert len(slot.items) == 2
