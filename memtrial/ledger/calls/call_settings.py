"""With what a call that cost nothing was asked, found by its key among many."""

from collections.abc import Iterable

from memtrial.call_records import SHORT
from memtrial.ledger.calls.call_packs import split_keys


class CallSettings:
    """Model asked and temperature by short key, in sixteen bytes a call.

    Args:
        packs: model, temperature and keys of each row.

    Raises:
        LedgerFault: keys are cut off.
    """

    def __init__(self, packs: Iterable[tuple[str, float | None, bytes]]) -> None:
        import numpy as np

        self._settings: list[tuple[str, float | None]] = []
        keys: list[bytes] = []
        counts: list[int] = []
        for asked, temperature, together in packs:
            self._settings.append((asked, temperature))
            keys.append(together)
            counts.append(len(split_keys(together)))
        numbers = np.frombuffer(b"".join(keys), np.uint64)
        order = np.argsort(numbers)
        self._keys, self._rows = numbers[order], np.repeat(np.arange(len(counts)), counts)[order]

    def find(self, key: bytes) -> tuple[str, float | None] | None:
        """The settings of a call; None where it is not there."""
        if len(key) != SHORT:
            return None
        import numpy as np

        (number,) = np.frombuffer(key, np.uint64)
        place = int(np.searchsorted(self._keys, number))
        if place == len(self._keys) or self._keys[place] != number:
            return None
        return self._settings[int(self._rows[place])]
