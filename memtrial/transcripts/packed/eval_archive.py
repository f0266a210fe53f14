"""Members of an `.eval` file, which is a zip: stored, deflated, or packed by zstd as Inspect does today.

Each member is read into bounded memory, whatever the file says of its size.
"""

import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from memtrial.transcripts.log_text import LONGEST, open_plain
from memtrial.transcripts.logged_run import LogFault

MOST_MEMBERS = 1_000_000
_ZSTD = 93
_LOCAL = struct.Struct("<4s5H3I2H")


def members_of(path: Path, folder: str) -> Iterator[tuple[str, bytes]]:
    """Name and bytes of each member below a folder, in the order of names.

    Raises:
        LogFault: no zip, damaged, or too large.
    """
    open_plain(path)
    try:
        with zipfile.ZipFile(path) as archive, path.open("rb") as file:
            infos = archive.infolist()
            if len(infos) > MOST_MEMBERS:
                raise LogFault(f"{path} has {len(infos):,} members")
            wanted = {info.filename: info for info in infos if info.filename.startswith(folder)}
            for name in sorted(wanted):
                yield name, _read(file, wanted[name], f"{path}, {name}")
    except (zipfile.BadZipFile, OSError, struct.error, ValueError, NotImplementedError) as fault:
        if isinstance(fault, LogFault):
            raise
        raise LogFault(f"{path}: no archive of Inspect, or damaged: {fault}") from fault


def _read(file: BinaryIO, info: zipfile.ZipInfo, where: str) -> bytes:
    file.seek(info.header_offset)
    header = file.read(_LOCAL.size)
    mark, *_, name_length, extra_length = _LOCAL.unpack(header)
    if mark != b"PK\x03\x04" or info.flag_bits & 1:
        raise LogFault(f"{where}: damaged, or encrypted")
    file.seek(name_length + extra_length, 1)
    packed = file.read(min(info.compress_size, LONGEST + 1))
    if len(packed) > LONGEST or len(packed) < info.compress_size:
        raise LogFault(f"{where}: cut short, or larger than {LONGEST >> 20} MiB")
    raw = _unpack(packed, info.compress_type, where)
    if len(raw) > LONGEST:
        raise LogFault(f"{where}: packs more than {LONGEST >> 20} MiB")
    if zlib.crc32(raw) != info.CRC:
        raise LogFault(f"{where}: damaged: its checksum is another")
    return raw


def _unpack(packed: bytes, kind: int, where: str) -> bytes:
    if kind == zipfile.ZIP_STORED:
        return packed
    if kind == zipfile.ZIP_DEFLATED:
        try:
            return zlib.decompressobj(wbits=-15).decompress(packed, LONGEST + 1)
        except zlib.error as fault:
            raise LogFault(f"{where}: damaged: {fault}") from fault
    if kind != _ZSTD:
        raise LogFault(f"{where}: packed in a way that Inspect does not use ({kind})")
    import zstandard

    try:
        with zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(packed) as reader:
            return bytes(reader.read(LONGEST + 1))
    except zstandard.ZstdError as fault:
        raise LogFault(f"{where}: damaged: {fault}") from fault
