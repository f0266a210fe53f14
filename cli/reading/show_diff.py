"""A word diff of two texts, for a terminal without colours."""

from __future__ import annotations

import re

from loadbearing.reports.base.word_diff import MOST_PAIRS, Stretch, stretches

WORD = re.compile(r"\s+|\S+")


def word_diff(before: str, after: str, most_pairs: int = MOST_PAIRS) -> str:
    """`after` with what was taken out as `[-words-]` and what was put in as `{+words+}`.

    Texts too long to be compared word by word are compared line by line first.

    Args:
        most_pairs: pairs of equal words that are looked at.
    """
    old, new = WORD.findall(before), WORD.findall(after)
    found = stretches(old, new, most_pairs)
    if found is not None:
        return _joined(old, new, found)
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    lines = stretches(old, new, most_pairs)
    if lines is None or len(lines) == 1:
        return _changed(before, after)
    pairs = ((changed, "".join(old[here]), "".join(new[there])) for changed, here, there in lines)
    share = most_pairs // len(lines)
    return "".join(word_diff(one, other, share) if changed else other for changed, one, other in pairs)


def _joined(old: list[str], new: list[str], found: list[Stretch]) -> str:
    parts, gone, come = [], "", ""
    for changed, here, there in found:
        kept = "".join(new[there])
        if changed:
            gone, come = gone + "".join(old[here]), come + kept
        elif kept == " " and (gone or come):
            # two words that changed side by side read as one change
            gone, come = gone + kept, come + kept
        else:
            parts += [_changed(gone, come), kept]
            gone = come = ""
    return "".join([*parts, _changed(gone, come)])


def _changed(gone: str, come: str) -> str:
    return (f"[-{gone}-]" if gone else "") + (f"{{+{come}+}}" if come else "")
