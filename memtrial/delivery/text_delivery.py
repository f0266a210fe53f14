"""Whether a text reached a model, read from the requests that were sent.

It is the one proof for every agent that asks its model by itself. Which text was due, and in which form its
client shows it, the carrier says; what a request showed, `shown_texts`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from memtrial.delivery.shown_texts import ShownText

DeliveryWord = Literal[
    "given", "given in part", "nothing read", "never activated", "never given", "given though without"
]
"""`nothing read`: the model asked for its memory by a tool, and none of it came up."""
TELLING = 120
"""Characters of a memory whose whole text stands nowhere by chance."""
Requests = Sequence[Sequence[ShownText]]
"""What each request of a trial showed, in the order in which they were sent."""


@dataclass(frozen=True, slots=True)
class DueText:
    """A text that is to reach a model.

    Args:
        text: as it was written.
        lines: of it that its client shows as they are, without the blank space around them.
        is_whole: its client shows every character of it, so that it may also stand within a line.
        sign: words by which a model is told that there is such a text, which it has to ask for; empty where
            it comes by itself.
    """

    text: str
    lines: tuple[str, ...]
    is_whole: bool = True
    sign: str = ""


@dataclass(frozen=True, slots=True)
class TextDelivery:
    """What of a text reached the model in a trial.

    Args:
        word: `given in part` where a client cut it; `never activated` where the model was shown its sign, and
            did not ask for it.
        share: of the characters of its lines that stood, in their order, in one text of one request.
        first_request: the number of the first request with the largest share, from 1; None where it is 0.
    """

    word: DeliveryWord
    share: float
    first_request: int | None


def expect_text(text: str) -> DueText:
    """A text that comes by itself, as it is."""
    return DueText(text, tuple(line for line in map(str.strip, text.splitlines()) if line))


def prove_text(due: DueText, requests: Requests) -> TextDelivery:
    """Look for a text in the requests of a trial."""
    best, number, announced = 0.0, None, False
    for place, request in enumerate(requests, start=1):
        share = max((_measure(due, shown) for shown in request), default=0.0)
        announced = announced or is_announced(due, request)
        if share > best:
            best, number = share, place
    if best == 0.0:
        return TextDelivery("never activated" if announced else "never given", 0.0, None)
    return TextDelivery("given" if best == 1.0 else "given in part", best, number)


def prove_absence(text: str, requests: Requests) -> TextDelivery:
    """Look for a text that a trial shows none of: as it is, it must stand in no request.

    A short text is not looked for: it may well stand in the sources, too.
    """
    due = expect_text(text)
    if len(text) > TELLING:
        for place, request in enumerate(requests, start=1):
            if any(_measure(due, shown) == 1.0 for shown in request):
                return TextDelivery("given though without", 1.0, place)
    return TextDelivery("never given", 0.0, None)


def is_given(due: DueText, request: Sequence[ShownText]) -> bool:
    """All of it stands in a request, also where its client shows none of its lines."""
    return not due.lines or any(_measure(due, shown) == 1.0 for shown in request)


def is_announced(due: DueText, request: Sequence[ShownText]) -> bool:
    """The model was shown that there is such a text, which it has to ask for."""
    return bool(due.sign) and any(due.sign in shown.text for shown in request)


def _measure(due: DueText, shown: ShownText) -> float:
    if not due.lines:
        return 0.0
    return 1.0 if due.is_whole and shown.holds(due.text.strip()) else shown.measure_share(due.lines)
