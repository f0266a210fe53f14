"""More than half of the words under marks."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from numpy.random import Generator

from loadbearing.episodes.slot import Slot
from loadbearing.perturbations.language.structure import parts
from loadbearing.perturbations.language.words import Word, framed_share, located, nothing_to_damage, reworded
from loadbearing.perturbations.perturbation import Aim, Effect, Raw, refuse_no_share

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
        refuse_no_share(self.dose)

    @property
    def aim(self) -> Aim:
        return Aim(content_left=(0.0, 1 - 0.4 * self.dose))

    def why_not(self, slot: Slot, donor: Slot) -> str:  # noqa: ARG002
        return nothing_to_damage(slot)

    def __call__(self, slot: Slot, rng: Generator, donor: Slot) -> Slot:  # noqa: ARG002
        most_left = 1 - _MASKED * self.dose
        keep_frame = framed_share(slot) <= most_left / 2
        hidden = _chosen(slot, rng, most_left, keep_frame)

        def mask(word: Word) -> str:
            if (word.framed and keep_frame) or _key(word) not in hidden:
                return word.text
            return _SIGN if word.is_sign else f"[MASKED{int(rng.integers(100, 1000))}]"

        return Slot(slot.cue, tuple(reworded(item, mask) for item in slot.items))


class _Scope:
    """Words that must be thinned out together: those of the slot, or those of one item."""

    def __init__(self, items: list[list[Word]], keep_frame: bool) -> None:
        found = [word for item in items for word in item]
        self.words = Counter(map(_key, found))
        self.maskable = Counter(_key(word) for word in found if not (word.framed and keep_frame))
        carrying = {key: n for key, n in self.words.items() if not key.startswith("=")}
        # all words and content words alike, by type and by token
        self.total = [size for kind in (self.words, carrying) for size in (len(kind), sum(kind.values()))]
        self.left = list(self.total)

    def mask(self, key: str) -> None:
        """Take the word away, wherever it may be masked."""
        n = self.maskable[key]
        for kind in (0,) if key.startswith("=") else (0, 2):
            self.left[kind] -= int(n == self.words[key])
            self.left[kind + 1] -= n

    def thin(self, most_left: float) -> bool:
        """Whether few enough are left."""
        return all(left <= most_left * total for left, total in zip(self.left, self.total, strict=True))


def _key(word: Word) -> str:
    """Words of one stem are masked together; function words by themselves (`=` marks them)."""
    return word.stem or "=" + word.text.casefold()


def _chosen(slot: Slot, rng: Generator, most_left: float, keep_frame: bool) -> set[str]:
    """Words to mask, drawn until the slot and each item are thin enough. Masking by type: a word that
    stands ten times would give itself away in the places left over."""
    items = [[word for part in parts(item) for word in located(part)] for item in slot.items]
    scopes = [_Scope(items, keep_frame), *(_Scope([item], keep_frame) for item in items)]
    keys = sorted(scopes[0].maskable)
    chosen: set[str] = set()
    for place in rng.permutation(len(keys)):
        key = keys[int(place)]
        touched = [scope for scope in scopes if key in scope.maskable]
        if not all(scope.thin(most_left) for scope in touched):
            chosen.add(key)
            for scope in touched:
                scope.mask(key)
    return chosen
