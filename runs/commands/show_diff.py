"""A word diff of two texts, for a terminal without colours."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

WORD = re.compile(r"\s+|\S+")


def word_diff(before: str, after: str) -> str:
    """`after` with what was taken out as `[-words-]` and what was put in as `{+words+}`."""
    old, new = WORD.findall(before), WORD.findall(after)
    parts, gone, come = [], "", ""
    for what, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        kept = "".join(new[k:m])
        if what != "equal":
            gone, come = gone + "".join(old[i:j]), come + kept
        elif kept == " " and (gone or come):
            # two words that changed side by side read as one change
            gone, come = gone + kept, come + kept
        else:
            parts += [_changed(gone, come), kept]
            gone = come = ""
    return "".join([*parts, _changed(gone, come)])


def _changed(gone: str, come: str) -> str:
    return (f"[-{gone}-]" if gone else "") + (f"{{+{come}+}}" if come else "")
