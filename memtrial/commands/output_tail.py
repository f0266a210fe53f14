"""The end of a long output, and how long it was."""

from dataclasses import dataclass, field


@dataclass
class OutputTail:
    """Holds at most `most` bytes, however many came: `size`."""

    most: int
    size: int = 0
    _kept: bytearray = field(default_factory=bytearray, repr=False)

    def add(self, piece: bytes) -> None:
        """The next bytes."""
        self.size += len(piece)
        self._kept += piece[-self.most :]
        del self._kept[: -self.most]

    @property
    def text(self) -> str:
        """The end, bytes that are no UTF-8 replaced."""
        return self._kept.decode("utf-8", "replace")
