"""Does the bank hold the same lesson already?

All of it is the program's: TF-IDF of the advice, the nearest stored item by cosine in FAISS, and the same
polarity. A restatement in quite other words is not seen, and no judge is asked for it.
"""

from collections.abc import Sequence

from loadbearing.gates.gate import Case, GateKind, Ruling
from loadbearing.memory.item import Item
from loadbearing.memory.item_roles import roles_of
from loadbearing.memory.language.sentences import cut
from loadbearing.memory.words import POLARITY, content_words, folded_words

ALIKE = 0.7
"""Cosine from which on two items say the same."""
MOST_CHARACTERS = 20_000
"""Of an item that are compared."""


def repeated(case: Case) -> Ruling | None:
    """The stored item that says the same, if one does."""
    stored = [one for one in case.around.stored(case.trajectory) if _turned(one) == _turned(case.item)]
    found = nearest(case.item, stored)
    if found is None or found[1] < ALIKE:
        return None
    at, cosine = found
    return Ruling(f"a stored item says the same (similarity {cosine:.2f}): {_told(stored[at])[:80]!r}")


def nearest(item: Item, stored: Sequence[Item]) -> tuple[int, float] | None:
    """The most similar of the items, with its cosine; None where there is nothing to compare."""
    texts = [" ".join(content_words(_told(one)[:MOST_CHARACTERS])) for one in (*stored, item)]
    if not stored or not texts[-1] or not any(texts[:-1]):
        return None
    import faiss
    from sklearn.feature_extraction.text import TfidfVectorizer

    # without weights by rarity: in a small bank they would hang on what happens to be stored beside
    cutter = TfidfVectorizer(ngram_range=(1, 2), use_idf=False, token_pattern=r"\S+")
    rows = cutter.fit_transform(texts).toarray().astype("float32")
    index = faiss.IndexFlatIP(rows.shape[1])
    index.add(rows[:-1])
    similar, position = index.search(rows[-1:], 1)
    return int(position[0, 0]), float(similar[0, 0])


def _told(item: Item) -> str:
    roles = roles_of(item)
    return f"{roles.what} {roles.when or ''}"


def _turned(item: Item) -> bool:
    """Whether the advice, without the reason behind it, holds an odd number of words that turn it round."""
    advice = " ".join(sentence.partition("because")[0] for sentence in cut(roles_of(item).what.casefold()))
    turning = [word for word in folded_words(advice) if word in POLARITY - {"do", "doing"}]
    return len(turning) % 2 == 1


DUPLICATE = GateKind(
    "duplicate", "The item restates one that is stored already.", ("what",), repeated, judged=False
)
