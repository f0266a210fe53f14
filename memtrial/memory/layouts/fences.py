"""Code fences around a whole reply or around each item, which are no part of a field."""

import re
from collections.abc import Sequence

_FENCE = re.compile(r"[ \t]*+(?:`{3,}+|~{3,}+)[ \t]*+(?P<info>[\w+-]*+)[ \t\r]*+")


def is_fence(line: str) -> bool:
    """Whether the line opens or closes a code fence."""
    return _FENCE.fullmatch(line) is not None


def close_fences(block: Sequence[str]) -> Sequence[str]:
    """The lines of one item of a fenced reply, without the outer fence that closes in it or opens the next.

    An odd number of fences means that the last one closes the outer fence, and what follows it is chatter.
    """
    fences = [i for i, line in enumerate(block) if is_fence(line)]
    if len(fences) >= 2 and not "".join(block[fences[-1] + 1 :]).strip():
        opens = _FENCE.fullmatch(block[fences[-1]])
        next_to = not "".join(block[fences[-2] + 1 : fences[-1]]).strip()
        if next_to or (opens and opens["info"]):
            return block[: fences[-2]]
    return block[: fences[-1]] if len(fences) % 2 else block
