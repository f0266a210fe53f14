"""A guardrail's two parts in its words: what went wrong, and what to do instead."""

import re

_MARK = re.compile(
    r"(?:^|(?<=[.!?;\s]))[*_]{0,3}(?:(?P<wrong>what went wrong)|(?:what to )?(?:do )?instead)"
    r"[*_]{0,3}\s?:[*_]{0,3}",
    re.IGNORECASE,
)
_LOOSE_MARK = re.compile(
    r"(?:^|(?<=[.!?;\s]))[*_]{0,3}"
    r"(?:(?P<wrong>what went wrong|failure modes?|(?:root )?cause|mistake|problem)"
    r"|(?:what to )?(?:do )?instead|checks?|recovery(?: steps)?|prevention|correct approach|fix)"
    r"[*_]{0,3}\s?:[*_]{0,3}",
    re.IGNORECASE,
)
"""Document 003 asks for failure modes, checks and recovery; of a strategy they are no parts."""
_HEADED = re.compile(
    r"^(?P<dress>[#*_ \t]*+)(?P<name>what[ _]went[ _]wrong|(?:what[ _]to[ _])?do[ _]instead)"
    r"(?:[*_ \t]*+(?=\n|$)|[*_ \t]*+:[*_ \t]*+)",
    re.IGNORECASE | re.MULTILINE,
)
_CONTENT_HEAD = re.compile(r"^[#*_ \t]*+content\b", re.IGNORECASE | re.MULTILINE)
_CLAUSE = re.compile(r"[^.;\n]++[.;\n]*+")
_INSTEAD = re.compile(r",?\s?\binstead\b,?(?P<of> of\b)?", re.IGNORECASE)
_TELLS_OF = re.compile(r"\W*+(?:the|an?|it|its|they|this|that|he|she|we|i|there|agent)\b", re.IGNORECASE)
"""How a clause begins that tells of what was done, where advice begins with what to do."""
_ADVISES = re.compile(r"\b(?:should|must|needs? to|has to|have to)\b", re.IGNORECASE)
_DRESS = " \n*_-•"
_EDGES = " \t\n,;.*_-•"


def join_heads(text: str) -> str:
    """The two parts as marks within the content, where they are headings of their own."""
    headed = _CONTENT_HEAD.search(text) is not None

    def mark(match: re.Match[str]) -> str:
        name = " ".join(match["name"].casefold().split("_"))
        if headed or name != "what went wrong":
            return f"\n{name}:"
        head = "".join(sign for sign in match["dress"] if sign == "#")
        return f"{head} Content\n{name}:" if head else f"**Content:** {name}:"

    return _HEADED.sub(mark, text)


def split_marks(content: str) -> tuple[str, str, str]:
    """What went wrong, what to do instead, and the rest, of a content that marks its parts by these words."""
    return _split(content, list(_MARK.finditer(content)))


def split_guardrail(content: str) -> tuple[str, str, str]:
    """The same of what is known to be a guardrail, by any mark, or by a sentence.

    A mark is such as `Recovery:`, a sentence such as `Don't send it twice; look it up instead`.
    """
    marks = list(_LOOSE_MARK.finditer(content))
    return _split_sentence(content) if all(mark["wrong"] for mark in marks) else _split(content, marks)


def _split(content: str, marks: list[re.Match[str]]) -> tuple[str, str, str]:
    ends = [mark.start() for mark in marks[1:]] + [len(content)]
    parts: dict[bool, list[str]] = {True: [], False: []}
    for mark, end in zip(marks, ends, strict=False):
        parts[mark["wrong"] is not None].append(content[mark.end() : end].strip(_DRESS))
    rest = content[: marks[0].start()] if marks else content
    return "\n".join(filter(None, parts[True])), "\n".join(filter(None, parts[False])), rest.strip(_DRESS)


def _split_sentence(content: str) -> tuple[str, str, str]:
    """By the first `instead` that gives advice; without one all of it is the rest."""
    for clause in _CLAUSE.finditer(content):
        word = _INSTEAD.search(clause[0])
        if word is None:
            continue
        before, after = clause[0][: word.start()].strip(_EDGES), clause[0][word.end() :].strip(_EDGES)
        earlier = content[: clause.start()].strip()
        if word["of"]:
            bad, advice = (after, before) if before else _part(after, first=True)
        elif earlier:
            bad, advice, earlier = earlier, f"{before} {after}".strip(), ""
        else:
            bad, advice = _part(f"{before} {after}".strip(), first=False)
        if bad and advice and (not _TELLS_OF.match(advice) or _ADVISES.search(advice)):
            return (
                "\n".join(filter(None, (earlier, bad))),
                advice[:1].upper() + advice[1:],
                content[clause.end() :].strip(),
            )
    return "", "", content


def _part(clause: str, first: bool) -> tuple[str, str]:
    """What stands before and behind the first or the last comma; nothing before where there is none."""
    before, _, behind = clause.partition(",") if first else clause.rpartition(",")
    return before.strip(_EDGES), behind.strip(_EDGES)
