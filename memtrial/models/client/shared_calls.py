"""Calls that several workers of one run make: each is asked by one of them, and found by all."""

from typing import Protocol


class SharedCalls(Protocol):
    """What a store of calls offers beside `CallStore` where others write into it, too."""

    def claim(self, key: bytes) -> bool:
        """Whether this worker may ask a call: it has no answer, and nobody else is asking it now."""

    def release(self, key: bytes) -> None:
        """No answer came, and this worker asks no more: another one may."""
