"""Short answers compared by their words.

Source: the evaluation of SQuAD (arXiv 1606.05250) and of HotpotQA (arXiv 1809.09600): lower case, no
punctuation, no articles; exact match, and F1 over the words.
"""

import re
import unicodedata
from collections import Counter
from functools import lru_cache
from string import punctuation

CLOSED = frozenset({"yes", "no", "noanswer"})
"""HotpotQA: one of these is right as a whole or not at all."""
ARTICLES = re.compile(r"\b(?:a|an|the)\b")


@lru_cache(maxsize=4096)
def normalise(text: str) -> str:
    """Lower case, without punctuation and articles, single blanks."""
    folded = unicodedata.normalize("NFKC", text).lower()
    bare = "".join(
        sign for sign in folded if sign not in punctuation and not unicodedata.category(sign).startswith("P")
    )
    return " ".join(ARTICLES.sub(" ", bare).split())


def is_same_text(answer: str, right: str) -> bool:
    """Exact match: the same words in the same order; articles and signs alone are compared as they stand."""
    given, wanted = normalise(answer), normalise(right)
    return given == wanted and (bool(given) or answer.strip().lower() == right.strip().lower())


def overlap(answer: str, right: str) -> float:
    """F1 of the words of an answer and a right one, in [0, 1]."""
    given, wanted = normalise(answer), normalise(right)
    if is_same_text(answer, right):
        return 1.0
    if given in CLOSED or wanted in CLOSED:
        return 0.0
    first, second = given.split(), wanted.split()
    shared = sum((Counter(first) & Counter(second)).values())
    return 2 * shared / (len(first) + len(second)) if shared else 0.0
