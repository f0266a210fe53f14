"""One trial as it is read: its memory with the damage marked, what was said, and its turns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

from markupsafe import Markup, escape

from memtrial.analysis.behaviour.course_distance import canonical
from memtrial.console.escape import printable, shorten
from memtrial.ledger.rows import CheckRow, ExposureEntry, FiringEntry, TrialRow
from memtrial.ledger.trial_cells import TaskTrial
from memtrial.outcomes.reserved_names import INTACT, NONE, WITHOUT
from memtrial.pages.page_templates import cut_text
from memtrial.pages.view.grid_query import QueryFault
from memtrial.pages.view.opened_run import RunReader
from memtrial.pages.view.word_difference import mark_difference

MASKED = (
    "Arms are masked until the locked data are complete, and a memory's text would tell them apart."
    " `memtrial view --unmask` shows it; that is noted in the ledger and said in the report."
)


class TrialTurn(NamedTuple):
    """One turn of an episode, and the items whose Trigger held in it."""

    thought: str
    action: str
    observation: str
    fault: str
    firings: tuple[FiringEntry, ...]


class SlotPair(NamedTuple):
    """The memory of a trial: as it was, and as it was shown, escaped, with the difference marked."""

    intact: Markup
    shown: Markup
    damaged: bool


class SaidMessage(NamedTuple):
    """One message of the conversation; of a request that carried memory, its text is marked."""

    role: str
    text: Markup


@dataclass(frozen=True, slots=True)
class TrialReading:
    """A trial under the names that may be shown; texts are empty where they would tell masked arms apart.

    Args:
        attempts: number, status and cause of each.
        kept: what was said is kept.
    """

    row: TrialRow
    slot: SlotPair
    check: CheckRow | None
    start: str
    turns: tuple[TrialTurn, ...]
    messages: tuple[SaidMessage, ...]
    attempts: tuple[tuple[int, str, str], ...]
    kept: bool
    masked: bool

    @property
    def exposures(self) -> tuple[ExposureEntry, ...]:
        return self.row.exposures


class TurnPair(NamedTuple):
    """The same turn of two trials; None where one had ended."""

    number: int
    first: TrialTurn | None
    second: TrialTurn | None
    same: bool


@dataclass(frozen=True, slots=True)
class ComparedTrials:
    """Two trials of a task side by side.

    Args:
        parting: the turn from 1 in which they do something else for the first time; 0: they never do.
    """

    first: TrialReading
    second: TrialReading
    turns: tuple[TurnPair, ...]
    parting: int


def read_trial(reader: RunReader, key: str) -> TrialReading:
    """All of one trial. QueryFault: the run has none of this key."""
    row = reader.index.trial(key)
    if row is None:
        raise QueryFault("this run has no such trial")
    shown = _masked_row(reader, row)
    if reader.mask:
        nothing = SlotPair(Markup(), Markup(), False)
        return TrialReading(shown, nothing, None, "", (), (), (), kept=False, masked=True)
    ledger, check = reader.index.ledger, reader.index.check(row)
    episode = ledger.episode(row.shared or row.key)
    slot = ledger.slot(row.slot) or ""
    intact = (ledger.slot(check.before) or "") if check is not None else slot
    return TrialReading(
        row=shown,
        slot=SlotPair(*mark_difference(cut_text(intact), cut_text(slot)), damaged=intact != slot),
        check=check,
        start=cut_text(episode.start) if episode else "",
        turns=_turns(episode.steps, row.firings) if episode else (),
        messages=tuple(
            SaidMessage(str(message["role"]), mark_memory(cut_text(str(message["content"])), slot))
            for message in (episode.conversation if episode else ())
        ),
        attempts=ledger.attempts(row.key),
        kept=episode is not None,
        masked=False,
    )


def _masked_row(reader: RunReader, row: TrialRow) -> TrialRow:
    (shown,) = reader.mask.rows([row])
    return shown


def _turns(steps: Sequence[Mapping[str, object]], firings: Sequence[FiringEntry]) -> tuple[TrialTurn, ...]:
    turns = []
    for number, step in enumerate(steps):
        thought, action, observation, fault = (
            cut_text(str(step.get(name) or "")) for name in ("thought", "action", "observation", "fault")
        )
        held = tuple(firing for firing in firings if firing["step"] == number)
        turns.append(TrialTurn(thought, action, observation, fault, held))
    return tuple(turns)


def mark_memory(text: str, slot: str) -> Markup:
    """A message, escaped, with the first place of the memory text in it marked."""
    before, memory, after = text.partition(slot) if slot.strip() else (text, "", "")
    mark = Markup("<mark>%s</mark>") % escape(printable(memory)) if memory else Markup()
    return escape(printable(before)) + mark + escape(printable(after))


def compare_trials(first: TrialReading, second: TrialReading) -> ComparedTrials:
    """Two trials turn by turn, and where they part: by their actions, whatever was thought."""
    pairs, parting = [], 0
    for number, (mine, theirs) in enumerate(zip_longest(first.turns, second.turns), 1):
        same = mine is not None and theirs is not None and canonical(mine.action) == canonical(theirs.action)
        pairs.append(TurnPair(number, mine, theirs, same))
        parting = parting or (0 if same else number)
    return ComparedTrials(first, second, tuple(pairs), parting)


@dataclass(frozen=True, slots=True)
class TaskReading:
    """One task on one backbone: all its trials, and two of them side by side."""

    backbone: str
    task: str
    trials: tuple[TaskTrial, ...]
    chosen: TaskTrial
    beside: TaskTrial | None
    compared: ComparedTrials | None
    only: TrialReading | None

    @property
    def conditions(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(trial.condition for trial in self.trials))

    @property
    def arms(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(trial.arm for trial in self.trials))

    def of_cell(self, arm: str, condition: str) -> tuple[TaskTrial, ...]:
        return tuple(trial for trial in self.trials if (trial.arm, trial.condition) == (arm, condition))


def read_task(reader: RunReader, given: Mapping[str, str]) -> TaskReading:
    """The task that an address names, with the trial that it names beside the intact one, or the one without.

    QueryFault: the run holds no such task or trial.
    """
    backbone, task = given.get("backbone", ""), given.get("task", "")
    order = [NONE, *(reader.mask.plan(reader.plan).arms if reader.plan else ())]
    ranks = {name: place for place, name in enumerate(order)}
    conditions = [WITHOUT, INTACT, *(reader.plan.conditions if reader.plan else ())]
    trials = tuple(
        sorted(
            (
                trial._replace(arm=reader.mask.of(trial.arm))
                for trial in reader.index.task_trials(backbone, task)
            ),
            key=lambda trial: (
                ranks.get(trial.arm, len(ranks)),
                conditions.index(trial.condition) if trial.condition in conditions else len(conditions),
                trial.repeat,
            ),
        )
    )
    if not trials:
        raise QueryFault(f"this run has no trial of task {shorten(task, 80)!r} on {shorten(backbone, 80)!r}")
    words = ("arm", "condition", "repeat")
    matching = [
        trial
        for trial in trials
        if all(str(getattr(trial, word)) == given[word] for word in words if given.get(word))
    ]
    if not matching:
        raise QueryFault("this task has no such trial")
    chosen = matching[0]
    beside = _beside(trials, chosen, given.get("beside", ""))
    reading = read_trial(reader, chosen.key)
    if beside is None:
        return TaskReading(backbone, task, trials, chosen, None, None, reading)
    compared = compare_trials(read_trial(reader, beside.key), reading)
    return TaskReading(backbone, task, trials, chosen, beside, compared, None)


def _beside(trials: Sequence[TaskTrial], chosen: TaskTrial, named: str) -> TaskTrial | None:
    """The trial that a key names; else the intact one of the arm, for that and for others the one without."""
    if named:
        other = next((trial for trial in trials if trial.key == named), None)
        if other is None:
            raise QueryFault("this task has no such trial to stand beside")
        return other
    cells = [(chosen.arm, INTACT), (NONE, WITHOUT)]
    for arm, condition in cells:
        for trial in trials:
            if (trial.arm, trial.condition, trial.repeat) == (arm, condition, chosen.repeat) and (
                trial.key != chosen.key
            ):
                return trial
    return None
