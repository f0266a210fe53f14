"""The slots of a locked run, for a harness of the user's to play, and its outcomes, brought back."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from memtrial.api.given_spec import spec_of
from memtrial.api.run import RunEnd
from memtrial.api.shown.report_files import write_reports
from memtrial.console.display import Display, progress_of
from memtrial.faults import SpecFault
from memtrial.ledger.rows import part
from memtrial.ledger.run_plan import frozen_in_force, read_lock
from memtrial.outcomes.files.table_files import read_sheet
from memtrial.outcomes.given_path import path_of
from memtrial.outcomes.slots.slot_outcomes import Cell, SlotOutcome, SlotTable, match_slots, read_slot_table
from memtrial.outcomes.table_fault import TableFault
from memtrial.plugins.elsewhere_agent import ELSEWHERE, ElsewhereAgent, SlotText
from memtrial.plugins.plugin_names import plugins_of
from memtrial.plugins.process_watch import process_watch
from memtrial.private_file import write_whole
from memtrial.protocol.lock_contents import digest_of
from memtrial.protocols import LedgerStore
from memtrial.runs.engine.schedule import Session
from memtrial.runs.engine.session import ledger_of, refuse_other, run_session
from memtrial.runs.run_folder.folder import LEDGER, SPEC, alarm_of, alone_in, find_run
from memtrial.runs.run_folder.output_file import refuse_unwritable
from memtrial.runs.setup.event_loop import without_loop
from memtrial.runs.setup.given_parts import GivenParts
from memtrial.runs.setup.preflight import Experiment, check_spec
from memtrial.runs.trials.trials import Block, Trial


@without_loop
def export_slots(run: str | Path, out: str | Path, display: Display | None = None) -> int:
    """Write the slots of a locked run as JSON lines, in the order in which they are to be played.

    Args:
        run: its folder, or its name below logs.
        out: the file; each line holds `order`, `block`, `backbone`, `task`, `query`, `family`, `arm`,
            `condition`, `repeat`, `text`, which is empty without memory, and its sha256 as `digest`.

    Returns: how many slots there are.

    Raises:
        SpecFault: there is no such run, it is not locked, or not to be played elsewhere.
        RunFault: its trials cannot be made again.
    """
    folder, path = find_run(path_of(run, "a run folder", SpecFault)), path_of(out, "a new file", SpecFault)
    if path.suffix.lower() not in (".jsonl", ".ndjson"):
        raise SpecFault(f"--slots needs a file of JSON lines, as slots.jsonl; got {path}")
    refuse_unwritable(path, folder / LEDGER, option="--slots")
    lines: list[str] = []

    def collect(ledger: LedgerStore, blocks: Sequence[Block]) -> None:
        _refuse_changed(folder, ledger, blocks)
        lines.extend(_slot_lines(blocks))

    experiment = _open_experiment(folder)
    with _open_run(folder, experiment) as ledger:
        session = Session(freeze=lambda blocks, _: collect(ledger, blocks))
        run_session(experiment, folder, ledger, progress_of(display), session)
    write_whole(path, "".join(lines))
    return len(lines)


def _slot_lines(blocks: Sequence[Block]) -> Iterator[str]:
    """A line for each text of a block, under the first cell that shows it."""
    order = 0
    for number, block in enumerate(blocks):
        for first in _first_trials(block).values():
            line = {
                "order": order,
                "block": number,
                "backbone": first.backbone,
                "task": first.task.id,
                "query": first.task.query,
                "family": first.task.family,
                "arm": first.arm.name,
                "condition": first.condition,
                "repeat": first.repeat,
                "text": first.shown.text,
                "digest": first.shown.digest,
            }
            yield json.dumps(line, ensure_ascii=False) + "\n"
            order += 1


def _text_of(trial: Trial) -> SlotText:
    return SlotText(trial.backbone, trial.task.id, trial.repeat, trial.shown.digest)


def _first_trials(block: Block) -> dict[SlotText, Trial]:
    """By text, the first trial of a block that shows it, in the order of playing."""
    first: dict[SlotText, Trial] = {}
    for trial in block.trials:
        first.setdefault(_text_of(trial), trial)
    return first


@dataclass(frozen=True, slots=True)
class BroughtIn:
    """What came of it: the run as it stands now, how many slots were new, and columns that were not read."""

    end: RunEnd
    fresh: int
    slots: int
    unread: tuple[str, ...]


@without_loop
def import_outcomes(run: str | Path, table: object, display: Display | None = None) -> BroughtIn:
    """Take the outcomes of a run that was played elsewhere into it, all or none, and write its report.

    The same table once more changes nothing. Slots that were errors may come again with an outcome.

    Args:
        run: its folder, or its name below logs.
        table: a file (CSV, Parquet, JSON, JSON lines) or a frame; see
            `memtrial/outcomes/slots/slot_outcomes.py`.

    Raises:
        SpecFault: there is no such run, it is not locked, or not to be played elsewhere.
        TableFault: the table does not hold every slot once, with the text that was locked; nothing was
            written.
    """
    folder, sheet = find_run(path_of(run, "a run folder", SpecFault)), read_sheet(table)  # type: ignore[arg-type]
    experiment = _open_experiment(folder)
    several = len(experiment.spec.backbone) > 1
    read = read_slot_table(sheet, several)
    outcomes: dict[SlotText, SlotOutcome] = {}
    fresh: list[int] = []

    def match(ledger: LedgerStore, blocks: Sequence[Block]) -> None:
        _refuse_changed(folder, ledger, blocks)
        outcomes.update(_match(blocks, read, several))
        fresh.append(_count_fresh(ledger, outcomes))

    told = replace(experiment, given=GivenParts(agent=lambda: ElsewhereAgent(outcomes)))
    with _open_run(folder, told) as ledger:
        session = Session(retry_errors=True, see_blocks=lambda blocks: match(ledger, blocks))
        ending = run_session(told, folder, ledger, progress_of(display), session)
        ledger.look_again()
        results = write_reports(folder, ledger)
    return BroughtIn(RunEnd(folder, ending, results), sum(fresh), len(outcomes), read.unread)


def _open_experiment(folder: Path) -> Experiment:
    """The run's own spec, checked; nothing will be sent."""
    spec = spec_of(folder / SPEC)
    if spec.agent != ELSEWHERE:
        agent = spec.agent if isinstance(spec.agent, str) else "a command"
        raise SpecFault(
            f"slots are handed out for a run with agent: {ELSEWHERE}; {folder} is played here, by {agent}"
        )
    experiment = check_spec(spec, keys_needed=False)
    if alarm := alarm_of(refuse_other(folder, experiment)):
        raise SpecFault(f"an intact ledger is needed; {folder}: {alarm}")
    return experiment


@contextmanager
def _open_run(folder: Path, experiment: Experiment) -> Iterator[LedgerStore]:
    """The ledger of a locked run, for a session; SpecFault where none is locked."""
    watch = process_watch(plugins_of(experiment.spec.model_dump()))
    with watch, alone_in(folder), ledger_of(folder, experiment) as ledger:
        if read_lock(ledger) is None:
            raise SpecFault(f"slots are fixed by a lock; {folder} has none: `memtrial lock SPEC` first")
        yield ledger


def _refuse_changed(folder: Path, ledger: LedgerStore, blocks: Sequence[Block]) -> None:
    """The trials that were locked are those that are laid out now."""
    locked = part(frozen_in_force(ledger), "order").get("blocks")
    if locked != digest_of([[trial.key for trial in block.trials] for block in blocks]):
        raise SpecFault(
            f"{folder}: what was locked cannot be laid out again as it was; code or files have changed since."
            " Lock a new run"
        )


def _match(blocks: Sequence[Block], table: SlotTable, several: bool) -> dict[SlotText, SlotOutcome]:
    slots = {}
    for trial in (trial for block in blocks for trial in block.trials):
        backbone = trial.backbone if several else ""
        cell = Cell(trial.task.id, trial.arm.name, trial.condition, trial.repeat, backbone)
        slots[cell] = _text_of(trial)
    return match_slots(table, slots, {text: text.digest for text in slots.values()})


def _count_fresh(ledger: LedgerStore, outcomes: Mapping[SlotText, SlotOutcome]) -> int:
    """How many outcomes are new. TableFault where one that was brought in before is another now."""
    settled = {}
    for row in ledger.trials():
        text = SlotText(row.backbone, row.task, row.repeat, row.slot)
        if row.status == "error":
            continue
        outcome, settled[text] = outcomes[text], True
        status = "error" if outcome.score is None else "success" if outcome.success else "failure"
        if (row.status, row.score) != (status, outcome.score):
            raise TableFault(
                f"an outcome stays as it was brought in; {row.arm}/{row.condition}/{row.task}/{row.repeat} is"
                f" there as {_name_outcome(row.status, row.score)}, and the table has"
                f" {_name_outcome(status, outcome.score)}. Nothing was written"
            )
    return len(outcomes) - len(settled)


def _name_outcome(status: str, score: float | None) -> str:
    return status if score is None else f"{status} ({score:g})"
