"""Items that cannot both be followed: one tells to do what another tells to avoid, under the same condition.

Read clause by clause: a clause begins with an order or a ban, and its content words are the action. Two
clauses are opposed where these words and the conditions are the same and the signs differ, or where the signs
are the same and the words differ in one pair that excludes each other, as tabs and spaces. A ban of one
moment or one place ("not before …", "never directly …") is opposed to an order of the same alone. What is
opposed in meaning is a judge's.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memtrial.gates.notes.note_orders import cut_clauses, read_order
from memtrial.gates.notes.note_report import NoteFinding, place_finding
from memtrial.gates.notes.rule_scopes import is_turned
from memtrial.memory.language.lexicon import read_section
from memtrial.memory.language.roles import clauses
from memtrial.memory.language.sentences import Sentence, mask_quotes, spans
from memtrial.memory.notes.note_files import NoteFile
from memtrial.memory.notes.note_items import NoteItem
from memtrial.memory.words import content_words, stem

GATE = "internal-consistency"
_NARROWED = re.compile(
    r"(?i)\b(?:without|until|unless|before|after|when|if|while|except|only|more|less|than|directly|too|again|twice|yet|just|alone"
    r"|manually|outside|inside|blindly|silently|first|immediately|other|another|both|same|both|every|all|any|per|by\s+default)\b"
)
"""Words that narrow an order or a ban to some case: its contrary may hold in another."""
_POINTS = re.compile(r"(?i)\b(?:it|them|this|that|these|those|one|ones|such|so)\b")
"""What is meant stands elsewhere, and may be another thing."""
_EXCLUSIVE = tuple(
    (stem(first), stem(second))
    for first, _, second in (pair.partition("/") for pair in read_section("notes.exclusive").split())
)
LEAST_WORDS = 2
"""Content words of an action that is compared: a verb and a thing."""
MOST_WORDS = 12
MOST_OF_AN_ACTION = 32
"""Clauses of one action that later ones are held against, the first ones."""
_IDLE = frozenset(content_words("always must should please make sure ensure code use write add"))


class OrderedClause(NamedTuple):
    """What a clause orders or bans.

    Args:
        do: False for a ban.
        action: stems of its content words, and the words that narrow it.
        given: stems of the condition's, headings included; two must agree to be opposed.
    """

    file: NoteFile
    item: NoteItem
    quote: str
    do: bool
    action: frozenset[str]
    given: frozenset[str]


def find_opposed_notes(files: Sequence[NoteFile]) -> Iterator[NoteFinding]:
    """Each clause that an earlier one forbids or excludes, once, with the place of the earlier one."""
    earlier: dict[tuple[bool, frozenset[str]], list[OrderedClause]] = defaultdict(list)
    for file in files:
        for item in file.read.items:
            for clause in read_orders(file, item):
                opposed = next(
                    (other for key in _opposites(clause) for other in earlier[key] if _agree(clause, other)),
                    None,
                )
                if opposed is not None:
                    yield _contradiction(clause, opposed)
                if len(same := earlier[clause.do, clause.action]) < MOST_OF_AN_ACTION:
                    same.append(clause)


def read_orders(file: NoteFile, item: NoteItem) -> Iterator[OrderedClause]:
    """The clauses of an item that order or ban, without those that only point to what stands elsewhere."""
    if is_turned(file, item):
        return
    covered = mask_quotes(item.text)
    for low, high in spans(item.text):
        sentence = Sentence(item.text[low:high], covered[low:high])
        read = clauses(sentence)
        given = " ".join(sentence.raw[slice(*span)] for span in (*read.when, *read.unless))
        for start, stop in cut_clauses(sentence.covered, read.begin, read.reason):
            text = sentence.raw[start:stop]
            if (clause := read_order(text)) is None or _POINTS.search(text):
                continue
            do, rest = clause
            action = frozenset(content_words(rest)) - _IDLE
            if LEAST_WORDS <= len(action) <= MOST_WORDS:
                action |= {f"~{word.lower()}" for word in _NARROWED.findall(rest)}
                yield OrderedClause(file, item, text.strip(), do, action, frozenset(content_words(given)))


def _opposites(clause: OrderedClause) -> Iterator[tuple[bool, frozenset[str]]]:
    yield not clause.do, clause.action
    if clause.do:
        for pair in _EXCLUSIVE:
            for own, other in (pair, pair[::-1]):
                if own in clause.action and other not in clause.action:
                    yield True, (clause.action - {own}) | {other}


def _agree(clause: OrderedClause, other: OrderedClause) -> bool:
    """Under the same condition, and under headings that set no other one."""
    same_place = clause.file is other.file and clause.item.section == other.item.section
    return clause.given == other.given and (same_place or not (_list_heads(clause) ^ _list_heads(other)))


def _list_heads(clause: OrderedClause) -> frozenset[str]:
    """The words of the headings and lead-ins that set a condition."""
    return frozenset(content_words(" ".join(clause.item.roles.around)))


def _contradiction(clause: OrderedClause, other: OrderedClause) -> NoteFinding:
    where = f"line {other.item.line}" if other.file is clause.file else f"{other.file.name}:{other.item.line}"
    reason = f"cannot be followed beside {where}: {other.quote!r}"
    return place_finding(GATE, clause.file, clause.item, clause.quote, reason)
