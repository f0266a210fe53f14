"""Does the trace support the claim as it is stated?"""

import re
from collections.abc import Iterator
from functools import partial

from memtrial.agents.trajectory_views import passages
from memtrial.gates.gate import GateCase, GateKind, Proof, Ruling, run_words
from memtrial.memory.item import TypedItem
from memtrial.memory.quotes import Marks, Quotes, Span
from memtrial.memory.words import content_words

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


_SEEN_MARKS = '"“«„'
"""Marks that a condenser is told to put around what it copies. Backticks may hold an action that is advised
and was never tried, and a single mark may be an apostrophe."""
_UNSEEN = re.compile(
    r"(?i)(?:\b(?:would|could|might|may|should|unless|except|without|never|not|no|instead|rather|than|avoid|or|such"
    r"|e\.g|example|instance)\b|n['’]t\b)[^.;]*\Z"
    r"|\b(?:type|enter|write|say|answer|reply|report|search|call|name|use|send|put|fill|do|like)"
    r"(?:\s+(?:for|with|in|as|by|the|an?|it|them|to))*\s*\Z"
)
"""Words before a quotation of what was not there, or is only proposed."""
NEAR = 60
"""Characters before a quotation in which such a word is looked for."""


def inventions(case: GateCase) -> Iterator[Ruling]:
    """What the item quotes or cites and the trace does not hold.

    Proven is a quotation of several words as seen, one of which stands nowhere in the run. A quotation put
    together of words that do stand there, an action, a hypothetical case and a step's number are warned of.
    """
    roles, trajectory = case.roles, case.trajectory
    texts = tuple(_plain(piece) for piece in passages(trajectory, case.view))
    bare = tuple(_bare(text) for text in texts)
    looked_for: set[str] = set()
    for field in (roles.what, roles.why):
        for span in QUOTES.spans(field):
            if span.text in looked_for:
                continue
            if len(looked_for) == MOST_QUOTES:
                yield Ruling(f"the item has more than {MOST_QUOTES} quotations, too many to look for")
                return
            looked_for.add(span.text)
            if not any(map(partial(_stands, span.text), texts, bare)):
                copied = isinstance(case.item, TypedItem) and _as_seen(field, span)
                proof: Proof | None = "quote" if copied and _strange(span.text, case) else None
                yield Ruling(f"the item quotes what the trace does not hold: {span.text[:80]!r}", proof=proof)
    for field in (roles.what, roles.why, roles.where or ""):
        for number in _cited_numbers(field):
            if number > len(trajectory.steps) and not any(f"step {number}" in text for text in texts):
                yield Ruling(f"the item cites step {number}, and the trace has {len(trajectory.steps)}")


def _as_seen(field: str, span: Span) -> bool:
    """The quotation is put down as something that stood there."""
    mark = field[span.start]
    paired = mark != '"' or field.count('"') % 2 == 0
    return (
        mark in _SEEN_MARKS and paired and not _UNSEEN.search(field[max(0, span.start - NEAR) : span.start])
    )


def _strange(quoted: str, case: GateCase) -> bool:
    """Of several words, one stands nowhere in the run in any form. A single letter may be a variable."""
    words = [word for word in _bare(_plain(quoted)).split() if len(word) > 1]
    held, whole = run_words(case.trajectory), "\n".join(map(_plain, passages(case.trajectory)))
    return len(words) > 1 and any(word not in whole and not held & set(content_words(word)) for word in words)


def _stands(quoted: str, text: str, bare: str) -> bool:
    """All of a quotation stands in one passage, whatever signs stand between its words; `<name>`, `{name}`
    and dots are gaps between its pieces."""
    pieces = [_plain(piece).strip(".!?, ") for piece in GAP.split(quoted)]
    if not any(pieces):
        return len(quoted.split()) == 1  # a mere variable; more words would be a quotation in disguise
    words = [_bare(piece) for piece in pieces]
    return _in_order(pieces, text) or (any(words) and _in_order(words, bare))


def _in_order(pieces: list[str], text: str) -> bool:
    start = 0
    for needle in pieces:
        place = text.find(needle, start)
        if place < 0:
            return False
        start = place + len(needle)
    return True


def _bare(text: str) -> str:
    """The words without the signs around them."""
    return " ".join(re.findall(r"\w+", text))


def _cited_numbers(field: str) -> Iterator[int]:
    for match in STEPS.finditer(field):
        # nine digits are more than any trace has steps
        yield from (int(number[:9]) for number in re.findall(r"\d+", match["many"] or match["one"]))


def _plain(text: str) -> str:
    """One case, one kind of quotation mark, one kind of white space."""
    return " ".join(text.translate(MARKS).casefold().split())


GROUNDING_ALIGNMENT = GateKind(
    "grounding-alignment",
    "The run does not support the claim as it is stated.",
    ("what",),
    inventions,
    proves=("quote",),
)
