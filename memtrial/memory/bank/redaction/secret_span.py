"""A stretch of a text that must not be kept, and the placeholder that says of which kind it was."""

import re
from collections.abc import Iterable
from typing import Literal, NamedTuple, get_args

SecretKind = Literal[
    "PRIVATE_KEY", "JWT", "API_KEY", "TOKEN", "PASSWORD", "SECRET", "EMAIL", "CARD", "IBAN", "IP"
]
SECRET_KINDS: tuple[SecretKind, ...] = get_args(SecretKind)
PLACEHOLDER = re.compile(r"\[(?:PRIVATE_KEY|JWT|API_KEY|TOKEN|PASSWORD|SECRET|EMAIL|CARD|IBAN|IP)\]")


class SecretSpan(NamedTuple):
    """`[start, stop)` of a text holds a secret of this kind."""

    start: int
    stop: int
    kind: SecretKind


def take_out(text: str, spans: Iterable[SecretSpan]) -> str:
    """The text with a placeholder for each span.

    Spans that overlap become one of the longest one's kind. A span that touches a placeholder is passed
    over: it stands for a secret that is gone already.
    """
    gone = [match.span() for match in PLACEHOLDER.finditer(text)]
    pieces, place, next_gone = list[str](), 0, 0
    for span in join_spans(spans):
        while next_gone < len(gone) and gone[next_gone][1] <= span.start:
            next_gone += 1
        if next_gone < len(gone) and gone[next_gone][0] < span.stop:
            continue
        pieces += [text[place : span.start], f"[{span.kind}]"]
        place = span.stop
    return "".join([*pieces, text[place:]])


def join_spans(spans: Iterable[SecretSpan]) -> list[SecretSpan]:
    """The same stretches without an overlap, in order."""
    joined: list[SecretSpan] = []
    longest = 0
    for span in sorted(spans):
        if not joined or span.start >= joined[-1].stop:
            joined.append(span)
            longest = span.stop - span.start
            continue
        last = joined[-1]
        kind = span.kind if span.stop - span.start > longest else last.kind
        longest = max(longest, span.stop - span.start)
        joined[-1] = SecretSpan(last.start, max(last.stop, span.stop), kind)
    return joined
