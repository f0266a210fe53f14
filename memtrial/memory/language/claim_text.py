"""What a Claim names: the state it is for, the action to do or to avoid, and the reason.

"In S, do A, because R" and what says the same: a clause with when, if or once, before or behind the advice;
an order, a ban or a modal verb; because, since, so that, a purpose, or a statement behind a colon or a dash.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from memtrial.memory.language.lexicon import (
    DETERMINERS,
    FINITE,
    NON_VERBS,
    NOUNISH,
    OBJECTS,
    OPENERS,
    PREPOSITIONS,
    PRONOUNS,
    THIRD_PERSON,
    VERBS,
    forms_of,
    word_set,
    words,
)
from memtrial.memory.language.roles import clauses, reasons
from memtrial.memory.language.scope_text import substance
from memtrial.memory.language.sentences import QUOTE_MASK, Sentence, mask_quotes, spans
from memtrial.memory.words import content_words

_ANYTIME = frozenset(
    content_words("general always possible necessary need appropriate useful practice help doubt run world")
)
"""A state of these words alone is any state: "in general", "when needed", "in this run"."""
_PRAISE = frozenset(content_words("work success succeed better best good right correct important helpful"))
"""A reason of these words alone says that it went well: "because it worked"."""
_OPENS_STATE = re.compile(
    r"(?i)\b(?:when|whenever|if|while|until|unless|(?<!at\s)once|where|wherever|after|before|during|upon|whose"
    r"|as\s+(?:soon|long)\s+as|in\s+case|(?:every|each)\s+time)\b(?P<clause>[^,;:.]*+)"
    r"|\b(?:in|on|at|during|inside|under|within)\s++(?P<any>(?:an?|any|every|each|all|several|many)\s[^,;:.]*+)"
    r"|\b(?P<kind>(?:an?|any|every|each|all)\s(?:[\w-]+\s){1,4}?(?:that|which|who)\s[^,;:.]*+)"
    r"|\b(?:of|from|without|over|behind|beside)\s++(?P<part>(?:an?|any|every|each|all)\s[^,;:.]*+)"
    r"|\b(?:in|on|at|during|within|under)\s++(?P<plural>(?:(?!the\b|it|th(?:is|at|ose|ese)\b|your?\b|h(?:is|er)\b)[\w-]+\s){0,3}?"
    r"(?!its\b|this\b|his\b|the\b)[\w-]{3,}s)\b"
)
_LEADS = re.compile(
    r"(?i)[\W_]*+(?:in|on|at|with|without|for|from|to|of|during|given|facing|faced|asked|under|inside|within|upon"
    r"|near|among|between|across|having|assuming|provided|by|behind|outside|out)\b(?P<lead>[^,:]*+)[,:]"
)
_LEADS_BARE = re.compile(r"(?i)[\W_]*+(?:in|on|at|with)\s(?P<lead>[^,:]*?)\s(?=(?:do|avoid|never|always)\b)")
_DIRECTS = re.compile(
    r"(?i)\b(?:should(?!\s+have\b)|must|shall|ought\s+to|needs?\s+to|(?:has|have)\s+to|had\s+better"
    r"|(?:is|are)\s+to\s+be|(?:necessary|important|best|better|crucial|safer?|advisable"
    r"|essential|required|wise)\s+(?:not\s+)?to)\b"
)
_GOVERNS = word_set("do don't never always avoid not only refrain be")
_GIVES_REASON = re.compile(
    r"(?i)(?:,\s*+|(?<!\s)(?<!just)(?<!only)(?<!merely)(?<!simply)\s++|\A)(?:because|so\s+that|so\s+as\s+to|in\s+order\s+(?:not\s+)?to|otherwise|or\s+else|lest|due\s+to"
    r"|owing\s+to|thanks\s+to|(?:given|seeing)\s+that|to\s+(?:avoid|prevent|ensure|keep|save|preserve|guarantee))\b"
    r"(?P<reason>[^;]*+)"
    r"|,\s*+(?:as(?!\s+(?:soon|long)\b)|for|so|whereas|else|which)\s(?P<clause>[^;]*+)"
)
_FIRST_REASON = re.compile(r"(?i)\A[\W_]*+(?:because|since|as|given\s+that)\s(?P<reason>[^,;]*+),")
_AS = re.compile(
    r"(?i)(?<!\s)(?<!soon)(?<!long)(?<!far)(?<!much)\s++as\s++(?P<reason>(?:(?:it|they|there|this|that|these)\s"
    r"|the\s(?:[\w-]+\s){1,3}?(?:is|are|has|have|had|was|were|does|do|did|can|cannot|will|would|may|must)\b)[^,;]*+)"
)
_ONLY = re.compile(r"(?i)\b(?:just|only|merely|simply)[\s,]*+\Z")
"""What is not to be done for that reason alone: "just because it is on top"."""
NEAR = 12
LEAST_OF_STATEMENT = 3
MOST_OPENERS = 16
MOST_AHEAD = 24
"""Words that are looked over from one at which an order may begin."""
_BEHIND = re.compile(r"(?::|\s[—–-]|—|;)\s++(?P<reason>[^;:—–]++)")


class ClaimText(NamedTuple):
    """The words that name each; empty where none do."""

    state: str
    action: str
    reason: str


def is_english(text: str) -> bool:
    """Whether most of its letters are those of English; the grammar of any other text is not known."""
    letters = [sign for sign in text if sign.isalpha()]
    return 2 * sum(map(str.isascii, letters)) >= len(letters)


def read_claim(text: str) -> ClaimText:
    """What the Claim names, read outside quotes."""
    text = text.replace("...", "…")  # the stops of `Search[...]` end no sentence
    covered = mask_quotes(text)
    sentences = [Sentence(text[low:high], covered[low:high]) for low, high in spans(text)]
    reason = _find_reason(covered, sentences)
    advice = covered.replace(reason, " ", 1) if reason else covered
    state = next((words for words in _states(advice) if _names(words, _ANYTIME)), "")
    whole = Sentence(text, covered)  # "When all tests pass but a warning is named, do …" is cut at its "but"
    action = next(filter(None, map(_find_action, (*sentences, whole))), "")
    return ClaimText(state.strip(), action.strip(), reason.strip())


def _names(text: str, idle: frozenset[str]) -> bool:
    """Whether it says anything besides these words; a quotation does."""
    return QUOTE_MASK in text or bool(substance(text) - idle)


def _states(advice: str) -> Iterator[str]:
    for leading in (_LEADS.match(advice), _LEADS_BARE.match(advice)):
        if leading:
            yield leading["lead"]
    for clause in _OPENS_STATE.finditer(advice):
        yield next(filter(None, clause.groups()), "")


def _find_reason(covered: str, sentences: list[Sentence]) -> str:
    if first := _FIRST_REASON.match(covered):
        candidates = [first["reason"]]
    else:
        candidates = [match["reason"] or match["clause"] or "" for match in _GIVES_REASON.finditer(covered)]
    candidates += [
        sentence.covered[low:high]
        for sentence in sentences
        for low, high in reasons(sentence)
        if not _ONLY.search(sentence.covered[:low][-NEAR:])
    ]
    candidates += [
        match["reason"]
        for pattern in (_AS, _BEHIND)
        for match in pattern.finditer(covered)
        if _is_statement(match["reason"])
    ]
    candidates += [sentence.covered for sentence in sentences[1:] if _is_statement(sentence.covered)]
    return next((words for words in candidates if _names(words, _PRAISE)), "")


def _is_statement(covered: str) -> bool:
    """A clause of a subject and its verb that orders nothing."""
    sentence = Sentence(covered, covered)
    if len(sentence.words) < LEAST_OF_STATEMENT or sentence.word(0) in FINITE | THIRD_PERSON:
        return False
    named = sentence.word(0) in DETERMINERS | PRONOUNS
    tells = named or any(word.text in FINITE | THIRD_PERSON for word in sentence.words)
    return tells and not _find_action(sentence)


def _find_action(sentence: Sentence) -> str:
    """The words from the order or the modal verb on; empty where nothing is ordered."""
    read = clauses(sentence)
    then = (
        number for number, word in enumerate(sentence.words[1:], 1) if sentence.word(number - 1) == "then"
    )
    for start in sorted({*sentence.heads, *_behind_lead(sentence), *islice(then, MOST_OPENERS)}):
        position = _behind_openers(sentence, start)
        if sentence.words[position].start < read.reason and _orders(sentence, position):
            return sentence.covered[sentence.words[position].start : read.reason]
    if bare := _LEADS_BARE.match(sentence.covered):
        return sentence.covered[bare.end() : read.reason]
    directs = _DIRECTS.search(sentence.covered, read.begin, read.reason)
    return sentence.covered[directs.start() : read.reason] if directs else ""


def _behind_lead(sentence: Sentence) -> tuple[int, ...]:
    """The index of the first word behind a leading state, where there is one."""
    lead = _LEADS.match(sentence.covered)
    behind = (number for number, word in enumerate(sentence.words) if lead and word.start >= lead.end())
    return tuple(islice(behind, 1))


def _behind_openers(sentence: Sentence, position: int) -> int:
    last = min(len(sentence.words) - 1, position + MOST_OPENERS)
    while position < last and (sentence.word(position) in OPENERS or sentence.word(position).endswith("ly")):
        position += 1
    return position


def _orders(sentence: Sentence, position: int) -> bool:
    """Whether the word at this index orders: it governs, is a verb, or takes an object as one."""
    text, following = sentence.word(position), sentence.word(position + 1)
    quoted = sentence.quote_after(position)
    if text in _GOVERNS:
        return bool(following) or quoted
    if text == "state" and following in DETERMINERS:
        return True
    if text in NON_VERBS or not text.replace("-", "").isalpha():
        return False
    stem = text.rpartition("-")[2]
    if text in _ACTS or stem in _ACTS or text.removeprefix("re") in _ACTS:
        noun = forms_of(stem)[1] in NOUNISH
        if following in OBJECTS or quoted:
            return True
        return following not in FINITE | {"of"} and not (noun and _is_subject(sentence, position))
    if text.endswith(("ing", "ed", "ly", "s")):
        return False
    return following in DETERMINERS - {"no"} or following in PREPOSITIONS or quoted


def _is_subject(sentence: Sentence, position: int) -> bool:
    """Whether a noun in place of a verb has a verb of its own: "Sort order matters"."""
    clause = sentence.clause(position)
    ahead = (sentence.word(number) for number in range(position + 1, min(clause.stop, position + MOST_AHEAD)))
    return any(text in FINITE or (text in THIRD_PERSON and text not in NOUNISH) for text in ahead)


_ACTS = VERBS | words("verb_kinds.acts")
