"""How oddly a text reads beside another: mean surprisal per word, in bits, under a small n-gram model.

The model learns from the run's own intact texts, and never from those it judges: the records that hold a text
of either side are left out while both are read. A word costs what its class costs after the two before it
(function words and marks are classes of their own, other words go by their ending), and the mean over its
letters of what they cost in a word that was not learnt: so grammar counts most, another subject little, and
a made-up word much.

Source: n-grams smoothed after Witten and Bell (1991); the distance is a difference of cross-entropies.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain
from math import log2
from typing import NamedTuple

from memtrial.memory.language import lexicon
from memtrial.memory.language.structure import parts
from memtrial.memory.words import STOP_WORDS

ORDER = 3
_TOKEN = re.compile(r"[^\W_]++(?:['’.-][^\W_]++)*+|[^\s\w]|_")
_OPENS = frozenset(".!?:;`\"'([")
_ENDINGS = ("ing", "ed", "ly", "s")
_N_CLASSES, _N_LETTERS = 100, 60
_LONGEST = 40
"""Letters of a word that are read."""
_KINDS: dict[str, str] = {}
"""Function words of one kind stand in for each other where a sequence was not seen."""
for _kind, _members in (
    ("NEGATOR", lexicon.NEGATORS | frozenset(lexicon.POSITIVE)),
    ("AUXILIARY", lexicon.FINITE | lexicon.word_set("be been being")),
    ("DETERMINER", lexicon.DETERMINERS),
    ("PRONOUN", lexicon.PRONOUNS | lexicon.word_set("them him me us itself themselves")),
    ("CONJUNCTION", lexicon.word_set("and or but nor")),
    ("OPENER", lexicon.SUBORDINATORS),
    ("PREPOSITION", lexicon.LEADING | lexicon.word_set("of into onto out over")),
    ("SMALL", STOP_WORDS),
):
    for _member in _members:
        _KINDS.setdefault(_member, f"<{_kind}>")

MOST_HOLDERS = 2
"""A text that more records hold is a formula of the run: it gives none of them away."""
Text = tuple[str, str]
"""A part's label and its body."""
Gram = tuple[str, ...]
"""Neighbouring classes, or letters."""


class Counts:
    """How often what follows what, for sequences of up to `ORDER`, less what is left out at the moment."""

    def __init__(self) -> None:
        self._seen: Counter[Gram] = Counter()
        self._after: Counter[Gram] = Counter()
        self._kinds: Counter[Gram] = Counter()
        self.leave_out(())

    def learn(self, sequence: Gram) -> None:
        """Count all sequences that end in its third place or later."""
        for gram, before in zip(*_grams(sequence), strict=True):
            self._after[before] += 1
            self._kinds[before] += gram not in self._seen
            self._seen[gram] += 1

    def leave_out(self, sequences: Iterable[Gram]) -> None:
        """Know all but these, which were learnt, until others are left out."""
        self._seen_out: Counter[Gram] = Counter()
        self._after_out: Counter[Gram] = Counter()
        for sequence in sequences:
            grams, before = _grams(sequence)
            self._seen_out.update(grams)
            self._after_out.update(before)
        gone = (gram[:-1] for gram, n in self._seen_out.items() if n == self._seen[gram])
        self._kinds_out = Counter(gone)

    def times(self, gram: Gram) -> int:
        """How often it was seen."""
        return self._seen.get(gram, 0) - self._seen_out.get(gram, 0)

    def times_before(self, before: Gram) -> int:
        """How often something was seen behind it."""
        return self._after.get(before, 0) - self._after_out.get(before, 0)

    def chance(self, run: Gram, least: float, shortest: int = 1) -> float:
        """Of the last one of `ORDER` neighbours, given those before it; `least` where nothing is known."""
        chance = least
        for size in range(shortest, ORDER + 1):
            gram = run[ORDER - size :]
            before = gram[:-1]
            if total := self.times_before(before):
                kinds = self._kinds.get(before, 0) - self._kinds_out.get(before, 0)
                chance = (self.times(gram) + kinds * chance) / (total + kinds)
        return chance


@lru_cache(maxsize=2048)
def _grams(sequence: Gram) -> tuple[list[Gram], list[Gram]]:
    """Up to `ORDER` members each, and what stands before the last one of each."""
    places = ((start, end) for end in range(ORDER, len(sequence) + 1) for start in range(end - ORDER, end))
    grams = [sequence[start:end] for start, end in places]
    return grams, [gram[:-1] for gram in grams]


class Read(NamedTuple):
    """A text as the model sees it: classes, their kinds, both with two marks before and one behind; words."""

    classes: Gram
    kinds: Gram
    spelled: list[str]
    n_words: int


class Fluency:
    """A model of the texts of some records.

    Args:
        records: by source, the texts of its items, whoever wrote them.
    """

    def __init__(self, records: Mapping[str, Iterable[str]]) -> None:
        self._classes, self._kinds, self._letters = Counts(), Counts(), Counts()
        self._texts = {source: frozenset(chain(*map(_texts, items))) for source, items in records.items()}
        self._holders: dict[Text, list[str]] = defaultdict(list)
        for source, texts in self._texts.items():
            for text in texts:
                self._holders[text].append(source)
        for text in self._holders:  # what stands in many records is learnt once
            self._classes.learn(_read_text(text).classes)
            self._kinds.learn(_read_text(text).kinds)
        known = {word for text in self._holders for word in _read_text(text).spelled}
        for word in known:
            self._letters.learn(_letters(word))
        self._known = known
        self._away: frozenset[Text] = frozenset()
        self._cost: dict[str, float] = {}
        self._odds: dict[Gram, float] = {}

    def distance(self, before: Iterable[str], after: Iterable[str]) -> float | None:
        """Bits per word by which the items after read more oddly than those before; None as in `read`."""
        bits = self.read(before, after)
        return None if bits is None else round(bits[1] - bits[0], 4)

    def read(self, before: Iterable[str], after: Iterable[str]) -> tuple[float, float] | None:
        """Bits per word of both sides, to one who learnt neither; None without words, or without a record to
        learn from.

        Linear in the length of both and of the records that hold their texts.
        """
        sides = [[*chain(*map(_texts, items))] for items in (before, after)]
        self._leave_out(self._left_out({text for side in sides for text in side}))
        learnt = self._kinds.times_before(())
        old, new = (self._surprisal(side) if learnt else None for side in sides)
        return None if old is None or new is None else (old, new)

    def _leave_out(self, texts: frozenset[Text]) -> None:
        """Know all but these."""
        if texts != self._away:
            readings = [_read_text(text) for text in texts]
            self._classes.leave_out(reading.classes for reading in readings)
            self._kinds.leave_out(reading.kinds for reading in readings)
            self._away, self._odds = texts, {}

    def _left_out(self, texts: set[Text]) -> frozenset[Text]:
        """All that the records say that hold these texts; of a text that many records share only itself."""
        readings = {text: None for text in texts if text in self._holders}
        for text in [*readings]:
            if len(self._holders[text]) <= MOST_HOLDERS:
                readings |= dict.fromkeys(chain(*(self._texts[source] for source in self._holders[text])))
        return frozenset(readings)

    def _surprisal(self, texts: list[Text]) -> float | None:
        readings = [_read_text(text) for text in texts]
        n_words = sum(reading.n_words for reading in readings)
        return sum(map(self._bits, readings)) / n_words if n_words else None

    def _bits(self, read: Read) -> float:
        bits = sum(self._spelling_bits(word) for word in read.spelled)
        for run in zip(read.classes, read.classes[1:], read.classes[2:], strict=False):
            if run not in self._odds:  # both sides say most of it
                self._odds[run] = self._log_odds(run)
            bits -= self._odds[run]
        return bits

    def _log_odds(self, run: Gram) -> float:
        """Of the last class behind the two before it, in bits."""
        kinds = tuple(_KINDS.get(own, own) for own in run)
        chance = self._kinds.chance(kinds, 1 / _N_CLASSES)
        if run[-1] != kinds[-1]:
            n_kind = self._kinds.times(kinds[-1:])
            chance *= (self._classes.times(run[-1:]) + 1) / (n_kind + _N_CLASSES)
        return log2(self._classes.chance(run, chance, 2))

    def _spelling_bits(self, word: str) -> float:
        """Mean bits of its letters in the eyes of one who learnt all other words."""
        if word not in self._cost:
            letters = _letters(word)
            self._letters.leave_out([letters] if word in self._known else [])
            runs = list(zip(letters, letters[1:], letters[2:], strict=False))
            bits = sum(-log2(self._letters.chance(run, 1 / _N_LETTERS)) for run in runs)
            self._cost[word] = bits / len(runs)
        return self._cost[word]


def _texts(item: str) -> Iterator[Text]:
    for part in parts(item):
        if part.body.strip():
            yield part.label, part.body.strip()


@lru_cache(maxsize=2048)
def _read_text(text: Text) -> Read:
    label, body = text
    classes = [f"^{label}", "^"]
    spelled: list[str] = []
    n_words, first = 0, True
    for match in _TOKEN.finditer(body):
        token = match[0]
        own = _class_of(token, first)
        classes.append(own)
        n_words += token[0].isalnum()
        if own.startswith("<") and own not in ("<", "<number>"):
            spelled.append(token[:_LONGEST].lower())
        first = token in _OPENS
    classes.append("$")
    kinds = tuple(_KINDS.get(reading, reading) for reading in classes)
    return Read(tuple(classes), kinds, spelled, n_words)


def _class_of(token: str, first: bool) -> str:
    if not token[0].isalnum():
        return token
    small = token.lower().replace("’", "'")
    if small in _KINDS:
        return small
    if any(sign.isdigit() for sign in token):
        return "<number>"
    if token.isupper() and len(token) > 1:
        return "<capitals>"
    if token[0].isupper() and not first:
        return "<name>"
    if small in lexicon.VERBS:
        return "<verb>"
    ending = next(
        (reading for reading in _ENDINGS if small.endswith(reading) and len(small) > len(reading) + 2), ""
    )
    return f"<{ending}>" if ending else "<word>"


def _letters(word: str) -> Gram:
    return "^", "^", *word, "$"
