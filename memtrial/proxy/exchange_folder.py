"""Exchanges in a folder: a file of JSON lines, and each body once in a file named by its digest."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO

from pydantic import TypeAdapter, ValidationError

from memtrial.faults import SpecFault, StoreFault
from memtrial.private_file import make_private, private, read_private, write_private
from memtrial.proxy.exchange import Exchange, ExchangeEnd, ExchangeIntent

LINES, BODIES = "exchanges.jsonl", "bodies"
_LINE: TypeAdapter[ExchangeIntent | ExchangeEnd] = TypeAdapter(ExchangeIntent | ExchangeEnd)


@dataclass
class FolderExchanges:
    """A store in a folder: a line when a request is about to be sent, another when it has ended."""

    folder: Path
    _lines: IO[bytes] = field(repr=False)
    _kept: dict[int, Exchange] = field(default_factory=dict)

    def begin(self, intent: ExchangeIntent, body: bytes) -> None:
        with _saved(self.folder):
            self._put_body(intent.digest, body)
            self._put_line(intent)
        self._kept[intent.number] = Exchange(intent)

    def end(self, end: ExchangeEnd, reply: bytes) -> None:
        with _saved(self.folder):
            if end.is_kept:
                self._put_body(end.digest, reply)
            self._put_line(end)
        self._kept[end.number] = Exchange(self._kept[end.number].intent, end)

    def exchanges(self) -> tuple[Exchange, ...]:
        return tuple(self._kept.values())

    def request_body(self, number: int) -> bytes:
        return read_private(self.folder / BODIES / self._kept[number].intent.digest)

    def reply_body(self, number: int) -> bytes:
        end = self._kept[number].end
        if end is None or not end.is_kept:
            raise KeyError(number)
        return read_private(self.folder / BODIES / end.digest)

    def _put_body(self, digest: str, body: bytes) -> None:
        path = self.folder / BODIES / digest
        if not path.exists():
            write_private(path, body)

    def _put_line(self, line: ExchangeIntent | ExchangeEnd) -> None:
        self._lines.write(json.dumps(asdict(line)).encode() + b"\n")
        self._lines.flush()


@contextmanager
def exchange_folder(folder: Path) -> Iterator[FolderExchanges]:
    """A store in a folder that has none yet. SpecFault where there is one, or it cannot be made."""
    try:
        make_private(folder)
        make_private(folder / BODIES)
        lines = open(folder / LINES, "xb", opener=private)  # noqa: SIM115
    except FileExistsError:
        raise SpecFault(f"{folder / LINES} is there already; name a new folder") from None
    except OSError as fault:
        raise SpecFault(
            f"{folder} cannot keep the requests: {fault.strerror}; name another folder"
        ) from fault
    with lines:
        yield FolderExchanges(folder, lines)


def read_exchanges(folder: Path) -> tuple[Exchange, ...]:
    """What a folder keeps. A last line that a kill cut short is passed over.

    Raises:
        SpecFault: it cannot be read, or another line is none of ours.
    """
    path = folder / LINES
    try:
        lines = read_private(path).split(b"\n")
    except OSError as fault:
        raise SpecFault(
            f"{path} cannot be read: {fault.strerror}; name a folder of `memtrial proxy`"
        ) from fault
    kept: dict[int, Exchange] = {}
    for place, text in enumerate(lines[:-1], 1):
        try:
            line = _LINE.validate_json(text)
            kept[line.number] = (
                Exchange(line)
                if isinstance(line, ExchangeIntent)
                else Exchange(kept[line.number].intent, line)
            )
        except (ValidationError, KeyError):
            raise SpecFault(
                f"{path}, line {place} is no request and no end of one that stands above"
            ) from None
    return tuple(kept.values())


@contextmanager
def _saved(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as fault:
        raise StoreFault(f"{folder} cannot keep a request: {fault.strerror or fault}") from fault
