"""What a model writes around the text it was asked for: taken off where that is certain, else a reason to
refuse.

Certain is a code fence around the whole, and a paragraph of its own before or behind the text that speaks
to whoever asked. What stands inside the text is never taken off: a draft with a remark there is refused.
"""

import re
from unicodedata import category

from memtrial.memory.heading import item_label
from memtrial.memory.layouts.chatter import after_thoughts, is_farewell
from memtrial.memory.layouts.fences import is_fence

_LEFT = r"[ \t]*+(?:[*_(\[>#-]++[ \t]*+)?+"
_REWRITTEN = (
    r"(?:re-?written|re-?worded|re-?phrased|revised|inverted|changed|modified|updated|damaged|paraphrased"
    r"|final|new)"
)
_TEXT = r"(?:text|texts|note|notes|item|items|version|memory|draft|output|result|answer)"
_LEAD_IN = re.compile(
    rf"(?i){_LEFT}(?:(?:sure|certainly|of course|okay|ok|absolutely|got it)\b"
    r"|here(?:'s| is| are| you go| comes)\b|(?:below|following) (?:is|are|you)\b|i(?:'ve| have)\b"
    rf"|this is (?:the|a|my)\b|as (?:asked|requested)\b|(?:the |my )?{_REWRITTEN} {_TEXT}\b|{_TEXT}[ \t]*+:)"
)
_DONE = (
    r"(?:re-?written|re-?worded|re-?phrased|replaced|inverted|reversed|changed|kept|left|turned|swapped"
    r"|flipped|paraphrased|negated|exchanged|modified|altered|preserved|adjusted)"
)
_BEHIND = re.compile(
    rf"(?i){_LEFT}(?:(?:(?:author|writer|editor)['’]s )?"
    r"(?:note|notes|remark|comment|explanation|rationale|changes|summary of changes|what changed|p\.?s)"
    r"[ \t]*+(?:[*_]++[ \t]*+)?+[:.–—-]"
    rf"|(?:i|we)(?:'ve| have)?+ (?:only |also |have )?{_DONE}\b"
    r"|all (?:the )?other (?:fields|sentences|words)\b"
    rf"|the (?:advice|action|text|rest|item)\b[^.\n]{{0,60}}\b(?:was|were|is|has been|have been) {_DONE}\b)"
)
_BRACKETS = re.compile(r"\(([^()\n]{3,300})\)|\[([^\[\]\n]{3,300})\]")
_OF_THE_WRITER = re.compile(
    r"(?i)(?:^(?:note|remark|comment|editor|edit|tbd|todo|was)[ \t]*+[:.–—-]"
    rf"|^(?:i|we)(?:'ve| have)?+ {_DONE}\b|\bplease (?:check|verify|confirm|review)\b"
    r"|\bas (?:asked|requested|instructed)\b"
    rf"|^{_DONE}\b[^.]{{0,40}}(?:$|[:;,.]|\bfrom\b|\bas\b|\bwas\b|\bin place of\b|\border\b)"
    r"|\b(?:originally|before|formerly|was|old)[ \t]*+:|\boriginal (?:text|advice|wording|version)\b)"
)
_GAP = re.compile(
    r"(?i)(?:\[|<|\{\{?)[ \t]*+(?:insert|your|new|other|another|alternative|replacement|placeholder|todo|tbd"
    r"|action|the (?:new|other) action)\b[^\]>}\n]{0,60}(?:\]|>|\}\}?)|\bTODO\b|\bTBD\b|\bXXX+\b"
)
_CHOICE = re.compile(
    r"(?im)^[ \t]*+(?:[*_#]++[ \t]*+)?(?:version|option|variant|alternative|draft)[ \t]++"
    r"(?:[a-d]|[1-4]|one|two)\b"
    r"|^[ \t]*+(?:[*_-]++[ \t]*+)?or(?: alternatively)?[ \t]*+(?::|[*_-]*+[ \t]*+$)"
    r"|^[ \t]*+alternatively[:,]"
)
_SAYS = re.compile(
    r"(?i)\b(?:i|we)(?:'ve| have)?+ (?:re-?written|re-?wrote|re-?worded|re-?phrased|replaced|inverted"
    r"|reversed|changed|turned|swapped|flipped|paraphrased|negated|exchanged)\b[^.\n]{0,80}"
    r"\b(?:advice|action|text|note|item|wording|field|fields|sentence|sentences|by)\b"
    r"|\bas an ai\b|\blanguage model\b[^.\n]{0,40}\bcannot\b"
)
MOST_TAKEN = 3
"""Layers around a text that are taken off, one after another: a remark around a fence around the text."""


def clean_draft(before: str, draft: str) -> str:
    """The draft without what certainly stands around the text that was asked for.

    Args:
        before: the intact text; what it begins or ends with itself is no remark.
    """
    text = draft.replace("\r\n", "\n").replace("\r", "\n")
    text = text[after_thoughts(text) :].strip()
    for _ in range(MOST_TAKEN):
        bare = _without_remarks(before, _without_fence(before, text))
        if bare == text:
            break
        text = bare
    return text


def _without_fence(before: str, text: str) -> str:
    lines = text.split("\n")
    fences = [number for number, line in enumerate(lines) if is_fence(line)]
    around = len(fences) % 2 == 0 and fences[:1] == [0] and fences[-1:] == [len(lines) - 1]
    if not around or is_fence(before.strip().split("\n", 1)[0]):
        return text
    return "\n".join(lines[1:-1]).strip()


def _without_remarks(before: str, text: str) -> str:
    """Without a first paragraph that leads in, and last ones that look back."""
    paragraphs = re.split(r"\n[^\S\n]*+\n\s*+", text)
    first, *rest = paragraphs
    if not _begins_so(before, first):
        line, more, _ = first.partition("\n")
        if more and _is_lead_line(line):
            text = text.partition("\n")[2].strip()
        elif rest and not _heads(first) and _LEAD_IN.match(first):
            text = text[len(first) :].strip()
    while len(rest) > 0 and not _heads(rest[-1]) and _looks_back(rest[-1]) and rest[-1] not in before:
        text = text[: text.rindex(rest[-1])].rstrip()
        rest = rest[:-1]
    return text


def _heads(paragraph: str) -> bool:
    line = paragraph.partition("\n")[0]
    return line.lstrip().startswith("#") or item_label(line) is not None


def _is_lead_line(line: str) -> bool:
    return _LEAD_IN.match(line) is not None and line.rstrip().endswith(":")


def _begins_so(before: str, paragraph: str) -> bool:
    return before.lstrip()[:20].casefold() == paragraph.lstrip()[:20].casefold()


def _looks_back(paragraph: str) -> bool:
    line = paragraph.partition("\n")[0]
    return _BEHIND.match(line) is not None or is_farewell(line)


def find_remark(before: str, after: str) -> str:
    """What the text holds beside itself that the intact one does not: a sentence for the writer, or empty."""
    for match in _BRACKETS.finditer(after):
        inside = match[1] or match[2]
        if _OF_THE_WRITER.search(inside) and inside not in before:
            return f"a remark stands inside the text: {_short(match[0])}; write the text alone"
    for pattern, what in (
        (_GAP, "a gap was left to be filled in"),
        (_CHOICE, "there are several versions where one was asked for"),
        (_SAYS, "the text speaks of how it was written"),
    ):
        place = pattern.search(after)
        if place is not None and place[0] not in before:
            return f"{what}: {_short(place[0].strip())}"
    if (
        _LEAD_IN.match(after)
        and not _LEAD_IN.match(before)
        and after.partition("\n")[0].rstrip().endswith(":")
    ):
        return f"words to whoever asked stand before the text: {_short(after.partition(chr(10))[0])}"
    return ""


def unseen_signs(text: str) -> set[str]:
    """The signs that cannot be seen: of control, of direction, halves of a pair, blanks of other kinds."""
    return {sign for sign in {*text} - {"\n", "\t", " "} if category(sign)[0] in "CZ"}


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:57]}...")
