"""What names one instance in a text: addresses, ids, paths, coordinates, long numbers."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

MarkKind = Literal["url", "id", "path", "position", "number"]
_NUMBER = r"-?\d{1,7}(?:\.\d{1,8})?"
_PAIR = rf"{_NUMBER}(?:\s?[,;]\s?{_NUMBER}){{1,3}}"
_URL = re.compile(r"(?i)\b(?:[a-z][a-z0-9+.-]{1,15}://|www\.)[^\s<>\"'`“”)\]}]{1,2000}")
_ID = re.compile(
    r"(?i)(?<![\w-])[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}(?![\w-])"
    r"|(?<![\w.-])(?:sha\d{1,3}:)?(?=[a-f]{0,63}\d)(?=\d{0,63}[a-f])[\da-f]{12,128}(?![\w-])"
    r"|(?<![\w.-])0x[\da-f]{5,64}(?!\w)"
)
_PATH = re.compile(
    r"(?<![\w.:/<>\\~-])(?:~/[\w.@%+-]{1,255}(?:/[\w.@%+-]{0,255}){0,40}"
    r"|(?:/[\w.@%+-]{1,255}){2,40}/?"
    r"|/(?:home|root|tmp|var|etc|usr|opt|mnt|srv|Users)(?![\w-])/?"
    r"|[A-Za-z]:\\(?:[\w.@%+ -]{1,255}\\){0,40}[\w.@%+-]{0,255}"
    r"|\\\\[\w.-]{1,64}(?:\\[\w.$@%+-]{1,255}){1,40})"
)
_KNOWN_PATHS = ("/dev/null", "/etc/hosts", "/etc/passwd", "/usr/bin/env", "/bin/bash", "/bin/sh")
"""Paths of every machine."""
_POSITION = re.compile(
    rf"(?i)(?P<call>\b(?:click|double_?click|right_?click|tap|press|touch|move(?:_?to)?|drag(?:_?to)?"
    rf"|scroll|hover|point|goto|swipe))"
    rf"\(\s?(?:x\s?=\s?)?{_NUMBER}\s?,\s?(?:y\s?=\s?)?{_NUMBER}(?:\s?,\s?{_NUMBER}){{0,2}}\s?\)"
    rf"|(?<![\w)\]])\(\s?{_PAIR}\s?\)"
    rf"|\bx\s?[=:]\s?{_NUMBER}\s?(?:,|;|and)?\s?y\s?[=:]\s?{_NUMBER}(?:\s?(?:,|;|and)?\s?z\s?[=:]\s?{_NUMBER})?"
    rf"|\[\s?(?:\d{{2,5}}|\d{{1,5}}\.\d{{1,6}})(?:\s?,\s?(?:\d{{2,5}}|\d{{1,5}}\.\d{{1,6}})){{1,3}}\s?\]"
    rf"|(?<=\bat )\d{{2,5}}\s?,\s?\d{{2,5}}(?![\d,.]\d)"
    rf"|(?<=\bcoordinates )\(?{_PAIR}\)?|(?<=\bposition )\(?{_PAIR}\)?|(?<=\bpoint )\(?{_PAIR}\)?"
    r"|(?<![\d.])-?\d{1,3}\.\d{3,8}\s?°?\s?[NS]?\s?[,;/]\s?-?\d{1,3}\.\d{3,8}\s?°?\s?[EW]?(?![\w.])"
)
_COUNTING = re.compile(
    r"(?i)\b(?:steps?|items?|points?|rules?|shape|size|sections?|lines?|pages?|rows?|columns?|of)\s?\Z"
)
"""Numbers in brackets behind these words count or measure."""
_LONG = re.compile(
    r"(?<![\w.,/<>#:–—-])#?\d{5,}(?![\w/:–—]|[.,-]\d)|(?<!\w)#\d{3,}(?!\w)|\b[A-Z]{2,8}-\d{3,12}\b"
)
_MEASURED = re.compile(r"\s?(?:[%°]|[A-Za-zµ]{1,3}\b)")
_STANDARDS = re.compile(r"(?:ISO|UTF|SHA|RFC|HTTP|PEP|AES|RSA|IEEE|DIN|CVE|EN)-")
_ENDS = ".,;:!?"
_BEFORE = 24
"""Characters before a mark that say what it is."""


class InstanceMark(NamedTuple):
    """`[start, stop)` names one instance; `instead` stands for any."""

    start: int
    stop: int
    kind: MarkKind
    instead: str


def find_marks(text: str, kind: MarkKind) -> Iterator[InstanceMark]:
    """The marks of a kind, in order."""
    return _FINDERS[kind](text)


def _find_urls(text: str) -> Iterator[InstanceMark]:
    for match in _URL.finditer(text):
        stop = match.start() + len(match[0].rstrip(_ENDS))
        yield InstanceMark(match.start(), stop, "url", "<url>")


def _find_ids(text: str) -> Iterator[InstanceMark]:
    for match in _ID.finditer(text):
        yield InstanceMark(*match.span(), "id", "<id>")


def _find_paths(text: str) -> Iterator[InstanceMark]:
    for match in _PATH.finditer(text):
        path = match[0].rstrip(_ENDS)
        if path not in _KNOWN_PATHS and path.strip("/\\"):
            yield InstanceMark(match.start(), match.start() + len(path), "path", "<path>")


def _find_positions(text: str) -> Iterator[InstanceMark]:
    for match in _POSITION.finditer(text):
        if not _COUNTING.search(text[max(0, match.start() - _BEFORE) : match.start()]):
            instead = f"{match['call']}(<position>)" if match["call"] else "<position>"
            yield InstanceMark(*match.span(), "position", instead)


def _find_numbers(text: str) -> Iterator[InstanceMark]:
    for match in _LONG.finditer(text):
        if not _STANDARDS.match(match[0]) and not _MEASURED.match(text, match.end()):
            yield InstanceMark(*match.span(), "number", "<number>")


_FINDERS = {
    "url": _find_urls,
    "id": _find_ids,
    "path": _find_paths,
    "position": _find_positions,
    "number": _find_numbers,
}
KINDS_OF_MARKS: tuple[MarkKind, ...] = ("url", "id", "path", "position", "number")
"""In this order: an address holds paths, ids hold numbers."""
