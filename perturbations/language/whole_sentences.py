"""Where whole sentences stand in a text, and how often a memory says one again."""

from collections import Counter
from functools import lru_cache

from memtrial.memory.language.sentences import spans
from memtrial.memory.language.structure import parts
from memtrial.memory.words import words

_MARKS = "\"'”’)]*_`"
_LEAST = 4  # words of a sentence that counts as repeated


def whole_sentences(text: str) -> tuple[tuple[int, int], ...]:
    """Where they stand; list marks in front of them are left out."""
    sentences: list[tuple[int, int]] = []
    low = -1
    pieces = spans(text)
    for number, (start, end) in enumerate(pieces, 1):
        low = start if low < 0 else low
        if number == len(pieces) or _ends_here(text[start:end]):
            sentences.append((low, end))
            low = -1
    return tuple(sentences)


def _ends_here(text: str) -> bool:
    """Whether a full stop, or the end of a line, stands at its end."""
    bare = text.rstrip()
    return "\n" in text[len(bare) :] or bare.rstrip(_MARKS).endswith(tuple(".!?。！？"))


@lru_cache(maxsize=2048)  # choices come up again
def n_repeated(items: tuple[str, ...]) -> int:
    """Number of sentences that stood before, of those with at least four words."""
    bodies = (part.body for item in items for part in parts(item))
    sentences = (body[low:high] for body in bodies for low, high in whole_sentences(body))
    counted = Counter(tuple(map(str.casefold, words(sentence))) for sentence in sentences)
    return sum(n - 1 for sentence, n in counted.items() if len(sentence) >= _LEAST)
