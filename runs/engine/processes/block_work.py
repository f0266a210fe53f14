"""What a run and the processes that play its blocks say to each other, behind the spec."""

from dataclasses import dataclass

from memtrial.call_records import CallBatch
from memtrial.ledger.rows import EpisodeRow, TrialRow
from memtrial.runs.trials.trials import Trial

Groups = tuple[tuple[Trial, ...], ...]
"""What is left of a block, in the order of playing: trials of a group share the episode of its first."""
Ended = tuple[TrialRow, EpisodeRow | None]


@dataclass(frozen=True, slots=True)
class PlayedBlock:
    """What came of a block: the trials of each group, and the calls that were answered for them."""

    ended: tuple[tuple[Ended, ...], ...]
    calls: CallBatch


@dataclass(frozen=True, slots=True)
class BrokenWork:
    """No block can be played, and why; nothing more comes."""

    why: str
