"""What the calls of a run were and cost, and how far it has come."""

from dataclasses import dataclass

from memtrial.call_purpose import Purpose


@dataclass(frozen=True, slots=True)
class Spending:
    """The answered calls of one purpose, each counted once.

    A call that several purposes share is counted under the one whose text sorts first. `usd` is None where
    a price is unknown.
    """

    purpose: Purpose
    calls: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    usd: float | None


@dataclass(frozen=True, slots=True)
class Answering:
    """One model as it was asked for, and the model id that came back.

    Args:
        temperatures: those really sent; None among them where none was.
        altered: calls in whose request a text did not stand verbatim.
    """

    asked: str
    answered: str
    calls: int
    temperatures: tuple[float | None, ...]
    altered: int


@dataclass(frozen=True, slots=True)
class Sending:
    """What went over the network, over all sessions: requests whose answer is kept, and faults by kind.

    `open`: neither; in flight when the process ended. They may have been paid without an answer.
    """

    sent: int
    answered: int
    faults: dict[str, int]
    open: int


@dataclass(frozen=True, slots=True)
class Drawn:
    """Calls of one purpose to one model, by the temperature that was sent; None where none was."""

    asked: str
    purpose: Purpose
    temperature: float | None
    calls: int


@dataclass(frozen=True, slots=True)
class LedgerCounts:
    """The counts of a moment, trials apart.

    Args:
        traces: by backbone; `condensations` by `backbone, condenser`.
        answers: answered calls, each once however often its answer was used; `tokens` are theirs, by kind.
        usd: paid so far for answers and faults, as far as prices are known; `unpriced` answers have none.
    """

    traces: dict[str, int]
    condensations: dict[str, int]
    answers: int
    tokens: dict[str, int]
    usd: float
    unpriced: int
