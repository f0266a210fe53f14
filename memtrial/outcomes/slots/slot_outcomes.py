"""What a harness brings back: a table with a row a slot, of its cell, the text it showed and how it went.

A row names its cell by task, arm, condition and repeat, and by its backbone where a run has several. Its
`digest` is the sha256 of the UTF-8 bytes of the text that the harness showed, so that a text that was changed
on the way is seen.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import polars as pl

from memtrial.outcomes.count_words import how_many, list_names
from memtrial.outcomes.score_texts import MISSING, read_numbers, read_words
from memtrial.outcomes.scores import errors_of
from memtrial.outcomes.sheet import Sheet
from memtrial.outcomes.table_fault import TableFault

NEEDED = ("task", "arm", "condition", "repeat", "digest")
OUTCOME = ("score", "success")
MEASURED = ("input_tokens", "output_tokens", "usd")
KNOWN = (*NEEDED, *OUTCOME, *MEASURED, "error", "cause")
NAMED = 3
"""So many slots are named in a message; the others are counted."""


class Cell(NamedTuple):
    """Where a trial belongs; `backbone` is empty where a run has but one."""

    task: str
    arm: str
    condition: str
    repeat: int
    backbone: str = ""

    def __str__(self) -> str:
        place = f"{self.arm}/{self.condition}/{self.task}/{self.repeat}"
        return f"{self.backbone}/{place}" if self.backbone else place


@dataclass(frozen=True, slots=True)
class SlotOutcome:
    """How one slot went.

    Args:
        digest: sha256 of the text that was shown, in hexadecimal digits.
        score: from 0 to 1; None where the infrastructure failed, for the reason in `error`.
        cause: why it failed, in words; may be empty.
        usd, input_tokens, output_tokens: what the harness measured; None where it says nothing.
    """

    digest: str
    score: float | None
    success: bool = False
    error: str = ""
    cause: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    usd: float | None = None


@dataclass(frozen=True, slots=True)
class SlotTable:
    """The rows of a table, in order, and the names of columns that were not read."""

    rows: tuple[tuple[Cell, SlotOutcome], ...]
    unread: tuple[str, ...] = ()


def read_slot_table(sheet: Sheet, several: bool = False) -> SlotTable:
    """Read the outcomes of slots.

    Args:
        several: the run has several backbones, so that a row has to name its own.

    Raises:
        TableFault: a column is missing, or a cell of the table is not what its column needs.
    """
    frame = sheet.frame
    needed = (*NEEDED, "backbone") if several else NEEDED
    missing = [name for name in needed if name not in frame.columns]
    scored = any(name in frame.columns for name in OUTCOME)
    if missing or not scored:
        lacking = list_names(missing) if scored else ", ".join([*map(repr, missing), "score or success"])
        raise TableFault(
            f"outcomes of slots need the columns {list_names(needed)}, and score or success; this table has"
            f" no {lacking}. `export --slots` writes all but the outcome"
        )
    repeats = frame["repeat"].cast(pl.Int64, strict=False)
    _refuse(frame["repeat"], repeats.is_null(), "column 'repeat': a whole number is needed")
    tokens_in, tokens_out = _counts(frame, "input_tokens"), _counts(frame, "output_tokens")
    dollars = _numbers(frame, "usd")
    errors = _errors(frame)
    scores = _column(frame, "score") or _column(frame, "success") or ()
    successes = _column(frame, "success")
    causes = frame["cause"].to_list() if "cause" in frame.columns else [""] * frame.height
    backbones = frame["backbone"].to_list() if several else [""] * frame.height
    rows = []
    for number, (task, arm, condition, digest, repeat) in enumerate(
        zip(frame["task"], frame["arm"], frame["condition"], frame["digest"], repeats, strict=True)
    ):
        error, score = errors[number], scores[number]
        success = score is not None and score >= 1 if successes is None else successes[number] == 1
        if error and score is not None:
            raise TableFault(
                f"column 'error': a slot that the infrastructure failed has no score; row {number + 1} holds"
                f" {error[:60]!r} and the score {score:g}: empty the one or the other"
            )
        if score is None and not error:
            error = "no score is given"
        outcome = SlotOutcome(
            digest=digest.lower(),
            score=score,
            success=success,
            error=error,
            cause=causes[number],
            input_tokens=tokens_in[number],
            output_tokens=tokens_out[number],
            usd=dollars[number],
        )
        rows.append((Cell(task, arm, condition, repeat, backbones[number]), outcome))
    known = {*KNOWN, *needed}
    unread = tuple(name for name in (*frame.columns, *sheet.unread) if name not in known)
    return SlotTable(tuple(rows), unread)


def _column(frame: pl.DataFrame, name: str) -> list[float | None] | None:
    """The scores of a column; None where there is none of the name."""
    if name not in frame.columns:
        return None
    texts = frame[name]
    words, numbers = read_words(texts), read_numbers(texts)
    scores = words.fill_null(numbers.values)
    needed = f"column {name!r}: a score from 0 to 1 is needed, a word such as true or fail, or nothing"
    _refuse(texts, scores.is_null() & ~texts.str.to_lowercase().is_in(list(MISSING)), needed)
    _refuse(texts, (scores < 0) | (scores > 1), needed)
    return scores.to_list()


def _errors(frame: pl.DataFrame) -> list[str]:
    """By row, what the infrastructure failed of; empty where it did not."""
    if "error" not in frame.columns:
        return [""] * frame.height
    lost = errors_of(frame["error"], status=False)
    return [text if flag else "" for text, flag in zip(frame["error"], lost, strict=True)]


def _numbers(frame: pl.DataFrame, name: str) -> list[float | None]:
    """A column of what was measured; None where a cell is empty, or there is no such column."""
    if name not in frame.columns:
        return [None] * frame.height
    numbers = frame[name].cast(pl.Float64, strict=False).fill_nan(None)
    wrong = (numbers.is_null() & (frame[name] != "")) | (numbers < 0) | numbers.is_infinite()
    _refuse(frame[name], wrong, f"column {name!r}: a number from 0 on is needed, or nothing")
    return numbers.to_list()


def _counts(frame: pl.DataFrame, name: str) -> list[int | None]:
    return [None if number is None else int(number) for number in _numbers(frame, name)]


def _refuse(column: pl.Series, wrong: pl.Series, needed: str) -> None:
    rows = wrong.fill_null(False).arg_true()
    if len(rows):
        more = f" (and {how_many(len(rows) - 1, 'more row')})" if len(rows) > 1 else ""
        raise TableFault(f"{needed}; row {rows[0] + 1} holds {column[rows[0]][:60]!r}{more}")


Slot = TypeVar("Slot", bound=Hashable)


def match_slots(
    table: SlotTable, slots: Mapping[Cell, Slot], digests: Mapping[Slot, str]
) -> dict[Slot, SlotOutcome]:
    """The outcome of every slot.

    Args:
        slots: by cell, the slot that stands in it; cells of one block with the same prompt share a slot.
        digests: sha256 of the text that each slot was to show.

    Raises:
        TableFault: a cell is unknown, a slot was played twice or not at all, or its text was another; all
            that is wrong is named.
    """
    unknown = [cell for cell, _ in table.rows if cell not in slots]
    twice = [cell for cell, count in Counter(cell for cell, _ in table.rows).items() if count > 1]
    unproven = [cell for cell, outcome in table.rows if cell in slots and not outcome.digest]
    altered = [
        cell
        for cell, outcome in table.rows
        if cell in slots and outcome.digest and outcome.digest != digests[slots[cell]]
    ]
    played: dict[Slot, tuple[Cell, SlotOutcome]] = {}
    for cell, outcome in table.rows:
        if cell not in slots:
            continue
        first, before = played.setdefault(slots[cell], (cell, outcome))
        if first != cell and before != outcome and cell not in twice:
            twice.append(cell)
    absent: dict[Slot, Cell] = {}
    for cell, slot in slots.items():
        if slot not in played:
            absent.setdefault(slot, cell)
    wrong = [
        _name(unknown, "not of this run"),
        _name(twice, "played more than once"),
        _name(unproven, "without a digest"),
        _name(altered, "with another text than was locked"),
        _name(absent.values(), "not played"),
    ]
    if any(wrong):
        raise TableFault(
            f"every slot is needed once, with the text that was locked; of {how_many(len(digests), 'slot')}:"
            f" {'; '.join(filter(None, wrong))}. Nothing was written"
        )
    return {slot: outcome for slot, (_, outcome) in played.items()}


def _name(cells: Iterable[Cell], what: str) -> str:
    """How many there are and the first of them; empty where there is none."""
    listed = list(dict.fromkeys(cells))
    if not listed:
        return ""
    more = f" and {len(listed) - NAMED:,} more" if len(listed) > NAMED else ""
    return f"{len(listed):,} {what} ({', '.join(str(cell) for cell in listed[:NAMED])}{more})"
