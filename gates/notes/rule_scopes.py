"""Whether two rules of one file speak of the same part of the work, by the headings and lines above them.

What stands under "Parser" and under "Planner" may well differ. Two rules share their scope in one section, in
a section and one below it, and in sections whose headings name no part ("Code style", "Git").
"""

import re

from memtrial.memory.language.lexicon import words
from memtrial.memory.notes.note_files import NoteFile
from memtrial.memory.notes.note_items import NoteItem
from memtrial.memory.words import folded_words

_TURNED = re.compile(
    r"(?i)\b(?:not|never|avoid\w*|bad|wrong|anti[- ]?patterns?|mistakes?|instead|incorrect|examples?"
    r"|versus|vs|options?|either|alternatives?|forbidden|rejected)\b|n['’]t\b|\b(?:before|after)\W*\Z|[❌✗🚫]"
)
"""Headings and lines above that turn what stands below, or set it beside its contrary."""
_GENERAL = words("notes.general_heads")


def is_turned(file: NoteFile, item: NoteItem) -> bool:
    """Whether a heading or a line above turns the item round, or sets it beside its contrary."""
    return _TURNED.search(" ".join((*file.read.sections[item.section].titles, *item.above))) is not None


def share_scope(file: NoteFile, first: NoteItem, second: NoteItem) -> bool:
    """Whether nothing above the two items of a file parts them."""
    titles, others = (file.read.sections[item.section].titles for item in (first, second))
    if titles == others:
        return _begin_alike(first.above, second.above)
    if first.above or second.above:
        return False
    return _begin_alike(titles, others) or (
        titles[:-1] == others[:-1] and all(map(_is_general, (titles[-1], others[-1])))
    )


def _begin_alike(first: tuple[str, ...], second: tuple[str, ...]) -> bool:
    return all(one == other for one, other in zip(first, second, strict=False))


def _is_general(title: str) -> bool:
    return all(word in _GENERAL for word in folded_words(title.casefold()))
