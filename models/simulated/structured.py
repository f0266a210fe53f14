"""How a simulated model finds and answers the fields of a structured call (DSPy's chat layout)."""

import re
from collections.abc import Mapping

from loadbearing.models.client.types import Message

FIELD = re.compile(r"^\[\[ ## (\w+) ## \]\]$", re.MULTILINE)
NAME = re.compile(r"^\d+\. `(\w+)`", re.MULTILINE)
END = "\n\nRespond with the corresponding output fields"


def given(messages: tuple[Message, ...]) -> dict[str, str]:
    """The input fields of the last user turn."""
    text = messages[-1].content
    text = text[: text.rfind(END)] if END in text else text
    marks = list(FIELD.finditer(text))
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return {mark[1]: text[mark.end() : end].strip() for mark, end in zip(marks, ends, strict=True)}


def wanted(messages: tuple[Message, ...]) -> tuple[str, ...]:
    """The names of the output fields; none where this is no structured call."""
    below = messages[0].content.partition("Your output fields are:\n")[2]
    asked, more, _ = below.partition("\nAll interactions")
    return tuple(NAME.findall(asked)) if more else ()


def answer(fields: Mapping[str, str]) -> str:
    """A reply in the layout."""
    return "\n\n".join(
        [f"[[ ## {name} ## ]]\n{text}" for name, text in fields.items()] + ["[[ ## completed ## ]]"]
    )
