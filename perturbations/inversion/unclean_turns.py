"""Why a sentence cannot be turned round cleanly by rules: it tells what happened, or says too many things.

Rules put a `never` before a verb and a word for its opposite. That gives English where a sentence says one
general thing. What happened in some run with its figures, several clauses that lean on each other, and words
whose opposite depends on what is meant do not turn that way, and an item that holds them is declined.
"""

import re
from itertools import pairwise

from memtrial.memory.language import lexicon
from memtrial.memory.language.roles import clauses
from memtrial.memory.language.sentences import QUOTE_MASK, Edit, Edits, Sentence, SentenceWord
from memtrial.memory.language.structure import mask
from memtrial.perturbations.advice.imperatives import imperative_head
from memtrial.perturbations.advice.verbs import BE, PASTS, finite, is_comma
from memtrial.perturbations.inversion.inverted_sentences import NAMING

_MOST_WORDS = 26
_MOST_COMMAS = 2
_PAST = frozenset(PASTS) | lexicon.word_set("was were had did wasn't weren't hadn't didn't")
_LOOSE = lexicon.word_set("also just already still hardly sometimes merely probably simply quite")
"""Their opposite depends on what is meant: "it already shows it" is not turned by "it never shows it"."""
_PRONOUNS = lexicon.word_set("nothing nowhere none neither everything anyone")
_FIGURE = re.compile(rf"\d|%|\b(?:I|we|us|my|our|percent)\b|(?i:\b(?:{'|'.join(lexicon.NUMBERS)}) of\b)")
_RUN = re.compile(r"(?i)\b(?:(?:this|the|last|one) run|runs|episodes|in practice|logs?|attempts?)\b")
# white space is read from where it begins: tried at each blank, a long run would be read over and over
_CLAUSE = re.compile(
    r"(?i)(?:,\s++|(?<![\s,])\s++)(?:and|but|so|yet|though|while|whereas)\s++"
    r"(?=(?:it|they|the|an?|no|this|that|these|those|each|every|some|you|there)(?:\s|'s))"
    rf"|(?:,\s++|(?<![\s,])\s++)(?:but|so|yet|though|while|whereas)\s++(?={QUOTE_MASK})"
)
_NO_VERBS = lexicon.PREPOSITIONS | lexicon.DETERMINERS | lexicon.word_set("above below over under given")
_PUT_IN = re.compile(r"(?i)\b(?:never|not)\b")
_ASIDE = re.compile(r"(?i)\W*(?:otherwise|or else|for example|for instance|e\.g)\b")
_LATER = re.compile(
    r"(?i)\b(?:only|and)\s+(?:then|later|after(?:wards)?)\b"
    r"|\bfirst\b(?=\s*+(?:[,;]|(?:and|then)\b))(?=.{0,200}\b(?:then|later|afterwards)\b)"
)
_LEAST_SAID = 4
"""Words outside quotes; what has fewer names something, and states nothing."""


def find_fault(s: Sentence, edits: Edits, label: str) -> str:
    """Why the sentence is not turned into clean English by these edits; empty where it is.

    Args:
        label: of the part it stands in. A Title or a Description may stay as it is.
    """
    naming = label in NAMING
    if not edits:
        return "" if naming or _may_stay(s, label) else "no rule turns it round"
    gone = _words_gone(s, edits)
    command = imperative_head(s) is not None  # "also add it" is turned by "never add it"
    unsure = any(
        text in _LOOSE | _PRONOUNS
        and not (command and text == "also")
        and not (text == "nothing" and (s.word(place + 1) in BE or s.word(place + 1) == "else"))
        for place, text in gone
    )
    if unsure or any(text == "enough" and s.word(place - 1) not in BE for place, text in gone):
        return "it has a word whose opposite depends on what is meant"
    if any(edit.text.lower() == "never" and s.raw[edit.start : edit.end].lower() == "only" for edit in edits):
        return "it has a word whose opposite depends on what is meant"
    if any(s.raw[edit.start : edit.end] == "May" for edit in edits):
        return "it holds a name that may be another word"
    negated = (word.end for word in s.words if _is_negated(word, edits))
    if any(s.raw[end : end + 1] in ("_", "(") for end in negated):
        return "it holds a name that may be another word"
    if command and label == "mechanism":
        return "it may be a command or a statement"
    if command:
        return _fault_of_command(s)
    return "" if naming else _fault_of_statement(s, edits, label)


_CLAUSE_OPENERS = ("because", "since")


def _may_stay(s: Sentence, label: str) -> bool:
    """Whether it says nothing that the opposite advice would contradict: a name, an example, a question."""
    question = "?" in s.covered[s.tail :]
    command = bool(s.words) and QUOTE_MASK in s.covered and "`" in s.raw
    plans = s.word(0) == "i" and s.word(1) not in _PAST
    return question or plans or bool(_ASIDE.match(s.covered)) or (not command and _names(s, label))


def _names(s: Sentence, label: str) -> bool:
    """Whether it only names something; a Mechanism states, whether its verb is known or not."""
    return len(s.words) < _LEAST_SAID or (label != "mechanism" and _verb(s) is None)


def _verb(s: Sentence) -> int | None:
    """Index of its first main verb, if that is sure, or can be no noun."""
    verb = finite(s, 0, len(s.words))
    # behind "because" a clause must come, and a clause has a verb: "because then the kiln runs" names no runs
    unsure = s.word(0) not in _CLAUSE_OPENERS and verb is not None and finite(s, 0, len(s.words), 2) is None
    return None if unsure and s.word(verb or 0) in lexicon.NOUNISH else verb


def _fault_of_command(s: Sentence) -> str:
    head = imperative_head(s) or 0
    first = s.words[head].start
    if _LATER.search(s.covered, first + 1) and s.word(head) != "first":
        return "it says what comes first and what later"
    return ""


def _fault_of_statement(s: Sentence, edits: Edits, label: str) -> str:
    put_in, verb = [edit for edit in edits if _PUT_IN.search(edit.text)], _verb(s)
    if put_in and verb is None:
        return "no verb is found in it"
    if len(s.words) > _MOST_WORDS or sum(is_comma(s, place) for place in range(len(s.words))) > _MOST_COMMAS:
        return "it says too many things"
    told = _without_conditions(s)
    if verb is not None:  # "the kiln runs" tells of no run
        told = told[: s.words[verb].start] + told[s.words[verb].end :]
    advises = bool({"should", "must"} & {word.text for word in s.words})
    if put_in and not advises and (_FIGURE.search(told) or _RUN.search(told)):
        return "it tells figures or runs that were met"
    if put_in and s.word(verb or 0) in _PAST and label != "mechanism":
        return "it tells what happened"
    if any(_stands_oddly(edit) for edit in put_in):
        return "no verb is found in it"
    ends = [0, *(joint.end() for joint in _CLAUSE.finditer(s.covered)), len(s.raw)]
    whole = all(_turns_part(s, low, high, edits) for low, high in pairwise(ends))
    return "" if whole else "a part of it would stay as it is"


def _without_conditions(s: Sentence) -> str:
    """The sentence's own words, blanks in the place of its conditions."""
    asked = (span for span in clauses(s).opened if not s.raw[slice(*span)].lower().startswith("in "))
    taken = mask(len(s.covered), asked)
    return "".join(" " if taken[place] else sign for place, sign in enumerate(s.covered))


def _turns_part(s: Sentence, low: int, high: int, edits: Edits) -> bool:
    """Whether a part is turned; to take "only" out alone turns nothing."""
    own = [edit for edit in edits if low <= edit.start < high]
    only = [edit for edit in own if s.raw[edit.start : edit.end].strip().lower().startswith("only")]
    return bool(own) and not (only and not any(_PUT_IN.search(edit.text) for edit in own))


def _stands_oddly(edit: Edit) -> bool:
    """Whether what is put in stands before a word that is no verb."""
    text = edit.text.lower().split()
    return text[:1] == ["never"] and bool(_NO_VERBS & set(text[1:2]))


def _is_negated(word: SentenceWord, edits: Edits) -> bool:
    return any(edit.end == word.end and _PUT_IN.match(edit.text) for edit in edits)


def _words_gone(s: Sentence, edits: Edits) -> list[tuple[int, str]]:
    """The words that are replaced or taken out, with their indices."""
    return [
        (place, word.text)
        for place, word in enumerate(s.words)
        if any(_takes_out(edit, word.start, word.end, word.text) for edit in edits)
    ]


def _takes_out(edit: Edit, start: int, end: int, text: str) -> bool:
    return edit.start <= start and end <= edit.end and text not in edit.text.lower().split()
