"""The largest reply. Replies are bounded while they are read, so that they fill neither memory nor disk."""

from __future__ import annotations

from collections.abc import AsyncIterator

from loadbearing.models.client.types import ProviderFault

MAX_REPLY_BYTES = 1024 * 1024
"""A reply of 2,048 tokens has about 10,000 bytes, one of 64,000 tokens about 250,000."""


def too_large(asked: str, most: int) -> ProviderFault:
    """The fault of a larger reply. It does not heal: the next reply would cost money as well."""
    return ProviderFault(
        f"{asked}: a reply of more than {most} bytes; engine.max_reply_bytes bounds it", "large reply", False
    )


async def bounded(pieces: AsyncIterator[bytes], most: int, asked: str) -> AsyncIterator[bytes]:
    """The pieces of a body of at most `most` bytes.

    Args:
        asked: the model string, for the message.

    Raises:
        ProviderFault: the body is larger.
    """
    read = 0
    async for piece in pieces:
        read += len(piece)
        if read > most:
            raise too_large(asked, most)
        yield piece


async def bounded_lines(pieces: AsyncIterator[bytes], most: int) -> AsyncIterator[tuple[bytes, bool]]:
    """The lines of a body, without their ends; of one longer than `most` bytes its beginning.

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
