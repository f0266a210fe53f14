"""Two words in five masked, and everything that an answer is made of."""

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain

from numpy.random import Generator

from memtrial.agents.slot import Slot
from memtrial.memory.language.lexicon import NUMBERS
from memtrial.memory.language.roles import Span
from memtrial.memory.language.sentences import QUOTE_MASK, mask_quotes
from memtrial.memory.language.structure import HeadedPart, parts
from memtrial.memory.words import content_words
from memtrial.perturbations.advice.advised_action import exchangeable
from memtrial.perturbations.aim import Aim, Declaration, Wording, refuse_no_share
from memtrial.perturbations.damage_contract import DamageContext, Damaged, NotApplicable, PieceDamage
from memtrial.perturbations.language import word_spans

_MASKED = 0.40
_SIGN = "囗"
_SIZES = (1, 4, 6)  # three and no more: a mark as long as its word would tell a yes from a no
_LETTERS = "XZQWKJ"
_BRACKETS = re.compile(r"\[[^\[\]\n]{1,200}\]")
_COVERED = re.compile(f"{QUOTE_MASK}+")


@dataclass(frozen=True, slots=True)
class CorruptMask:
    """Replace words by marks such as `[XXXX]`, one for one, the same words in all places.

    At full dose all that an answer is made of is masked: quotes, what stands in brackets, numbers, names,
    and what each advised action is done to.

    Source: the masking kind of Corrupt in arXiv 2601.22436, Table 3.

    Args:
        dose: 1 masks some 40 % of the words, content words and all words alike; smaller doses mask less.
    """

    dose: float = 1.0
    name: str = "corrupt_mask"

    def __post_init__(self) -> None:
        refuse_no_share(self.dose)

    @property
    def aim(self) -> Aim:
        marks = Wording(sentences=False)
        return Aim((0.0, 1 - _MASKED * self.dose), wording=marks, declared=Declaration("meaning"))

    @property
    def pieces(self) -> PieceDamage:
        return PieceDamage(replace_words=make_mask)

    def apply(
        self,
        slot: Slot,
        rng: Generator,
        context: DamageContext,  # noqa: ARG002
    ) -> Damaged | NotApplicable:
        if reason := word_spans.nothing_to_damage(slot):
            return NotApplicable(reason)
        most_left = 1 - _MASKED * self.dose
        keep_frame = word_spans.framed_share(slot) <= most_left / 2
        hidden = _choose_masks(slot, rng, most_left, keep_frame, answers=self.dose == 1)
        mask = make_mask(slot, rng)

        def change(word: word_spans.TextWord) -> str:
            return word.text if (word.framed and keep_frame) or _key(word) not in hidden else mask(word)

        return Damaged(Slot(slot.cue, tuple(word_spans.reword(item, change) for item in slot.items)))


def make_mask(slot: Slot, rng: Generator) -> Callable[[word_spans.TextWord], str]:
    """A function from a word to the mark in its place; all marks together are as long as their words."""
    there = word_spans.count_content(slot.items)
    letter = next((sign for sign in _LETTERS if sign.lower() not in there), _LETTERS[0])  # "put X into Y"
    mark = word_spans.of_same_length([f"[{letter * size}]" for size in _SIZES], rng)
    return lambda word: _SIGN if word.is_sign else mark(word.text)


class _Scope:
    """Content words that must be thinned out together: those of the slot, or those of one item."""

    def __init__(self, words: list[word_spans.TextWord], keep_frame: bool) -> None:
        self.words = Counter(_key(word) for word in words if word.stem)
        self.maskable = Counter(_key(word) for word in words if not (word.framed and keep_frame))
        # by type and by token
        self.total = (len(self.words), self.words.total())
        self.left = list(self.total)

    def mask(self, key: str) -> None:
        """Take the word away, wherever it may be masked."""
        self.left[0] -= int(self.maskable[key] == self.words[key])
        self.left[1] -= self.maskable[key]

    def thin(self, most_left: float) -> bool:
        """Whether few enough are left."""
        return all(left <= most_left * total for left, total in zip(self.left, self.total, strict=True))


def _key(word: word_spans.TextWord) -> str:
    """Words of one stem are masked together; function words by themselves (`=` marks them)."""
    return word.stem or "=" + word.text.casefold()


def _answers(part: HeadedPart) -> set[str]:
    """The words of quotes and brackets, numbers, and names within a sentence."""
    covered = mask_quotes(part.body)
    inner = [match.span() for match in _BRACKETS.finditer(part.body)]
    outer = [match.span() for match in _COVERED.finditer(covered)]
    quoted: defaultdict[Span, list[word_spans.TextWord]] = defaultdict(list)
    words: set[str] = set()
    for word in word_spans.locate_words(part):
        if span := _within(inner, word) or _within(outer, word):
            quoted[span].append(word)
        elif word.stem and (_counts(word) or (word.text[0].isupper() and not _opens(part, word))):
            words.add(_key(word))
    for quoted_words in quoted.values():
        # of a quote that carries content its function words stay: "the"; where there is none: "no"
        words.update(map(_key, [word for word in quoted_words if word.stem] or quoted_words))
    return words


def _within(spans: list[Span], word: word_spans.TextWord) -> Span | None:
    place = bisect_right(spans, word.start, key=lambda span: span[0]) - 1
    return spans[place] if place >= 0 and word.start < spans[place][1] else None


def _counts(word: word_spans.TextWord) -> bool:
    return word.text[0].isdigit() or word.text.casefold() in NUMBERS[1:]  # "one" is a pronoun, mostly


def _opens(part: HeadedPart, word: word_spans.TextWord) -> bool:
    before = part.body[max(0, word.start - 12) : word.start].rstrip(" \t*_#>-()0123456789")
    return before[-1:] in ("", ".", "!", "?", ":", "|", "\n")


def _choose_masks(slot: Slot, rng: Generator, most_left: float, keep_frame: bool, answers: bool) -> set[str]:
    """Words to mask: answers always, content words until the slot and each item are thin enough, function
    words until as many of all words are masked, and no more. Masking by type: a word that stands ten times
    would give itself away in the places left over."""
    cut = [parts(item) for item in slot.items]
    items = [[word for part in item for word in word_spans.locate_words(part)] for item in cut]
    scopes = [_Scope(words, keep_frame) for words in ([*chain(*items)], *items)]
    keys = sorted(there := scopes[0].maskable)
    in_answers: set[str] = set()
    if answers:
        in_answers.update(key for item in cut for part in item for key in _answers(part))
        actions = (advice.action for item in slot.items for advice in exchangeable(item))
        in_answers.update(word for action in actions for word in content_words(action)[-1:])
    drawn = [keys[int(place)] for place in rng.permutation(len(keys))]
    chosen: set[str] = set()
    free = (1 - most_left) * sum(map(len, items))
    for key in sorted(drawn, key=lambda key: (key not in in_answers, key.startswith("="))):
        touched = [scope for scope in scopes if key in scope.maskable]
        if key.startswith("="):
            wanted = there[key] <= free
        else:
            wanted = not all(scope.thin(most_left) for scope in touched)
        if key in in_answers or wanted:
            chosen.add(key)
            free -= there[key]
            for scope in touched if not key.startswith("=") else ():
                scope.mask(key)
    return chosen
