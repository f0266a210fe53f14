"""What the user asks of a log beyond its runs: where outcomes stand."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LogQuestion:
    """How outcomes are read.

    Args:
        field: names joined by dots, of each record; a scorer of Inspect; `cum_reward` or `autoeval` of a
            folder of ReasoningBank. Empty: what the format states by itself.
        success_from: the score at which success begins; None where scores are 0 or 1.
        listed: a file of the user's states outcomes: what of the log's own is not clear stays open.
    """

    field: str = ""
    success_from: float | None = None
    listed: bool = False
