"""A native condenser's reply as the agent reads it: the model's own words, and where its items begin.

Source: UPSTREAM 3.1 and 3.3. Upstream stores `reply.split("\\n\\n")`, joins it again and shows it whole, so
that a preamble, a code fence or a heading of another form reaches the agent as the model wrote it.
"""

from collections.abc import Iterable

from loadbearing.memory.heading import field_heading, item_label
from loadbearing.prompts.control import ReplyLayout


def shown_text(replies: Iterable[str], layout: ReplyLayout = "webarena") -> str:
    """The replies of the records that are shown, byte for byte as upstream puts them below its cue.

    WebArena's agent reads a text file, whose line ends are made plain, and strips it; that of SWE does not.
    """
    joined = "\n\n".join(replies)
    return joined if layout == "swe" else joined.replace("\r\n", "\n").replace("\r", "\n").strip()


def item_texts(text: str) -> tuple[str, ...]:
    """The text in pieces of one item each, which joined by a blank line are the text again.

    A piece begins at a `# Memory Item` heading, or at a title where there is none; what stands above the
    first belongs to it. A text without such headings, or a blank one, is one piece; an empty one has none.
    """
    if not text:
        return ()
    paragraphs = text.split("\n\n")
    begins = [_labelled(one) for one in paragraphs]
    if not any(begins):
        begins = [_titled(one) for one in paragraphs]
    cuts = [at for at, is_first in enumerate(begins) if is_first][1:]
    return tuple(
        "\n\n".join(paragraphs[low:high]) for low, high in zip([0, *cuts], [*cuts, None], strict=True)
    )


def _labelled(paragraph: str) -> bool:
    return item_label(_first_line(paragraph)) is not None


def _titled(paragraph: str) -> bool:
    found = field_heading(_first_line(paragraph))
    return found is not None and found.name == "title"


def _first_line(paragraph: str) -> str:
    """Behind the code fence that models like to put around their items."""
    lines = (line for line in paragraph.strip().split("\n") if not line.lstrip().startswith(("```", "~~~")))
    return next(lines, "")
