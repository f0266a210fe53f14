"""Every protocol that somebody may implement: what it means, what it raises, and how little one needs.

The values they speak of are defined in their rooms and imported here for the type checker alone, so that
every room may import its protocol from here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from memtrial.ledger.ledger_store import Accounts, CallStore, LedgerStore

__all__ = [
    "Accounts",
    "Agent",
    "AskModel",
    "Backend",
    "CallStore",
    "Carrier",
    "Condenser",
    "Embedder",
    "Gate",
    "LedgerStore",
    "MemoryStore",
    "Perturbation",
    "World",
]
"""`Accounts`, `CallStore` and `LedgerStore` stand in `memtrial/ledger/ledger_store.py`."""

if TYPE_CHECKING:
    from numpy.random import Generator

    from memtrial.agents.slot import BrokenCheck, Firing, Slot
    from memtrial.agents.stage import EpisodeMemory, EpisodeWorld
    from memtrial.agents.trajectory import Moment, Trajectory
    from memtrial.condensers.condenser import Condensation
    from memtrial.gates.gate import Finding
    from memtrial.memory.item import Item
    from memtrial.memory.stored_item import StoredItem
    from memtrial.models.client.types import Message, Reply, Request
    from memtrial.models.embeddings.embedding import Array
    from memtrial.perturbations.aim import Aim
    from memtrial.perturbations.damage_contract import DamageContext, Damaged, NotApplicable
    from memtrial.worlds.world import Outcome, Split, State, Task, Truth


class World(Protocol):
    """Poses tasks and scores what an agent does in them. One instance plays one episode at a time.

    Attributes:
        name: the word the spec uses.
        rules: how to act here, for the agent's system prompt. Says nothing about memory.
        digest: sha256 of all that determines the world's behaviour (code version, generator, seed).
        blocking: a step waits on something outside Python, so it belongs in a thread.

    Raises:
        WorldFault: from any method, when the world itself broke; the next `reset` must work again.
    """

    name: str
    rules: str
    blocking: bool

    @property
    def digest(self) -> str: ...

    def tasks(self, split: Split) -> tuple[Task, ...]:
        """The tasks of one split, in a fixed order."""

    def step_limit(self, task: Task) -> int:
        """How many turns the agent has."""

    def reset(self, task: Task) -> State:
        """Begin the task anew."""

    def step(self, action: str) -> State:
        """Do one action of the agent's, verbatim."""

    def outcome(self) -> Outcome:
        """How the episode stands now."""

    def ground_truth(self, task: Task) -> Truth:
        """The true lesson and a path that solves the task. It may end an episode in play."""

    def close(self) -> None:
        """Give back what the world holds. Safe to call twice."""


class AskModel(Protocol):
    """A model that an agent may ask in its episode. Every request is kept, counted and paid once."""

    async def __call__(self, messages: Sequence[Message], choices: Sequence[str] = ()) -> Reply:
        """The reply to a conversation, which is one of the choices where there are any; raises what
        `ModelClient.ask` raises.
        """


class Agent(Protocol):
    r"""Plays one task: looks, asks a model, acts. Blind to the arm: it shows the memory that it is given.

    What it sent, which turn it was and what came up is written down for it, so that it returns nothing:

        state, talk = await world.begin(), [Message("system", f"{world.rules}\n\n{memory.opening}")]

        async def decide(text):
            talk.append(Message("user", text))
            talk.append(Message("assistant", (await ask(talk)).text))
            return talk[-1].text.rpartition("Action:")[2].strip()

        while not state.done:
            seen = f"Task: {task.query}\n\nObservation: {state.observation}"
            action = await decide(f"{seen}\n\n{memory.turn()}")
            if again := memory.propose(action):
                action = await decide(again)
            state = await world.act(action)

    Attributes:
        digests: sha256, in hexadecimal digits, of each text of its own that determines what it sends. Two
            trials with the same digests, memory and model share an episode: a change of a text that is left
            out here goes unseen.
    """

    @property
    def name(self) -> str:
        """The name in specs, ledgers and reports."""

    @property
    def digests(self) -> tuple[str, ...]: ...

    async def __call__(self, task: Task, world: EpisodeWorld, memory: EpisodeMemory, ask: AskModel) -> None:
        """Play one episode: begin, then act until a state is `done`. It may end before; then it gave up.

        An agent whose work cannot be seen here (a command, a graph) begins, works with what `memory.text`,
        `memory.items` or `memory.at(state)` hand it, and ends by `world.report(Outcome(success, score))`.

        Raises:
            AgentFault: its own code broke: the trial is an error, never a failure of the agent.
        """


class Carrier(Protocol):
    """One episode's way of showing memory. The agent loop is blind: it cannot tell which one it has."""

    def opening(self) -> str:
        """Text for the system prompt, shown for the whole episode; may be empty, and is no line of its own
        where it is blank."""

    def turn(self, step: int, moment: Moment) -> str:
        """Text to enter with this user turn; may be empty."""

    def proposal(self, step: int, moment: Moment) -> str:
        """Text that withholds the proposed action: the agent sees it and is asked once more. May be empty."""

    def firings(self) -> tuple[Firing, ...]:
        """Every firing so far, shown and shadow."""

    def broken(self) -> tuple[BrokenCheck, ...]:
        """Every check that a proposed action broke so far, executed or not."""


class MemoryStore(Protocol):
    """Keeps what was learnt, item by item, and gives out what fits.

    Reading teaches it nothing: what a task is given depends on what was written, never on what was asked.
    One that composes what it shows says `takes_damage = True`: damage is done in it, what it gives is shown.

        await store.write(trajectory)
        items = await store.read(task, state, k=3)
        store.replace(items[0].id, "Another text.")

    Raises:
        RunFault: from any method, when its own code broke.
    """

    async def write(self, trajectory: Trajectory) -> None:
        """Take in one trajectory, a success or a failure; it may make no item of it, one or several."""

    async def read(self, task: Task, state: State, k: int) -> tuple[StoredItem, ...]:
        """At most k items for a task that begins in this state, the best first, none twice."""

    def list(self) -> tuple[StoredItem, ...]:
        """Every item, in the order in which they were written; one that keeps its items to itself lists those
        that it gave out."""

    def replace(self, id: str, text: str) -> None:
        """Put another text in the place of an item's; all else stays. MemoryFault where there is none."""


class Condenser(Protocol):
    """Trajectories → items."""

    @property
    def name(self) -> str:
        """The name in specs, ledgers and reports."""

    async def __call__(self, trajectory: Trajectory) -> Condensation:
        """Condense one trajectory; raises ModelFault where no answer could be had."""


class Gate(Protocol):
    """One closed question about one named failure of an item."""

    @property
    def name(self) -> str:
        """The name in specs, ledgers and reports."""

    async def __call__(self, item: Item, trajectory: Trajectory) -> Finding:
        """Judge one draft in the light of the trajectory it came from."""


class Perturbation(Protocol):
    """Damage of a known kind to a slot: a frozen, named, pure function, drawn once for an episode.

    A kind with a dose takes it as a field, a share in [0, 1], 1 by default.
    """

    @property
    def name(self) -> str:
        """The condition's name in specs, ledgers and reports."""

    @property
    def aim(self) -> Aim:
        """What the damage does and must achieve; `manipulation_check` measures it from the texts alone."""

    def apply(self, slot: Slot, rng: Generator, context: DamageContext) -> Damaged | NotApplicable:
        """The damaged slot, or why this kind cannot be applied to it.

        Whether it applies is decided before anything is drawn, from the intact texts alone, never from
        what the damage would give: a kind that does nothing must fail its check, not excuse itself.

            class Hum:
                name, aim = "hum", Aim(content_left=(0.0, 0.1), length=None)
                def apply(self, slot, rng, context):
                    if reason := nothing_to_damage(slot):
                        return NotApplicable(reason)
                    hummed = tuple(reword(item, lambda word: "hm") for item in slot.items)
                    return Damaged(Slot(slot.cue, hummed))
        """


class Backend(Protocol):
    """What answers requests: a simulated participant, a provider's client, a recorded run."""

    @property
    def free(self) -> bool:
        """An answer costs nothing and is always the same, so it need not be saved before it is used."""

    async def answer(self, request: Request, repeat: int) -> Reply:
        """Answer once: no retries, no cache; `usd` is left to the model client.

        Request and repeat are a simulated backend's only source of chance; a provider ignores the repeat.

        Raises:
            ModelFault: there is no answer; ProviderFault: it may be asked for again.
        """

    async def close(self) -> None:
        """Close connections and files."""


class Embedder(Protocol):
    """Text in, vectors out; the same text always gives the same vector."""

    @property
    def space(self) -> str:
        """Names everything that determines the vectors."""

    async def embed(self, texts: Sequence[str]) -> Array:
        """One vector a text, in order, shape (n_texts, d); raises ModelFault where there are none."""
