"""What a Parquet file says about itself, held against what was read from it.

Its readers look at few of these claims, and a damaged byte that still decodes changes a value without a
word. Checksums of pages prove that nothing did; counts, names and ranges of columns show part of it.

Source: parquet-format, src/main/thrift/parquet.thrift.
"""

import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from memtrial.outcomes.files.thrift_compact import EncodingFault, Reader, Struct

_MARK = b"PAR1"
_DATA_PAGES = (0, 3)
_WHOLE = {pl.Int8, pl.Int16, pl.Int32, pl.Int64}
_UNPACKED = {1: "<i", 2: "<q", 4: "<f", 5: "<d"}
"""How an end of a range is written, by the physical type of the column."""


class DamageFault(ValueError):
    """A file does not hold what it says of itself: one line that begins with a verb."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """The values of one column in one group of rows.

    Args:
        n_values, n_nulls: None where the file does not say.
        low, high: between these every value lies, as they are written; None where the file does not say.
        checked: every page had a checksum, and it was right.
    """

    name: str
    kind: int
    n_values: int
    n_nulls: int | None
    low: bytes | None
    high: bytes | None
    checked: bool


@dataclass(frozen=True, slots=True)
class Claims:
    """Groups of rows, each with its number of rows and its chunks by column."""

    groups: tuple[tuple[int, tuple[Chunk, ...]], ...]

    @property
    def is_checked(self) -> bool:
        """Checksums prove that the values are those that were written."""
        return all(chunk.checked for _, chunks in self.groups for chunk in chunks)


def claims_of(held: bytes) -> Claims:
    """The claims of a file. Raises DamageFault: it is cut, a checksum is wrong, or it contradicts itself."""
    size = int.from_bytes(held[-8:-4], "little")
    if len(held) < 12 or held[:4] != _MARK or held[-4:] != _MARK or size > len(held) - 12:
        raise DamageFault("cannot be read: it is cut, or no Parquet file")
    try:
        about = Reader(held[-8 - size : -8]).struct()
        groups = tuple(
            (_number(group, 3), tuple(_chunk(held, column) for column in _structs(group, 1)))
            for group in _structs(about, 4)
        )
        whole = _number(about, 3)
    except EncodingFault as fault:
        raise DamageFault(f"is damaged: {fault}") from fault
    if sum(rows for rows, _ in groups) != whole:
        raise DamageFault("is damaged: its groups have not as many rows as the whole")
    return Claims(groups)


def hold_against(frame: pl.DataFrame, claims: Claims) -> None:
    """The frame is what the claims say, where they say it. Raises DamageFault: it is not."""
    if frame.height != sum(rows for rows, _ in claims.groups):
        raise DamageFault("is damaged: it has not as many rows as it says")
    start = 0
    for rows, chunks in claims.groups:
        for chunk in chunks:
            if "." in chunk.name and chunk.name not in frame.columns:
                continue  # a part of a nested value, which is not read
            if chunk.name not in frame.columns:
                raise DamageFault(f"is damaged: column {chunk.name[:40]!r} has two names")
            # a name such as "^a.*$" would be taken for a pattern
            _hold_chunk(frame.get_column(chunk.name).slice(start, rows).alias("values"), chunk, rows)
        start += rows


def _hold_chunk(values: pl.Series, chunk: Chunk, rows: int) -> None:
    where = f"column {chunk.name[:40]!r}"
    nested = isinstance(values.dtype, pl.List | pl.Array | pl.Struct)
    if not nested and (
        chunk.n_values != rows or (chunk.n_nulls is not None and chunk.n_nulls != values.null_count())
    ):
        raise DamageFault(f"is damaged: {where} has not as many values as it says")
    low, high = _end(chunk.low, chunk.kind, values.dtype), _end(chunk.high, chunk.kind, values.dtype)
    plain = values.drop_nulls()
    plain = plain.drop_nans() if plain.dtype.is_float() else plain
    if plain.is_empty():
        return
    least, most = plain.min(), plain.max()
    if (low is not None and least < low) or (high is not None and most > high):  # type: ignore[operator]
        raise DamageFault(f"is damaged: {where} holds a value outside the range that it states")


def _end(written: bytes | None, kind: int, dtype: pl.DataType) -> float | str | None:
    """One end of a range, of the types of which it is known how they are ordered."""
    if written is None:
        return None
    if dtype == pl.String:
        return written.decode("utf-8", "surrogateescape")
    ordered = type(dtype) in _WHOLE if kind in (1, 2) else dtype.is_float()
    layout = _UNPACKED.get(kind, "")
    if not (ordered and layout) or len(written) != struct.calcsize(layout):
        return None
    (number,) = struct.unpack(layout, written)
    return None if number != number else float(number) if dtype.is_float() else int(number)


def _chunk(held: bytes, column: Struct) -> Chunk:
    about = _struct(column, 3)
    ranges = _struct(about, 12) if 12 in about else {}
    names = about.get(3)
    if not isinstance(names, list) or not all(isinstance(name, bytes) for name in names):
        raise EncodingFault("a column has no name")
    nulls = ranges.get(3)
    low, high = ranges.get(6), ranges.get(5)
    return Chunk(
        name=b".".join(names).decode("utf-8", "replace"),
        kind=_number(about, 1),
        n_values=_number(about, 5),
        n_nulls=nulls if isinstance(nulls, int) else None,
        low=low if isinstance(low, bytes) else None,
        high=high if isinstance(high, bytes) else None,
        checked=_are_checked(held, about),
    )


def _are_checked(held: bytes, about: Struct) -> bool:
    """Whether every page has a checksum. Raises EncodingFault: one is wrong, or values are missing."""
    first, dictionary = _number(about, 9), about.get(11)
    start = min(first, dictionary) if isinstance(dictionary, int) and dictionary > 0 else first
    end = start + _number(about, 7)
    if not 4 <= start <= end <= len(held) - 8:
        raise EncodingFault("a column lies outside the file")
    reader, n_values, checked = Reader(held, start), 0, True
    while reader.place < end:
        head = reader.struct()
        size, place = _number(head, 3), reader.place
        if not 0 <= size <= end - place:
            raise EncodingFault("a page is longer than its column")
        crc = head.get(4)
        if isinstance(crc, int) and crc & 0xFFFFFFFF != zlib.crc32(held[place : place + size]):
            raise EncodingFault("the checksum of a page is wrong")
        checked = checked and isinstance(crc, int)
        if _number(head, 1) in _DATA_PAGES:
            n_values += _number(_struct(head, 5 if 5 in head else 8), 1)
        reader.place = place + size
    if n_values != _number(about, 5):
        raise EncodingFault("a column has not as many values as it says")
    return checked


def _number(fields: Mapping[int, object], number: int) -> int:
    value = fields.get(number)
    if not isinstance(value, int):
        raise EncodingFault(f"its description lacks field {number}")
    return value


def _struct(fields: Mapping[int, object], number: int) -> Struct:
    value = fields.get(number)
    if not isinstance(value, dict):
        raise EncodingFault(f"its description lacks field {number}")
    return value


def _structs(fields: Mapping[int, object], number: int) -> list[Struct]:
    values = fields.get(number)
    if not isinstance(values, list) or not all(isinstance(value, dict) for value in values):
        raise EncodingFault(f"its description lacks field {number}")
    return values
