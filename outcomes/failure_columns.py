"""Anyone's failures by mode: a table of counts, or of labels with a row a case."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from loadbearing.outcomes.column_roles import plain
from loadbearing.outcomes.count_words import listed
from loadbearing.outcomes.sheet import read_sheet
from loadbearing.outcomes.table_fault import TableFault

MOST_ROWS = 1_000
"""Of a table of counts; all rows are compared with each other."""
MOST_COUNT = 10**9
KEYS = ("backbone", "domain", "arm", "condition")
_COLUMNS = {
    "backbone": "backbone model agent llm participant",
    "domain": "domain environment env world website site benchmark dataset",
    "arm": "arm memory method",
    "condition": "condition perturbation damage",
    "case": "case id case_id",
    "task": "task task_id",
    "mode": "mode label code failure failure_mode",
    "rater": "rater annotator coder human",
}
_MODES = {
    "distraction": "distraction distracted",
    "reliance": "reliance overreliance over_reliance overreliant",
    "premature": "premature premature_inference hasty",
    "other": "other others",
    "success": "success solved",
}
Place = tuple[str, str, str, str]
"""Values of `KEYS`, empty where the table has no such column."""


@dataclass(frozen=True, slots=True)
class Label:
    """How one rater coded one case."""

    case: str
    task: str
    place: Place
    mode: str
    rater: str


def read_counts(path: Path) -> dict[Place, dict[str, int]]:
    """Failures by mode, by place; rows of one place are added up.

    Raises TableFault: no table of counts; it says what is missing, or which cell is no count.
    """
    frame = read_sheet(path).frame
    if frame.height > MOST_ROWS:
        raise TableFault(f"a table of counts has at most {MOST_ROWS:,} rows; {path} has {frame.height:,}")
    modes = {mode: head for mode, head in _named(frame.columns, _MODES).items() if mode != "success"}
    if len(modes) < 2:
        raise TableFault(
            f"columns named {listed(tuple(_MODES)[:4])} are needed, two at least; {path} has"
            f" {listed(frame.columns[:12])}"
        )
    places = _named(frame.columns, _COLUMNS)
    found: dict[Place, dict[str, int]] = {}
    for number, row in enumerate(frame.iter_rows(named=True), 1):
        counts = found.setdefault(_place(row, places), dict.fromkeys(modes, 0))
        for mode, head in modes.items():
            counts[mode] += _count(row[head], f"{head} in row {number} of {path}")
    return {
        place: {mode: counts[mode] for mode in _MODES if mode in modes} for place, counts in found.items()
    }


def read_labels(path: Path) -> tuple[Label, ...]:
    """Labels, a row a case and rater.

    Raises:
        TableFault: no column of modes, none of cases or tasks, an unknown mode, or two labels of one rater.
    """
    frame = read_sheet(path).frame
    named = _named(frame.columns, _COLUMNS)
    name = named.get("case", named.get("task"))
    if "mode" not in named or name is None:
        raise TableFault(
            f"labels need a column case (or task) and a column mode; {path} has {listed(frame.columns[:12])}"
        )
    found, seen = [], set()
    for number, row in enumerate(frame.iter_rows(named=True), 1):
        said = row[named["mode"]]
        if not said:
            continue  # not labelled yet
        mode = _known(plain(said), _MODES)
        if mode is None:
            raise TableFault(f"a mode is {listed(tuple(_MODES))}; row {number} of {path} has {said[:40]!r}")
        rater = row[named["rater"]] if "rater" in named else ""
        one = Label(row[name], row[named.get("task", name)], _place(row, named), mode, rater or "human")
        if (one.case, one.place, one.rater) in seen:
            raise TableFault(
                f"a rater labels a case once; row {number} of {path} is another label of {one.case[:40]!r}"
                f" by {one.rater[:40]!r}"
            )
        seen.add((one.case, one.place, one.rater))
        found.append(one)
    if not found:
        raise TableFault(f"no case is labelled yet: the column {named['mode']} of {path} is empty")
    return tuple(found)


def _named(heads: Iterable[str], names: Mapping[str, str]) -> dict[str, str]:
    return {name: head for head in heads if (name := _known(plain(head), names))}


def _known(head: str, names: Mapping[str, str]) -> str | None:
    return next((name for name, written in names.items() if head in written.split()), None)


def _place(row: Mapping[str, str], named: Mapping[str, str]) -> Place:
    backbone, domain, arm, condition = (row[named[key]] if key in named else "" for key in KEYS)
    return backbone, domain, arm, condition


def _count(text: str, where: str) -> int:
    whole = text.removesuffix(".0") or "0"
    if not (whole.isascii() and whole.isdecimal()) or len(whole) > 10 or int(whole) > MOST_COUNT:
        raise TableFault(f"counts are whole numbers from 0 on, no shares; {where} is {text[:40]!r}")
    return int(whole)
