"""The desk for fixtures of the gates: whether a gate ought to flag an item."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

from pydantic import JsonValue

from memtrial.agents.trajectory import Trajectory
from memtrial.agents.trajectory_views import render as run_text
from memtrial.faults import refused
from memtrial.gates.calibration.labelled_items import Fixture, FixtureFault, read_fixtures
from memtrial.gates.suite import NAMES, kinds_of
from memtrial.ledger.review_facts import DraftDecision, DraftForReview
from memtrial.memory.markdown import render
from memtrial.pages.decision_file import alone_labelling, show_line, write_lines
from memtrial.pages.desk import NOTHING_TO_UNDO, DeskChoice, DeskFault, DeskWording, Queue

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
    """A `flag` in the file that `gates label` wrote; other keys stay."""

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
                show_line(
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
        with self._rows_to_write(*(decision.draft for decision in given)) as rows:
            for decision, row in zip(given, rows, strict=True):
                if decision.how not in FLAGS or decision.markdown:
                    raise DeskFault(
                        f"accept or reject of {decision.draft!r} is needed, with no text but a reason"
                    )
                row |= {"flag": FLAGS[decision.how]} | ({"by": self.by} if self.by else {})
                row |= {"why": decision.reason} if decision.reason else {}

    def undo(self, name: str) -> None:
        """Take the flag away that `by` gave, with its reason. Faults as above."""
        with self._rows_to_write(name) as (row,):
            if row.get("flag") is None or (row.get("by") or "") != self.by:
                raise DeskFault(NOTHING_TO_UNDO)
            row["flag"] = None
            for key in ("by", "why"):
                row.pop(key, None)

    @contextmanager
    def _rows_to_write(self, *names: str) -> Iterator[list[dict[str, JsonValue]]]:
        """The lines of these items; the file is written where the block ends without a fault."""
        with alone_labelling(self.file):
            rows = [json.loads(line) for line in self.file.read_text("utf-8-sig").split("\n") if line.strip()]
            places = {draft.id: number for number, draft in enumerate(self._fixtures)}
            for name in names:
                if name not in places or len(rows) != len(places):
                    raise DeskFault(f"no item {name!r} is in {self.file}, or the file was changed")
            yield [rows[places[name]] for name in names]
            write_lines(self.file, rows)
