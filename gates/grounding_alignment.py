"""Does the trace support the claim as it is stated?"""

import re
from collections.abc import Iterator

from loadbearing.episodes.views import passages
from loadbearing.gates.gate import Case, GateKind, Ruling
from loadbearing.memory.quotes import Marks, Quotes

MOST_QUOTES = 200
"""Quotations of an item; each is looked for in the whole trace."""

# a straight quote opens after no letter or digit: 5" is a length, don't and users' hold apostrophes
QUOTES = Quotes(
    (
        Marks("`+", re.compile(r"`+|(?P<no>\n)")),
        Marks(r"(?<![^\W_])\"(?!\")", re.compile(r"\"|(?P<no>\n)")),
        Marks("“(?!”)", re.compile(r"”|(?P<no>\n)")),
        Marks("«(?!»)", re.compile(r"»|(?P<no>\n)")),
        Marks("‘(?!’)", re.compile(r"’(?![^\W_])|(?P<no>\n|’)")),
        Marks(r"(?<![^\W_])'(?=\S)(?!\d0s\b)", re.compile(r"(?<=\S)'(?![^\W_])|(?P<no>\n)"), least=1),
    )
)
GAP = re.compile(r"<[\w -]{1,30}>|\{[\w -]{1,30}\}|\.{3,}|…")
STEPS = re.compile(
    r"(?i)\bsteps (?P<many>\d+(?:(?:\s*[-–—,]\s*|\s+to\s+|\s+and\s+)\d+)*)|\bstep (?P<one>\d+)"
)
MARKS = str.maketrans("`’‘“”«»", "'" * 3 + '"' * 4)


def invention(case: Case) -> Ruling | None:
    """What the item quotes or cites and the trace does not hold."""
    roles, trajectory = case.roles, case.trajectory
    texts = tuple(_plain(piece) for piece in passages(trajectory, case.view))
    quoted = [span.text for field in (roles.what, roles.why) for span in QUOTES.spans(field)]
    for number, span in enumerate(dict.fromkeys(quoted)):
        if number == MOST_QUOTES:
            return Ruling(f"the item has more than {MOST_QUOTES} quotations, too many to look for")
        if not any(_stands(span, text) for text in texts):
            return Ruling(f"the item quotes what the trace does not hold: {span[:80]!r}")
    for field in (roles.what, roles.why, roles.where or ""):
        for number in _cited(field):
            if number > len(trajectory.steps) and not any(f"step {number}" in text for text in texts):
                return Ruling(f"the item cites step {number}, and the trace has {len(trajectory.steps)}")
    return None


def _stands(span: str, text: str) -> bool:
    """All of a quotation stands in one passage; `<name>`, `{name}` and dots are gaps between its pieces."""
    pieces = [_plain(piece).strip(".!?, ") for piece in GAP.split(span)]
    if not any(pieces):
        return len(span.split()) == 1  # a mere variable; more words would be a quotation in disguise
    at = 0
    for needle in pieces:
        found = text.find(needle, at)
        if found < 0:
            return False
        at = found + len(needle)
    return True


def _cited(field: str) -> Iterator[int]:
    for match in STEPS.finditer(field):
        # nine digits are more than any trace has steps
        yield from (int(number[:9]) for number in re.findall(r"\d+", match["many"] or match["one"]))


def _plain(text: str) -> str:
    """One case, one kind of quotation mark, one kind of white space."""
    return " ".join(text.translate(MARKS).casefold().split())


GROUNDING_ALIGNMENT = GateKind(
    "grounding-alignment", "The run does not support the claim as it is stated.", ("what",), invention
)
