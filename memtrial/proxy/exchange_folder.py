"""Exchanges in a folder: a file of JSON lines, and each body once in a file named by its digest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from pydantic import TypeAdapter, ValidationError

from memtrial.faults import SpecFault, StoreFault
from memtrial.private_file import make_private, private, read_private
from memtrial.proxy.exchange import Exchange, ExchangeEnd, ExchangeIntent

LINES, BODIES = "exchanges.jsonl", "bodies"
_LINE: TypeAdapter[ExchangeIntent | ExchangeEnd] = TypeAdapter(ExchangeIntent | ExchangeEnd)


@dataclass
class FolderExchanges:
    """A store in a folder: a line when a request is about to be sent, another when it has ended."""

    folder: Path
    _lines: IO[bytes] = field(repr=False)
    _kept: dict[int, Exchange] = field(default_factory=dict)
    _bodies: set[str] = field(default_factory=set, repr=False)

    def begin(self, intent: ExchangeIntent, body: bytes) -> None:
        with _name_disk_faults(self.folder):
            self._put_body(intent.digest, body)
            self._put_line(intent)
        self._kept[intent.number] = Exchange(intent)

    def end(self, end: ExchangeEnd, reply: bytes) -> None:
        with _name_disk_faults(self.folder):
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
        # written in place: until its line is there, nobody reads it
        if digest not in self._bodies:
            with open(f"{self.folder}/{BODIES}/{digest}", "xb", opener=private) as file:
                file.write(body)
            self._bodies.add(digest)

    def _put_line(self, line: ExchangeIntent | ExchangeEnd) -> None:
        self._lines.write(_LINE.dump_json(line) + b"\n")
        self._lines.flush()


@contextmanager
def exchange_folder(folder: Path) -> Iterator[FolderExchanges]:
    """A store in a folder that has none yet; where nothing was kept in it, the folder goes again.

    Raises:
        SpecFault: there is one, or it cannot be made.
    """
    made = [path for path in (folder / BODIES, folder, *folder.parents) if not path.exists()]
    with _taken_away(made), _make_folder(folder) as lines:
        store = FolderExchanges(folder, lines)
        try:
            yield store
        finally:
            if not store.exchanges():
                (folder / LINES).unlink(missing_ok=True)


def _make_folder(folder: Path) -> IO[bytes]:
    """Its file of lines, open and empty."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        make_private(folder)
        make_private(folder / BODIES)
        return open(folder / LINES, "xb", opener=private)
    except FileExistsError:
        raise SpecFault(f"{folder / LINES} is there already; name a new folder") from None
    except OSError as fault:
        raise SpecFault(
            f"{folder} cannot keep the requests: {fault.strerror}; name another folder"
        ) from fault


@contextmanager
def _taken_away(made: Sequence[Path]) -> Iterator[None]:
    """At the end, folders that were made go again if nothing is in them."""
    try:
        yield
    finally:
        for path in made:
            with suppress(OSError):
                path.rmdir()


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
def _name_disk_faults(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as fault:
        raise StoreFault(f"{folder} cannot keep a request: {fault.strerror or fault}") from fault
