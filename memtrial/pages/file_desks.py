"""The desks for files that people label: fixtures of the gates, and failures, blind to arm and damage."""

import fcntl
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event
from typing import Literal

from pydantic import BaseModel, ConfigDict, JsonValue

from memtrial.agents.trajectory import Trajectory
from memtrial.agents.trajectory_views import render as run_text
from memtrial.faults import SpecFault, refused
from memtrial.gates.calibration.labelled_items import Fixture, FixtureFault, read_fixtures
from memtrial.gates.suite import NAMES, kinds_of
from memtrial.judges.failure_coder import INSTRUCTIONS, MODES, Mode
from memtrial.ledger.review_facts import DraftDecision, DraftForReview
from memtrial.memory.markdown import render
from memtrial.pages.desk import DeskChoice, DeskFault, DeskWording, Queue, read_rows
from memtrial.private_file import write_whole

FLAG = "ought to flag"
FLAGGING = DeskWording(
    (
        DeskChoice("accept", "a", "sound", "sound", "yes"),
        DeskChoice("reject", "r", FLAG, FLAG, "no"),
        DeskChoice(
            "reject", "e", f"{FLAG}, and why", FLAG, meaning="Why it ought to be flagged.", text="reason"
        ),
    )
)
HOWS = {False: "accept", True: "reject"}
FLAGS = {how: flag for flag, how in HOWS.items()}


@dataclass
class LabelDesk:
    """Whether a gate ought to flag an item: a `flag` in the file `gates label` wrote; other keys stay."""

    file: Path
    by: str = ""
    blind: bool = True
    finished: Event = field(default_factory=Event)

    @property
    def _fixtures(self) -> dict[DraftForReview, Fixture]:
        """By the draft that stands for it, in the order of the file's lines; SpecFault where it is no such
        file."""
        with refused(FixtureFault):
            return {
                _show_draft(
                    number, fixture.trajectory.task_id, render(fixture.item, number), fixture.gate
                ): fixture
                for number, fixture in enumerate(read_fixtures(self.file, NAMES), 1)
            }

    def queue(self) -> Queue:
        """All fixtures; those with a flag are decided."""
        held = self._fixtures
        flags = {draft.id: fixture.flag for draft, fixture in held.items() if fixture.flag is not None}
        decided = {name: DraftDecision(draft=name, how=HOWS[flag]) for name, flag in flags.items()}
        return Queue(tuple(held), decided, FLAGGING)

    def runs(self, draft: DraftForReview) -> tuple[Trajectory, ...]:
        """What the item was made of."""
        return (self._fixtures[draft].trajectory,)

    def about(self, draft: DraftForReview) -> str:
        """What a person is asked."""
        (kind,) = kinds_of((draft.condenser,))
        return f"{kind.name}: {kind.failure} Ought the gate to flag this item?"

    def row(self, draft: DraftForReview) -> dict[str, JsonValue]:
        """An item with what a person needs to label it elsewhere."""
        shown = {"draft": draft.id, "asked": self.about(draft), "markdown": draft.markdown}
        return {**shown, "trajectory": run_text(self.runs(draft)[0])}

    def decide(self, *given: DraftDecision) -> None:
        """Write flags, all or none; DeskFault: the file holds no such item, or cannot be written."""
        with _alone_with(self.file):
            rows = [json.loads(line) for line in self.file.read_text("utf-8-sig").split("\n") if line.strip()]
            places = {draft.id: number for number, draft in enumerate(self._fixtures)}
            for decision in given:
                if decision.draft not in places or len(rows) != len(places):
                    raise DeskFault(f"no item {decision.draft!r} is in {self.file}, or the file was changed")
                if decision.how not in FLAGS or decision.markdown:
                    raise DeskFault(
                        f"accept or reject of {decision.draft!r} is needed, with no text but a reason"
                    )
                row = rows[places[decision.draft]]
                row |= {"flag": FLAGS[decision.how]} | ({"by": self.by} if self.by else {})
                row |= {"why": decision.reason} if decision.reason else {}
            _write(self.file, rows)


def _show_draft(number: int, task: str, text: str, gate: str = "") -> DraftForReview:
    """What stands on the page for a line of a file."""
    return DraftForReview(backbone="", condenser=gate, draw=0, task=task, number=number, markdown=text)


FORM = 'a line is {"case", "task", "items", "solved", "failed", "mode", "rater"}, all texts'
# the words by which a model codes; the last line asks it for quotes
_QUESTION, *_DEFINED, _SEVERAL, _ = INSTRUCTIONS.render().splitlines()
_MEANINGS = dict(line.split(": ", 1) for line in _DEFINED)
CODING = DeskWording(
    # digits: the page's own keys are p, n, o and f
    tuple(
        DeskChoice(mode, str(number), mode, mode, meaning=_MEANINGS[mode])
        for number, mode in enumerate(MODES, 1)
    ),
    noun="case",
    whole="Notes",
    runs=("The run without notes", "The run with notes"),
)


class LabelledCase(BaseModel):
    """A line of the file: a case with the label of one rater, or of nobody yet; its other keys stay."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    case: str
    task: str = ""
    items: str = ""
    solved: str
    failed: str
    mode: Mode | Literal[""] = ""
    rater: str = ""


@dataclass
class FailureDesk:
    """A failure's mode, in a row of `by` in the file of `failures --label-file`; nobody else's is shown."""

    file: Path
    by: str
    blind: bool = True
    finished: Event = field(default_factory=Event)

    def queue(self) -> Queue:
        """All cases; those that this rater labelled are decided. SpecFault: the file holds something else."""
        rows = self._rows()
        modes = {row.case: row.mode for row in rows if row.mode and row.rater == self.by}
        coded = [(draft, modes.get(row.case)) for draft, row in _drafts(rows).items()]
        decided = {draft.id: DraftDecision(draft=draft.id, how=mode) for draft, mode in coded if mode}
        return Queue(tuple(draft for draft, _ in coded), decided, CODING)

    def about(self, draft: DraftForReview) -> str:
        """What a person is asked."""
        return f"Task {draft.task}. {_QUESTION} {_SEVERAL}"

    def runs(self, draft: DraftForReview) -> tuple[Trajectory, ...]:
        """The run without notes, and the one with them, each as one text."""
        row = _drafts(self._rows())[draft]
        solved = Trajectory(row.case, row.task, "", "success", (), row.solved)
        return solved, replace(solved, outcome="failure", start=row.failed)

    def row(self, draft: DraftForReview) -> dict[str, JsonValue]:
        """A case with what a person needs to label it elsewhere."""
        shown = {"case", "task", "items", "solved", "failed"}
        return {"draft": draft.id, **_drafts(self._rows())[draft].model_dump(include=shown)}

    def decide(self, *given: DraftDecision) -> None:
        """Write modes into this rater's rows, all or none; a new row where a case's rows are other people's.

        DeskFault: the file holds no such case, it cannot be written, or a decision is no mode.
        """
        with _alone_with(self.file):
            rows = self._rows()
            cases = {draft.id: row.case for draft, row in _drafts(rows).items()}
            for decision in given:
                if decision.draft not in cases or decision.how not in MODES:
                    got = f"{decision.how!r} of {decision.draft!r}"
                    raise DeskFault(f"{', '.join(MODES)} of a case of {self.file} is needed; got {got}")
                places = [place for place, row in enumerate(rows) if row.case == cases[decision.draft]]
                own = [place for by in (self.by, "") for place in places if rows[place].rater == by]
                row = rows[(own or places)[0]].model_copy(update={"mode": decision.how, "rater": self.by})
                place = own[0] if own else len(rows)
                rows[place : place + 1] = [row]
            _write(self.file, (row.model_dump() for row in rows))

    def _rows(self) -> list[LabelledCase]:
        # a label without a name is one person's, as `failures --human` reads it
        rows = read_rows(self.file, LabelledCase, FORM)
        return [
            row.model_copy(update={"rater": "human"}) if row.mode and not row.rater else row for row in rows
        ]


def _drafts(rows: list[LabelledCase]) -> dict[DraftForReview, LabelledCase]:
    """What stands for each case on the page, with the first row of the case."""
    first: dict[str, LabelledCase] = {}
    for row in rows:
        first.setdefault(row.case, row)
    return {_show_draft(number, row.task, row.items): row for number, row in enumerate(first.values(), 1)}


@contextmanager
def _alone_with(file: Path) -> Iterator[None]:
    """One writer at a time: what another wrote meanwhile is read, and stays. DeskFault for what breaks."""
    try:
        held = os.open(file.parent, os.O_RDONLY)
        try:
            fcntl.flock(held, fcntl.LOCK_EX)
            yield
        finally:
            os.close(held)
    except (OSError, SpecFault) as fault:
        raise DeskFault(str(fault)) from fault


def _write(file: Path, rows: Iterable[dict[str, JsonValue]]) -> None:
    write_whole(file, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
