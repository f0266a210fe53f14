"""What a session does with memory between marks: each span is written as its condition shows it."""

from dataclasses import dataclass, field

from memtrial.delivery.marked_request import MarkFault, rewrite_request
from memtrial.delivery.memory_marks import MemoryMarks
from memtrial.delivery.span_items import SpanItems
from memtrial.proxy.refusals import ProxyRefusal


@dataclass
class SpanRewrite:
    """The `rewrite` of a session.

    Args:
        spans: that were written anew, in all requests.
        faults: why requests were refused, in order; what the provider was not asked is no trial.
    """

    marks: MemoryMarks
    items: SpanItems
    spans: int = 0
    faults: list[str] = field(default_factory=list)

    def __call__(self, path: str, body: bytes, codings: str) -> bytes:  # noqa: ARG002
        """The body that is sent. ProxyRefusal where its marks cannot be followed."""
        try:
            written = rewrite_request(body, codings, self.marks, self.items)
        except MarkFault as fault:
            self.faults.append(str(fault))
            raise ProxyRefusal(400, str(fault)) from fault
        self.spans += written.spans
        return written.body
