"""Does the bank hold the same lesson already?

All of it is the program's: vectors of the advice, by TF-IDF or by the run's embedder where that is a model,
the nearest stored items by cosine in FAISS, and no word that one advises for and the other against. By TF-IDF
a restatement in quite other words is not seen, and no judge is asked for it. The same words are proof;
likeness is a warning.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from memtrial.gates.gate import GateCase, GateKind, Ruling
from memtrial.memory.item import Item
from memtrial.memory.item_roles import roles_of
from memtrial.memory.language.lexicon import ANTONYMS, CONDITIONS
from memtrial.memory.language.sentences import cut_sentences
from memtrial.memory.words import POLARITY, content_words, folded_words

if TYPE_CHECKING:
    from memtrial.models.embeddings.embedding import Array

ALIKE = 0.7
"""Cosine of TF-IDF from which on two items say the same."""
ALIKE_TO_A_MODEL = 0.9
"""Of a model's vectors, which are near for any two texts on one subject. Not calibrated: models differ."""
MOST_CHARACTERS = 20_000
"""Of an item that are compared."""
MOST_NEAR = 20
"""Stored items, the nearest first, whose advice is compared word by word."""


_CLAUSE = re.compile(
    r"[,.;:]|\b(?:and|but|when|whenever|if|once|until|unless|before|after|because|while|so)\b"
)
_TURNING = (POLARITY - {"do", "doing", "always", "unless"}) | {"instead", "than", "over"}
_OPPOSITE = ANTONYMS | CONDITIONS | {"ascending": "descending", "descending": "ascending"}


def texts_to_embed(case: GateCase) -> tuple[str, ...]:
    """The texts that are compared: of all stored items, and of this one."""
    return tuple(map(_advice_text, (*case.around.stored(case.trajectory), case.item)))


def find_repeated(case: GateCase) -> Iterator[Ruling]:
    """Each stored item that says the same, the nearest first."""
    stored = case.around.stored(case.trajectory)
    if not stored:
        return
    rows = (
        case.vectors
        if case.vectors is not None
        else by_words([*map(_advice_text, stored), _advice_text(case.item)])
    )
    if len(rows) != len(stored) + 1:
        return
    at_least = ALIKE if case.vectors is None else ALIKE_TO_A_MODEL
    own = _AdviceWords.of(case.item)
    for place, cosine in nearest(rows):
        if cosine >= at_least and not own.opposes(_AdviceWords.of(stored[place])):
            text, same = _advice_text(stored[place]), folded_words(_advice_text(stored[place]).casefold())
            yield Ruling(
                f"a stored item says the same (similarity {cosine:.2f}): {text[:80]!r}",
                proof="literal" if same == folded_words(_advice_text(case.item).casefold()) else None,
            )


def by_words(texts: Sequence[str]) -> Array:
    """Counts of content words and their pairs, shape (n_texts, d); d is 0 where there are none."""
    import numpy as np
    from sklearn.feature_extraction.text import TfidfVectorizer

    cut_up = [" ".join(content_words(text)) for text in texts]
    if not any(cut_up):
        return np.zeros((len(texts), 0), dtype=np.float32)
    # without weights by rarity: in a small bank they would hang on what happens to be stored beside
    cutter = TfidfVectorizer(ngram_range=(1, 2), use_idf=False, token_pattern=r"\S+")
    return np.asarray(cutter.fit_transform(cut_up).toarray(), dtype=np.float32)


def nearest(rows: Array) -> list[tuple[int, float]]:
    """The rows before the last by their cosine to it, the nearest first; at most `MOST_NEAR`."""
    import faiss

    from memtrial.models.embeddings.embedding import unit

    if not rows.shape[1]:
        return []
    rows = unit(rows)
    index = faiss.IndexFlatIP(rows.shape[1])
    index.add(rows[:-1])
    similar, position = index.search(rows[-1:], min(MOST_NEAR, len(rows) - 1))
    return [(int(place), float(cosine)) for place, cosine in zip(position[0], similar[0], strict=True)]


class _AdviceWords(NamedTuple):
    """The words of an item's advice without the reason, and of each word that carries meaning the signs.

    A sign is False where the word stands behind an odd number of words that turn its clause round.
    """

    words: frozenset[str]
    signs: Mapping[str, set[bool]]

    @classmethod
    def of(cls, item: Item) -> _AdviceWords:
        text = " ".join(
            sentence.partition("because")[0] for sentence in cut_sentences(roles_of(item).what.casefold())
        )
        signs: dict[str, set[bool]] = defaultdict(set)
        for clause in _CLAUSE.split(text[:MOST_CHARACTERS]):
            sign = True
            for word in folded_words(clause):
                if word in _TURNING:
                    sign = not sign
                for content in content_words(word):
                    signs[content].add(sign)
        return cls(frozenset(folded_words(text)), signs)

    def opposes(self, other: _AdviceWords) -> bool:
        """A word of both is told here and forbidden there, or one says the opposite of the other's word."""
        if any(not self.signs[word] & other.signs[word] for word in self.signs.keys() & other.signs.keys()):
            return True
        lost = other.words - self.words
        return any(_OPPOSITE.get(word) in lost for word in self.words - other.words)


def _advice_text(item: Item) -> str:
    roles = roles_of(item)
    return f"{roles.what} {roles.when or ''}"[:MOST_CHARACTERS]


DUPLICATE = GateKind(
    "duplicate",
    "The item restates one that is stored already.",
    ("what",),
    find_repeated,
    proves=("literal",),
    judged=False,
    embeds=texts_to_embed,
)
