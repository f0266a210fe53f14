"""What a request showed a model: its texts and what tools gave back, without what the model had said.

One reading for every agent whose requests pass the proxy, and for every dialect of them. A text stands there
as it is; or written as JSON in another text, as tools return files; or line by line in its order, as clients
show files with the numbers of their lines.
"""

import json
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from memtrial.delivery.json_texts import read_json
from memtrial.delivery.line_numbers import NUMBERED
from memtrial.models.wire.content_codings import CodingFault, decode

FIELDS = ("system", "instructions", "messages", "input", "prompt")
"""Of a request in the formats that pass: where a text for the model can stand. Tools and their descriptions
are not among them."""
OWN_ROLES = ("assistant", "model")
OWN_KINDS = ("tool_use", "thinking", "redacted_thinking", "reasoning")
"""Parts of a conversation that the model said itself: it may repeat what was never shown to it. So are those
whose kind ends in `_call`."""
WRITTEN_WITHIN = 2
"""How often a client may write a result as JSON within a text."""


@dataclass(frozen=True)
class ShownText:
    """A text that was shown to a model.

    Args:
        by_tool: it is what a tool gave back.
    """

    text: str
    by_tool: bool = False

    def holds(self, text: str) -> bool:
        """Whether it stands here as it is, or as JSON writes it, with or without escapes beyond ASCII, also
        within JSON."""
        if text in self.text:
            return True
        if "\\" not in self.text:  # without one JSON writes a text on one line as it is
            return False
        forms = {text}
        for _ in range(WRITTEN_WITHIN):
            forms = {json.dumps(form, ensure_ascii=ascii)[1:-1] for form in forms for ascii in (True, False)}
            if any(form in self.text for form in forms):
                return True
        return False

    def measure_share(self, lines: Sequence[str]) -> float:
        """The share of the characters of some lines that stand here, each below the one before."""
        last, arrived = -1, 0
        for line in lines:
            numbers = self._places.get(line, ())
            after = bisect_right(numbers, last)
            if after < len(numbers):
                last, arrived = numbers[after], arrived + len(line)
        return arrived / total if (total := sum(map(len, lines))) else 0.0

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        """The numbers of the lines, by what stands in them with and without a client's own number."""
        places = defaultdict[str, list[int]](list)
        for number, line in enumerate(self.text.splitlines()):
            for form in {line.strip(), NUMBERED.sub("", line, count=1).strip()}:
                places[form].append(number)
        return dict(places)


def list_shown(body: bytes, codings: str = "") -> tuple[ShownText, ...]:
    """The texts of a request's body; a body that is no JSON is one text.

    JSON within a text is read, too: one client shows its model so what a command printed.

    Args:
        codings: of its header `content-encoding`.
    """
    body = decode_body(body, codings)
    request = read_json(body)
    if request is None:
        return (ShownText(body.decode("utf-8", "replace")),)
    if not isinstance(request, dict):
        return ()
    listed = (shown for name in FIELDS for shown in _list_texts(request.get(name)))
    return tuple(
        ShownText(text, shown.by_tool) for shown in listed for text in (shown.text, *_list_within(shown.text))
    )


def decode_body(body: bytes, codings: str) -> bytes:
    """A body as it was written; as it came where its codings cannot be read."""
    with suppress(CodingFault):
        return decode(body, codings)
    return body


def _list_texts(value: Any) -> Iterator[ShownText]:
    """Every text but the model's own, in order."""
    waiting = [(value, False)]
    while waiting:
        part, by_tool = waiting.pop()
        if isinstance(part, str):
            yield ShownText(part, by_tool)
        elif isinstance(part, list):
            waiting += [(inner, by_tool) for inner in reversed(part)]
        elif isinstance(part, dict) and not _was_spoken(part):
            by_tool = by_tool or _is_result(part)
            waiting += [(inner, by_tool) for inner in reversed(part.values())]


def _is_result(part: dict[str, Any]) -> bool:
    kind = str(part.get("type", ""))
    return part.get("role") == "tool" or kind == "tool_result" or kind.endswith("_call_output")


def _was_spoken(part: dict[str, Any]) -> bool:
    kind = str(part.get("type", ""))
    return part.get("role") in OWN_ROLES or kind in OWN_KINDS or kind.endswith("_call")


def _list_within(text: str) -> Iterator[str]:
    if text.startswith("{"):
        inner = read_json(text.encode("utf-8", "surrogatepass"))
        if isinstance(inner, dict):
            yield from (value for value in inner.values() if isinstance(value, str))
