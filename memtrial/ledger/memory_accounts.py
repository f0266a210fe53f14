"""The accounts of a ledger in memory, counted in Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol

from memtrial.call_purpose import Purpose, write_purpose
from memtrial.call_records import TOKENS, KeptCall
from memtrial.ledger.accounts import Answering, Drawn, LedgerCounts, Sending, Spending
from memtrial.ledger.memory_calls import MemoryCallStore

if TYPE_CHECKING:
    from memtrial.ledger.rows import TrialRow
    from memtrial.protocols import LedgerStore

    class CountedRows(LedgerStore, Protocol):
        """A ledger whose rows are counted one by one."""

        def all_attempts(self) -> Iterator[TrialRow]:
            """Every attempt of every trial."""


class MemoryAccounts:
    """What `Accounts` asks, over a ledger's rows, and calls in memory."""

    def __init__(self, ledger: CountedRows, calls: MemoryCallStore) -> None:
        self._ledger, self._calls = ledger, calls

    def spending_by_purpose(self) -> tuple[Spending, ...]:
        groups: dict[Purpose, list[KeptCall]] = {}
        for call in self._calls.answered():
            groups.setdefault(min(self._calls.purposes_of(call), key=write_purpose), []).append(call)
        return tuple(
            Spending(purpose, len(calls), *_sum_tokens(calls), _sum_prices(calls))
            for purpose, calls in _sort(groups)
        )

    def used_by_purpose(self) -> dict[Purpose, tuple[int, int, int]]:
        groups: dict[Purpose, list[KeptCall]] = {}
        for call in self._calls.answered():
            for purpose in self._calls.purposes_of(call):
                groups.setdefault(purpose, []).append(call)
        return {purpose: (len(calls), *_sum_tokens(calls)[:2]) for purpose, calls in _sort(groups)}

    def answers_by_model(self) -> tuple[Answering, ...]:
        groups: dict[tuple[str, str], list[KeptCall]] = {}
        for call in self._calls.answered():
            groups.setdefault((call.asked, call.answered), []).append(call)
        return tuple(
            Answering(
                *models,
                len(calls),
                tuple(sorted({call.temperature for call in calls}, key=_none_first)),
                sum(not call.verbatim for call in calls),
            )
            for models, calls in sorted(groups.items())
        )

    def temperatures_sent(self) -> tuple[Drawn, ...]:
        counts = Counter(
            (call.asked, call.purpose, call.temperature)
            for call in self._calls.answered()
            if call.send is not None
        )
        ordered = sorted(counts, key=lambda drawn: (drawn[0], write_purpose(drawn[1]), _none_first(drawn[2])))
        return tuple(Drawn(*drawn, counts[drawn]) for drawn in ordered)

    def limits_refused(self) -> tuple[str, ...]:
        return tuple(
            sorted({fault.message for fault in self._calls.faults() if fault.kind == "fewer tokens"})
        )

    def network_use(self) -> Sending:
        sent = sum(1 for _ in self._calls.sends())
        answered = sum(call.send is not None for call in self._calls.answered())
        faults = dict(sorted(Counter(fault.kind for fault in self._calls.faults()).items()))
        return Sending(sent, answered, faults, sent - answered - sum(faults.values()))

    def settings_of(self, key: bytes) -> str:
        call = self._calls.answer_to(key)
        if call is None:
            return ""
        sent = "not sent" if call.temperature is None else f"{call.temperature:g}"
        return f"{call.asked}, temperature {sent}"

    def counts(self) -> LedgerCounts:
        calls = list(self._calls.answered())
        condensed = Counter(f"{row.backbone}, {row.condenser}" for row in self._ledger.condensations())
        backbones = Counter(name for names, _ in self._ledger.shared_traces() for name in names)
        usd, unpriced = self._calls.spent()
        return LedgerCounts(
            traces=dict(sorted(backbones.items())),
            condensations=dict(sorted(condensed.items())),
            answers=len(calls),
            tokens=dict(zip(TOKENS, _sum_tokens(calls), strict=True)),
            usd=usd,
            unpriced=unpriced,
        )

    def error_causes(self) -> dict[str, int]:
        causes = Counter(row.cause for row in self._ledger.trials() if row.status == "error")
        return dict(sorted(causes.items(), key=lambda entry: (-entry[1], entry[0])))

    def hours_before(self, session: int) -> float:
        sessions = [row for row in self._ledger.sessions() if row.number <= session]
        seconds = 0.0
        for row, following in pairwise(sessions):
            begun, limit = (datetime.fromisoformat(text).timestamp() for text in (row.begun, following.begun))
            if row.ended:
                until = datetime.fromisoformat(row.ended).timestamp()
            else:
                until = max(
                    (send.sent_s for send in self._calls.sends() if begun <= send.sent_s <= limit),
                    default=begun,
                )
            seconds += max(0.0, until - begun)
        return seconds / 3600

    def unplayed_trials(self) -> dict[str, int]:
        plan = self._ledger.fact("plan")
        if not isinstance(plan, dict) or plan.get("mode") != "stream":
            return {}
        never = Counter(
            check.arm for check in self._ledger.checks() if not check.applicable and check.after == ""
        )
        return dict(sorted(never.items()))

    def trials_ever(self) -> int:
        return sum(1 for _ in self._ledger.trials())

    def attempts_ever(self) -> int:
        return sum(1 for _ in self._ledger.all_attempts())

    def trials_played(self) -> int:
        return self.trials_ever()


def _sort(groups: dict[Purpose, list[KeptCall]]) -> list[tuple[Purpose, list[KeptCall]]]:
    return sorted(groups.items(), key=lambda entry: write_purpose(entry[0]))


def _sum_tokens(calls: Iterable[KeptCall]) -> tuple[int, int, int, int]:
    counts = [
        (call.input_tokens, call.output_tokens, call.cache_read_tokens, call.cache_write_tokens)
        for call in calls
    ]
    read, written, cached, stored = (
        (sum(column) for column in zip(*counts, strict=True)) if counts else [0] * 4
    )
    return read, written, cached, stored


def _sum_prices(calls: Iterable[KeptCall]) -> float | None:
    prices = [call.usd for call in calls]
    known = [usd for usd in prices if usd is not None]
    return sum(known) if len(known) == len(prices) else None


def _none_first(temperature: float | None) -> tuple[bool, float]:
    return temperature is not None, temperature or 0.0
