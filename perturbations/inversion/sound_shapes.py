"""The shapes of sentences that rules turn round without remainder; whatever has another shape is declined.

A `never` before a verb is the opposite of a sentence that says one general thing. So a command tells one act,
or a short row of acts; a statement has one verb, or two clauses of one each; a name neither advises nor
argues. What follows from the advice in another clause is none of these.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from memtrial.memory.language import lexicon
from memtrial.memory.language.lexicon import base_of, words
from memtrial.memory.language.roles import clauses
from memtrial.memory.language.sentences import QUOTE_MASK, Edits, Sentence
from memtrial.memory.words import content_words, stem
from memtrial.perturbations.advice.plain_commands import (
    BEGINNING,
    HEDGING,
    JOINTS,
    LISTS,
    MARKS,
    fault_of_words,
    find_command_fault,
    is_command,
    told_text,
)
from memtrial.perturbations.advice.verbs import BASES, PASTS, finite
from memtrial.perturbations.inversion.inverted_sentences import NAMING
from memtrial.perturbations.inversion.known_frames import is_framed

_MOST_STATED, _MOST_NAMED = 14, 6
"""Words of a clause that states, and of a name."""
_ARGUING = words("shapes.arguing")
_ABOUT = tuple(lexicon.read_section("shapes.about").replace("\n", " ").split("; "))
_RANGES = ("does not help", "doesn't help", "does not apply", "doesn't apply", "a heuristic for")
_TOPIC = re.compile(
    r"(?:\w++ ){0,3}(?:tasks?|questions?|steps?|forms?|pages?|sites?|repos?|searches)"
    r"(?= (?:in|of|on|at|with|for|about|that|where|whose)\b|\Z)"
)
_RELATIVE = lexicon.word_set("that which who")
_POINTING = lexicon.word_set("that then each every")
_STATING = lexicon.word_set("is are isn't aren't can cannot can't will won't does do doesn't don't")
_SURE = frozenset(lexicon.forms_of(verb)[1] for verb in BASES) | lexicon.THIRD_PERSON
_NO_PRESENT = PASTS | (lexicon.FINITE - _STATING)
_POLAR = _STATING | lexicon.word_set("never not always avoid or and then")
_OPENS_REASON = re.compile(r"(?i)[\s,]*+(?:because|since)\s++")
# white space is read from where it begins: tried at each blank, a long run would be read over and over
_CLAUSE = re.compile(
    r"(?i),\s++(?:and|so)\s++|(?<![\s,])\s++(?:and|so)\s++"
    rf"(?=(?:it|they|the|an?|this|these|those|its|their|you)(?:\s|'s)|{QUOTE_MASK})"
)
_ADVISES = "it may say what is advised, or why"
_TWICE = "it states more than one thing"


class ItemStems(NamedTuple):
    """What an item says, by which a name that stays is judged.

    Args:
        advised: the stems of what it tells to do, which a name may not say.
        asked: those of its conditions, which it may.
        stated: all of its advice and reasons.
    """

    advised: frozenset[str]
    asked: frozenset[str]
    stated: frozenset[str]


def find_fault(s: Sentence, edits: Edits, label: str, stems: ItemStems) -> str:
    """Why these edits do not turn the sentence into its sound opposite; empty where they do.

    Args:
        label: of the part it stands in.
    """
    if not any(map(str.isalnum, s.raw)):
        return ""  # a fence, or a rule between paragraphs
    if not edits:
        return _fault_of_name(s, label, stems) if label in NAMING else "no rule turns it round"
    if is_framed(s):
        return ""
    if not _turns_alone(s, edits):
        return "it has a word whose opposite depends on what is meant"
    reason, told = clauses(s).reason, told_text(s)
    if reason == 0:
        return _fault_of_reason(s, 0, edits)
    if s.word(0) in ("because", "since"):
        return "it begins with its reason"
    if reason < len(s.raw) and (fault := _fault_of_reason(s, reason, edits)):
        return fault
    if label != "mechanism" and is_command(s, told):
        return find_command_fault(s, told)
    if label in NAMING or reason < len(s.raw):
        return "it is neither a plain command nor a plain statement"
    return _fault_of_statement(s, edits)


def read_stems(s: Sentence) -> ItemStems:
    """The stems of what a sentence tells, of its conditions, and of all of it."""
    asked = frozenset(word for low, high in clauses(s).opened for word in content_words(s.covered[low:high]))
    return ItemStems(frozenset(content_words(told_text(s))), asked, frozenset(content_words(s.covered)))


def join_stems(sentences: Sequence[Sentence]) -> ItemStems:
    """The same of several sentences."""
    each = [read_stems(sentence) for sentence in sentences]
    return ItemStems(*(frozenset[str]().union(*stems) for stems in zip(*each, strict=True)))


def _turns_alone(s: Sentence, edits: Edits) -> bool:
    """Whether no word comes or goes but those of polarity; a verb may change its form."""
    for edit in edits:
        texts = (s.raw[edit.start : edit.end], edit.text)
        old, new = (set(text.lower().replace("’", "'").split()) for text in texts)
        gone, come = (
            {_verb_of(word.strip(",.;*_")) for word in side - other - _POLAR}
            for side, other in ((old, new), (new, old))
        )
        if gone != come:
            return False
    return True


def _verb_of(word: str) -> str:
    return stem(base_of(word) or word)


def _fault_of_name(s: Sentence, label: str, item: ItemStems) -> str:
    """Of a title or a description that stays: it may not say what is advised, nor why."""
    text = [word.text for word in s.words]
    lowered = " ".join(text)
    stems = frozenset(content_words(s.covered))
    if lowered.startswith(_RANGES) or (stems and stems <= item.asked):
        return ""  # it says when, or where
    if set(text) & _ARGUING or MARKS.search(s.covered[: s.tail]):
        return _ADVISES
    if lowered.startswith(_ABOUT) or (label == "description" and _TOPIC.match(lowered)):
        return ""  # it says when
    if read_stems(s).advised & item.advised:
        return "it names what is advised, and would stay as it is"
    states = any(word in lexicon.FINITE | HEDGING or base_of(word) for word in text)
    begins = not text or text[0] in BEGINNING | BASES
    if label == "title" and stems and not (stems & item.stated or begins):
        return ""  # a piece of the task that it comes from
    return _ADVISES if label == "description" or states or begins or len(text) > _MOST_NAMED else ""


def _fault_of_reason(s: Sentence, begin: int, edits: Edits) -> str:
    opener = _OPENS_REASON.match(s.covered, begin)
    if opener is None:
        return "it gives a purpose that would stay"
    low = opener.end()
    clause = Sentence(s.raw[low:], s.covered[low:])
    inside = tuple(
        edit._replace(start=edit.start - low, end=edit.end - low) for edit in edits if edit.start >= low
    )
    if not inside:
        return "it gives a reason that would stay"
    return "" if is_framed(clause) else _fault_of_statement(clause, inside, sure=True)


def _fault_of_statement(s: Sentence, edits: Edits, *, sure: bool = False) -> str:
    """Of one clause, or two, each turned at its own verb; a condition may stand beside them.

    Args:
        sure: it has a verb, as what stands behind `because` does: "the loom runs" names no runs there.
    """
    told = told_text(s)
    bare = told[: s.tail].rstrip(" ;")
    joints = [*_CLAUSE.finditer(bare)]
    if any(told[place] != s.covered[place] for edit in edits for place in range(edit.start, edit.end)):
        return "a condition of it would be turned"
    ends = [(0, 0), *(joint.span() for joint in joints), (len(bare), len(bare))]
    for (_, low), (high, _) in pairwise(ends):
        if not any(low <= edit.start < high or low < edit.end <= high for edit in edits):
            return "a part of it would stay"
        if fault := _fault_of_clause(Sentence(bare[low:high], bare[low:high]), sure):
            return fault
    return _TWICE if len(joints) > 1 else ""


def _fault_of_clause(s: Sentence, sure: bool) -> str:
    text = [word.text for word in s.words]
    if MARKS.search(s.covered):
        return LISTS
    verb = finite(s, 0, len(text), 1 if sure else 2) if text else None
    # "the page sorts the rows"
    sure = sure or (verb is not None and s.word(verb + 1) in lexicon.OBJECTS)
    if verb is None or (text[verb] in lexicon.NOUNISH and not sure and finite(s, 0, len(text), 3) != verb):
        return "no verb is found in it"
    # what the verb is about may have a clause of its own: "it never makes an order that cannot be cancelled"
    behind = (place for place in range(verb + 2, len(text)) if text[place] in _RELATIVE)
    text = text[: next(behind, len(text))]
    general = text[text[0] in _POINTING : len(text) - (text[-1] == "then")]
    if fault := fault_of_words(general, _MOST_STATED):
        return fault
    if set(general) & (JOINTS | _RELATIVE | {"whether", "what", "how", "where"}):
        return _TWICE
    if text[verb] in _NO_PRESENT or text[verb].endswith("ed"):
        return "it tells what happened, or may"
    others = {*text[:verb], *text[verb + 1 :]} & (lexicon.FINITE | (_SURE - lexicon.NOUNISH))
    helped = text[verb] in ("does", "do", "is", "are")
    return _TWICE if others or (not helped and set(text) & PASTS) else ""
