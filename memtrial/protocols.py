"""Every protocol that somebody may implement: what it means, what it raises, and how little one needs.

The values they speak of are defined in their rooms and imported here for the type checker alone, so that
every room may import its protocol from here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from numpy.random import Generator

    from memtrial.agents.slot import BrokenCheck, Firing, Slot
    from memtrial.agents.trajectory import Moment, Trajectory
    from memtrial.call_records import CallBatch, CallRecord
    from memtrial.condensers.condenser import Condensation
    from memtrial.gates.gate import Finding
    from memtrial.ledger.accounts import Answering, Drawn, LedgerCounts, Sending, Spending
    from memtrial.ledger.audit import Damage
    from memtrial.ledger.rows import (
        CheckRow,
        CondensationRow,
        DecisionRow,
        EpisodeRow,
        Json,
        SessionRow,
        TraceRow,
        TrialRow,
    )
    from memtrial.memory.item import Item
    from memtrial.models.client.types import Reply, Request
    from memtrial.models.embeddings.embedding import Array
    from memtrial.perturbations.perturbation import Aim
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
        """What the damage does and must achieve. `manipulation.check` measures it from the texts alone."""

    def why_not(self, slot: Slot, donor: Slot) -> str:
        """Why this kind cannot be applied to this slot, in a sentence; empty when it can.

        It looks at the intact texts only, never at what the damage would give: a kind that does
        nothing must fail its check, not excuse itself.
        """

    def __call__(self, slot: Slot, rng: Generator, donor: Slot) -> Slot:
        """The damaged slot. `donor` holds memory that belongs elsewhere; most kinds ignore it.

        Only defined where `why_not` is empty; elsewhere it must not fail, but promises nothing.
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


class CallStore(Protocol):
    """Keeps the calls to models: what was answered, what was about to be sent, and what failed.

    A call is kept once: the first answer to a key stays. `CallCache` puts a memory before it.
    """

    def keys(self) -> set[bytes]:
        """Of every call that is kept."""

    def last_send(self) -> int:
        """The number of the newest intent; 0 where there is none."""

    def find(self, key: bytes) -> CallRecord | None:
        """The kept call."""

    def records(self) -> Iterator[CallRecord]:
        """Every kept call, in the order in which they were kept."""

    def commit(self, batch: CallBatch) -> None:
        """Keep all of it or nothing; StoreFault where it cannot be kept."""

    def models_that_answered(self) -> dict[str, str]:
        """The model id that came back first, by the model asked for; a refusal need not name one."""

    def spent(self) -> tuple[float, int]:
        """US dollars paid for answers and faults, and how many answers have no known price."""


class Accounts(Protocol):
    """What a ledger's calls were and cost, and how far its run has come."""

    def spending(self) -> tuple[Spending, ...]:
        """By purpose, sorted; a call that several share is counted under the one that sorts first."""

    def used_by_purpose(self) -> dict[str, tuple[int, int, int]]:
        """By purpose calls, input and output tokens, as if nobody shared a call with another."""

    def answering(self) -> tuple[Answering, ...]:
        """By model asked for and model that answered, sorted."""

    def temperatures_sent(self) -> tuple[Drawn, ...]:
        """By model, purpose and temperature, sorted, of the calls that were sent."""

    def limits_refused(self) -> tuple[str, ...]:
        """The messages of models that took fewer tokens than were asked for, each once, sorted."""

    def sending(self) -> Sending:
        """What went over the network, over all sessions."""

    def settings_of(self, key: bytes) -> str:
        """The model asked in one call, and the temperature sent; empty where none is kept."""

    def counts(self) -> LedgerCounts:
        """Rows and calls at this moment."""

    def hours_before(self, session: int) -> float:
        """Hours of the sessions before this one; one that noted no end lasted to its last request."""

    def unplayed(self) -> dict[str, int]:
        """Trials by arm that the plan of mode `stream` counted and that are never to be played."""

    def trials_ever(self) -> int:
        """Trials that were ever played, errors and those that do not count any more among them."""

    def attempts_ever(self) -> int:
        """Attempts of trials that were ever written."""

    def trials_played(self) -> int:
        """Trials with an attempt that counts."""


class LedgerStore(Protocol):
    """The rows of one run. They are added and never changed; two rows that contradict are a LedgerFault.

    Attributes:
        path: where it is kept; beside it lies what else belongs to the run.
        damage: rows that were changed after they were written, and are not seen.
        calls: its call store; `accounts`: what can be asked about it all.
    """

    path: Path
    damage: Damage

    @property
    def calls(self) -> CallStore: ...

    @property
    def accounts(self) -> Accounts: ...

    def close(self) -> None:
        """Give back what it holds."""

    def look_again(self) -> None:
        """Compare all rows with what was written; LedgerFault where the trials rest on changed ones."""

    def wait_for_disk(self) -> None:
        """From now on a row that was added is on the disk."""

    # facts: stated once

    def state(self, name: str, body: Any) -> None:
        """State a fact once, or the same again; LedgerFault where it was stated otherwise."""

    def fact(self, name: str) -> Any:
        """The value of a fact; None where it was not stated."""

    def fact_text(self, name: str) -> str | None:
        """The same as JSON."""

    def facts_with(self, prefix: str) -> dict[str, str]:
        """Facts whose name begins so: the rest of the name → JSON, in the order of stating."""

    def add_codes(self, coder: str, codes: Mapping[str, Json]) -> None:
        """How a coder coded failures, by case; what it said already stays."""

    def codes(self) -> dict[str, dict[str, Json]]:
        """By coder, in the order in which they began, then by case."""

    def lose_trace(self, backbone: str, task: str, why: str) -> None:
        """A training task left no trajectory, and why."""

    def lost_traces(self, backbone: str) -> dict[str, str]:
        """Why there is none, by task."""

    # preparation: the same row again is ignored where it may come again

    def add_traces(self, rows: Iterable[TraceRow]) -> None: ...

    def traces(self, backbone: str) -> dict[str, Json]:
        """By task, in the order of adding."""

    def shared_traces(self) -> Iterator[tuple[list[str], dict[str, Any]]]:
        """Each trace once, with the backbones that share it."""

    def add_condensations(self, rows: Iterable[CondensationRow]) -> None: ...

    def condensations(self) -> Iterator[CondensationRow]: ...

    def add_slots(self, texts: dict[str, str]) -> None:
        """Slot texts by digest; one that is there stays."""

    def slots(self) -> Iterator[tuple[str, str]]:
        """Sorted by digest."""

    def slot(self, digest: str) -> str | None: ...

    def add_checks(self, rows: Iterable[CheckRow]) -> None:
        """Manipulation checks; one that is there stays."""

    def checks(self) -> Iterator[CheckRow]: ...

    def add_decisions(self, rows: Iterable[DecisionRow]) -> None:
        """What a judge said that slots advise; what was said stays."""

    def decisions(self) -> Iterator[DecisionRow]:
        """In the order of their places."""

    # play

    def add_trials(self, rows: Iterable[TrialRow], episodes: Iterable[EpisodeRow] = ()) -> None:
        """Trials and what was said in them, all or none; LedgerFault where one has ended already.

        A trial that was an error gets a further attempt.
        """

    def trials(self) -> Iterator[TrialRow]:
        """The last attempt of each, in the order of adding."""

    def attempts(self, key: str) -> tuple[tuple[int, str, str], ...]:
        """Number, from 1, status and cause of every attempt of a trial."""

    def episode(self, key: str) -> EpisodeRow | None:
        """What was said in the last attempt; None where nothing is kept, as after an error."""

    def steps(self) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        """Key and steps of the last attempt of every trial whose episode is kept."""

    def finished(self) -> frozenset[str]:
        """Keys of trials that ended as the agent's doing."""

    def failed(self) -> frozenset[str]:
        """Keys of trials whose attempts were all errors."""

    def tasks_played(self) -> frozenset[str]: ...

    def add_recollection(self, backbone: str, arm: str, task: str, body: Any) -> None:
        """What a memory system gave for a task."""

    def recollections(self, backbone: str, arm: str) -> dict[str, Any]:
        """By task."""

    # sessions

    def begin_session(self, settings: Any) -> int:
        """The number of the new session, from 1."""

    def end_session(self, number: int, how: str) -> None: ...

    def sessions(self) -> tuple[SessionRow, ...]: ...
