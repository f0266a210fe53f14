"""More than half of the words under marks."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from numpy.random import Generator

from loadbearing.episodes.slot import Slot
from loadbearing.perturbations.language.words import Word, framed_share, located, nothing_to_damage, reworded
from loadbearing.perturbations.layout.structure import parts
from loadbearing.perturbations.perturbation import Aim, Effect, Raw

_MASKED = 0.55
_SIGN = "囗"


@dataclass(frozen=True, slots=True)
class CorruptMask:
    """Replace words by marks such as `[MASKED417]`, one for one, the same words in all places.

    Source: the masking kind of Corrupt in arXiv 2601.22436, Table 3.

    Args:
        dose: 1 masks about 55 % of the words, content words and all words alike; smaller doses mask less.
    """

    dose: float = 1.0
    name: str = "corrupt_mask"
    effect: Effect = "meaning"
    raw: Raw = "no"

    def __post_init__(self) -> None:
        """Raises ValueError for a dose that is no share, or does nothing."""
        if not 0 < self.dose <= 1:
            raise ValueError(f"dose must be in (0, 1], got {self.dose}; leave the kind out for no damage")

    @property
    def aim(self) -> Aim:
        """At most 60 % of the content words left at full dose."""
        return Aim(content_left=(0.0, 1 - 0.4 * self.dose))

    def why_not(self, slot: Slot, donor: Slot) -> str:  # noqa: ARG002
        """There must be a content word to mask."""
        return nothing_to_damage(slot)

    def __call__(self, slot: Slot, rng: Generator, donor: Slot) -> Slot:  # noqa: ARG002
        """The same words, more than half of them illegible."""
        most_left = 1 - _MASKED * self.dose
        keep_frame = framed_share(slot) <= most_left / 2
        hidden = _chosen(slot, rng, most_left, keep_frame)

        def mask(word: Word) -> str:
            if (word.framed and keep_frame) or _key(word) not in hidden:
                return word.text
            return _SIGN if word.is_sign else f"[MASKED{int(rng.integers(100, 1000))}]"

        return Slot(slot.cue, tuple(reworded(item, mask) for item in slot.items))


class _Scope:
    """Words that must be thinned out together: those of the slot, and those of each item."""

    def __init__(self, words: Counter[str]) -> None:
        self.words = words
        kinds = (words, {key: n for key, n in words.items() if not key.startswith("=")})
        # all words and content words alike, by type and by token
        self.total = [size for kind in kinds for size in (len(kind), sum(kind.values()))]
        self.left = list(self.total)

    def mask(self, key: str, n: int) -> None:
        """Take `n` of the word's tokens away."""
        kinds = (0,) if key.startswith("=") else (0, 2)
        for kind in kinds:
            self.left[kind] -= int(n == self.words[key])
            self.left[kind + 1] -= n

    def thin(self, most_left: float) -> bool:
        """Whether few enough are left."""
        return all(left <= most_left * total for left, total in zip(self.left, self.total, strict=True))


def _key(word: Word) -> str:
    """Words of one stem are masked together; function words by themselves (`=` marks them)."""
    return word.stem or "=" + word.text.casefold()


def _chosen(slot: Slot, rng: Generator, most_left: float, keep_frame: bool) -> frozenset[str]:
    """Words to mask, drawn until the slot and each item are thin enough. Masking by type: a word that
    stands ten times would give itself away in the places left over."""
    items: list[Counter[str]] = []
    maskable: list[Counter[str]] = []
    for item in slot.items:
        found = [word for part in parts(item) for word in located(part.body, part.frame())]
        items.append(Counter(_key(word) for word in found))
        maskable.append(Counter(_key(word) for word in found if not (word.framed and keep_frame)))
    everywhere, free = sum(items, Counter()), sum(maskable, Counter())
    scopes = [
        (_Scope(words), mine) for words, mine in zip((everywhere, *items), (free, *maskable), strict=True)
    ]
    keys = sorted(free)
    chosen: set[str] = set()
    for place in rng.permutation(len(keys)):
        key = keys[int(place)]
        touched = [(scope, mine) for scope, mine in scopes if key in mine]
        if all(scope.thin(most_left) for scope, _ in touched):
            continue
        chosen.add(key)
        for scope, mine in touched:
            scope.mask(key, mine[key])
    return frozenset(chosen)
