"""The loop over tasks: what is shown, tried, judged and learnt, in which order, and for how many requests."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrial.evolution.evolve_spec import EvolveArm
from memtrial.evolution.stream_rows import TaskRow
from memtrial.evolution.task_loop import TaskLoop
from memtrial.memory.bank.events.episode_queries import list_episodes
from memtrial.memory.bank.events.kept_episode import read_trajectory
from memtrial.models.client.types import ModelFault, Request
from memtrial.perturbations.advice.known_actions import Repertoire
from tests.support.evolving import (
    GUARDRAIL,
    ITEM,
    STAND,
    TASKS,
    WALK,
    asked_of,
    grades,
    loop_of,
    scripted,
    writes,
)

JUDGE = "scripted/judge"
SURE = '{"verdict": "success", "confidence": 0.9, "reason": "it walked"}'


def play(loop: TaskLoop, n: int = 1) -> list[TaskRow]:
    async def go() -> list[TaskRow]:
        return [await loop.run_task(task, position) for position, task in enumerate(TASKS[:n])]

    return asyncio.run(go())


def walk(request: Request, repeat: int) -> str:
    return WALK


def walk_unless_first(request: Request, repeat: int) -> str:
    """The first try sits down, the others walk."""
    return STAND if repeat == 0 else WALK


def wrote(loop: TaskLoop) -> list[str]:
    assert loop.memory is not None
    return [str(item.item.title) for item in loop.memory.bank.items()]  # type: ignore[union-attr]


def test_the_second_task_is_shown_what_the_first_taught(tmp_path: Path) -> None:
    backend = scripted(walk)
    loop = loop_of(backend, EvolveArm(), tmp_path)
    first, second = play(loop, 2)
    plays = [asked_of(request) for request, _ in backend.asked if not writes(request)]
    assert len(plays) == 6
    assert ["Walk through DOORS." in text for text in plays] == [False] * 3 + [True] * 3
    assert first.shown == ()
    assert second.shown == first.new_items
    assert [span.span for span in loop.spans[:6]] == ["retrieve", "play", "judge", "use", "distil", "keep"]
    assert [span.position for span in loop.spans] == [0] * 6 + [1] * 6
    assert (first.calls, first.writer_calls, first.solved, first.n_steps) == (3, 1, True, 3)


def test_without_memory_nothing_is_shown_and_nobody_writes() -> None:
    backend = scripted(walk)
    rows = play(loop_of(backend, EvolveArm(mode="vanilla"), None), 2)
    assert not any(writes(request) for request, _ in backend.asked)
    assert all(row.solved and not row.new_items and not row.shown for row in rows)


def test_parallel_tries_run_side_by_side_and_are_compared_with_their_labels(tmp_path: Path) -> None:
    under_way = most = 0

    class Counted:
        free = True

        async def answer(self, request: Request, repeat: int):
            nonlocal under_way, most
            under_way += 1
            most = max(most, under_way)
            try:
                return await backend.answer(request, repeat)
            finally:
                under_way -= 1

        async def close(self) -> None:
            pass

    backend = scripted(walk_unless_first)
    loop = loop_of(Counted(), EvolveArm(mode="parallel", k=6), tmp_path)  # type: ignore[arg-type]
    (row,) = play(loop)
    assert most == 6
    (question,) = [asked_of(request) for request, _ in backend.asked if writes(request)]
    assert [f"# Attempt {number} (" in question for number in range(1, 8)] == [True] * 6 + [False]
    assert question.count("(Failure)") == 1
    assert question.count("(Success)") == 5
    assert (row.tries, row.solved_tries, row.solved) == (6, 5, True)
    assert loop.memory is not None
    assert loop.memory.bank.log.read("SELECT mode, k, task_id FROM scaling_runs") == [
        ("parallel", 6, "corridor-1")
    ]
    assert len(loop.memory.bank.log.read("SELECT id FROM episodes WHERE scaling_run != ''")) == 6


def test_each_step_of_each_try_has_its_four_streams_and_each_try_its_variant(tmp_path: Path) -> None:
    backend = scripted(walk_unless_first)
    arm = EvolveArm(mode="parallel", k=4, vary=("temperature", "decomposition", "tools"))
    loop = loop_of(backend, arm, tmp_path)
    loop.players = replace(loop.players, known=Repertoire(forms=("go on", "sit down")))
    play(loop)
    assert loop.memory is not None
    episodes = list_episodes(loop.memory.bank.log)
    assert len(episodes) == 4
    for held in episodes:
        run = read_trajectory(held.episode)
        assert run.steps
        for step, moment in zip(run.steps, run.moments(), strict=False):
            # what was observed, why, what was done, what came of it
            assert all((moment.state, step.thought, step.action, step.observation))
    (played,) = [span.what for span in loop.spans if span.span == "play"]
    variants = played.partition(": ")[2].split("; ")
    assert len(set(variants)) == 4
    assert variants[0] == "draw 0"
    assert variants[-1] == "draw 3 with go on first"
    asked = {repeat: asked_of(request) for request, repeat in backend.asked if not writes(request)}
    assert ['try "go on" first' in asked[repeat] for repeat in range(4)] == [False] * 3 + [True]


def test_tries_that_all_failed_still_teach(tmp_path: Path) -> None:
    loop = loop_of(scripted(lambda *_: STAND), EvolveArm(mode="parallel", k=3), tmp_path)
    (row,) = play(loop)
    assert row.solved is False
    assert len(row.new_items) == 1
    assert wrote(loop) == ["Doors open by walking"]


def test_three_passes_put_four_drafts_before_the_writer(tmp_path: Path) -> None:
    backend = scripted(walk_unless_first, GUARDRAIL)
    loop = loop_of(backend, EvolveArm(mode="sequential", r=3), tmp_path)
    (row,) = play(loop)
    (question,) = [asked_of(request) for request, _ in backend.asked if writes(request)]
    assert [f"# Draft {number} (" in question for number in range(1, 6)] == [True] * 4 + [False]
    assert "An earlier draft failed and a later one succeeded" in question
    assert (row.tries, row.solved, len(row.new_items)) == (4, True, 1)
    checks = [asked_of(request) for request, repeat in backend.asked if repeat == 1 and not writes(request)]
    assert "the attempt was not handed in" in checks[0]
    # the agent is not told how its draft ended
    assert all("Outcome:" not in text for text in checks)


def test_a_draft_that_was_spoilt_gives_a_guardrail_and_one_that_stayed_gives_nothing(tmp_path: Path) -> None:
    spoilt = scripted(lambda _, repeat: WALK if repeat == 0 else STAND, GUARDRAIL)
    loop = loop_of(spoilt, EvolveArm(mode="sequential", r=1), tmp_path / "spoilt")
    (row,) = play(loop)
    (question,) = [asked_of(request) for request, _ in spoilt.asked if writes(request)]
    assert "An earlier draft succeeded and a later one failed" in question
    assert loop.memory is not None
    assert [item.origin.outcome for item in loop.memory.bank.items()] == ["failure"]
    same = scripted(walk)
    loop = loop_of(same, EvolveArm(mode="sequential", r=1), tmp_path / "same")
    (row,) = play(loop)
    assert row.solved
    assert row.new_items == ()
    assert not any(writes(request) for request, _ in same.asked)


@given(
    most=st.integers(1, 12),
    mode=st.sampled_from(["bank", "parallel", "sequential"]),
    n=st.integers(1, 4),
    walks=st.integers(0, 15),
)
def test_requests_for_a_task_are_never_more_than_allowed(most: int, mode: str, n: int, walks: int) -> None:
    backend = scripted(lambda _, repeat: WALK if walks >> repeat & 1 else STAND)
    if mode == "parallel":
        arm = EvolveArm(mode="parallel", k=n + 1, learn="none")
    elif mode == "sequential":
        arm = EvolveArm(mode="sequential", r=n, learn="none")
    else:
        arm = EvolveArm(mode="vanilla")
    (row,) = play(loop_of(backend, arm, None, most_calls=most))
    assert row.error == ""
    assert len(backend.asked) == row.calls <= most


def test_a_verdict_that_cannot_be_read_teaches_nothing_and_is_no_failure(tmp_path: Path) -> None:
    backend = scripted(walk, grade="I cannot say.")
    loop = loop_of(backend, EvolveArm(), tmp_path, judge=JUDGE)
    (row,) = play(loop)
    assert any(grades(request) for request, _ in backend.asked)
    assert (row.judged, row.solved, row.new_items, row.error) == ("", True, (), "")
    assert loop.memory is not None
    assert loop.memory.bank.log.last()[0] == 0


def test_memory_learns_what_the_judge_says_and_analysis_what_the_world_says(tmp_path: Path) -> None:
    backend = scripted(lambda *_: STAND, grade=SURE)
    loop = loop_of(backend, EvolveArm(), tmp_path, judge=JUDGE)
    (row,) = play(loop)
    assert (row.judged, row.solved) == ("success", False)
    assert loop.memory is not None
    (item,) = loop.memory.bank.items()
    assert item.origin.outcome == "success"


def test_only_the_one_that_is_handed_in_teaches_where_tries_are_not_compared(tmp_path: Path) -> None:
    loop = loop_of(scripted(walk_unless_first), EvolveArm(mode="parallel", k=2, learn="raw"), tmp_path)
    play(loop)
    assert loop.memory is not None
    assert loop.memory.bank.log.read("SELECT label FROM episodes") == [("success",)]


def test_the_right_answer_is_shown_in_training_alone_and_reaches_no_item(tmp_path: Path) -> None:
    truth = "the brass key lies below"
    for name, truths in (("test", {}), ("train", {TASKS[0].id: (truth,)})):
        backend = scripted(walk, ITEM.replace("DOORS", truth))
        loop = loop_of(backend, EvolveArm(), tmp_path / name, truths=truths)
        (row,) = play(loop)
        (question,) = [asked_of(request) for request, _ in backend.asked if writes(request)]
        assert (truth in question) == bool(truths)
        # an item that nobody could have leaked into is kept
        assert len(row.new_items) == (0 if truths else 1)
        assert ("an item told the right answer" in row.unread) == bool(truths)
    honest = scripted(walk)
    loop = loop_of(honest, EvolveArm(), tmp_path / "seen", truths={TASKS[0].id: (truth,)})
    play(loop)
    assert loop.memory is not None
    assert [item.origin.truth_seen for item in loop.memory.bank.items()] == [True]


def test_a_task_that_broke_is_an_error_and_a_writer_that_broke_loses_no_outcome(tmp_path: Path) -> None:
    def fail(request: Request, repeat: int) -> str:
        raise ModelFault("the provider is away")

    (row,) = play(loop_of(scripted(fail), EvolveArm(), tmp_path / "play"))
    assert row.solved is None
    assert row.score is None
    assert "the provider is away" in row.error
    backend = scripted(walk)
    say = backend.say
    backend.say = lambda request, repeat: fail(request, repeat) if writes(request) else say(request, repeat)
    (row,) = play(loop_of(backend, EvolveArm(), tmp_path / "write"))
    assert (row.solved, row.error, row.new_items) == (True, "", ())
    assert "the writer gave no answer" in row.unread[0]


@pytest.mark.parametrize(
    ("thought", "cited"), [("I walk.", 0), ("My memory item 1 says so.", 1), ("Doors open by walking.", 1)]
)
def test_an_item_is_cited_by_whoever_names_it(tmp_path: Path, thought: str, cited: int) -> None:
    backend = scripted(lambda *_: f"Thought: {thought}\nAction: go on")
    loop = loop_of(backend, EvolveArm(), tmp_path)
    _, second = play(loop, 2)
    assert len(second.cited) == cited
    assert loop.memory is not None
    uses = [item.uses for item in loop.memory.bank.items() if item.id in second.shown]
    assert [(use.retrieved, use.shown, use.cited, use.wins) for use in uses] == [(1, 1, cited, cited)]
