"""The canonical form of a text and of an item: what would hold for another instance, too.

Idempotent: the form of a canonical form is itself. Fields that a program matches to the letter, Trigger and
Form, stay as they are; the lint reads them, too.

Source: seeds/000, the prompt of canonicalisation; REQUIREMENTS A-11, A-13.
"""

import re

from memtrial.memory.bank.canonical.instance_marks import KINDS_OF_MARKS, find_marks
from memtrial.memory.bank.canonical.quantity_ranges import find_quantities
from memtrial.memory.item import Item, field_names, item_from_json, item_to_json, schema_of
from memtrial.memory.language.sentences import Edit, apply

MOST_WORDS_OF_A_NAME = 12
MATCHED = ("trigger", "form")
"""Fields whose literals are looked for in an episode."""
MOST_ROUNDS = 4
_CLAUSE_END = re.compile(
    r"(?<!\s)\s*+[;:—–]\s|,\s|\s(?=(?:because|since|so that|which|when|if|unless|until)\s)"
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s")


def canonicalise(text: str) -> str:
    """The text with `<url>`, `<id>`, `<path>`, `<position>`, `<number>` for what names one instance, and with
    ranges for its quantities."""
    for _ in range(MOST_ROUNDS):
        before = text
        for kind in KINDS_OF_MARKS:
            text = apply(text, [Edit(mark.start, mark.stop, mark.instead) for mark in find_marks(text, kind)])
        text = apply(text, [Edit(*quantity) for quantity in find_quantities(text)])
        if text == before:
            break
    return text


def shorten_name(name: str) -> str:
    """A name of at most `MOST_WORDS_OF_A_NAME` words, on one line, without a full stop.

    It is the first sentence; of a long one the clauses that fit, else its first words.
    """
    line = _SENTENCE_END.split(" ".join(name.split()), maxsplit=1)[0].rstrip(" .;:,")
    words = line.split(" ")
    if len(words) <= MOST_WORDS_OF_A_NAME:
        return line
    ends = [match.start() for match in _CLAUSE_END.finditer(line)]
    fitting = [end for end in ends if 0 < len(line[:end].split()) <= MOST_WORDS_OF_A_NAME]
    cut = line[: fitting[-1]] if fitting else " ".join(words[:MOST_WORDS_OF_A_NAME])
    return cut.rstrip(" .;:,—–")


def canonicalise_item(item: Item) -> Item:
    """The item with each field in its canonical form, and a short title."""
    texts = {
        name: canonicalise(getattr(item, name))
        for name in field_names(schema_of(item))
        if name not in MATCHED
    }
    if "title" in texts:
        texts["title"] = shorten_name(texts["title"])
    return item_from_json(item_to_json(item) | texts)
