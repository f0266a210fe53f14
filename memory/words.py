"""Words, content words and a light stemmer: what two texts are compared by."""

import re
from functools import lru_cache

# marks that belong to the letter before them, so that accents and vowel signs do not cut a word
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0900-\u0903\u093a-\u094f"
    "\u0981-\u0983\u09bc-\u09cd\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
)
# scripts without spaces: each sign is a word
_SIGNS = "\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_LETTERS = rf"(?:[^\W_{_SIGNS}]++[{_MARKS}]*+)++"
_WORD = re.compile(rf"\d+(?:\.\d+)+(?![^\W_])|{_LETTERS}(?:['’]{_LETTERS})*|[{_SIGNS}]")

_POLARITY = """
    always aren't avoid avoided avoiding avoids can't cannot couldn't didn't do doesn't doing don't hadn't
    hasn't haven't isn't mustn't needn't neither never no none nor not nothing shouldn't unless wasn't weren't
    without won't wouldn't
"""
POLARITY = frozenset(_POLARITY.split())
"""Words that turn advice round. No content words: a flip is counted as a flip, not as a lost word."""

_FUNCTION = """
    a about after again all also although am an and another any are as at be because been before being both
    but by can could did does done during each either else ever every few for from further had has have having
    he he's her here hers herself him himself his how however i i'd i'll i'm i've if in into is it it's its
    itself just let let's may me might more most much must my myself of on once only onto or other others
    ought our ours ourselves own per quite rather same shall she she's should since so some such than that
    that's the their theirs them themselves then there there's therefore these they they're they've this
    those though through thus to too toward towards until upon us very was we we're we've were what what's
    when whenever where where's whereas whether which while who who's whom whose why will with within would
    you you'd you'll you're you've your yours yourself yourselves
"""
STOP_WORDS = POLARITY | frozenset(_FUNCTION.split())
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
