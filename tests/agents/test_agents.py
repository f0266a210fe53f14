"""What every agent must do: those of SHIPPED, and two of a user's."""

import asyncio
import inspect
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from memtrial.agents.direct import FORM, DirectAgent
from memtrial.agents.episode import AgentFault, Episode
from memtrial.agents.play import GAVE_UP, first_request, play
from memtrial.agents.react import ReAct
from memtrial.agents.recorded_ask import MOST_ASKS
from memtrial.agents.stage import EpisodeMemory, EpisodeWorld
from memtrial.faults import SpecFault
from memtrial.models.client.content_blocks import ToolResult, ToolUse
from memtrial.models.client.types import Message
from memtrial.plugins.conformance.agent_laws import AGENTS, SetCarrier, read_requests
from memtrial.plugins.conformance.laws import Law, hold
from memtrial.plugins.own_agent import SHIPPED, load_agent
from memtrial.protocols import Agent, AskModel
from memtrial.runs.setup.preflight import check_spec
from memtrial.runs.spec.read_spec import load_spec
from memtrial.worlds.world import Task
from tests.support.scripted import CORRIDOR, Corridor, Scripted, caller_of, saying
from tests.support.small import write_spec

OWN = Path(__file__).parents[1] / "own"
MEMBERS = (
    *SHIPPED,
    load_agent(f"{OWN / 'plain_agent.py'}:play_plainly", 0),
    load_agent(f"{OWN / 'plain_agent.py'}:Forgetful?form=Act.", 0),
)


@pytest.mark.parametrize("law", AGENTS, ids=lambda law: law.name)
@pytest.mark.parametrize("agent", MEMBERS, ids=lambda agent: agent.name)
def test_every_agent_keeps_every_law(agent: Agent, law: Law[Agent]) -> None:
    (result,) = asyncio.run(hold((law,), lambda: agent))
    assert result.passed, result.seen


def test_the_protocols_example_of_an_agent_keeps_every_law(tmp_path: Path) -> None:
    shown = inspect.cleandoc(Agent.__doc__ or "").partition("nothing:\n")[2].partition("Attributes:")[0]
    message = "from memtrial.models.client.types import Message\n"
    (tmp_path / "mine.py").write_text(f"{message}async def play(task, world, memory, ask):\n{shown}")
    results = asyncio.run(hold(AGENTS, lambda: load_agent(f"{tmp_path / 'mine.py'}:play", 0)))
    assert [result.seen for result in results if not result.passed] == []


def test_agents_that_send_other_texts_state_other_digests() -> None:
    assert len({agent.name for agent in SHIPPED}) == len(SHIPPED)
    state = replace(Corridor().reset(CORRIDOR), actions=("go on", "turn back"))
    firsts = dict[tuple[str, ...], object]()
    for agent in MEMBERS:
        sent = asyncio.run(first_request(agent, Corridor(), CORRIDOR, state, SetCarrier("Notes.")))
        assert firsts.setdefault(agent.digests, sent) == sent


@dataclass(frozen=True, slots=True)
class Wrong:
    """An agent with a fault of its own; it plays as the direct one does."""

    play: Callable[[Task, EpisodeWorld, EpisodeMemory, AskModel], object]
    name: str = "wrong"
    digests: tuple[str, ...] = ()

    async def __call__(self, task: Task, world: EpisodeWorld, memory: EpisodeMemory, ask: AskModel) -> None:
        state, talk = await world.begin(), [Message("system", world.rules)]
        while not state.done:
            texts = [
                str(text) for text in (task.query, state.observation, self.play(task, world, memory, ask))
            ]
            talk.append(Message("user", "\n".join(texts)))
            action = (await ask(talk)).text
            if memory.propose(action):
                action = (await ask(talk)).text
            state = await world.act(action)


turns_played: list[int] = []


def count_turns(*_: object) -> int:
    turns_played.append(0)
    return len(turns_played)


def order_to_read(task: Task, world: EpisodeWorld, memory: EpisodeMemory, ask: AskModel) -> str:
    return f"Read the notes! {memory.opening}" if memory.opening else ""


FROM_THE_START = "memory stands in the prompt from the start"
COMES_UP = "memory that comes up reaches the prompt and stays"


@pytest.mark.parametrize(
    ("fault", "law"),
    [
        (lambda task, world, memory, ask: "", FROM_THE_START),
        (
            lambda task, world, memory, ask: memory.opening.upper(),
            "memory stands in the prompt from the start",
        ),
        (lambda task, world, memory, ask: "", COMES_UP),
        (
            lambda task, world, memory, ask: memory.turn().strip("."),
            "memory that comes up reaches the prompt and stays",
        ),
        (lambda task, world, memory, ask: memory.opening, "a withheld action is thought over"),
        (lambda task, world, memory, ask: len(memory.opening), "it cannot tell which memory it has"),
        (order_to_read, "it cannot tell which memory it has"),
        (lambda *_: "", "it states what determines its texts"),
        (count_turns, "same replies same requests"),
        (count_turns, "episodes share nothing"),
    ],
)
def test_a_law_finds_who_breaks_it(fault: Callable[..., object], law: str) -> None:
    (result,) = asyncio.run(hold([each for each in AGENTS if each.name == law], lambda: Wrong(fault)))
    assert not result.passed


@dataclass(frozen=True, slots=True)
class Tired:
    """An agent that leaves after so many turns."""

    turns: int
    name: str = "tired"
    digests: tuple[str, ...] = ("0" * 63,)

    async def __call__(self, task: Task, world: EpisodeWorld, memory: EpisodeMemory, ask: AskModel) -> None:
        state = await world.begin()
        for _ in range(self.turns):
            if not state.done:
                state = await world.act((await ask([Message("user", state.observation)])).text)


def test_an_agent_that_gives_up_breaks_a_law_and_so_does_a_digest_that_is_none() -> None:
    (ends,) = (law for law in AGENTS if law.name == "it plays an episode to its end")
    (digests,) = (law for law in AGENTS if law.name == "it states what determines its texts")
    for turns, seen in ((0, "0 turns, 0 requests"), (2, "it gave up after 2 turns, 2 requests")):
        (result,) = asyncio.run(hold([ends], lambda turns=turns: Tired(turns)))  # type: ignore[misc]
        assert (result.passed, result.seen) == (False, f"4 of 4 episodes played: {seen}")
    (result, whole) = asyncio.run(hold([digests, ends], lambda: Tired(99)))
    assert (result.passed, whole.passed) == (False, True)


@dataclass(frozen=True, slots=True)
class Unasking:
    """An agent in plain Python that asks no model and looks at its memory, or does not."""

    looks: bool
    name: str = "unasking"
    digests: tuple[str, ...] = ("0" * 64,)

    async def __call__(self, task: Task, world: EpisodeWorld, memory: EpisodeMemory, ask: AskModel) -> None:
        state = await world.begin()
        while not state.done:
            choices = state.actions or ("wait",)
            told = memory.opening + memory.turn() if self.looks else ""
            action = next((choice for choice in choices if choice in told), choices[0])
            memory.propose(action)
            state = await world.act(action)


def test_the_laws_say_of_an_agent_that_asks_no_model_that_they_read_nothing() -> None:
    of_requests = ("it plays", "memory stands", "memory that comes up", "a withheld action")
    for result in asyncio.run(hold(AGENTS, lambda: Unasking(True))):
        asked = result.law.startswith(of_requests)
        assert (not result.passed, "no model was asked" in result.seen) == (asked, asked), result


@pytest.mark.parametrize("carrier", [SetCarrier("Notes."), SetCarrier(turns={1: "Notes."})])
def test_what_an_agent_takes_of_its_memory_is_noted_and_what_the_stage_looks_up_is_not(
    carrier: SetCarrier,
) -> None:
    handed = [run(Unasking(looks), Scripted(lambda *_: ""), carrier).handed for looks in (True, False)]
    assert set(handed[0] or ()) == {"Notes."}
    assert handed[1] is None


def run(agent: Agent, backend: Scripted, carrier: SetCarrier | None = None, limit: int = 5) -> Episode:
    return asyncio.run(play(agent, Corridor(limit), CORRIDOR, caller_of(backend), carrier or SetCarrier()))


def own(code: Callable[[EpisodeWorld, EpisodeMemory, AskModel], object]) -> Agent:
    @dataclass(frozen=True)
    class Own:
        name: str = "own"
        digests: tuple[str, ...] = ()

        async def __call__(
            self, task: Task, world: EpisodeWorld, memory: EpisodeMemory, ask: AskModel
        ) -> None:
            await code(world, memory, ask)  # type: ignore[misc]

    return Own()


def test_the_direct_agent_solves_the_corridor_without_a_thought() -> None:
    episode = run(DirectAgent(), saying("go on", "Thought: on.\nAction: go on", " go on \n"))
    assert episode.outcome.success
    assert [step.action for step in episode.steps] == ["go on"] * 3
    assert FORM in episode.conversation[0].text
    assert {sent.since for sent in episode.sent} == {0}


def test_an_agent_that_begins_its_conversation_anew_is_read_request_by_request() -> None:
    async def code(world: EpisodeWorld, memory: EpisodeMemory, ask: AskModel) -> None:
        state = await world.begin()
        while not state.done:
            messages = [Message("user", f"{memory.opening} {state.observation}")]
            state = await world.act((await ask(messages)).text)

    episode = run(own(code), saying("go on", "go on", "go on"), SetCarrier("Notes."))
    assert [(sent.since, sent.messages) for sent in episode.sent] == [(0, 1), (2, 3), (4, 5)]
    texts = [text for _, text in read_requests(episode)]
    assert texts == [f"Notes. Door {n}." for n in range(3)]


def test_an_agent_that_calls_tools_goes_on_with_what_the_model_said() -> None:
    from memtrial.models.client.types import Reply

    use = ToolUse("u", "do", '{"action":"go on"}')

    class Calling(Scripted):
        async def answer(self, request, repeat):  # type: ignore[no-untyped-def]
            return Reply("", 1, 1, "scripted-1", stop="tool use", blocks=(use,))

    async def code(world: EpisodeWorld, memory: EpisodeMemory, ask: AskModel) -> None:
        state = await world.begin()
        messages = [Message("user", state.observation)]
        while not state.done:
            reply = await ask(messages)
            (called,) = reply.blocks
            assert isinstance(called, ToolUse)
            state = await world.act(json.loads(called.arguments)["action"])
            result = ToolResult(called.id, state.observation)
            messages += [Message("assistant", reply.blocks), Message("user", (result,))]

    episode = run(own(code), Calling(lambda request, repeat: ""))
    assert episode.outcome.success
    assert [(sent.since, sent.messages) for sent in episode.sent] == [(0, 1), (0, 3), (0, 5)]


def test_a_refusal_ends_the_episode_whatever_the_agent_does() -> None:
    from memtrial.models.client.types import Reply

    class Refusing(Scripted):
        async def answer(self, request, repeat):  # type: ignore[no-untyped-def]
            return Reply("I will not.", 1, 1, "scripted-1", stop="refusal")

    for agent in (ReAct(), DirectAgent()):
        episode = run(agent, Refusing(lambda request, repeat: ""))
        assert episode.outcome.cause == "refusal"
        assert [step.fault for step in episode.steps] == ["refusal"]


def test_what_comes_up_is_noted_for_an_agent_that_never_asks_for_it() -> None:
    """Its requests lack the text, and the proof of delivery will say so."""
    shown: list[int] = []

    class Noting(SetCarrier):
        def turn(self, step, moment):  # type: ignore[no-untyped-def]
            shown.append(step)
            return "Notes."

    async def code(world: EpisodeWorld, memory: EpisodeMemory, ask: AskModel) -> None:
        state = await world.begin()
        while not state.done:
            state = await world.act((await ask([Message("user", state.observation)])).text)

    run(own(code), saying("go on", "go on", "go on"), Noting())
    assert shown == [0, 1, 2]


def test_an_agent_may_end_its_episode() -> None:
    async def code(world: EpisodeWorld, memory: EpisodeMemory, ask: AskModel) -> None:
        await world.begin()

    assert run(own(code), saying()).outcome.cause == GAVE_UP


async def act_before(world: EpisodeWorld, memory: EpisodeMemory, ask: AskModel) -> None:
    await world.act("go on")


async def begin_twice(world: EpisodeWorld, memory: EpisodeMemory, ask: AskModel) -> None:
    await world.begin()
    await world.begin()


async def act_on(world: EpisodeWorld, memory: EpisodeMemory, ask: AskModel) -> None:
    await world.begin()
    while True:
        await world.act("go on")


async def ask_on(world: EpisodeWorld, memory: EpisodeMemory, ask: AskModel) -> None:
    await world.begin()
    while True:
        await ask([Message("user", "What now?")])


async def do_another(world: EpisodeWorld, memory: EpisodeMemory, ask: AskModel) -> None:
    await world.begin()
    memory.propose("wait")
    await world.act("go on")


async def never_begin(world: EpisodeWorld, memory: EpisodeMemory, ask: AskModel) -> None:
    pass


@pytest.mark.parametrize(
    ("code", "says"),
    [
        (act_before, "before its episode began"),
        (begin_twice, "began its episode twice"),
        (act_on, "after its episode had ended"),
        (ask_on, f"asked {MOST_ASKS} times in one turn"),
        (do_another, "proposed 'wait' and did 'go on'"),
        (never_begin, "never began its episode"),
    ],
)
def test_what_no_agent_may_do_is_one_clear_line(code: Callable[..., object], says: str) -> None:
    with pytest.raises(AgentFault, match=says):
        run(own(code), Scripted(lambda request, repeat: "go on"))


def test_the_first_request_is_seen_without_asking_anybody() -> None:
    world = Corridor()
    state = world.reset(CORRIDOR)
    for agent in (ReAct(), DirectAgent()):
        first = asyncio.run(first_request(agent, world, CORRIDOR, state, SetCarrier("Notes.")))
        backend = saying("go on", "go on", "go on", "go on", "go on")
        run(agent, backend, SetCarrier("Notes."))
        assert first == backend.asked[0][0].messages


def test_an_agent_that_breaks_before_it_asks_is_told_of() -> None:
    async def code(world: EpisodeWorld, memory: EpisodeMemory, ask: AskModel) -> None:
        raise AgentFault("no key")

    world = Corridor()
    with pytest.raises(AgentFault, match="no key"):
        asyncio.run(first_request(own(code), world, CORRIDOR, world.reset(CORRIDOR), SetCarrier()))
    assert (
        asyncio.run(first_request(own(never_begin), world, CORRIDOR, world.reset(CORRIDOR), SetCarrier()))
        == ()
    )


def test_what_a_user_s_code_raises_is_an_agent_fault_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "async def act(task, world, memory, ask):\n    await world.begin()\n    1 / 0\n"
    )
    with pytest.raises(AgentFault, match=r"agent act, task corridor-1, raised ZeroDivisionError.*line 3"):
        run(load_agent(f"{tmp_path / 'mine.py'}:act", 0), saying())


@pytest.mark.parametrize(
    ("agent", "says"),
    [
        ("reactor", f"no agent is named 'reactor'; there are {', '.join(agent.name for agent in SHIPPED)}"),
        ("absent.py:play", "absent.py"),
        ("mine.py:nothing", "needs an object named 'nothing'"),
        ("mine.py:plain", "cannot be an agent"),
        ("mine.py:play?k=1", "takes no setting 'k'"),
    ],
)
def test_an_agent_that_cannot_play_is_refused_before_anything(tmp_path: Path, agent: str, says: str) -> None:
    (tmp_path / "mine.py").write_text("async def play(task, world, memory, ask): ...\nplain = 3\n")
    named = agent if ":" not in agent else f"{tmp_path}/{agent}"
    with pytest.raises(SpecFault, match=re.escape(says)) as refused:
        check_spec(load_spec(write_spec(tmp_path), [f"agent={named}"]), {}, {})
    assert "\n" not in str(refused.value)
