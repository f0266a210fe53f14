"""What a ledger is: the rows of a run, its calls, and the accounts of these."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from pathlib import Path

    from memtrial.call_purpose import Purpose
    from memtrial.call_records import CallBatch, FreeCall, KeptCall
    from memtrial.ledger.accounts import Answering, Drawn, LedgerCounts, Sending, Spending
    from memtrial.ledger.blocks.block_outcomes import BlockOutcomes
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
    from memtrial.ledger.sqlite.audit import Damage
    from memtrial.ledger.trial_cells import TrialScore


class CallStore(Protocol):
    """Keeps the calls to models: what was answered, what was about to be sent, and what failed.

    A call is kept once: the first answer to a key stays. `CallCache` puts a memory before it.
    """

    def keys(self) -> set[bytes]:
        """Of every call that is kept."""

    def last_send(self) -> int:
        """The number of the newest intent; 0 where there is none."""

    def find(self, key: bytes) -> KeptCall | None:
        """The kept call."""

    def records(self) -> Iterator[KeptCall]:
        """Every kept call, in the order in which they were kept."""

    def free_calls(self) -> Iterator[FreeCall]:
        """Every call that cost nothing and whose answer is not kept, each once."""

    def free_purpose(self, key: bytes) -> Purpose | None:
        """What such a call was asked for first, by its short key; None where it was not asked. Of many
        workers each knows its own."""

    def commit(self, batch: CallBatch) -> None:
        """Keep all of it or nothing; StoreFault where it cannot be kept."""

    def models_that_answered(self) -> dict[str, str]:
        """The model id that came back first, by the model asked for; a refusal need not name one."""

    def spent(self) -> tuple[float, int]:
        """US dollars paid for answers and faults, and how many answers have no known price."""


class Accounts(Protocol):
    """What a ledger's calls were and cost, and how far its run has come."""

    def spending_by_purpose(self) -> tuple[Spending, ...]:
        """By purpose, sorted by its text; a call that several share is counted under the first of them."""

    def used_by_purpose(self) -> dict[Purpose, tuple[int, int, int]]:
        """By purpose calls, input and output tokens, as if nobody shared a call with another."""

    def answers_by_model(self) -> tuple[Answering, ...]:
        """By model asked for and model that answered, sorted."""

    def temperatures_sent(self) -> tuple[Drawn, ...]:
        """By model, purpose and temperature, sorted, of the calls that were sent."""

    def limits_refused(self) -> tuple[str, ...]:
        """The messages of models that took fewer tokens than were asked for, each once, sorted."""

    def network_use(self) -> Sending:
        """What went over the network, over all sessions."""

    def settings_of(self, key: bytes) -> str:
        """The model asked in one call, and the temperature sent; empty where none is kept."""

    def counts(self) -> LedgerCounts:
        """Rows of the preparation, and calls, at this moment."""

    def error_causes(self) -> dict[str, int]:
        """How often each cause ended a trial as an error, by its last attempt, the most frequent first."""

    def hours_before(self, session: int) -> float:
        """Hours of the sessions before this one; one that noted no end lasted to its last request."""

    def unplayed_trials(self) -> dict[str, int]:
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

    def scores(self) -> Iterator[TrialScore]:
        """The same without what was measured beside the score, for many trials at once."""

    def block_outcomes(self) -> tuple[BlockOutcomes, ...]:
        """How the last attempt of each trial ended, block by block, each block once."""

    def trial(self, key: str) -> TrialRow | None:
        """The last attempt of a trial; None where there is none."""

    def attempts(self, key: str) -> tuple[tuple[int, str, str], ...]:
        """Number, from 1, status and cause of every attempt of a trial."""

    def episode(self, key: str) -> EpisodeRow | None:
        """What was said in the last attempt; None where nothing is kept, as after an error."""

    def steps(self) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        """Key and steps of the last attempt of every trial whose episode is kept."""

    def finished_keys(self) -> frozenset[str]:
        """Keys of trials that ended as the agent's doing."""

    def failed_keys(self) -> frozenset[str]:
        """Keys of trials whose attempts were all errors."""

    def tasks_played(self) -> frozenset[str]: ...

    def add_recollection(self, backbone: str, arm: str, task: str, body: Any) -> None:
        """What a memory system gave for a task."""

    def recollections(self, backbone: str, arm: str) -> dict[str, Any]:
        """By task."""

    # sessions

    def begin_session(self, settings: Any) -> int:
        """The number of the new session, from 1."""

    def end_session(self, number: int, how: str, why: str = "") -> None: ...

    def sessions(self) -> tuple[SessionRow, ...]: ...
