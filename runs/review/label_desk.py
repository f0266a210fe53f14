"""The desk for a file of fixtures: a person says of each item whether the gate ought to flag it."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Lock

from pydantic import JsonValue

from loadbearing.episodes.trajectory import Trajectory
from loadbearing.episodes.views import render as run_text
from loadbearing.gates.calibration.labelled_items import Fixture, FixtureFault, read_fixtures
from loadbearing.gates.suite import NAMES, kinds_of
from loadbearing.ledger.review_facts import Decision, DraftForReview
from loadbearing.memory.markdown import render
from loadbearing.runs.errors import SpecFault, refused
from loadbearing.runs.folder.run_folder import write_whole
from loadbearing.runs.review.desk import Choice, DeskFault, Manner, Queue

FLAG = "ought to flag"
MANNER = Manner(
    (
        Choice("accept", "a", "sound", "sound", "yes"),
        Choice("reject", "r", FLAG, FLAG, "no"),
        Choice("edit", "e", f"{FLAG}, and why", FLAG, meaning="Why it ought to be flagged.", text="new"),
    )
)
HOWS = {False: "accept", True: "reject"}
FLAGS = {"accept": False, "reject": True, "edit": True}


@dataclass
class LabelDesk:
    """Each decision is a `flag` in the file, written before it is acknowledged; the other keys stay.

    Args:
        file: as `gates label` writes it.
        by: who labels; noted beside the flag.
    """

    file: Path
    by: str = ""
    blind: bool = True
    finished: Event = field(default_factory=Event)
    _writing: Lock = field(default_factory=Lock)

    @property
    def _fixtures(self) -> dict[str, Fixture]:
        """By the name of the draft that stands for it, in the order of the file's lines.

        Raises:
            SpecFault: it cannot be read, or holds something else.
        """
        with refused(FixtureFault):
            held = read_fixtures(self.file, NAMES)
        return {_draft(one, number).id: one for number, one in enumerate(held, 1)}

    def queue(self) -> Queue:
        """All fixtures; those with a flag are decided."""
        held = self._fixtures
        drafts = tuple(_draft(one, number) for number, one in enumerate(held.values(), 1))
        flags = {name: one.flag for name, one in held.items() if one.flag is not None}
        decided = {name: Decision(draft=name, how=HOWS[flag]) for name, flag in flags.items()}
        return Queue(drafts, decided, MANNER)

    def runs(self, draft: DraftForReview) -> tuple[Trajectory, ...]:
        """What the item was made of."""
        return (self._fixtures[draft.id].trajectory,)

    def about(self, draft: DraftForReview) -> str:
        """What a person is asked."""
        (kind,) = kinds_of((draft.condenser,))
        return f"{kind.name}: {kind.failure} Ought the gate to flag this item?"

    def row(self, draft: DraftForReview) -> dict[str, JsonValue]:
        """An item with what a person needs to label it elsewhere."""
        shown = {"draft": draft.id, "asked": self.about(draft), "markdown": draft.markdown}
        return {**shown, "trajectory": run_text(self.runs(draft)[0])}

    def decide(self, *given: Decision) -> None:
        """Write flags into the file, all or none; a later one takes the place of an earlier one.

        Raises:
            DeskFault: the file holds no such item, or cannot be written.
        """
        with self._writing:
            rows = [json.loads(line) for line in self.file.read_text("utf-8-sig").split("\n") if line.strip()]
            at = {name: number for number, name in enumerate(self._fixtures)}
            for one in given:
                if one.draft not in at or len(rows) != len(at):
                    raise DeskFault(f"no item {one.draft!r} is in {self.file}, or the file was changed")
                row = rows[at[one.draft]]
                row |= {"flag": FLAGS[one.how]} | ({"by": self.by} if self.by else {})
                row |= {"why": one.markdown} if one.how == "edit" else {}
            try:
                write_whole(self.file, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
            except (OSError, SpecFault) as fault:
                raise DeskFault(str(fault)) from fault


def _draft(one: Fixture, number: int) -> DraftForReview:
    task = one.trajectory.task_id
    text = render(one.item, number)
    return DraftForReview(backbone="", condenser=one.gate, draw=0, task=task, number=number, markdown=text)
