"""Which calls that cost nothing a run has asked already, so that each is counted once."""

from collections.abc import Iterable

from memtrial.call_purpose import Purpose
from memtrial.call_records import FreeCall, SharedCallRecord


class KnownCalls:
    """Short keys, by the purpose for which a call was asked first."""

    def __init__(self) -> None:
        self._by_purpose: dict[Purpose, set[bytes]] = {}

    def purpose_of(self, key: bytes) -> Purpose | None:
        """What a call was asked for first; None where it was not asked."""
        for purpose, keys in self._by_purpose.items():
            if key in keys:
                return purpose
        return None

    def add(self, purpose: Purpose, keys: Iterable[bytes]) -> None:
        self._by_purpose.setdefault(purpose, set()).update(keys)

    def sort_out(self, calls: Iterable[FreeCall]) -> tuple[list[FreeCall], list[SharedCallRecord]]:
        """Those that are new, and further purposes of those that are known; nothing is added."""
        new: dict[bytes, FreeCall] = {}
        shared = []
        for call in calls:
            first = self.purpose_of(call.key) or (new[call.key].purpose if call.key in new else None)
            if first is None:
                new[call.key] = call
            elif first != call.purpose:
                shared.append(SharedCallRecord(call.key, call.purpose))
        return list(new.values()), shared

    def add_calls(self, calls: Iterable[FreeCall]) -> None:
        """From now on these are known."""
        for call in calls:
            self.add(call.purpose, (call.key,))
