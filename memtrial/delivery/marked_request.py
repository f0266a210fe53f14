"""A request whose spans between marks are written as a condition shows them."""

from collections.abc import Callable
from dataclasses import dataclass, field

from memtrial.delivery.json_texts import change_texts, list_places, read_json
from memtrial.delivery.memory_marks import MarkedPiece, MemoryMarks, UnbalancedFault, cut_spans
from memtrial.delivery.span_items import SpanItems, UnknownFault
from memtrial.models.client.prompt_delivery import to_send
from memtrial.models.wire.content_codings import CodingFault, decode, encode

ESCAPES = (b"\\u", b"\\/")
"""In JSON these may hide a mark."""


class MarkFault(ValueError):
    """Marks of a request cannot be followed, so that it must not be sent. The message is one line."""


@dataclass(frozen=True, slots=True)
class MarkedRequest:
    """The body of a request without its marks; `spans` of it were written anew."""

    body: bytes
    spans: int


@dataclass
class MarkedTexts:
    """Writes the spans of texts anew, and counts them."""

    marks: MemoryMarks
    items: SpanItems
    spans: int = 0

    def write(self, text: str) -> str:
        """A text without marks. UnbalancedFault, UnknownFault."""
        pieces = list(cut_spans(text, self.marks))
        if len(pieces) == 1:
            return text
        self.spans += len(pieces) - 1
        return to_send("".join(piece.before + self._write_span(piece) for piece in pieces))

    def _write_span(self, piece: MarkedPiece) -> str:
        if piece.span is None:
            return ""
        written = self.items.write(piece.span)
        return written if self.items.shown else ""


def rewrite_request(body: bytes, codings: str, marks: MemoryMarks, items: SpanItems) -> MarkedRequest:
    """A request as a condition shows it, in the codings in which it came; without marks as it came.

    Args:
        codings: of its header `content-encoding`.

    Raises:
        MarkFault: it cannot be read, a mark has no partner in its text, or a span holds what is no item.
    """
    try:
        plain = decode(body, codings)
    except CodingFault as fault:
        raise MarkFault(f"the request cannot be searched for marks: {fault}") from None
    raw = tuple(mark.encode() for mark in (marks.opening, marks.closing))
    if not _may_hold(raw)(plain):
        return MarkedRequest(body, 0)
    parsed = read_json(plain)
    if parsed is None:
        if any(mark in plain for mark in raw):
            raise MarkFault("marks stand in a request that is no JSON, and cannot be followed there")
        return MarkedRequest(body, 0)
    texts = MarkedTexts(marks, items)
    try:
        written = change_texts(plain, texts.write, _may_hold(raw))
    except UnbalancedFault:
        raise MarkFault(_name_unbalanced(parsed, marks)) from None
    except UnknownFault as fault:
        raise MarkFault(
            f"between {marks.opening} and {marks.closing}: {fault}; a span holds items of the memory as they"
            " are, on lines of their own"
        ) from None
    return MarkedRequest(body if written is plain else encode(written, codings), texts.spans)


def _may_hold(marks: tuple[bytes, ...]) -> Callable[[bytes], bool]:
    sought = (*marks, *ESCAPES)
    return lambda raw: any(part in raw for part in sought)


@dataclass
class _Unbalanced:
    """The texts in which a mark has no partner: where each stands, and which mark it lacks."""

    places: list[tuple[str, str]] = field(default_factory=list)

    def note(self, place: str, text: str, marks: MemoryMarks) -> None:
        try:
            for _ in cut_spans(text, marks):
                pass
        except UnbalancedFault as fault:
            self.places.append((place, fault.missing))


def _name_unbalanced(parsed: object, marks: MemoryMarks) -> str:
    """The first mark without a partner, and whether another text may hold that."""
    unbalanced = _Unbalanced()
    for place, text in list_places(parsed):
        unbalanced.note(place, text, marks)
    needed = "a span between marks lies in one text, and in none other"
    if not unbalanced.places:
        return f"{needed}; a mark in a text within a text has no partner"
    (place, missing), *others = unbalanced.places
    partner = next((other for other, lacks in others if missing == "closing" and lacks == "opening"), None)
    if partner is not None:
        return f"{needed}; one begins in {place} and ends in {partner}"
    named, lacking = (
        (marks.opening, marks.closing) if missing == "closing" else (marks.closing, marks.opening)
    )
    return f"{needed}; {named} in {place} has no {lacking}"
