"""The desk for failures, blind to arm and damage: the mode of each."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event
from typing import Literal

from pydantic import BaseModel, ConfigDict, JsonValue

from memtrial.agents.trajectory import Trajectory
from memtrial.judges.failure_coder import INSTRUCTIONS, MODES, Mode
from memtrial.ledger.review_facts import DraftDecision, DraftForReview
from memtrial.pages.decision_file import alone_labelling, read_rows, show_line, write_lines
from memtrial.pages.desk import NOTHING_TO_UNDO, DeskChoice, DeskFault, DeskWording, Queue

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
        with alone_labelling(self.file):
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
            write_lines(self.file, (row.model_dump() for row in rows))

    def undo(self, name: str) -> None:
        """Empty the mode of this rater's rows of a case; the row of another rater stays. Faults as above."""
        with alone_labelling(self.file):
            rows = self._rows()
            case = {draft.id: row.case for draft, row in _drafts(rows).items()}.get(name)
            own = [row.case == case and bool(row.mode) and row.rater == self.by for row in rows]
            if not any(own):
                raise DeskFault(NOTHING_TO_UNDO)
            bare = {"mode": "", "rater": ""}
            kept = (row.model_copy(update=bare) if mine else row for row, mine in zip(rows, own, strict=True))
            write_lines(self.file, (row.model_dump() for row in kept))

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
    return {show_line(number, row.task, row.items): row for number, row in enumerate(first.values(), 1)}
