"""How large a reply may be. It is bounded while it is read, so that it fills neither memory nor disk."""

from __future__ import annotations

from collections.abc import AsyncIterator

from loadbearing.models.client.types import ProviderFault

MAX_REPLY_BYTES = 1024 * 1024
"""A reply of 2,048 tokens has some ten thousand bytes, one of 64,000 a quarter of a million."""


def too_large(asked: str, most: int) -> ProviderFault:
    """The fault of a reply that is larger. It does not heal: the next one would have to be paid as well."""
    return ProviderFault(
        f"{asked}: a reply of more than {most} bytes; engine.max_reply_bytes bounds it", "large reply", False
    )


async def bounded(pieces: AsyncIterator[bytes], most: int, asked: str) -> AsyncIterator[bytes]:
    """The pieces of a body, as long as all of them are no more than so many bytes.

    Args:
        asked: what was asked, for the message.

    Raises:
        ProviderFault: they are more.
    """
    read = 0
    async for piece in pieces:
        read += len(piece)
        if read > most:
            raise too_large(asked, most)
        yield piece


async def bounded_lines(pieces: AsyncIterator[bytes], most: int) -> AsyncIterator[tuple[bytes, bool]]:
    """The lines of a body, without their ends; of one that is longer than so many bytes its beginning.

    Returns:
        Line, and whether it is whole.
    """
    held, whole = bytearray(), True
    async for piece in pieces:
        *ended, rest = piece.split(b"\n")
        for end in ended:
            held, whole = _grown(held, end, whole, most)
            yield bytes(held), whole
            held, whole = bytearray(), True
        held, whole = _grown(held, rest, whole, most)
    if held:
        yield bytes(held), whole


def _grown(held: bytearray, more: bytes, whole: bool, most: int) -> tuple[bytearray, bool]:
    room = most - len(held)
    held += more[:room]
    return held, whole and len(more) <= room
