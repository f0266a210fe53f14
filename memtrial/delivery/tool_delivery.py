"""Whether memory that a model gets by calling a tool reached it, and whether it called one."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from memtrial.delivery.seen_requests import SeenRequest
from memtrial.delivery.shown_texts import ShownText
from memtrial.delivery.text_delivery import DeliveryWord


@dataclass(frozen=True, slots=True)
class AskedMemory:
    """How often a model that was offered tools for its memory called one in a trial, and what that gave.

    Args:
        texts: of memory that stood in the results, each once.
    """

    calls: int
    texts: tuple[str, ...]

    def name_delivery(self, stood: Collection[str]) -> DeliveryWord:
        """The word for a trial in whose requests these texts stood.

        What a call gave and no request showed was never given; that nothing was called, or nothing came of
        it, is the model's own affair.
        """
        if not self.calls:
            return "never activated"
        if not self.texts:
            return "nothing read"
        arrived = {*self.texts}.intersection(stood)
        if not arrived:
            return "never given"
        return "given" if arrived == {*self.texts} else "given in part"


@dataclass(frozen=True, slots=True)
class CalledTools:
    """The tools that read memory, and what their calls gave in a trial.

    Args:
        server: the name of their server, which clients put in front of theirs.
        called: how often one was called.
        given: the texts of memory that stood in their results.
    """

    server: str
    tools: tuple[str, ...]
    called: int
    given: tuple[str, ...]

    def see(self, digest: str, body: bytes, shown: Sequence[ShownText]) -> SeenRequest:
        """A request with those texts that stood in what tools gave; announced where it names a tool.

        Args:
            body: of the request, decoded; `shown` are its texts.
        """
        results = [text for text in shown if text.by_tool]
        texts = tuple(given for given in self.given if any(text.holds(given) for text in results))
        return SeenRequest(digest, texts, self._is_named(body))

    def sum_up(self, seen: Sequence[SeenRequest]) -> AskedMemory | None:
        """What was asked for in a trial; None where no request offered one of the tools."""
        if not self.called and not any(request.announced for request in seen):
            return None
        return AskedMemory(self.called, self.given)

    def _is_named(self, body: bytes) -> bool:
        """Whether a request names one of them: among its tools, or in a text, as clients do that hold back
        descriptions."""
        tools, server = self.tools, self.server
        names = [name for tool in tools for name in (f"{server}_{tool}", f"{server}__{tool}")]
        names += [f'"name":{space}"{tool}"' for tool in tools for space in ("", " ")]
        return any(name.encode() in body for name in names)


def name_tools(asked: AskedMemory | None, seen: Sequence[SeenRequest]) -> DeliveryWord:
    """The word for a trial: where no tool was offered, memory was never given."""
    stood = {text for request in seen for text in request.texts}
    return "never given" if asked is None else asked.name_delivery(stood)
