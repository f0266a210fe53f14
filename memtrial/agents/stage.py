"""What an agent is given for one episode: its task's world, its memory, and a model that it may ask.

All three write down what happens, so that no agent has to: which turn it is, what was sent, which items came
up, and what was done. Whether memory reached the prompt is read from what was sent, never from the agent.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TypeVar, TypeVarTuple, cast

from memtrial.agents.episode import AgentFault, Withheld
from memtrial.agents.searching_carrier import SearchingCarrier
from memtrial.agents.trajectory import Moment, Step
from memtrial.delivery.seen_requests import SeenRequest
from memtrial.delivery.tool_delivery import AskedMemory
from memtrial.protocols import Carrier, World
from memtrial.worlds.world import Outcome, State, Task, Usage

Returned = TypeVar("Returned")
Arguments = TypeVarTuple("Arguments")


@dataclass
class EpisodeMemory:
    """The memory of an episode: it says which text enters when, the same one however often it is asked.

    Args:
        block: text for the whole episode, as `opening` and `text` give it; empty for none.
        shown: the items of the opening, one by one.
        turns: turns that have ended.
        proposed: the action of this turn that was proposed first; None before.
        handed: what the agent's code took of its memory, in order; None where it did not look.
        seen: requests that such an agent sent by itself, where a proxy saw them.
        asked: what it was given of memory that waits until it calls a tool; None where memory does not.
    """

    task: Task
    carrier: Carrier
    block: str
    shown: tuple[str, ...] = ()
    state: str = ""
    turns: int = 0
    proposed: str | None = None
    withheld: list[Withheld] = field(default_factory=list)
    handed: list[str] | None = None
    seen: list[SeenRequest] = field(default_factory=list)
    asked: AskedMemory | None = None
    _entering: str | None = None
    _withholding: str = ""

    @property
    def opening(self) -> str:
        """Text for the system prompt, in every request; empty where the arm shows nothing there."""
        return self._hand(self.block) if self.block else ""

    @property
    def text(self) -> str:
        """The whole block, its cue line above the items; empty where the arm shows none from the start.

        To read it, or `opening` or `items`, is to be handed it: of an agent that asks no model here, that is
        the proof of delivery.
        """
        return self.opening

    @property
    def items(self) -> tuple[str, ...]:
        """The texts of the items alone; none where the arm shows none from the start."""
        if self.shown:
            self._hand(*self.shown)
        return self.shown

    def at(self, state: str, action: str = "") -> str:
        """What comes up by trigger in this state, or with this action: each item once, empty for nothing new.

        Each call is a turn. Empty for an arm that shows its memory from the start.
        """
        self.state = state
        proposed = [self.propose(action)] if action else []
        texts = tuple(filter(None, [self.enter(), *proposed]))
        self.end_turn(action or None, state)
        self._hand(*texts)
        return "\n\n".join(texts)

    def _hand(self, *texts: str) -> str:
        """Note what was handed over, in a look at what comes up maybe nothing."""
        self.handed = [*(self.handed or ()), *filter(None, texts)]
        return texts[0] if texts else ""

    def see(self, request: SeenRequest) -> None:
        """Note a request of an agent that asks its model by itself: the texts in it are delivered."""
        self.seen.append(request)

    def ask_for(self, asked: AskedMemory) -> None:
        """Note what calls of tools for memory gave: nothing, where the agent called none.

        These texts alone are to stand in its requests: whether it asks is its own affair.
        """
        self.asked = asked

    async def look(self) -> None:
        """Have memory searched for what is observed now, where its carrier does that."""
        if (searching := _searching(self.carrier)) is not None:
            await searching.look(self.turns, Moment(self.task.query, self.state))

    def turn(self) -> str:
        """Text to show with what is observed in this turn; empty for none."""
        text = self.enter()
        return self._hand(text) if text else ""

    def enter(self) -> str:
        """What comes up in this turn, whether or not the agent looks at it."""
        if self._entering is None:
            self._entering = self.carrier.turn(self.turns, Moment(self.task.query, self.state))
        return self._entering

    def propose(self, action: str) -> str:
        """Text that withholds a proposed action, empty for none: to be shown before the model is asked once
        more. What it answers then is carried out."""
        if self.proposed is None:
            self.enter()
            self.proposed = action
            moment = Moment(self.task.query, self.state, action)
            self._withholding = self.carrier.proposal(self.turns, moment)
        return self._withholding

    def end_turn(self, action: str | None, state: str) -> None:
        """A turn is over: `action` was carried out, None for none, and `state` is what is observed now."""
        self.enter()
        if self._withholding and self.proposed is not None:
            self.withheld.append(Withheld(self.turns, self.proposed, action))
        self.state, self.turns = state, self.turns + 1
        self.proposed, self._entering, self._withholding = None, None, ""


def _searching(carrier: Carrier) -> SearchingCarrier | None:
    return cast(SearchingCarrier, carrier) if _searches(type(carrier)) else None


@cache  # every turn asks, and to compare a class with a protocol takes longer than the turn's own work
def _searches(kind: type[Carrier]) -> bool:
    return issubclass(kind, SearchingCarrier)


@dataclass
class LastReply:
    """What the model answered last, and whether it was its refusal."""

    text: str = ""
    refused: bool = False


@dataclass
class EpisodeWorld:
    """The world of an episode, as its agent acts in it.

    Args:
        limit: the turns that the agent has.
        known_start: the first state where it is known already; else the world is reset.
        repeat: of the trial, for an agent that draws at random.
        backbone: of the trial, for an agent that does not ask it through us.
        used: what calls that the agent made by itself were measured to take, and how many there were.
    """

    world: World
    task: Task
    memory: EpisodeMemory
    last: LastReply
    limit: int
    known_start: State | None = None
    start: str = ""
    reported: Outcome | None = None
    repeat: int = 0
    backbone: str = ""
    used: tuple[Usage, int] | None = None
    steps: list[Step] = field(default_factory=list)
    _state: State | None = None

    @property
    def rules(self) -> str:
        """How to act here, for the system prompt."""
        return self.world.rules

    @property
    def done(self) -> bool:
        """The world, or the model's refusal, has ended the episode; running out of turns has not."""
        return self._state is not None and self._state.done

    async def begin(self) -> State:
        """Begin the task: the first state. Its `done` says that there is nothing to do."""
        if self._state is not None:
            raise AgentFault("the agent began its episode twice")
        state = self.known_start
        if state is None:
            state = await call_world(self.world, self.world.reset, self.task)
        self._state, self.start, self.memory.state = state, state.observation, state.observation
        await self.memory.look()
        return state

    async def act(self, action: str, thought: str = "") -> State:
        """Do one action, verbatim, and end the turn; `thought` is what the agent wrote before it acted.

        The state's `done` says that the episode has ended: the task is over, or no turn is left.
        """
        self._refuse_ended()
        if self.last.refused:
            return self._end_refused(thought)
        if not self.memory.propose(action) and action != self.memory.proposed:
            raise AgentFault(
                f"the agent proposed {self.memory.proposed!r:.80} and did {action!r:.80}; "
                "what nothing withholds is to be done as it was proposed"
            )
        after = await call_world(self.world, self.world.step, action)
        self.steps.append(Step(thought, action, after.observation, "refused" if after.refused else ""))
        self.memory.end_turn(action, after.observation)
        turned = self._turn_to(after)
        if not turned.done:
            await self.memory.look()
        return turned

    async def misread(self, reply: str, notice: str, thought: str = "") -> State:
        """End the turn without an action, since none could be read in the reply, which is kept as evidence.

        The agent sees the notice, once, above what it saw before.
        """
        state = self._refuse_ended()
        if self.last.refused:
            return self._end_refused(thought)
        before = state.observation.removeprefix(notice).lstrip()
        self.steps.append(Step(thought, reply, notice, "format"))
        self.memory.end_turn(None, f"{notice} {before}")
        return self._turn_to(State(f"{notice} {before}", state.actions, state.done))

    def report(self, outcome: Outcome) -> None:
        """Say how the task went, by the agent's own reckoning: it ends the episode, in whatever world.

        For agents whose work nobody here can see: a function, a command, a graph. What memory they took is
        noted by `EpisodeMemory.text`, `items` and `at`; requests that pass through `ask` are proof by
        themselves.

        Raises:
            AgentFault: it was reported before, or the score is none in [0, 1].
        """
        self._refuse_ended()
        if not 0 <= outcome.score <= 1:
            raise AgentFault(f"a score is a number from 0 to 1; got {outcome.score!r}")
        self.reported = outcome

    def note_usage(self, usage: Usage, calls: int) -> None:
        """Say what the agent's own calls took, as measured: it counts however the trial ends."""
        self.used = (usage, calls)

    def _refuse_ended(self) -> State:
        if self._state is None:
            raise AgentFault("the agent acted before its episode began; `await world.begin()` first")
        if self._state.done or len(self.steps) >= self.limit or self.reported is not None:
            raise AgentFault("the agent acted after its episode had ended; a state says so by `done`")
        return self._state

    def _end_refused(self, thought: str) -> State:
        """A conversation in which the provider refused cannot go on."""
        self.steps.append(Step(thought, self.last.text, "", "refusal"))
        self.memory.end_turn(None, "")
        return self._turn_to(State("", None, done=True))

    def _turn_to(self, state: State) -> State:
        self._state = state
        return replace(state, done=True) if len(self.steps) >= self.limit else state


async def call_world(
    world: World, method: Callable[[*Arguments], Returned], *arguments: *Arguments
) -> Returned:
    """Call the world; one that waits on something outside Python does so in a thread."""
    return await asyncio.to_thread(method, *arguments) if world.blocking else method(*arguments)
