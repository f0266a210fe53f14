"""What a model says to whoever asked it, before and after the items: thoughts, a lead-in, a farewell."""

import re
from collections.abc import Sequence

_THOUGHT = re.compile(
    r"(?i)\s*+<(?P<tag>think|thinking|thought|reasoning|scratchpad|analysis)>"
    r"(?:[^<]|<(?!/(?P=tag)>))*+</(?P=tag)>"
)
_OFFER = (
    r"let me know|tell me|feel free|happy to|glad to|would you like|do you want|i can (?:also )?"
    r"|i could (?:also )?|i'll|i will|i'd be|please (?:ask|let me)|shall i|should i|want me to"
)
_DID = "kept|limited|extracted|included|provided|focused|tried|avoided|wrote|summari[sz]ed"
_SERVE = (
    "above|capture|cover|reflect|summari[sz]e|should help|will help|can help"
    "|are (?:drawn|based|derived|distilled|meant|designed|intended)"
)
_FAREWELL = re.compile(
    r"(?i)[ \t]*+(?:[*_(\[]++[ \t]*+)?+(?:"
    r"(?:please )?let me know\b|i hope\b|hope (?:this|that|these|it)\b|feel free to\b"
    r"|happy to (?:help|refine)\b|i(?:'m| am) happy to\b|would you like\b|do you want me\b|shall i\b"
    r"|is there anything (?:else|more)\b|thank(?:s| you)\b[^.\n]{0,40}[.!]?\s*$|that(?:'s| is) (?:all|it)\b"
    r"|done[.!]?\s*$|end of (?:items|memory|reply)\b"
    rf"|if you(?:'d| would)?\b[^.\n]{{0,80}}\b(?:{_OFFER})"
    rf"|(?:note: ?)?i (?:have |'ve )?(?:{_DID})\b"
    r"|(?:these|the above|the) (?:\w+ )?(?:memory |memories|items|lessons|insights|takeaways)\b[^.\n]{0,60}"
    rf"\b(?:{_SERVE})"
    r")"
)
MOST_FAREWELL = 3
"""Paragraphs that a farewell may have."""


def after_thoughts(text: str) -> int:
    """Where the reply begins behind a block of thoughts that stands first; 0 without one."""
    thought = _THOUGHT.match(text)
    return thought.end() if thought else 0


def is_farewell(line: str) -> bool:
    """Whether a paragraph that begins with this line speaks to whoever asked, not to a later agent."""
    return _FAREWELL.match(line[:300].replace("’", "'")) is not None


def farewell(lines: Sequence[str]) -> int:
    """The number of lines before the farewell at the end; all where there is none.

    A farewell is the last paragraph or two, behind a blank line, and begins as one.
    """
    n_paragraphs = 0
    end = len(lines)
    for place in range(len(lines) - 1, 0, -1):
        if lines[place].strip() and not lines[place - 1].strip():
            n_paragraphs += 1
            if is_farewell(lines[place]):
                end = place
            if n_paragraphs == MOST_FAREWELL:
                break
    return end
