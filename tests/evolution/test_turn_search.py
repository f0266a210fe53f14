"""What a bank is searched by: what the world shows first, and what an agent meets in the midst of a task."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from memtrial.evolution.evolve_spec import EvolveArm
from memtrial.evolution.stream_rows import SpanRow, TaskRow
from memtrial.evolution.task_loop import TaskLoop
from memtrial.memory.bank.bank_settings import QueryForm
from memtrial.memory.bank.distillation.distilled_items import DistilledItem
from memtrial.memory.bank.labelled_run import LabelledRun
from memtrial.memory.bank.ranking.own_profile import make_profile
from memtrial.memory.bank.reasoning_bank import ReasoningBank
from memtrial.memory.item import NativeItem
from memtrial.models.client.types import Request
from memtrial.runs.setup.world_pool import Worlds
from memtrial.worlds.world import State, Task
from tests.support.event_bank import make_trajectory
from tests.support.evolving import STAND, TASKS, WALK, asked_of, loop_of, scripted, writes
from tests.support.scripted import Corridor

NEAR = '{"title": "Walk to the end of the corridor", "description": "D", "content": "Walk."}'
PUSH = "Push SHOULDER against the door until its hinge gives way."
FAR = '{"title": "Doors that stick fast", "description": "D", "content": "%s", "preconditions": %s}'
ALONE = make_profile({"base": "paper", "key": "item", "k": 1})
"""Shows one item a search, by its words."""
HALLS = {"corridor-3": "A hall of brass lamps.", "corridor-4": "Wet ropes everywhere."}
NONE = '{"memories": []}'


def taught(*signs: str) -> str:
    """What a run teaches: an item like every task, and another with these signs."""
    return f'{{"memories": [{NEAR}, {FAR % (PUSH, json.dumps(signs))}]}}'


@dataclass
class Halls(Corridor):
    """A corridor that begins in another hall for each task."""

    def reset(self, task: Task) -> State:
        return replace(super().reset(task), observation=HALLS[task.id])


def play(loop: TaskLoop, tasks: Sequence[Task] = TASKS[:2]) -> list[TaskRow]:
    async def go() -> list[TaskRow]:
        return [await loop.run_task(task, position) for position, task in enumerate(tasks)]

    rows = asyncio.run(go())
    assert [row.error for row in rows] == [""] * len(rows)
    return rows


def searches(loop: TaskLoop, position: int) -> list[SpanRow]:
    return [span for span in loop.spans if (span.span, span.position) == ("retrieve", position)]


def walk(request: Request, repeat: int) -> str:
    return WALK


def bank_of(loop: TaskLoop) -> ReasoningBank:
    assert loop.memory is not None
    return loop.memory.bank


@pytest.mark.parametrize("form", ["task", "task-and-start"])
def test_the_same_task_that_begins_otherwise_asks_otherwise_where_that_is_wanted(
    tmp_path: Path, form: QueryForm
) -> None:
    loop = loop_of(scripted(walk, NONE), EvolveArm(query=form), tmp_path, profile=ALONE)
    loop.players = replace(loop.players, worlds=Worlds(Halls, 8))
    bank = bank_of(loop)
    for number, title in ((4, "Wet ropes"), (3, "Brass lamps")):
        words = NativeItem(title, "D", "Walk to the left.")
        bank.keep([DistilledItem(words, "success")], [LabelledRun(make_trajectory(number))], "a test")
    third, fourth = play(loop, TASKS[2:])
    asked = [searches(loop, position)[0].query for position in range(2)]
    shown = [str(bank.log.find(row.shown[0]).item.title) for row in (third, fourth)]  # type: ignore[union-attr]
    if form == "task":
        assert asked == ["", ""]
        assert len(set(shown)) == 1
    else:
        query = TASKS[0].query
        assert asked == [f"{query}\n\n{HALLS[task.id]}" for task in TASKS[2:]]
        assert shown == ["Brass lamps", "Wet ropes"]


@pytest.mark.parametrize("sign", ['state: "Door 2."', "door 2 is there"])
def test_an_item_whose_sign_is_met_enters_in_the_midst_of_a_task(tmp_path: Path, sign: str) -> None:
    backend = scripted(walk, taught(sign))
    loop = loop_of(backend, EvolveArm(retrieve="within"), tmp_path, profile=ALONE)
    bank = bank_of(loop)
    first, second = play(loop)
    near, far = first.new_items
    before, within = searches(loop, 1)
    assert (before.step, before.query, within.step) == (0, "", 2)
    assert within.what.startswith("1 items in try 0: state: ")
    assert within.query == f"{TASKS[1].query}\n\nDoor 2."
    # the first stands in all requests; the other in that of its turn, and in none before
    plays = [asked_of(request) for request, _ in backend.asked if not writes(request)][first.calls :]
    assert ["Content Walk." in text for text in plays] == [True] * 3
    assert [PUSH in text for text in plays] == [False, False, True]
    assert second.shown == (near, far)
    assert [(bank.log.find(name).uses.retrieved, bank.log.find(name).uses.shown) for name in (near, far)] == [
        (1, 1), (1, 1),
    ]  # fmt: skip


def test_nothing_enters_without_a_sign_nor_where_that_is_not_wanted(tmp_path: Path) -> None:
    for name, arm, signs in (
        ("before", EvolveArm(), ['state: "Door 2."']),
        ("unmet", EvolveArm(retrieve="within"), ['state: "Door 2."', 'state: "a cellar"']),
        ("unread", EvolveArm(retrieve="within"), ['state: "Door 2."', "of the"]),
        ("unsigned", EvolveArm(retrieve="within"), []),
        ("action", EvolveArm(retrieve="within"), ['action: "go on"']),
    ):
        loop = loop_of(scripted(walk, taught(*signs)), arm, tmp_path / name, profile=ALONE)
        first, second = play(loop)
        assert second.shown == first.new_items[:1], name
        assert len(searches(loop, 1)) == 1


def test_an_item_of_the_start_does_not_enter_again(tmp_path: Path) -> None:
    loop = loop_of(scripted(walk, taught('state: "Door 1."')), EvolveArm(retrieve="within"), tmp_path)
    first, second = play(loop)
    assert second.shown == first.new_items
    assert [span.step for span in searches(loop, 1)] == [0]


@pytest.mark.parametrize(("turn", "cited"), [(1, False), (3, True)])
def test_what_entered_is_cited_from_then_on(tmp_path: Path, turn: int, cited: bool) -> None:
    def name_it(request: Request, repeat: int) -> str:
        named = len(request.messages) == 2 * turn
        return WALK.replace("I walk", "I know doors that stick fast") if named else WALK

    backend = scripted(name_it, taught('state: "Door 2."'))
    loop = loop_of(backend, EvolveArm(retrieve="within"), tmp_path, profile=ALONE)
    _, second = play(loop)
    assert (second.shown[1] in second.cited) == cited


@pytest.mark.parametrize(("least", "n"), [(-1.0, 2), (0.5, 1)])
def test_what_entered_enters_once_and_what_a_floor_withholds_is_looked_at_once(
    tmp_path: Path, least: float, n: int
) -> None:
    def dawdle(request: Request, repeat: int) -> str:
        return STAND if len(request.messages) < 6 else WALK

    profile = make_profile({"base": "paper", "key": "item", "k": 1, "least_similarity": {"least": least}})
    backend = scripted(dawdle, taught('state: "Door 0."'))
    loop = loop_of(backend, EvolveArm(retrieve="within"), tmp_path, profile=profile)
    _, second = play(loop)
    assert second.n_steps == 5
    # its sign is met in three turns
    assert [span.step for span in searches(loop, 1)] == [0, 0]
    assert len(second.shown) == n


def test_tries_side_by_side_search_for_themselves_and_the_one_handed_in_counts(tmp_path: Path) -> None:
    def last_walks(request: Request, repeat: int) -> str:
        return WALK if repeat == 1 else STAND

    arm = EvolveArm(mode="parallel", k=3, retrieve="within")
    loop = loop_of(scripted(last_walks, taught('state: "Door 2."')), arm, tmp_path, profile=ALONE)
    first, second = play(loop)
    assert [(span.step, span.what.partition(":")[0]) for span in searches(loop, 1)[1:]] == [
        (2, "1 items in try 1")
    ]
    assert second.shown == first.new_items


def test_a_pass_of_corrections_searches_anew_and_its_memory_is_no_part_of_the_attempt(tmp_path: Path) -> None:
    backend = scripted(lambda request, _: WALK.replace("I walk.", PUSH), taught('state: "Door 2."'))
    loop = loop_of(backend, EvolveArm(), tmp_path, profile=ALONE)
    (first,) = play(loop, TASKS[:1])
    loop.arm = EvolveArm(mode="sequential", r=1, retrieve="within")
    (second,) = play(loop, TASKS[1:2])
    within = [span.what.partition(":")[0] for span in loop.spans if span.span == "retrieve" and span.step]
    assert within == ["1 items in try 0", "1 items in try 1"]
    assert second.shown == first.new_items
    check = next(text for request, _ in backend.asked if "was not handed in" in (text := asked_of(request)))
    attempt = check.partition("was not handed in")[2]
    assert attempt.count("Thought:") == 3
    assert PUSH not in attempt


def test_memory_that_entered_does_not_learn_from_itself(tmp_path: Path) -> None:
    backend = scripted(lambda *_: WALK.replace("I walk.", PUSH), taught('state: "Door 2."'))
    loop = loop_of(backend, EvolveArm(retrieve="within"), tmp_path, profile=ALONE)
    play(loop)
    first, second = [asked_of(request) for request, _ in backend.asked if writes(request)]
    assert (PUSH in first, PUSH in second) == (True, False)


def test_the_writer_is_asked_for_signs_where_they_are_looked_for(tmp_path: Path) -> None:
    for name, arm in (("before", EvolveArm()), ("within", EvolveArm(retrieve="within"))):
        backend = scripted(walk, taught())
        loop = loop_of(backend, arm, tmp_path / name)
        play(loop, TASKS[:1])
        (question,) = [asked_of(request) for request, _ in backend.asked if writes(request)]
        assert ('"preconditions"' in question) == (name == "within")
