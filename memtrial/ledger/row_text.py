"""Rows of the ledger as text: JSON and zlib, read in bounded memory; what is no such thing is one fault."""

import json
import marshal
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from datetime import UTC, datetime
from functools import cache
from operator import attrgetter
from sys import intern
from typing import Any, TypeVar

from pydantic_core import from_json, to_json

from memtrial.ledger.rows import CheckRow, DecisionRow, EpisodeRow, TrialRow

PLACE = ("backbone", "arm", "condition", "task", "repeat")
ASKED = (*PLACE, "nth")
TRIAL = ("key", *PLACE, "status", "score")
NUMBERS = ("score", "similarity", "usd", "reported_usd", "followed", "did_told", "did_avoided", "did_other")
"""Fields of a trial whose numbers many trials share."""
LARGEST = 64 * 2**20
"""Bytes of one episode, unpacked; a small blob can hold a thousand times its size."""
Row = TypeVar("Row", CheckRow, DecisionRow, EpisodeRow, TrialRow)


class LedgerFault(RuntimeError):
    """The file is no ledger, is damaged or cannot be opened, or a row would contradict one that is there."""


def now() -> str:
    """ISO 8601, UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def text_of(body: Any) -> str:
    """JSON on one line."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def parse_json(text: Any) -> Any:
    """What JSON says; a LedgerFault where it is none, or nested deeper than anything a run writes."""
    with suppress(ValueError, TypeError):
        return from_json(text)  # in half the time; what it does not take is for the other to judge
    try:
        return json.loads(text)
    except (ValueError, TypeError, RecursionError) as fault:
        raise LedgerFault(f"an intact ledger is needed; a row of it holds no JSON: {fault}") from fault


def read_mapping(text: Any) -> dict[str, Any]:
    """A JSON object; a LedgerFault where it is none."""
    if isinstance(body := parse_json(text), dict):
        return body
    raise LedgerFault(f"an intact ledger is needed; a row of it holds {type(body).__name__}")


def name_values(row: Row) -> dict[str, Any]:
    """The values of a row by name; not by asdict, which copies what they hold deeply."""
    names, values_of = columns_of_kind(type(row), ())  # type: ignore[arg-type]
    return dict(zip(names, values_of(row), strict=True))


def place_columns(row: Row, columns: tuple[str, ...]) -> tuple[Any, ...]:
    """A row as these columns, and all else as a body of JSON."""
    names, values_of = columns_of_kind(type(row), columns)  # type: ignore[arg-type]
    values: tuple[Any, ...] = values_of(row)
    body: dict[str, Any] = dict(zip(names[len(columns) :], values[len(columns) :], strict=True))
    return (*values[: len(columns)], write_body(body).decode())


@cache  # thousands of rows are written
def columns_of_kind(
    kind: type[object], first: tuple[str, ...]
) -> tuple[tuple[str, ...], Callable[[object], tuple[Any, ...]]]:
    """The fields of a kind of row, some of them first, and what takes their values from a row."""
    rest = (field.name for field in fields(kind) if field.name not in first)  # type: ignore[arg-type]
    names = (*first, *rest)
    return names, attrgetter(*names)


def write_body(values: Mapping[str, Any]) -> bytes:
    """The values of a row as JSON on one line, as `text_of` in a third of its time."""
    return to_json(values)


def placed_row(kind: type[Row], columns: tuple[str, ...], place: Sequence[Any], body: Any) -> Row:
    """The inverse of `place_columns`; a LedgerFault where it is none."""
    return whole(kind, dict(zip(columns, map(_share, place), strict=True)) | read_mapping(body))


def _share(value: Any) -> Any:
    """The value; a name that many rows hold is kept once."""
    return intern(value) if type(value) is str else value


def pack_episode(row: EpisodeRow) -> bytes:
    """What was said, as it is kept."""
    return zlib.compress(text_of(name_values(row)).encode(), 3)


def unpack_episode(body: Any) -> dict[str, Any]:
    """What `pack_episode` made; a LedgerFault where it is something else, or larger than any episode."""
    opened = zlib.decompressobj()
    try:
        text = opened.decompress(body, LARGEST)
    except (zlib.error, TypeError) as fault:
        raise LedgerFault(f"an intact ledger is needed; an episode cannot be read: {fault}") from fault
    if not opened.eof:
        raise LedgerFault(f"an intact ledger is needed; an episode is cut off after {len(text)} bytes")
    return read_mapping(text)


def whole(kind: type[Row], values: dict[str, Any]) -> Row:
    """A row of this version; a LedgerFault where fields are missing, or there are others."""
    slots = _slots_of(kind)  # type: ignore[arg-type]
    # many rows are read at once: a frozen one that is made by name takes three times as long
    if values.keys() == slots.keys():
        row = object.__new__(kind)
        for name, value in values.items():
            slots[name](row, value)
        return row
    try:
        return kind(**values)
    except TypeError as fault:
        raise LedgerFault(f"a ledger of this version is needed; this has another row: {fault}") from fault


@cache
def _slots_of(kind: Any) -> Mapping[str, Callable[[object, Any], None]]:
    """What sets each field of a row that is being made."""
    return {field.name: getattr(kind, field.name).__set__ for field in fields(kind)}


Shared = dict[bytes | float | str, Any]
"""What many trials hold alike, by its bytes, and numbers by themselves: it is kept once for all that are read
with the same."""


def trial_of(row: tuple[Any, ...], shared: Shared | None = None) -> TrialRow:
    """A trial from its columns `TRIAL` and its body."""
    key, *columns, text = row
    values = {"key": key} | dict(zip(TRIAL[1:], map(_share, columns), strict=True)) | read_mapping(text)
    for name in ("firings", "exposures", "grades", "items"):
        values[name] = tuple(values.get(name) or ())
    if shared is not None:
        for name in ("firings", "exposures"):
            # in the format without references to objects, equal values have equal bytes
            values[name] = shared.setdefault(marshal.dumps(values[name], 2), values[name])
        for name in NUMBERS:
            if type(value := values.get(name)) is float:
                # 0.0 and -0.0 are equal, and two numbers
                values[name] = shared.setdefault(value or repr(value), value)
    if "slot" in values:
        values["slot"] = _share(values["slot"])
    return whole(TrialRow, values)


def read_ending(how: str, why: str | None) -> tuple[str, str]:
    """How a session ended, and why; a row of before they had a column each holds both in one."""
    if why is not None:
        return how, why
    word, _, sentence = how.partition(": ")
    return word, sentence


def episode_of(key: str, body: Any) -> EpisodeRow:
    """What was said in a trial, from its blob."""
    return whole_episode(key, unpack_episode(body))


def whole_episode(key: str, values: dict[str, Any]) -> EpisodeRow:
    """What was said in a trial, from the values of its row."""
    held = values | {"key": key}
    for name in ("conversation", "steps", "calls"):
        held[name] = tuple(held.get(name) or ())
    return whole(EpisodeRow, held)
