"""What agents made of memory that they have to ask for, over the trials of a run."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from memtrial.coding_trials.work_records import WorkRecord
from memtrial.console.escape import brief
from memtrial.outcomes.count_words import how_many

LEAST = 12
"""Characters of a text that is worth naming."""


@dataclass(frozen=True, slots=True)
class MemoryReadings:
    """The trials of a run by what became of their memory.

    Args:
        shown: of those in which memory was there, how many had each verdict.
        without: of those from which it was taken away.
        unknown_share: the mean share of what was read that is no item, and passed as it was.
        stranger: the longest such text.
        writes: calls of tools that write; none was carried out.
    """

    shown: Counter[str]
    without: Counter[str]
    unknown_share: float
    stranger: str
    writes: int

    def as_json(self) -> dict[str, object]:
        """The same as plain values."""
        return asdict(self)

    def lines(self) -> Iterator[str]:
        """What a user is told beside the result."""
        here, gone = self.shown.total(), self.without.total()
        read, looked = here - _count_idle(self.shown), gone - _count_idle(self.without)
        idle, lost = self.shown["never activated"], self.shown["never given"]
        yield (
            f"Activation: memory was read in {read:,} of {how_many(here, 'trial')} that had it, and asked for"
            f" in {looked:,} of {gone:,} without; in {idle:,} it was never activated, in {lost:,} never"
            " given."
        )
        if here and not read:
            yield "MEMORY WAS NEVER READ: the result says nothing of its content."
        if self.unknown_share:
            example = f", as {brief(self.stranger, 80)!r}" if len(self.stranger) >= LEAST else ""
            share = f"{100 * self.unknown_share:.1f} %"
            yield f"Of what was read, {share} is no item of the memory and passed as it was{example}."
        if self.writes:
            yield f"Writing was asked for {how_many(self.writes, 'time')}, and not done."


def sum_readings(records: Sequence[WorkRecord]) -> MemoryReadings | None:
    """Of all trials so far; None where memory reaches the agent in another way."""
    read = [(record, record.reading) for record in records if record.reading is not None]
    if not read:
        return None
    shares = [reading.unknown_share for record, reading in read if record.memory and reading.calls]
    return MemoryReadings(
        Counter(reading.verdict for record, reading in read if record.memory),
        Counter(reading.verdict for record, reading in read if not record.memory),
        sum(shares) / len(shares) if shares else 0.0,
        max((reading.stranger for _, reading in read), key=len),
        sum(reading.writes for _, reading in read),
    )


def _count_idle(verdicts: Counter[str]) -> int:
    return verdicts["never activated"] + verdicts["never given"]
