"""The decisions of a run: requests of its ledger in which an arm's intact memory stood."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from memtrial.agents.slot import Slot
from memtrial.api.probe.memory_place import find_fired, pick_damaged, pick_items
from memtrial.api.probe.recorded_decision import RecordedDecision, find_due, find_instead
from memtrial.ledger.random_streams import named_generator
from memtrial.ledger.rows import EpisodeRow, RequestEntry, TrialRow
from memtrial.ledger.run_plan import RunPlan
from memtrial.memory.record_text import without_number
from memtrial.models.client.types import Message
from memtrial.outcomes.reserved_names import INTACT, NONE
from memtrial.perturbations.advice.known_actions import NOTHING_KNOWN, Repertoire
from memtrial.perturbations.counter import Counter as CounterKind
from memtrial.protocols import LedgerStore

ACTIONS = "Actions: "
"""How the line begins in which an agent of ours lists what the world admits."""
TASK, OBSERVATION = "Task: ", "\n\nObservation: "
Cell = tuple[str, str, str, int]
"""(backbone, arm, task, repeat)."""


@dataclass
class RunDecisions:
    """Reads a run's decisions, the likeliest to tell something first.

    Args:
        left_out: requests that are no decision to be asked again, by why.
    """

    ledger: LedgerStore
    plan: RunPlan
    left_out: Counter[str] = field(default_factory=Counter)
    _rows: dict[Cell, dict[str, TrialRow]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for row in self.ledger.trials():
            cell = (row.backbone, row.arm, row.task, row.repeat)
            self._rows.setdefault(cell, {})[row.condition] = row

    def of_arm(self, backbone: str, arm: str) -> Iterator[RecordedDecision]:
        """Decisions at which something that its memory advises applies, a first one of every task before a
        second one of any: later trials of it, then later turns. Where nothing ever applies, all of them."""
        cells = self._order_cells(backbone, arm)
        some = False
        for later in (False, True):
            for cell in cells:
                listed = [decision for decision in self.of_cell(cell, note=not later) if decision.due]
                some = some or bool(listed)
                yield from listed[1:] if later else listed[:1]
        if some:
            return
        for later in (False, True):
            for cell in cells:
                listed = list(self.of_cell(cell, note=False))
                yield from listed[1:] if later else listed[:1]

    def _order_cells(self, backbone: str, arm: str) -> list[Cell]:
        """Cells with an intact trial, in an order that is drawn, by repeat."""
        cells = [cell for cell in self._rows if cell[:2] == (backbone, arm) and INTACT in self._rows[cell]]
        tasks = list(dict.fromkeys(task for _, _, task, _ in cells))
        order = named_generator(self.plan.seed, "probe").permutation(len(tasks))
        place = {tasks[number]: rank for rank, number in enumerate(order.tolist())}
        return sorted(cells, key=lambda cell: (cell[3], place[cell[2]]))

    def of_cell(self, cell: Cell, note: bool = True) -> Iterator[RecordedDecision]:
        """The decisions of the intact trial of a cell, in order; `note` counts what is left out."""
        row = self._rows[cell][INTACT]
        episode = None if row.status == "error" else self.ledger.episode(row.key)
        text = self.ledger.slot(row.slot) or ""
        if episode is None or row.empty_slot or not text.strip():
            self.left_out["trials without an episode, or with an empty memory"] += note
            return
        slot = read_slot(text, [self.ledger.slot(digest) or "" for digest in row.items])
        texts = self._read_texts(cell)
        for entry in episode.calls:
            why = refuse_entry(entry, episode)
            fired = None if why or entry["meant"] == row.slot else find_fired(slot, row, episode, entry)
            if why or isinstance(fired, str):
                self.left_out[why or str(fired)] += note
            elif fired is None:
                yield self._decide(cell, slot, texts, episode, entry)
            else:
                damaged = {name: pick_damaged(text, slot, fired.positions) for name, text in texts.items()}
                block = pick_items(slot, fired.positions)
                decision = self._decide(cell, block, damaged, episode, entry)
                yield replace(decision, removable=not fired.asked_twice)

    def _read_texts(self, cell: Cell) -> dict[str, str]:
        """By condition, the text that its trial of the same block showed."""
        rows = self._rows[cell]
        shown = {condition: self.ledger.slot(row.slot) for condition, row in rows.items()}
        return {condition: text for condition, text in shown.items() if text and condition != INTACT}

    def _decide(
        self,
        cell: Cell,
        slot: Slot,
        texts: Mapping[str, str],
        episode: EpisodeRow,
        entry: RequestEntry,
    ) -> RecordedDecision:
        backbone, arm, task, repeat = cell
        since, end = entry.get("since", 0), entry["messages"]
        messages = tuple(
            Message(line["role"], line["content"])  # type: ignore[arg-type]  # as the ledger keeps roles
            for line in episode.conversation[since:end]
        )
        choices = tuple(entry.get("choices", ()))
        known = know_actions(choices or list_actions(messages[-1].text))
        query = read_query(messages)
        due = find_due(slot.items, query, read_state(episode, entry["step"]), known)
        countered = texts.get(CounterKind().name, "").removeprefix(slot.cue)
        return RecordedDecision(
            place=f"{arm}/{task}/{repeat}, turn {entry['step'] + 1}",
            backbone=backbone,
            arm=arm,
            task=task,
            cluster=self.plan.clusters.get(task, task),
            repeat=repeat,
            turn=entry["step"],
            messages=messages,
            choices=choices,
            slot=slot,
            texts=texts,
            due=due,
            instead=find_instead(due, countered.strip(), known),
        )


def list_arms(plan: RunPlan) -> tuple[str, ...]:
    """The arms that have a memory."""
    return tuple(arm for arm in plan.arms if arm != NONE)


def refuse_entry(entry: RequestEntry, episode: EpisodeRow) -> str:
    """Why a request is no decision to be asked again; empty where it is one."""
    if not entry["key"] or not entry["messages"]:
        return "requests that the agent's own code sent, and no ledger keeps"
    if not entry["meant"]:
        return "requests in which no memory was meant to stand"
    if not entry["verbatim"]:
        return "requests in which the memory did not stand verbatim"
    if entry["step"] >= len(episode.steps):
        return "requests after the last action"
    return ""


def read_slot(text: str, items: Sequence[str]) -> Slot:
    """A slot from its text and its items, each less its number; one item where they do not make it up."""
    place, starts = 0, []
    for item in items:
        start = text.find(item, place) if item else -1
        if start < 0:
            return Slot("", (text,))
        place = start + len(item)
        before = text[:start].removesuffix("\n")
        heading = before.rpartition("\n")[2]
        if before != text[:start] and without_number(f"{heading}\n{item}") == item:
            start = len(before) - len(heading)
        starts.append(start)
    if not starts:
        return Slot("", (text,))
    pieces = [text[low:high] for low, high in zip(starts, [*starts[1:], len(text)], strict=True)]
    cue = text[: starts[0]]
    slot = Slot(
        cue.removesuffix("\n\n"), (*(piece.removesuffix("\n\n") for piece in pieces[:-1]), pieces[-1])
    )
    return slot if slot.text == text else Slot("", (text,))


def read_query(messages: Sequence[Message]) -> str:
    """The task as the agent was told it; all of the first thing it was told where it is not marked."""
    asked = next((message.text for message in messages if message.role == "user"), "")
    return asked.removeprefix(TASK).partition(OBSERVATION)[0] if asked.startswith(TASK) else asked


def read_state(episode: EpisodeRow, step: int) -> str:
    """What was observed before a turn; a reply that could not be read changed nothing."""
    before = [entry for entry in episode.steps[:step] if entry["fault"] != "format"]
    return str(before[-1]["observation"]) if before else episode.start


def list_actions(text: str) -> tuple[str, ...]:
    """The actions that the last line of their own in a turn lists; none where there is no such line."""
    lines = [line for line in text.split("\n") if line.startswith(ACTIONS)]
    return tuple(filter(None, lines[-1].removeprefix(ACTIONS).split(" | "))) if lines else ()


def know_actions(listed: Sequence[str]) -> Repertoire:
    """What is known of a world that admits these actions here."""
    return Repertoire((tuple(listed),)) if listed else NOTHING_KNOWN
