"""Items that say nearly the same, in one file or in several.

By their content words: two items are alike where nearly all words of both are shared and both say it with the
same sign. Candidates are looked up by their rarest words, of which alike items share one, so that a folder of
many thousand items is compared in about the time it takes to read it.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from memtrial.gates.notes.note_report import NoteFinding, place_finding
from memtrial.memory.language.sentences import mask_quotes, quotes
from memtrial.memory.notes.note_files import NoteFile
from memtrial.memory.notes.note_items import NoteItem
from memtrial.memory.words import POLARITY, content_words, folded_words

ALIKE = 0.8
"""Share of the words of either that both have (Jaccard), from which on two items say the same."""
LEAST_WORDS = 5
"""Different content words outside code of an item that is compared by them; fewer are alike by chance."""
LEAST_SHORT = 2
"""Of a shorter rule, content words and code, that is compared as a whole."""
MOST_OF_A_WORD = 64
"""Items looked up by one word, the first ones; more share a form, and no lesson."""
MOST_CANDIDATES = 64
"""Items that one is compared with, those that share its rarest words first."""
GATE = "duplicate"
_NUMBER = re.compile(r"\d+")
_TURNING = POLARITY - {"do", "doing", "always"}
_NEGATED = re.compile(r"(?i)\b(?:never|don['’]t|do\s+not|avoid)\b")
_DIRECTED = re.compile(r"(?i)\b(?:to|into|onto|from|over|than|instead|of|with|without|via|as|by)\b")
"""Words beside which the order of the others counts: "merge main into dev"."""
_MOMENT = re.compile(r"(?i)\b(?:before|after)\s++(?P<what>[^,;:.()]++)")
_IDLE = frozenset(content_words("run always must should please make sure ensure"))


class ComparedItem(NamedTuple):
    """An item as it is compared."""

    file: NoteFile
    item: NoteItem
    words: frozenset[str]
    sign: tuple[str, ...]
    literals: frozenset[str]

    @classmethod
    def of(cls, file: NoteFile, item: NoteItem) -> "ComparedItem":
        """Its content words outside code; the words that turn it round, sorted; and its code and numbers."""
        covered = mask_quotes(item.text)
        plain = _NEGATED.sub("never", covered)
        turning = tuple(sorted(word for word in folded_words(plain.casefold()) if word in _TURNING))
        literals = frozenset((*quotes(item.text), *_NUMBER.findall(covered)))
        return cls(file, item, frozenset(content_words(plain)), turning, literals)

    def state_rule(self) -> tuple[object, ...] | None:
        """What two short rules have in common that say the same in another order; None for any other item.

        A rule names a moment or forbids: procedures name a step or a command again and again. Beside words
        of direction the order of the others counts.
        """
        covered = mask_quotes(self.item.text)
        moments = [match["what"] for match in _MOMENT.finditer(covered)]
        moment = frozenset(word for part in moments for word in content_words(part))
        words = self.words - _IDLE
        if not (moment or self.sign) or not words or len(words) + len(self.literals) < LEAST_SHORT:
            return None
        order = tuple(content_words(covered)) if _DIRECTED.search(covered) else ()
        return words, moment, self.sign, quotes(self.item.text), tuple(_NUMBER.findall(covered)), order


def find_repeated_notes(files: Sequence[NoteFile]) -> Iterator[NoteFinding]:
    """Each item that says what an earlier one says, once; a file that is another one's copy, as a whole."""
    first_of: dict[str, NoteFile] = {}
    own_files: list[NoteFile] = []
    for file in files:
        earlier = first_of.setdefault(file.text, file)
        if earlier is file or not file.text.strip():
            own_files.append(file)
            continue
        line = file.text.strip().split("\n")[0].strip()
        yield NoteFinding(GATE, "WARN", file.name, 1, line, f"the whole file stands in {earlier.name}, too")
    compared = [ComparedItem.of(file, item) for file in own_files for item in file.read.items]
    yield from _find_alike([each for each in compared if len(each.words) >= LEAST_WORDS])
    yield from _find_short([each for each in compared if len(each.words) < LEAST_WORDS])


def _find_short(compared: Sequence[ComparedItem]) -> Iterator[NoteFinding]:
    """Each short rule that an earlier one of its folder says."""
    earlier: dict[tuple[object, ...], ComparedItem] = {}
    for each in compared:
        rule = None if each.item.leads else each.state_rule()
        if rule is None:
            continue
        first = earlier.setdefault((each.file.path.parent, *rule), each)
        if first is not each:
            yield _repeat([(each, first)])


def _find_alike(compared: Sequence[ComparedItem]) -> Iterator[NoteFinding]:
    """Each run of neighbours that an earlier file or place has in the same order, as one finding."""
    run: list[tuple[ComparedItem, ComparedItem]] = []
    for each, earlier in _pair_up(compared):
        if run and not (earlier is not None and _goes_on(run[-1], each, earlier)):
            yield _repeat(run)
            run = []
        if earlier is not None:
            run.append((each, earlier))
    if run:
        yield _repeat(run)


def _pair_up(compared: Sequence[ComparedItem]) -> Iterator[tuple[ComparedItem, ComparedItem | None]]:
    """Each item with the earlier one that it is most alike, or None."""
    counts = Counter(word for each in compared for word in each.words)
    by_word: dict[str, list[int]] = defaultdict(list)
    for number, each in enumerate(compared):
        rarest = sorted(each.words, key=lambda word: (counts[word], word))
        # two sets that share so much share a word among so many of the rarest of each
        looked_up = rarest[: len(rarest) - math.ceil(ALIKE * len(rarest)) + 1]
        candidates = dict.fromkeys(other for word in looked_up for other in by_word[word])
        alike = (
            compared[other]
            for other in islice(candidates, MOST_CANDIDATES)
            if _is_alike(each, compared[other])
        )
        nearest = max(alike, key=lambda other: _share(each.words, other.words), default=None)
        yield each, nearest
        for word in looked_up if nearest is None else ():
            if len(by_word[word]) < MOST_OF_A_WORD:
                by_word[word].append(number)


def _goes_on(before: tuple[ComparedItem, ComparedItem], each: ComparedItem, earlier: ComparedItem) -> bool:
    last, other = before
    return each.file is last.file and earlier.file is other.file and earlier.item.line > other.item.line


def _share(first: frozenset[str], second: frozenset[str]) -> float:
    return len(first & second) / len(first | second)


def _is_alike(first: ComparedItem, second: ComparedItem) -> bool:
    same = first.sign == second.sign and first.literals == second.literals
    return same and _share(first.words, second.words) >= ALIKE


def _repeat(run: Sequence[tuple[ComparedItem, ComparedItem]]) -> NoteFinding:
    each, earlier = run[0]
    same = all(" ".join(one.item.text.split()) == " ".join(other.item.text.split()) for one, other in run)
    own = earlier.file is each.file
    where = f"line {earlier.item.line}" if own else f"{earlier.file.name}:{earlier.item.line}"
    reason = f"says {'the same as' if same else 'nearly the same as'} {where}"
    if len(run) > 1:
        reason += f", and so on: {len(run)} items, down to line {run[-1][0].item.line}"
    quote = each.item.text.split("\n")[0]
    return place_finding(GATE, each.file, each.item, quote, reason, "FAIL" if same and own else "WARN")
