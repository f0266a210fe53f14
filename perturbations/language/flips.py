"""One sentence turned into its opposite by exactly one flip.

The rules are tried in order and the first that holds is used. An imperative is turned at its head
("when S, pull" → "when S, never pull"); without one the main clause is tried before the rest, so that a
condition is touched only where nothing else can be ("unless S, avoid A" is close to "when S, do A").
"""

from __future__ import annotations

from collections.abc import Callable

from loadbearing.memory.words import POLARITY as TURNING
from loadbearing.memory.words import STOP_WORDS
from loadbearing.perturbations.language import lexicon
from loadbearing.perturbations.language.lexicon import ANTONYMS, AUXILIARIES, CONDITIONS, NUMBERS, POLARITY
from loadbearing.perturbations.language.sentences import Edit, Edits, Sentence

SMALL_WORDS = tuple(sorted(STOP_WORDS - TURNING - ANTONYMS.keys() - CONDITIONS.keys()))
"""Words that turn nothing when they are missing."""
MOST_OPENERS = 16
"""Steps over words that lead up to a verb; where clauses follow each other, each takes its own."""


def flip(s: Sentence, room: int) -> Edits:
    """The edits that turn the sentence round once; none where no rule holds.

    Args:
        room: how many words it may grow by. Where there is none, an article makes room for "never".
    """
    for at, word in enumerate(s.words):  # an explicit do or avoid before a quoted action, wherever it stands
        negated = s.word(at - 1) in ("not", "never", "don't", "to")
        if word.text in ("do", "avoid") and not negated and s.quote_after(at):
            return _replace(s, at, "avoid" if word.text == "do" else "do")
    head = imperative_head(s)
    if head is not None and (edits := _imperative(s, head, room)):
        return edits
    if head is None:
        head = s.heads[0] if s.heads else 0
    for region in (s.clause(head), range(len(s.words))):
        for rule in _RULES:
            if edits := rule(s, region, room):
                return edits
    return ()


def never_at_start(s: Sentence, room: int) -> Edits:
    """The last resort: "never" before the first word; any small word may make room."""
    return _insert(s, 0, "never", room, (*lexicon.DROPPABLE, *SMALL_WORDS)) if len(s.words) > 1 else ()


def imperative_head(s: Sentence) -> int | None:
    """Index of the imperative verb, or of the polarity word that governs it."""
    for start in s.heads:
        at = _behind_openers(s, start)
        text = s.word(at)
        governs = text in ("never", "always", "avoid", "only", "not", "don't")
        hands_on = text in ("do", "try", "use") and s.word(at + 1) not in lexicon.PRONOUNS | {"of"}
        if (governs or hands_on) and (at + 1 < len(s.words) or s.quote_after(at)):
            return at
        if _is_imperative(s, at):
            return at
    return None


def _behind_openers(s: Sentence, at: int) -> int:
    """The index behind words that only lead up to the verb: "then", "make sure to"."""
    for _ in range(MOST_OPENERS):
        here = " ".join(s.word(at + i) for i in range(3)) + " "
        carrier = next((one for one in lexicon.CARRIERS if here.startswith(f"{one} ")), "")
        size = len(carrier.split()) or int(s.word(at) in lexicon.OPENERS)
        if not size or at + size >= len(s.words):
            break
        at += size
    if s.word(at) in ("make", "be", "take", "remember", "try"):
        for size in (1, 2):  # "be careful not to"
            if s.word(at + size) == "not":
                return at + size
    return at


def _is_imperative(s: Sentence, at: int) -> bool:
    """By what the word is or what follows it; a noun with a finite verb behind it is a subject."""
    text, following = s.word(at), s.word(at + 1)
    if not text.isascii() or text in lexicon.NON_VERBS or not text.replace("-", "").isalpha():
        return False
    quoted = s.quote_after(at)
    if text in lexicon.VERBS or text.removeprefix("re") in lexicon.VERBS:
        return following in lexicon.OBJECTS or quoted or not s.finite_in(s.clause(at)[1:3])
    takes_object = following in lexicon.OBJECTS - {"no"} or quoted
    return not text.endswith(("ing", "ed", "ly", "s")) and takes_object and not s.finite_in(s.clause(at))


def _imperative(s: Sentence, at: int, room: int) -> Edits:
    """Turn the head: its polarity word if it has one, else "never" before it."""
    text, following, quoted = s.word(at), s.word(at + 1), s.quote_after(at)
    if text == "avoid":
        return _replace(s, at, "do" if quoted else _instead_of_avoid(s, at))
    if text in ("never", "always", "not"):
        return _replace(s, at, POLARITY[text])
    if text == "don't":
        return _replace(s, at, "always" if following == "do" else "do")
    if text == "only" and following not in ("if", "when"):
        return _replace(s, at, "never")
    if text == "do" and following in ("not", "never", "always") and not quoted:
        return _replace(s, at + 1, POLARITY[following])
    if text in ("do", "use") or (text == "try" and following != "to"):
        return _replace(s, at, "avoid")
    return _insert(s, at, "never", room)


def _polarity(s: Sentence, at: int) -> str:
    text = s.word(at)
    if text == "not" and (s.word(at + 1) in ("only", "just", "yet") or s.word(at - 1) == "or"):
        return ""
    if text == "avoid":
        return _instead_of_avoid(s, at)
    return lexicon.POSITIVE.get(text) or POLARITY.get(text, "")


def _instead_of_avoid(s: Sentence, at: int) -> str:
    return "try" if s.word(at + 1).endswith("ing") and not s.quote_after(at) else "use"


def _modal(s: Sentence, region: range, room: int) -> Edits:
    for at in region:
        text = s.word(at)
        if text in ("should", "must", "shall"):
            negative = _replace(s, at, AUXILIARIES[text]) if text in AUXILIARIES else ()
            return _insert(s, at + 1, "never", room) or negative
        if text in ("need", "needs", "have", "has", "ought") and s.word(at + 1) == "to":
            return _insert(s, at, "never", room)
        if text in ("may", "might", "can"):
            return _replace(s, at, "cannot")
    return ()


def _auxiliary(s: Sentence, at: int) -> str:
    text = s.word(at)
    owns = text in ("has", "have", "had") and s.word(at + 1) in lexicon.DETERMINERS
    return "" if owns or text == "do" else AUXILIARIES.get(text, "")


def _condition(s: Sentence, at: int) -> str:
    if s.word(at) == "only" and s.word(at + 1) in ("if", "when"):
        return "never"
    return CONDITIONS.get(s.word(at), "")


def _antonym(s: Sentence, at: int) -> str:
    return ANTONYMS.get(s.word(at), "")


def _verb(s: Sentence, region: range, room: int) -> Edits:
    """ "never" before a verb in the third person that has a subject before it."""
    no_subject = lexicon.NON_VERBS - lexicon.PRONOUNS - {"this", "that"}
    for at in region[1:]:
        subject = s.word(at - 1)
        plural = at + 1 == region.stop and len(region) > 3  # a noun at the end, more often than not
        bare = plural or subject in no_subject or not subject.isalpha() or subject in NUMBERS
        if s.word(at) in lexicon.THIRD_PERSON and not bare:
            return _insert(s, at, "never", room)
    return ()


def _value(s: Sentence, at: int) -> str:
    text = s.word(at)
    if text.isascii() and text.isdigit() and len(text) < 10:
        return str(2 * int(text) + 1)
    if text in NUMBERS[1:]:  # "one" is a pronoun as often as a number
        return NUMBERS[(NUMBERS.index(text) + 3) % len(NUMBERS)]
    return ""


def _by_word(opposite: Callable[[Sentence, int], str]) -> Callable[[Sentence, range, int], Edits]:
    """The rule that replaces the first word that has an opposite."""

    def rule(s: Sentence, region: range, room: int) -> Edits:  # noqa: ARG001
        return next((_replace(s, at, text) for at in region if (text := opposite(s, at))), ())

    return rule


_RULES = (
    _by_word(_polarity),
    _modal,
    _by_word(_auxiliary),
    _by_word(_condition),
    _by_word(_antonym),
    _verb,
    _by_word(_value),
)


def _replace(s: Sentence, at: int, text: str) -> Edits:
    """The word at index `at` replaced, in its case."""
    word = s.words[at]
    return (Edit(word.start, word.end, _cased(s.raw[word.start : word.end], text)),)


def _insert(s: Sentence, at: int, text: str, room: int, spare: tuple[str, ...] = lexicon.DROPPABLE) -> Edits:
    """The word put before index `at`; where there is no room, a word that says little goes."""
    if at >= len(s.words):
        return ()
    word = s.words[at]
    first = s.raw[word.start : word.end]
    lowered = first if at or not first[1:].islower() else first[:1].lower() + first[1:]
    edit = Edit(word.start, word.end, f"{_cased(first, text) if at == 0 else text} {lowered}")
    if room > 0:
        return (edit,)
    spared = _spare(s, at, spare)
    if spared is None:
        return ()
    return _replace(s, spared, text) if spared in (at, at - 1) else (edit, _drop(s, spared))


def _spare(s: Sentence, at: int, spare: tuple[str, ...]) -> int | None:
    """Index of the word that can best be missed, behind the insertion rather than before it."""
    places: dict[str, int] = {}
    for place in (*range(at, len(s.words)), *range(at)):
        word = s.words[place]
        before = s.covered[max(0, word.start - 1) : word.start]
        if before in ("", " ") and s.covered[word.end : word.end + 1] == " ":
            places.setdefault(word.text, place)
    return next((places[text] for text in spare if text in places), None)


def _drop(s: Sentence, at: int) -> Edit:
    word = s.words[at]
    rest = s.raw[word.end + 1 : word.end + 2]
    if at == 0 and s.raw[word.start].isupper() and rest.isalpha():
        return Edit(word.start, word.end + 2, rest.upper())
    return Edit(word.start, word.end + 1, "")


def _cased(like: str, text: str) -> str:
    """In the case of the word it stands for."""
    if len(like) > 1 and like.isupper():
        return text.upper()
    return text[:1].upper() + text[1:] if like[:1].isupper() else text
