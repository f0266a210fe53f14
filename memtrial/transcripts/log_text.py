"""Files of others, read in bounded memory: lines, objects, and fields of any type."""

import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

from memtrial.transcripts.logged_run import LogFault

Json: TypeAlias = Any
"""What JSON can hold. Every use asks for its type first."""

MOST_BYTES = 1 << 30
"""Of a file."""
LONGEST = 1 << 27
"""Bytes of a line, of a JSON text and of what is packed."""
SPOKEN = ("human", "ai", "system", "tool")
"""Who speaks in a message of LangChain's."""


def open_plain(path: Path) -> int:
    """The size of a plain file in bytes. Raises LogFault: it is none, or too large."""
    try:
        if not path.is_file():
            raise LogFault(f"{path} is {'no plain file' if path.exists() else 'not there'}")
        size = path.stat().st_size
    except OSError as fault:
        raise LogFault(f"{path} cannot be read: {fault.strerror}") from fault
    if size > MOST_BYTES:
        raise LogFault(f"{path} is larger than {MOST_BYTES >> 20:,} MiB; split it by runs")
    return size


def head_of(path: Path, most: int = 1 << 16) -> bytes:
    """The first bytes of a plain file."""
    open_plain(path)
    try:
        with path.open("rb") as file:
            return file.read(most)
    except OSError as fault:
        raise LogFault(f"{path} cannot be read: {fault.strerror}") from fault


def texts_of(path: Path) -> Iterator[tuple[str, str]]:
    """Each line with its place in words, blank ones too, without its end."""
    open_plain(path)
    try:
        with path.open("rb") as file:
            number = 0
            while line := file.readline(LONGEST + 1):
                number += 1
                if len(line) > LONGEST:
                    raise LogFault(f"{path}, line {number}: longer than {LONGEST >> 20} MiB")
                raw = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
                try:
                    yield f"{path}, line {number}", raw.rstrip(b"\r\n").decode("utf-8")
                except UnicodeDecodeError as fault:
                    raise LogFault(f"{path}, line {number}: not UTF-8 ({fault.reason})") from fault
    except OSError as fault:
        raise LogFault(f"{path} cannot be read: {fault.strerror}") from fault


def load(text: str | bytes, where: str) -> Json:
    """A JSON text. Raises LogFault: it is none, too long or too deep."""
    if len(text) > LONGEST:
        raise LogFault(f"{where}: longer than {LONGEST >> 20} MiB")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as fault:
        why = "nested too deep" if isinstance(fault, RecursionError) else str(fault)
        raise LogFault(f"{where}: no JSON: {why}") from fault


def objects_of(path: Path) -> Iterator[tuple[str, dict[str, Json]]]:
    """Each object of a file of JSON lines, of a JSON list, or the one that a file is; others are refused.

    A list of messages is one object, a conversation.
    """
    whole = _is_whole(path)
    if not whole:
        for where, line in texts_of(path):
            if line.strip():
                yield where, _an_object(load(line, where), where)
        return
    try:
        value = load(path.read_bytes(), str(path))
    except OSError as fault:
        raise LogFault(f"{path} cannot be read: {fault.strerror}") from fault
    if isinstance(value, list) and value and all(map(_is_message, value)):
        value = {"messages": value}
    for number, entry in enumerate(value if isinstance(value, list) else [value], 1):
        where = f"{path}, entry {number}" if isinstance(value, list) else str(path)
        yield where, _an_object(entry, where)


def _is_message(value: Json) -> bool:
    """What a list of which is one conversation, and no list of records."""
    spoken = fields(value).get("type") in SPOKEN
    inner = fields(fields(value).get("data")) if spoken else {}
    return "content" in {**fields(value), **inner} and (spoken or "role" in value)


def _an_object(value: Json, where: str) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise LogFault(f"{where}: an object is needed; got {type(value).__name__}")
    return value


def _is_whole(path: Path) -> bool:
    """The file is one JSON text: its first line alone is none, or it is its only line."""
    if open_plain(path) > LONGEST:
        return False
    with path.open("rb") as file:
        first = file.readline(LONGEST).removeprefix(b"\xef\xbb\xbf")
        more = file.read(1)
    if not more or first.lstrip()[:1] == b"[":
        return True
    if path.suffix.lower() == ".jsonl":
        return False
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        return True
    return False


def unpack(packed: bytes, where: str, most: int = LONGEST) -> bytes:
    """What gzip packed. Raises LogFault: damaged, or larger than `most`."""
    try:
        engine = zlib.decompressobj(wbits=31)
        raw = engine.decompress(packed, most + 1)
    except (zlib.error, gzip.BadGzipFile) as fault:
        raise LogFault(f"{where}: no gzip, or damaged: {fault}") from fault
    if len(raw) > most:
        raise LogFault(f"{where}: packs more than {most >> 20} MiB")
    if not engine.eof:
        raise LogFault(f"{where}: cut short")
    return raw


def text(value: Json) -> str:
    """A text, or an empty one where the value is none."""
    return value if isinstance(value, str) else ""


def entries(value: Json) -> list[Json]:
    """A list, or an empty one where the value is none."""
    return value if isinstance(value, list) else []


def fields(value: Json) -> dict[str, Json]:
    """An object, or an empty one where the value is none."""
    return value if isinstance(value, dict) else {}


def compact(value: Json) -> str:
    """Any value as one text: a text is itself, other values are their JSON."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def reach(value: Json, path: str) -> Json:
    """The value behind names joined by dots; None where there is none."""
    if isinstance(value, dict) and path in value:
        return value[path]
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value
