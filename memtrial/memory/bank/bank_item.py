"""An item of the ReasoningBank: its words, where it came from, what became of it.

Sources: seeds/000 (record), seeds/001 FR-002, seeds/003 section 2; REQUIREMENTS C16 (schema), C25 (counts).
"""

from dataclasses import dataclass, field
from typing import Literal

from memtrial.memory.item import Item

Outcome = Literal["success", "failure"]
Standing = Literal["active", "quarantined", "duplicate", "archived"]
"""Only an active item is shown. A duplicate has a link to another; an archived one can be brought back."""
Relation = Literal["duplicate_of", "contradicts", "entails", "refines"]


@dataclass(frozen=True, slots=True)
class ItemDetails:
    """What seeds 000 and 001 keep beside an item's own schema; empty where a condenser does not state it.

    Args:
        instead: what to do instead; an item of a failure needs it.
        preconditions: when the strategy applies.
        pitfalls: what to beware of.
        exemplar: a short schematic example, never the raw trace.
    """

    instead: str = ""
    preconditions: tuple[str, ...] = ()
    pitfalls: tuple[str, ...] = ()
    exemplar: str = ""


@dataclass(frozen=True, slots=True)
class ItemOrigin:
    """Where an item came from.

    Args:
        task_id: its source task.
        query: that task's text, upstream's key of retrieval.
        trajectory_id: the trajectory; empty for an item that somebody wrote.
        outcome: how the trajectory ended, by its judge: a success gives a strategy, a failure a guardrail.
        project: whose bank it is, as a path `org/team/project`.
        domain: a part of the project, as `webarena.admin`; empty for none.
        tags: languages, kinds of problem.
        run_id: the run that made it; empty outside of runs.
        truth_seen: its writer was shown the task's right answer (REQUIREMENTS C19).
    """

    task_id: str
    query: str
    outcome: Outcome
    trajectory_id: str = ""
    project: str = ""
    domain: str = ""
    tags: tuple[str, ...] = ()
    run_id: str = ""
    truth_seen: bool = False


@dataclass(frozen=True, slots=True)
class ItemUses:
    """How often an item was used, in three senses, and how the tasks ended that cited it.

    Args:
        retrieved: it was among a search's hits.
        shown: it stood in a prompt.
        cited: the agent followed or quoted it; this alone counts for confidence.
        wins: citing tasks that succeeded.
        losses: citing tasks that failed.
        last_cited: seconds since 1970, UTC; None while it never was.
    """

    retrieved: int = 0
    shown: int = 0
    cited: int = 0
    wins: int = 0
    losses: int = 0
    last_cited: float | None = None


@dataclass(frozen=True, slots=True)
class BankItem:
    """One item as the bank holds it at some moment; each change makes another value of the next version.

    Args:
        id: a ULID; never given twice.
        version: 1 when it was added; one more for each change of its words or standing.
        item: its words, in any schema.
        created: seconds since 1970, UTC.
        confidence: in [0, 1], as stored; decay acts on ranking and never on this.
        pinned: spared from pruning.
    """

    id: str
    version: int
    item: Item
    origin: ItemOrigin
    created: float
    confidence: float
    details: ItemDetails = field(default=ItemDetails())
    uses: ItemUses = field(default=ItemUses())
    standing: Standing = "active"
    pinned: bool = False
