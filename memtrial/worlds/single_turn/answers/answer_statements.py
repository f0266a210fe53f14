"""Where a reply states its answer: in a box, a tag, behind a label, or at the end; and what it denies.

Models of today write `\\boxed{...}`, `#### 72`, `Answer: C` or a plain sentence, often several of them. The
last one that can be read counts, and one that the reply takes back does not.
"""

import re
from collections import deque
from collections.abc import Iterator

LONGEST = 1000
"""Characters of an answer: what is longer is no answer to one question."""
MOST_READ = 50_000
"""Characters of a reply that are read: the last ones, since answers stand at the end."""
THOUGHTS = ("</think>", "</thinking>")
TAG = re.compile(r"<(answer|final_answer)>(.{0,1000}?)</\1>", re.DOTALL | re.IGNORECASE)
CALL = re.compile(
    r"^[ \t]*+(?:action[ \t]?:[ \t]?)?(?:finish|final_answer|answer|submit) ?[\[(]([^\n]*)[\])]",
    re.IGNORECASE | re.MULTILINE,
)
HASHES = re.compile(r"#{4}[ \t]*+([^\n]+)")
LABEL = re.compile(
    r"\b(?:answer|option|choice|result|solution|therefore|thus|hence)\b(?P<between>[^\n.:=]{0,60}?)"
    r"(?:(?:\bis\b|\bare\b|\bwas\b|\bwould be\b|\bshould be\b|\bmust be\b|[:=])[ \t*_\"'’]*+)"
    r"(?:(?:likely|simply|just|therefore|thus|clearly|indeed|option|choice|letter|either)\b[ \t*_:]*+){0,3}",
    re.IGNORECASE,
)
BOLD = re.compile(r"(?<![\w*])\*\*([^*\n]{1,200})\*\*(?![\w*])")
BOLD_ENDS = re.compile(r"\*\*(?=[ \t]*+(?:\Z|[,.;:(–—]))")
"""Where an answer in bold ends; what comes behind a comma is said of it."""
REMARK = re.compile(r"\((?:since|because|as|i\.e\.|check|note)\b[^()\n]{0,200}\)", re.IGNORECASE)
"""A reason in brackets, whose numbers are not the answer."""
REST = re.compile(r"[^\n]*")
NEXT_LINE = re.compile(r"\s*+([^\n]+)")
NEGATOR = (
    r"(?:\b(?:not|never|neither|nor|cannot be|rather than|instead of|unlike|except)\b|n['’]t(?:\s+be)?\b)"
    r"(?:\s+(?:be|simply|just|equal to|the answer|answer|option|choice|is|quite|really|exactly))*+"
)
_OPEN = r"[\s$*_\"'`(]*+"
_DIGITS = r"[-−]?\$?\d[\d,./]*\d%?|[-−]?\$?\d%?"
_THING = (
    rf"(?P<thing>\\boxed\{{[^{{}}]{{0,60}}\}}|{_DIGITS}|\\d?frac\{{[^{{}}]{{1,20}}\}}\{{[^{{}}]{{1,20}}\}}"
    r"|[A-Z]\b|[^\W\d_][\w'-]*+)"
)
ENDS_DENYING = re.compile(rf"{NEGATOR}[\s$*_\"'`(:]*+\Z", re.IGNORECASE)
DENIED_AFTER = re.compile(rf"{NEGATOR}{_OPEN}{_THING}[)*_\"'`$]*+", re.IGNORECASE)
DENIED_BEFORE = re.compile(
    rf"(?<![\w.,/])\(?(?P<thing>{_DIGITS}|[A-Z])\)?[*_\"'`$]*+[ \t]++"
    r"(?:is|was|are|would be|cannot be)\s*+(?:definitely |clearly |also )?+"
    r"(?:not\b|n['’]t\b|wrong\b|incorrect\b|false\b|excluded\b|eliminated\b|ruled out\b|too \w+)",
)
DENIED_LIST = re.compile(
    r"(?<!\w)\(?[A-Z]\)?(?:[ \t]?,[ \t]?(?:(?:and|or)[ \t])?\(?[A-Z]\)?"
    r"|[ \t](?:and|or)[ \t]\(?[A-Z]\)?){1,25}[ \t]"
    r"(?:are|were)[ \t](?:all |both )?(?:not|wrong"
    r"|incorrect|false|excluded|eliminated|ruled out|too \w{1,20})\b"
)
UNWANTED = re.compile(r"(?:\b(?:not|never|neither|nor|cannot)\b|n['’]t\b)", re.IGNORECASE)


def read_tail(reply: str) -> str:
    """What of a reply is read: no thinking aloud in tags, and its end where it is very long."""
    tail = reply[-MOST_READ:]
    for mark in THOUGHTS:
        tail = tail.rpartition(mark)[2]
    return REMARK.sub("", tail).strip()


def last_box(text: str) -> tuple[int, str] | None:
    """Place and content of the last `\\boxed{...}` that holds something, braces inside it counted.

    A box that is never closed holds the rest of its line.
    """
    place = len(text)
    for _ in range(20):
        place = max(text.rfind("\\boxed", 0, place), text.rfind("\\fbox", 0, place))
        if place < 0:
            return None
        start = place + (6 if text.startswith("\\boxed", place) else 5)
        content = _braced(text[start : start + LONGEST + 2])
        if content.strip():
            return place, content.strip()
    return None


def _braced(text: str) -> str:
    """What stands between the first brace and its partner; without braces the first word."""
    if not (opening := re.match(r"\s*+\{", text)):
        word = re.match(r"\s*+([^\s$]+)", text)
        return word[1] if word else ""
    depth, place = 1, opening.end()
    while place < len(text):
        sign = text[place]
        if sign == "\\":
            place += 1
        elif sign in "{}":
            depth += 1 if sign == "{" else -1
            if not depth:
                return text[opening.end() : place]
        place += 1
    return text[opening.end() :].split("\n", 1)[0].strip().rstrip("$.")


def list_statements(text: str) -> Iterator[tuple[int, str]]:
    """Places and texts that may be the answer, the last one first; a denied one is left out."""
    return iter(sorted(_statements(text), key=lambda statement: -statement[0]))


def _statements(text: str) -> Iterator[tuple[int, str]]:
    box = last_box(text)
    if box is not None and not _is_denied(text[max(0, box[0] - 40) : box[0]]):
        yield box
    for pattern, group in ((TAG, 2), (CALL, 1), (HASHES, 1)):
        last = next(iter(deque(pattern.finditer(text), maxlen=1)), None)
        if last is not None and last[group].strip():
            yield last.start(group), last[group].strip()
    for label in LABEL.finditer(text):
        # the rest of the line is no part of the label: another label may stand in it
        line = REST.match(text, label.end())
        rest, place = line[0][:LONGEST].strip(' \t*_"!') if line else "", label.end()
        if not rest and (below := NEXT_LINE.match(text, label.end())):
            rest, place = below[1].strip(), below.start(1)
        if text[:place].endswith("**") and (ends := BOLD_ENDS.search(rest)):
            rest = rest[: ends.start()]
        # with a capital it may be a title, and what follows is looked at by whoever reads it
        denied = UNWANTED.search(label["between"]) or (rest[:1].islower() and UNWANTED.match(rest))
        if rest and "\\boxed" not in rest and not denied:
            yield place, rest
    begin = text.rstrip().rfind("\n") + 1
    for bold in BOLD.finditer(text, begin):
        if not bold[1].rstrip().endswith(":") and not UNWANTED.search(bold[1]):
            yield bold.start(1), bold[1].strip()


def _is_denied(before: str) -> bool:
    """The text that leads to a box says no."""
    return ENDS_DENYING.search(before) is not None


def list_denied(text: str) -> Iterator[tuple[int, str]]:
    """Places and things of which the text says that they are not the answer."""
    for pattern in (DENIED_AFTER, DENIED_BEFORE):
        for match in pattern.finditer(text):
            yield match.start("thing"), match["thing"]


def without_denied(text: str) -> str:
    """The text without what it denies."""
    return DENIED_BEFORE.sub(" ", DENIED_AFTER.sub(" ", DENIED_LIST.sub(" ", text)))


def is_taken_back(text: str, place: int, statement: str) -> bool:
    """The text denies, behind this place, just what it stated there."""
    stated = _plain(statement)
    return any(later > place and _plain(thing) == stated for later, thing in list_denied(text))


def _plain(statement: str) -> str:
    return re.sub(r"[\s$*_()\\,]", "", statement).rstrip(".").casefold()
