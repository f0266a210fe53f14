"""Words, content words and a light stemmer: what two texts are compared by."""

import re
from functools import lru_cache

from memtrial.memory.language.lexicon import words as listed

# marks that belong to the letter before them, so that accents and vowel signs do not cut a word
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0900-\u0903\u093a-\u094f"
    "\u0981-\u0983\u09bc-\u09cd\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
)
# scripts without spaces: each sign is a word
_SIGNS = "\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_LETTERS = rf"(?:[^\W_{_SIGNS}]++[{_MARKS}]*+)++"
_WORD = re.compile(rf"\d+(?:\.\d+)+(?![^\W_])|{_LETTERS}(?:['’]{_LETTERS})*|[{_SIGNS}]")

POLARITY = listed("words.polarity")
"""Words that turn advice round. No content words: a flip is counted as a flip, not as a lost word."""

STOP_WORDS = POLARITY | listed("words.function")
"""English function words, polarity among them; compared in lower case with a straight apostrophe."""


def words(text: str) -> list[str]:
    """The words as written, in order; an apostrophe or a decimal point inside a word stays in it."""
    return _WORD.findall(text)


def content_words(text: str) -> list[str]:
    """The stems of all words that are no function words, case-folded, in order, repeats included."""
    return [stem(word) for word in folded_words(text.casefold()) if word not in STOP_WORDS]


def folded_words(folded: str) -> list[str]:
    """The words of a text that is case-folded already, with straight apostrophes."""
    return _WORD.findall(folded.replace("’", "'"))


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The word without the endings -'s, -s, -ing and -ed, for comparison only (`making`, `makes` → `mak`).

    Takes one case-folded word. A stem is a beginning of its word, but for a last `y` that became `i`;
    apply it once, for a stem of a stem may be shorter.
    """
    word = word.removesuffix("'s")
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    if word.endswith("ing") and _has_vowel(word[:-3]):
        word = word[:-3]
    elif word.endswith("ed") and not word.endswith("eed") and _has_vowel(word[:-2]):
        word = word[:-2]
    if len(word) > 2 and word.endswith("e"):
        word = word[:-1]
    if len(word) > 2 and word[-1] == word[-2] and word[-1] in "bcdfgklmnprtvz":
        word = word[:-1]
    if len(word) > 2 and word.endswith("y") and word[-2] not in "aeiou":
        word = word[:-1] + "i"
    return word


def _has_vowel(start: str) -> bool:
    return any(letter in "aeiouy" for letter in start)
