"""The desk for a file of failures: a person says in which way each came about, blind to arm and damage."""

import fcntl
import json
import os
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event
from typing import Literal

from pydantic import BaseModel, ConfigDict, JsonValue

from loadbearing.episodes.trajectory import Trajectory
from loadbearing.judges.failure_coder import INSTRUCTIONS, MODES, Mode
from loadbearing.ledger.review_facts import Decision, DraftForReview
from loadbearing.runs.errors import SpecFault
from loadbearing.runs.folder.run_folder import write_whole
from loadbearing.runs.review.decisions_file import read_rows
from loadbearing.runs.review.desk import Choice, DeskFault, Manner, Queue

FORM = 'a line is {"case", "task", "items", "solved", "failed", "mode", "rater"}, all texts'
# the words by which a model codes; the last line asks it for quotes
_QUESTION, *_DEFINED, _SEVERAL, _ = INSTRUCTIONS.render().splitlines()
_MEANINGS = dict(line.split(": ", 1) for line in _DEFINED)
MANNER = Manner(
    # digits: the page's own keys are p, n, o and f
    tuple(Choice(mode, str(at), mode, mode, meaning=_MEANINGS[mode]) for at, mode in enumerate(MODES, 1)),
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
    """Each decision is the mode of a row, written before it is acknowledged: one row a case and rater.

    Args:
        file: as `failures --label-file` writes it; several may label it, even at the same time.
        by: who labels, and is shown nobody else's labels.
    """

    file: Path
    by: str
    blind: bool = True
    finished: Event = field(default_factory=Event)

    def queue(self) -> Queue:
        """All cases; those that this rater labelled are decided. SpecFault: the file holds something else."""
        rows = self._rows()
        modes = {row.case: row.mode for row in rows if row.mode and row.rater == self.by}
        found = [(draft, modes.get(row.case)) for draft, row in _drafts(rows).items()]
        decided = {draft.id: Decision(draft=draft.id, how=mode) for draft, mode in found if mode}
        return Queue(tuple(draft for draft, _ in found), decided, MANNER)

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

    def decide(self, *given: Decision) -> None:
        """Write modes into this rater's rows, all or none; a new row where a case's rows are other people's.

        Raises:
            DeskFault: the file holds no such case, it cannot be written, or a decision is no mode.
        """
        try:
            with ExitStack() as stack:
                # one writer at a time: what another wrote meanwhile is read, and stays
                held = os.open(self.file.parent, os.O_RDONLY)
                stack.callback(os.close, held)
                fcntl.flock(held, fcntl.LOCK_EX)
                rows = self._rows()
                cases = {draft.id: row.case for draft, row in _drafts(rows).items()}
                for one in given:
                    if one.draft not in cases or one.how not in MODES:
                        said = f"{one.how!r} of {one.draft!r}"
                        raise DeskFault(f"{', '.join(MODES)} of a case of {self.file} is needed; got {said}")
                    places = [at for at, row in enumerate(rows) if row.case == cases[one.draft]]
                    own = [at for by in (self.by, "") for at in places if rows[at].rater == by]
                    row = rows[(own or places)[0]].model_copy(update={"mode": one.how, "rater": self.by})
                    at = own[0] if own else len(rows)
                    rows[at : at + 1] = [row]
                lines = [json.dumps(row.model_dump(), ensure_ascii=False) for row in rows]
                write_whole(self.file, "".join(f"{line}\n" for line in lines))
        except (OSError, SpecFault) as fault:
            raise DeskFault(str(fault)) from fault

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
    of = {"backbone": "", "condenser": "", "draw": 0}
    return {
        DraftForReview.model_validate(of | {"task": row.task, "number": number, "markdown": row.items}): row
        for number, row in enumerate(first.values(), 1)
    }
