"""Outcomes that a file of the user's states, by trace or by task."""

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from memtrial.agents.trajectory import Verdict
from memtrial.faults import SpecFault, refused
from memtrial.outcomes.count_words import list_names
from memtrial.outcomes.files.table_files import read_sheet
from memtrial.outcomes.table_fault import TableFault
from memtrial.transcripts.log_text import fields, head_of, load
from memtrial.transcripts.logged_run import LogFault
from memtrial.transcripts.stated_outcome import read_outcome

NAMES = ("trace_id", "session_id", "session", "id", "task_id", "instance_id", "task", "query")
VALUES = ("outcome", "success", "resolved", "correct", "score", "label")
RESOLVED, UNRESOLVED = "resolved_ids", "unresolved_ids"


@dataclass(frozen=True, slots=True)
class OutcomeList:
    """The outcome and the score of each name.

    Args:
        used: how often each name was asked for.
    """

    rows: dict[str, tuple[Verdict, float | None]]
    used: Counter[str] = field(default_factory=Counter)

    def unused(self) -> tuple[str, ...]:
        return tuple(name for name in self.rows if not self.used[name])


def read_outcome_list(path: Path, success_from: float | None) -> OutcomeList:
    """A table with a column of names and one of outcomes, `{name: outcome}`, or a report of SWE-bench.

    Raises:
        SpecFault: it cannot be read, a column is missing, or a name stands twice with different outcomes.
    """
    with refused(LogFault, TableFault):
        if path.suffix.lower() == ".json":
            return OutcomeList(_of_json(path, success_from))
        return OutcomeList(_of_table(path, success_from))


def _of_json(path: Path, success_from: float | None) -> dict[str, tuple[Verdict, float | None]]:
    head_of(path)  # no plain file, or too large: refused
    held = fields(load(path.read_bytes(), str(path)))
    if isinstance(held.get(RESOLVED), list):
        good = {str(name): ("success", None) for name in held[RESOLVED]}
        bad = {str(name): ("failure", None) for name in held.get(UNRESOLVED) or ()}
        return {**bad, **good}  # type: ignore[dict-item]
    if not held or any(isinstance(value, dict | list) for value in held.values()):
        raise LogFault(f"{path}: {{name: outcome}} is needed, or a report with {RESOLVED}; or pass a table")
    rows = dict[str, tuple[Verdict, float | None]]()
    for name, value in held.items():
        _keep(
            rows,
            name,
            json.dumps(value) if isinstance(value, bool) else str(value),
            f"{path}, {name}",
            success_from,
        )
    return rows


def _of_table(path: Path, success_from: float | None) -> dict[str, tuple[Verdict, float | None]]:
    frame = read_sheet(path).frame
    named = [head for head in NAMES if head in frame.columns]
    stated = [head for head in VALUES if head in frame.columns]
    if not named or not stated:
        missing = "names (trace_id or task_id)" if not named else "outcomes (outcome, success or score)"
        raise SpecFault(f"{path} needs a column of {missing}; it has {list_names(frame.columns)}")
    rows = dict[str, tuple[Verdict, float | None]]()
    for number, (name, value) in enumerate(zip(frame[named[0]], frame[stated[0]], strict=True), 2):
        if name and value:
            _keep(rows, name, value, f"{path}, row {number}", success_from)
    return rows


def _keep(
    rows: dict[str, tuple[Verdict, float | None]],
    name: str,
    value: str,
    where: str,
    success_from: float | None,
) -> None:
    outcome, score = read_outcome(value, where, success_from)
    if outcome:
        if rows.get(name, (outcome,))[0] != outcome:
            raise LogFault(f"{where}: {name!r} stands twice, with different outcomes")
        rows[name] = outcome, score
