"""One sentence turned into its opposite by exactly one flip.

The rules are tried in order and the first that holds is used. An imperative is turned at its head
("when S, pull" → "when S, never pull"); without one the main clause is tried before the rest, so that a
condition is touched only where nothing else can be ("unless S, avoid A" is close to "when S, do A").
"""

from __future__ import annotations

from collections.abc import Callable

from loadbearing.perturbations.language.edits import SMALL_WORDS, Edits, insert, replace
from loadbearing.perturbations.language.lexicon import (
    ANTONYMS,
    AUXILIARIES,
    CARRIERS,
    CONDITIONS,
    DETERMINERS,
    DROPPABLE,
    NON_VERBS,
    NUMBERS,
    OBJECTS,
    OPENERS,
    POLARITY,
    POSITIVE,
    PRONOUNS,
    THIRD_PERSON,
    VERBS,
)
from loadbearing.perturbations.language.sentences import Sentence

_CARRYING = frozenset(carrier.split()[0] for carrier in CARRIERS)
MOST_OPENERS = 16
"""Steps over words that lead up to a verb; where clauses follow each other, each takes its own."""


def flip(sentence: Sentence, room: int) -> Edits:
    """The edits that turn the sentence round once; none where no rule holds.

    Args:
        room: how many words it may grow by. Where there is none, an article makes room for "never".
    """
    if edits := _operator(sentence):
        return edits
    head = imperative_head(sentence)
    if head is not None:
        if edits := _imperative(sentence, head, room):
            return edits
        main = sentence.clause(head)
    else:
        main = sentence.clause(_subject(sentence))
    everything = range(len(sentence.words))
    for region in (main, everything):
        for rule in _RULES:
            if edits := rule(sentence, region, room):
                return edits
    return ()


def never_at_start(sentence: Sentence, room: int) -> Edits:
    """The last resort: "never" before the first word; any small word may make room."""
    if len(sentence.words) < 2:
        return ()
    return insert(sentence, 0, "never", room, spare=(*DROPPABLE, *SMALL_WORDS))


def _operator(s: Sentence) -> Edits:
    """An explicit do or avoid before a quoted action, wherever it stands."""
    for at, word in enumerate(s.words):
        negated = s.word(at - 1) in ("not", "never", "don't", "to")
        if word.text in ("do", "avoid") and s.quote_after(at) and not negated:
            return replace(s, at, "avoid" if word.text == "do" else "do")
    return ()


def imperative_head(s: Sentence) -> int | None:
    """Index of the imperative verb, or of the polarity word that governs it."""
    for start in s.heads:
        at = _behind_openers(s, start)
        text = s.word(at)
        if text in ("never", "always", "avoid", "only", "not", "don't") and not _ends(s, at):
            return at
        if text in ("do", "try", "use") and s.word(at + 1) not in PRONOUNS | {"of"} and not _ends(s, at):
            return at
        if _is_imperative(s, at):
            return at
    return None


def _behind_openers(s: Sentence, at: int) -> int:
    """The index behind words that only lead up to the verb: "then", "make sure to"."""
    for _ in range(MOST_OPENERS):
        before = at
        if s.word(at) in OPENERS and at + 1 < len(s.words):
            at += 1
        for carrier in CARRIERS if s.word(at) in _CARRYING else ():
            size = len(carrier.split())
            if " ".join(s.word(at + i) for i in range(size)) == carrier and at + size < len(s.words):
                at += size
        if s.word(at) in ("make", "be", "take", "remember", "try") and "not" in (
            s.word(at + 1),
            s.word(at + 2),
        ):
            at += 1 if s.word(at + 1) == "not" else 2  # "be careful not to"
            return at
        if at == before:
            return at
    return at


def _is_imperative(s: Sentence, at: int) -> bool:
    """By what the word is or what follows it; a noun with a finite verb behind it is a subject."""
    text, following = s.word(at), s.word(at + 1)
    if not text.isascii() or text in NON_VERBS or not text.replace("-", "").isalpha():
        return False
    if text in VERBS or text.removeprefix("re") in VERBS:
        if following in OBJECTS or (at < len(s.words) and s.quote_after(at)):
            return True
        return not s.finite_in(s.clause(at)[1:3])
    if text.endswith(("ing", "ed", "ly", "s")):
        return False
    takes_object = following in OBJECTS - {"no"} or s.quote_after(at)
    return takes_object and not s.finite_in(s.clause(at))


def _ends(s: Sentence, at: int) -> bool:
    return at + 1 >= len(s.words) and not s.quote_after(at)


def _imperative(s: Sentence, at: int, room: int) -> Edits:
    """Turn the head: its polarity word if it has one, else "never" before it."""
    text, following = s.word(at), s.word(at + 1)
    quoted = s.quote_after(at)
    gerund = following.endswith("ing") and not quoted
    if text == "avoid":
        return replace(s, at, "do" if quoted else "try" if gerund else "use")
    if text in ("never", "always", "not"):
        return replace(s, at, POLARITY[text])
    if text == "don't":
        return replace(s, at, "always" if following == "do" else "do")
    if text == "only" and following not in ("if", "when"):
        return replace(s, at, "never")
    if text == "do" and following in ("not", "never", "always") and not quoted:
        return replace(s, at + 1, POLARITY[following])
    if text in ("do", "use") or (text == "try" and following != "to"):
        return replace(s, at, "avoid")
    return insert(s, at, "never", room)


def _subject(s: Sentence) -> int:
    """Where the main clause begins when it is no imperative: behind the comma of a leading condition."""
    return s.heads[0] if s.heads else 0


def _polarity(s: Sentence, region: range, room: int) -> Edits:  # noqa: ARG001
    for at in region:
        text = s.word(at)
        if text == "not" and (s.word(at + 1) in ("only", "just", "yet") or s.word(at - 1) == "or"):
            continue
        if text in POSITIVE:
            return replace(s, at, POSITIVE[text])
        if text == "avoid":
            following = s.word(at + 1)
            gerund = following.endswith("ing") and not s.quote_after(at)
            return replace(s, at, "try" if gerund else "use")
        if text in POLARITY:
            return replace(s, at, POLARITY[text])
    return ()


def _modal(s: Sentence, region: range, room: int) -> Edits:
    for at in region:
        if s.word(at) in ("should", "must", "shall"):
            return insert(s, at + 1, "never", room) or _negated(s, at)
        if s.word(at) in ("need", "needs", "have", "has", "ought") and s.word(at + 1) == "to":
            return insert(s, at, "never", room)
        if s.word(at) in ("may", "might", "can"):
            return replace(s, at, "cannot")
    return ()


def _auxiliary(s: Sentence, region: range, room: int) -> Edits:  # noqa: ARG001
    for at in region:
        owns = s.word(at) in ("has", "have", "had") and s.word(at + 1) in DETERMINERS
        if not owns and s.word(at) != "do" and (edits := _negated(s, at)):
            return edits
    return ()


def _negated(s: Sentence, at: int) -> Edits:
    negative = AUXILIARIES.get(s.word(at))
    return replace(s, at, negative) if negative else ()


def _condition(s: Sentence, region: range, room: int) -> Edits:  # noqa: ARG001
    for at in region:
        if s.word(at) == "only" and s.word(at + 1) in ("if", "when"):
            return replace(s, at, "never")
        if s.word(at) in CONDITIONS:
            return replace(s, at, CONDITIONS[s.word(at)])
    return ()


def _antonym(s: Sentence, region: range, room: int) -> Edits:  # noqa: ARG001
    for at in region:
        if s.word(at) in ANTONYMS:
            return replace(s, at, ANTONYMS[s.word(at)])
    return ()


def _verb(s: Sentence, region: range, room: int) -> Edits:
    """ "never" before a verb in the third person that has a subject before it."""
    for at in region:
        subject = s.word(at - 1)
        bare = (
            subject in NON_VERBS - PRONOUNS - {"this", "that"} or not subject.isalpha() or subject in NUMBERS
        )
        if at + 1 == region.stop and len(region) > 3:
            bare = True  # a plural noun, more often than not
        if at > region.start and s.word(at) in THIRD_PERSON and not bare:
            return insert(s, at, "never", room)
    return ()


def _value(s: Sentence, region: range, room: int) -> Edits:  # noqa: ARG001
    for at in region:
        text = s.word(at)
        if text.isascii() and text.isdigit() and len(text) < 10:
            return replace(s, at, str(2 * int(text) + 1))
        if text in NUMBERS[1:]:  # "one" is a pronoun as often as a number
            return replace(s, at, NUMBERS[(NUMBERS.index(text) + 3) % len(NUMBERS)])
    return ()


_RULES: tuple[Callable[[Sentence, range, int], Edits], ...] = (
    _polarity,
    _modal,
    _auxiliary,
    _condition,
    _antonym,
    _verb,
    _value,
)
