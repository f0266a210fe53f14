"""This project's own ReasoningBank as a memory system: judged runs in, ranked items out.

Its clock is the number of runs that it has learnt, a day each, so that a run can be repeated to the byte. Its
file lies in a folder of its own that is gone with it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from memtrial.agents.trajectory import Trajectory
from memtrial.memory.bank.bank_settings import BankSettings
from memtrial.memory.bank.events.bank_log import FILE, BankLog
from memtrial.memory.bank.labelled_run import LabelledRun
from memtrial.memory.bank.ranking.score_parts import DAY_S
from memtrial.memory.bank.reasoning_bank import ReasoningBank
from memtrial.memory.bank.redaction.redactor import redact
from memtrial.memory.bank.taught_runs import teach_run
from memtrial.memory.record_text import show_items
from memtrial.memory.stored_item import replace_text
from memtrial.memory.systems.system_door import SystemDoor


@dataclass
class RunClock:
    """Seconds since 1970: a day for each run that was learnt."""

    n_runs: int = 0

    def __call__(self) -> float:
        return self.n_runs * DAY_S


def open_bank(folder: Path, door: SystemDoor, settings: BankSettings, clock: RunClock) -> ReasoningBank:
    """A bank in a folder of its own, which embeds by the door; who opened it closes its log."""
    log = BankLog(folder / FILE, redact, clock)
    return ReasoningBank(log, door.embed_array, door.embedder.space, settings)


@dataclass
class BankSystem:
    """A bank of a run; what is put in the place of an item's text is shown, and found as the item was."""

    door: SystemDoor
    settings: BankSettings
    _clock: RunClock = field(default_factory=RunClock, init=False)
    _folder: TemporaryDirectory[str] = field(init=False)
    _bank: ReasoningBank = field(init=False)
    _put: dict[str, str] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self._folder = TemporaryDirectory(prefix="memtrial-bank-")
        self._bank = open_bank(Path(self._folder.name), self.door, self.settings, self._clock)

    def learn(self, trajectory: Trajectory) -> Sequence[str]:
        """Distil as the settings say, and consolidate where that is due; the outcome is the run's.

        An item that was put aside at once is none of the new ones.
        """
        self._clock.n_runs += 1
        made = teach_run(self._bank, self.door.ask, LabelledRun(trajectory)).item_ids
        if self._bank.consolidate() is None:
            return made
        active = {item.id for item in self._bank.items()}
        return tuple(name for name in made if name in active)

    def find(self, query: str, most: int) -> Mapping[str, float]:
        """The items that the profile shows, the best first; none where it abstains."""
        scores: dict[str, float] = {}
        for hit in self._bank.rank(query, most).hits:
            # an item of probation stands last, whatever its score
            scores[hit.id] = min([hit.score, *scores.values()])
        return scores

    def texts(self) -> Mapping[str, str]:
        return {item.id: self._put.get(item.id, show_items([item.item])[0]) for item in self._bank.items()}

    def put(self, id: str, text: str) -> None:
        replace_text(texts := dict(self.texts()), id, text)
        self._put[id] = texts[id]
