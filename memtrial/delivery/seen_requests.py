"""What was seen of memory in a request that an agent sent by itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memtrial.delivery.shown_texts import ShownText
from memtrial.delivery.text_delivery import DueText, is_announced, is_given


@dataclass(frozen=True, slots=True)
class SeenRequest:
    """A request that an agent sent by itself, and that was seen on its way.

    Args:
        digest: sha256 of its body, in hex, under which it is kept.
        texts: the texts of memory that stood in it.
        announced: it showed that there is such memory, which the model has to ask for.
    """

    digest: str
    texts: tuple[str, ...]
    announced: bool = False


def see_request(digest: str, shown: Sequence[ShownText], due: Mapping[str, DueText]) -> SeenRequest:
    """Which of the texts that are due a request showed; each is named as its key is."""
    texts = tuple(name for name, text in due.items() if is_given(text, shown))
    return SeenRequest(digest, texts, any(is_announced(text, shown) for text in due.values()))
