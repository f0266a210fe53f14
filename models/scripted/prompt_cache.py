"""What a provider's prompt cache would have read and written: prefixes by digest, kept for ever."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256

from loadbearing.models.scripted.protocol import Asked, Usage

CHARACTERS = 4
"""The characters of one token."""


@dataclass
class PromptCache:
    """The prefixes that were kept.

    A marked block keeps the prompt up to its end. A later prompt reads the longest of its own prefixes that
    was kept, and writes from there to its last mark. Real providers forget after minutes and keep nothing
    that is short; this one does not.
    """

    _kept: set[bytes] = field(default_factory=set)

    def account(self, asked: Asked, output: int) -> Usage:
        """What a prompt uses; its marked prefixes are kept from now on."""
        last = max((place for place, block in enumerate(asked.blocks) if block.marked), default=-1)
        running = sha256(asked.request.model.encode())
        length = read = marked = 0
        fresh: set[bytes] = set()
        for place, block in enumerate(asked.blocks):
            length += len(block.text)
            if place > last:
                continue
            running.update(f"\x1f{block.role}\x1f{block.text}".encode())
            prefix = running.digest()
            marked = length
            if prefix in self._kept:
                read = length
            if block.marked:
                fresh.add(prefix)
        self._kept |= fresh
        read_tokens, marked_tokens = read // CHARACTERS, marked // CHARACTERS
        return Usage(length // CHARACTERS - marked_tokens, read_tokens, marked_tokens - read_tokens, output)


def tokens(text: str) -> int:
    """The tokens of a text."""
    return len(text) // CHARACTERS
