"""Anyone's failures by mode: a table of counts, or of labels with a row a case."""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

import polars as pl

from memtrial.outcomes.column_roles import plain
from memtrial.outcomes.count_words import list_names
from memtrial.outcomes.failures.failure_labels import KEYS, Label, Place
from memtrial.outcomes.files.table_files import read_sheet
from memtrial.outcomes.table_fault import TableFault

MOST_ROWS = 200
"""Of a table of counts; all rows are compared with each other."""
MOST_FAILURES = 30_000
"""In all rows together; the exact test draws whole tables of them."""
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
OPTION = "--column"
"""How a user says which column is meant: `--column mode=label`."""
NOT_ASKED: Mapping[str, str] = MappingProxyType({})
MODES = ("distraction", "reliance", "premature", "other")
"""Columns of a table of counts."""


def read_counts(
    path: Path, asked: Mapping[str, str] = NOT_ASKED, say: Callable[[str], object] | None = None
) -> dict[Place, dict[str, int]]:
    """Failures by mode, by place; rows of one place are added up.

    Args:
        asked: the column of a meaning (`KEYS` and the modes), where several could be it.
        say: is told what was noticed in reading the file, a sentence each; nobody unless given.

    Raises TableFault: no table of counts; it says what is missing, which cell is no count, or which columns
    could be the same.
    """
    frame = _frame(path, say)
    if frame.height > MOST_ROWS:
        raise TableFault(f"a table of counts has at most {MOST_ROWS:,} rows; {path} has {frame.height:,}")
    meanings = {key: _COLUMNS[key] for key in KEYS} | {mode: _MODES[mode] for mode in MODES}
    columns = _take(frame, meanings, asked, path)
    modes = {mode: columns[mode] for mode in MODES if mode in columns}
    if len(modes) < 2:
        raise TableFault(
            f"columns named {list_names(MODES)} are needed, two at least; {path} has "
            f"{list_names(frame.columns[:12])}"
        )
    by_place: dict[Place, dict[str, int]] = {}
    for number, row in enumerate(frame.iter_rows(named=True), 1):
        counts = by_place.setdefault(_place(row, columns), dict.fromkeys(modes, 0))
        for mode, head in modes.items():
            counts[mode] += _count(row[head], f"{head} in row {number} of {path}")
    if (total := sum(map(sum, map(dict.values, by_place.values())))) > MOST_FAILURES:
        raise TableFault(f"a table of counts has at most {MOST_FAILURES:,} failures; {path} has {total:,}")
    return by_place


def read_labels(
    path: Path, asked: Mapping[str, str] = NOT_ASKED, say: Callable[[str], object] | None = None
) -> tuple[Label, ...]:
    """Labels, a row a case and rater.

    Args:
        asked: the column of a meaning (`mode`, `case`, `rater` …), where several could be it.
        say: as of `read_counts`.

    Raises:
        TableFault: no column of modes, none of cases or tasks, several that could be the same, an unknown
            mode, or two labels of one rater.
    """
    frame = _frame(path, say)
    named = _take(frame, _COLUMNS, asked, path)
    name = named.get("case", named.get("task"))
    if "mode" not in named or name is None:
        raise TableFault(
            f"labels need a column case (or task) and a column mode; {path} has "
            f"{list_names(frame.columns[:12])}"
        )
    labels, seen = [], set()
    for number, row in enumerate(frame.iter_rows(named=True), 1):
        written = row[named["mode"]]
        if not written:
            continue  # not labelled yet
        mode = _known_name(plain(written), _MODES)
        if mode is None:
            raise TableFault(
                f"a mode is {list_names(tuple(_MODES))}; row {number} of {path} has {written[:40]!r}"
            )
        rater = row[named["rater"]] if "rater" in named else ""
        label = Label(row[name], row[named.get("task", name)], _place(row, named), mode, rater or "human")
        if (label.case, label.place, label.rater) in seen:
            raise TableFault(
                f"a rater labels a case once; row {number} of {path} is another label of {label.case[:40]!r}"
                f" by {label.rater[:40]!r}"
            )
        seen.add((label.case, label.place, label.rater))
        labels.append(label)
    if not labels:
        raise TableFault(f"no case is labelled yet: the column {named['mode']} of {path} is empty")
    return tuple(labels)


def unlabelled_cases(path: Path, asked: Mapping[str, str] = NOT_ASKED) -> int:
    """How many cases of a file that `read_labels` reads no rater has labelled yet."""
    frame = read_sheet(path).frame
    named = _take(frame, _COLUMNS, asked, path)
    name = named["case" if "case" in named else "task"]
    rows = [((row[name], _place(row, named)), row[named["mode"]]) for row in frame.iter_rows(named=True)]
    return len({case for case, _ in rows} - {case for case, mode in rows if mode})


def _frame(path: Path, say: Callable[[str], object] | None) -> pl.DataFrame:
    sheet = read_sheet(path)
    if say is not None:
        for note in sheet.notes:
            say(note)
    return sheet.frame


def _take(
    frame: pl.DataFrame, meanings: Mapping[str, str], asked: Mapping[str, str], path: Path
) -> dict[str, str]:
    """The column of each meaning that the table has, in the order of `meanings`.

    An empty column beside a filled one says nothing, and of columns with equal cells the first is as good.
    """
    for meaning, head in asked.items():
        if meaning not in meanings:
            raise TableFault(
                f"{OPTION} {meaning}={head}: the meanings here are {list_names(tuple(meanings), 12)}"
            )
        if head not in frame.columns:
            raise TableFault(
                f"{OPTION} {meaning}={head}: {path} has no such column; it has "
                f"{list_names(frame.columns, 12)}"
            )
    taken: dict[str, str] = {}
    for meaning in meanings:
        fit = [
            head
            for head in frame.columns
            if _known_name(plain(head), meanings) == meaning and head not in asked.values()
        ]
        fit = [head for head in fit if (frame[head] != "").any()] or fit[:1]
        if meaning not in asked and any(not frame[fit[0]].equals(frame[head]) for head in fit[1:]):
            raise TableFault(
                f"several columns of {path} could be the {meaning}, and they differ: {list_names(fit)}; "
                f"{OPTION} {meaning}=NAME says which"
            )
        if meaning in asked or fit:
            taken[meaning] = asked[meaning] if meaning in asked else fit[0]
    return taken


def _known_name(head: str, names: Mapping[str, str]) -> str | None:
    return next((name for name, written in names.items() if head in written.split()), None)


def _place(row: Mapping[str, str], named: Mapping[str, str]) -> Place:
    backbone, domain, arm, condition = (row[named[key]] if key in named else "" for key in KEYS)
    return backbone, domain, arm, condition


def _count(text: str, where: str) -> int:
    whole = text.removesuffix(".0") or "0"
    if not (whole.isascii() and whole.isdecimal()) or len(whole) > 10:
        raise TableFault(f"counts are whole numbers from 0 on, no shares; {where} is {text[:40]!r}")
    return int(whole)
