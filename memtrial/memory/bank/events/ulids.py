"""Names that sort by time: a ULID is 48 bits of milliseconds and 80 bits of chance, in 26 letters.

Source: github.com/ulid/spec. Two of one maker are never equal, and the later sorts behind, within one
millisecond and when the clock is set back.
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field

LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
LENGTH = 26
CHANCE_BITS = 80
_PAIRS = tuple(first + second for first in LETTERS for second in LETTERS)
_KNOWN = frozenset(LETTERS)
ITEM = "rm_"
"""How the id of an item begins (seeds/003)."""


@dataclass(slots=True)
class UlidMaker:
    """Makes ULIDs that only ascend.

    Args:
        clock: seconds since 1970.
        draw: a number of so many random bits.
    """

    clock: Callable[[], float]
    draw: Callable[[int], int] = secrets.randbits
    _last: int = field(default=-1, init=False)

    def make(self) -> str:
        """The next one: of this millisecond, or one more than the last where that is not behind it."""
        now = max(int(self.clock() * 1000), 0)
        behind = now > self._last >> CHANCE_BITS
        self._last = now << CHANCE_BITS | self.draw(CHANCE_BITS) if behind else self._last + 1
        return spell(self._last)


def spell(number: int) -> str:
    """A number of 128 bits in Crockford's letters."""
    return "".join([_PAIRS[number >> 10 * place & 1023] for place in range(LENGTH // 2 - 1, -1, -1)])


def is_ulid(text: str) -> bool:
    """Whether a text is a ULID, or an item's id that is made of one."""
    bare = text.removeprefix(ITEM)
    return len(bare) == LENGTH and _KNOWN.issuperset(bare)
