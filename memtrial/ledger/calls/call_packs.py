"""Calls that cost nothing, many in one row: what they share once, their keys and tokens side by side."""

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields

import zstandard

from memtrial.call_purpose import Purpose
from memtrial.call_records import SHORT, FreeCall
from memtrial.ledger.row_text import LedgerFault

_TOKENS = struct.calcsize("<2Q")
"""Bytes of one call's tokens, in and out, before they are packed."""
_LEVEL = 9


@dataclass(frozen=True, slots=True)
class CallPack:
    """Calls to one model for one purpose.

    Args:
        calls: how many; `input_tokens` and `output_tokens` are their sums.
        keys: `SHORT` bytes of each, in the order of asking.
        tokens: all input tokens, then all output tokens, as whole numbers of eight bytes, the low one first,
            under zstd.
    """

    asked: str
    answered: str
    purpose: Purpose
    stop: str
    temperature: float | None
    verbatim: bool
    calls: int
    input_tokens: int
    output_tokens: int
    keys: bytes
    tokens: bytes


PACK = tuple(field.name for field in fields(CallPack))
"""Columns of the table `free_calls`, in the order of the fields of a `CallPack`."""


def pack_calls(calls: Iterable[FreeCall]) -> list[CallPack]:
    """Calls in as few rows as they allow, in the order of the first of each."""
    alike: dict[tuple[str, str, Purpose, str, float | None, bool], list[FreeCall]] = {}
    for call in calls:
        common = call.asked, call.answered, call.purpose, call.stop, call.temperature, call.verbatim
        alike.setdefault(common, []).append(call)
    packer = zstandard.ZstdCompressor(level=_LEVEL)
    packs = []
    for common, together in alike.items():
        sent, written = [call.input_tokens for call in together], [call.output_tokens for call in together]
        tokens = struct.pack(f"<{2 * len(together)}Q", *sent, *written)
        keys = b"".join(call.key for call in together)
        packs.append(CallPack(*common, len(together), sum(sent), sum(written), keys, packer.compress(tokens)))
    return packs


def unpack_calls(packs: Iterable[CallPack]) -> Iterator[FreeCall]:
    """The inverse of `pack_calls`. Raises LedgerFault: a row is none of its."""
    opener = zstandard.ZstdDecompressor()
    for pack in packs:
        keys = split_keys(pack.keys)
        size = len(keys) * _TOKENS
        try:
            if zstandard.frame_content_size(pack.tokens) != size:
                raise LedgerFault("an intact ledger is needed; calls in a row of it lack their tokens")
            tokens = struct.unpack(f"<{2 * len(keys)}Q", opener.decompress(pack.tokens, max_output_size=size))
        except (zstandard.ZstdError, TypeError, struct.error) as fault:
            raise LedgerFault(f"an intact ledger is needed; calls of it cannot be read: {fault}") from fault
        for nth, key in enumerate(keys):
            yield FreeCall(
                *(key, pack.asked, pack.answered, pack.purpose, pack.stop, pack.temperature, pack.verbatim),
                *(tokens[nth], tokens[nth + len(keys)]),
            )


def split_keys(keys: bytes) -> list[bytes]:
    """The short keys that stand side by side; LedgerFault where they are none."""
    if not isinstance(keys, bytes) or len(keys) % SHORT:
        raise LedgerFault("an intact ledger is needed; keys of calls in it are cut off")
    return [keys[begin : begin + SHORT] for begin in range(0, len(keys), SHORT)]
