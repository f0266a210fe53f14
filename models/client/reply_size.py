"""The largest reply. Replies are bounded while they are read, so that they fill neither memory nor disk."""

from __future__ import annotations

from collections.abc import AsyncIterator

from loadbearing.models.client.types import ProviderFault

MAX_REPLY_BYTES = 1024 * 1024
"""A reply of 2,048 tokens has about 10,000 bytes, one of 64,000 tokens about 250,000."""


def too_large(asked: str, most: int) -> ProviderFault:
    """The fault of a larger reply. It does not heal: the next reply would cost money as well."""
    said = f"{asked}: a reply of more than {most} bytes; engine.max_reply_bytes bounds it"
    return ProviderFault(said, "large reply", heals=False)


async def bounded(pieces: AsyncIterator[bytes], most: int, asked: str) -> AsyncIterator[bytes]:
    """The pieces of a body of at most `most` bytes; `asked` is the model string, for the message.

    Raises:
        ProviderFault: the body is larger.
    """
    read = 0
    async for piece in pieces:
        read += len(piece)
        if read > most:
            raise too_large(asked, most)
        yield piece
