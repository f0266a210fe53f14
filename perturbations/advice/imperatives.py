"""Where a sentence tells somebody to do something, and the further steps that are joined on."""

from memtrial.memory.language import lexicon
from memtrial.memory.language.lexicon import VERBS, base_of, words
from memtrial.memory.language.sentences import Sentence
from memtrial.perturbations.advice.verbs import BASES, finite

MOST_OPENERS = 16
"""Steps over words that lead up to a verb; where clauses follow each other, each takes its own."""
_NEAR = 24
"""Words within which a subject's verb is looked for."""
_ADJECTIVES = words("imperatives.adjectives")
_NO_VERBS = lexicon.word_set("yet even maybe perhaps half quite almost here there now soon today beyond")
_PREFIXES = lexicon.word_set("double cross re pre over under mis un de co")
_JOINING = lexicon.word_set("and or nor then but finally also lastly only")

ACTS = VERBS | words("verb_kinds.acts")
"""What an imperative may begin with."""

NOUNISH = words("verb_kinds.nounish")
"""Verbs that are nouns or adjectives as often."""
PLAIN = ACTS - NOUNISH
LOOSE = words("verb_kinds.loose")
"""Behind a verb they belong to it: another verb would not take what follows."""
WHOLE = lexicon.table("imperatives.whole")
"""Commands without an object, and what may be done instead."""
ALONE = frozenset(WHOLE) | {other for others in WHOLE.values() for other in others}


def imperative_head(s: Sentence) -> int | None:
    """Index of the imperative verb, or of the polarity word that governs it."""
    return next((head for start in s.heads if (head := head_at(s, start)) is not None), None)


def head_at(s: Sentence, start: int) -> int | None:
    """The same for what begins at index `start`."""
    at = behind_openers(s, start)
    text = s.word(at)
    only = text == "only" and s.word(at + 1) in VERBS
    governs = only or text in ("never", "always", "avoid", "not", "don't")
    hands_on = text in ("do", "try", "use") and s.word(at + 1) not in lexicon.PRONOUNS | {"of"}
    if (governs or hands_on) and (at + 1 < len(s.words) or s.quote_after(at)):
        return at
    if _is_imperative(s, at):
        return at
    return start if at > start and s.word(start) in ("make", "ensure") else None


def behind_openers(s: Sentence, at: int) -> int:
    """The index behind words that only lead up to the verb: "then", "make sure to"."""
    for _ in range(MOST_OPENERS):
        here = " ".join(s.word(at + i) for i in range(3)) + " "
        carrier = next((one for one in lexicon.CARRIERS if here.startswith(f"{one} ")), "")
        only_then = 2 * (s.word(at) == "only" and s.word(at + 1) == "then")
        size = len(carrier.split()) or only_then or int(s.word(at) in lexicon.OPENERS)
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
    named = text in lexicon.NON_VERBS and not (text == "state" and following in lexicon.DETERMINERS)
    if named or not text.isascii() or not text.replace("-", "").isalpha():
        return False
    quoted = s.quote_after(at)
    if _is_verb(text):
        if following in lexicon.OBJECTS or quoted:
            return True
        noun = text in _ADJECTIVES or lexicon.forms_of(text)[1] in lexicon.NOUNISH
        verb = finite(s, at, min(at + _NEAR, s.clause(at).stop), 2) if noun else None
        return verb is None and following not in lexicon.FINITE | {"of"}
    if text.endswith(("ing", "ed", "ly", "s")) or text in lexicon.OFTEN.keys() | lexicon.OPENERS | _NO_VERBS:
        return False
    return following in lexicon.DETERMINERS - {"no"} or (quoted and not s.finite_in(s.clause(at)))


def _is_verb(text: str) -> bool:
    prefix, _, stem = text.rpartition("-")
    known = text in VERBS or text.removeprefix("re") in VERBS or text.replace("ise", "ize") in VERBS
    return known or (prefix in _PREFIXES and stem in VERBS)


def joints(s: Sentence, at: int, stop: int) -> list[tuple[int, int]]:
    """Where further steps are joined on: indices of the joining word, and of the step's verb or of the word
    that governs it. With no joining word, both are the same."""
    found: list[tuple[int, int]] = []
    one = at + 1
    while one < stop:
        gap = s.covered[s.words[one - 1].end : s.words[one].start]
        text = s.word(one)
        verb = one
        while verb < stop and s.word(verb) in _JOINING and (verb == one or not s.quote_after(verb - 1)):
            verb += 1
        if verb > one and text not in ("also", "only", "finally"):
            gerunds = base_of(s.word(verb)) and base_of(s.word(at + 1))
            if s.quote_after(verb - 1):
                found.append((one, verb - 1))
            elif verb < stop and (s.word(verb) in BASES or steps_on(s, verb, at) or gerunds):
                found.append((one, verb))
            one = verb - 1
        elif "," in gap and steps_on(s, one, at) and not gap.strip(" ,"):
            found.append((one, one))
        one += 1
    return found


def steps_on(s: Sentence, verb: int, at: int) -> bool:
    """Whether a further step of the imperative begins here."""
    text, following = s.word(verb), s.word(verb + 1)
    if text in ("never", "always", "avoid", "don't") or (text == "do" and following in ("not", "never")):
        return True
    if base_of(text) and s.word(at) == "avoid":
        return True
    if not _is_verb(text):
        unknown = text.isalpha() and text not in lexicon.NON_VERBS and not text.endswith("s")
        return unknown and following in lexicon.OBJECTS
    noun = lexicon.forms_of(text)[1] in lexicon.NOUNISH
    led = following in lexicon.OBJECTS | lexicon.PREPOSITIONS or s.quote_after(verb)
    return led or not noun
