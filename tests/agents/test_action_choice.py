"""The choice agent: it acts by listed actions alone, in an order that its block has and nothing else sets."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from memtrial.agents.action_choice import ChoiceAgent, order_actions
from memtrial.agents.episode import AgentFault, Episode
from memtrial.agents.play import play
from memtrial.faults import SpecFault
from memtrial.models.client.client import Caller
from memtrial.models.simulated.prompt import look
from memtrial.plugins.conformance.agent_laws import SetCarrier
from memtrial.plugins.own_agent import load_agent
from memtrial.runs.setup.preflight import check_spec
from memtrial.runs.spec.read_spec import load_spec
from memtrial.worlds.workshop.world import Workshop
from memtrial.worlds.world import Task
from tests.support.scripted import CORRIDOR, Corridor, caller_of, saying, simulated_client
from tests.support.small import write_spec

WORLD = Workshop(3, 12, 24, 8)
TASKS = WORLD.tasks("test")
MANY = tuple(f"pull lever {number}" for number in range(12))


def episode_of(task: Task, model: str, notes: str = "", repeat: int = 0, seed: int = 0) -> Episode:
    caller = Caller(simulated_client(), model, None, repeat)
    return asyncio.run(play(ChoiceAgent(seed=seed), WORLD, task, caller, SetCarrier(notes)))


def lesson_of(task: Task) -> str:
    return f"Notes from earlier tasks:\n\n# Note\n{WORLD.ground_truth(task).lesson}"


def score(model: str, with_notes: bool) -> float:
    """The mean over all tasks, in four repeats."""
    played = [
        episode_of(task, model, lesson_of(task) if with_notes else "", repeat)
        for task in TASKS
        for repeat in range(4)
    ]
    return sum(episode.outcome.score for episode in played) / len(played)


def test_every_action_was_listed_and_every_request_says_so() -> None:
    for task in TASKS[:8]:
        episode = episode_of(task, "simulated/unreadable", lesson_of(task))
        assert episode.steps
        for step, sent in zip(episode.steps, episode.sent, strict=True):
            assert step.action in sent.choices
            shown = episode.conversation[sent.messages - 1].text
            assert "Actions:\n- " + "\n- ".join(sent.choices) in shown
            assert episode.conversation[sent.messages].text == step.action
        assert look(episode.conversation[:-1]).done == tuple(step.action for step in episode.steps[:-1])
        assert not any(step.fault in ("format", "refused") for step in episode.steps)


def test_the_order_is_the_same_in_a_block_whatever_memory_or_model_there_is() -> None:
    task = max(TASKS, key=lambda task: len(WORLD.reset(task).actions or ()))
    cells = [
        episode_of(task, model, notes)
        for model in ("simulated/reader", "simulated/skimmer")
        for notes in ("", lesson_of(task), "Notes from earlier tasks:\n\n# Note\nBake the loaf.")
    ]
    assert len({cell.sent[0].choices for cell in cells}) == 1
    others = [
        episode_of(task, "simulated/reader", repeat=1),
        episode_of(task, "simulated/reader", seed=1),
    ]
    for other in others:
        assert other.sent[0].choices != cells[0].sent[0].choices
        assert set(other.sent[0].choices) == set(cells[0].sent[0].choices)


def test_an_order_holds_for_every_turn_and_is_another_one_in_every_block() -> None:
    blocks = [(replace(CORRIDOR, id=f"t{number}"), repeat) for number in range(20) for repeat in (-1, 0, 1)]
    orders = [order_actions(MANY, 7, *block) for block in blocks]
    assert len(set(orders)) == len(blocks)
    for block, order in zip(blocks, orders, strict=True):
        # how the world lists them, and which are left, moves none past another
        assert order_actions(MANY[::-1] + MANY[:3], 7, *block) == order
        assert order_actions(MANY[4:], 7, *block) == tuple(name for name in order if name in MANY[4:])
    # every place is as likely: 60 orders of 12, some 5 at each
    firsts = [order[0] for order in orders]
    assert max(map(firsts.count, MANY)) < 16


def test_what_memory_does_to_participants_it_does_here() -> None:
    assert score("simulated/reader", True) > score("simulated/reader", False) + 0.3
    assert score("simulated/ignorer", True) == pytest.approx(score("simulated/ignorer", False), abs=0.1)
    assert score("simulated/rejecter", True) < score("simulated/rejecter", False) - 0.3


def test_a_choice_that_is_withheld_is_made_again_among_the_same() -> None:
    carrier = SetCarrier(proposals={0: "Stop and think."})
    agent, task = ChoiceAgent(), TASKS[0]
    actions = order_actions(WORLD.reset(task).actions or (), 0, task, 0)
    backend = saying(actions[0], *[actions[1]] * 9)
    episode = asyncio.run(play(agent, WORLD, task, caller_of(backend), carrier))
    first, again = episode.sent[:2]
    assert first.choices == again.choices == actions
    assert (episode.withheld[0].proposed, episode.withheld[0].then) == actions[:2]
    assert episode.steps[0].action == actions[1]


def test_a_world_that_lists_no_actions_is_refused_in_a_line(tmp_path: Path) -> None:
    with pytest.raises(AgentFault, match="task corridor-1 lists none"):
        asyncio.run(play(ChoiceAgent(), Corridor(), CORRIDOR, caller_of(saying()), SetCarrier()))
    spec, scripted = write_spec(tmp_path), Path(__file__).parents[1] / "support" / "scripted.py"
    unlisted = ["agent=choice", f"environment={{world: {scripted}:Corridor}}"]
    with pytest.raises(SpecFault, match="corridor lists none: name react, direct") as refused:
        check_spec(load_spec(spec, unlisted), {}, {})
    assert "\n" not in str(refused.value)
    assert "prompt choice_system" in check_spec(load_spec(spec, ["agent=choice"]), {}, {}).digests
    assert "prompt choice_system" not in check_spec(load_spec(spec), {}, {}).digests


def test_it_has_the_seed_of_the_spec() -> None:
    assert load_agent("choice", 5) == ChoiceAgent(seed=5)
    assert load_agent("choice", 5).digests != load_agent("choice", 6).digests
