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
_NO_VERBS = lexicon.word_set(
    "twice once yet even maybe perhaps half quite almost here there now soon today beyond"
)
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
    """Index of the verb, or of the word that governs it, of an imperative that begins at index `start`."""
    position = behind_openers(s, start)
    text = s.word(position)
    only = text == "only" and s.word(position + 1) in VERBS
    governs = only or text in ("never", "always", "avoid", "not", "don't")
    hands_on = text in ("do", "try", "use") and s.word(position + 1) not in lexicon.PRONOUNS | {"of"}
    if (governs or hands_on) and (position + 1 < len(s.words) or s.quote_after(position)):
        return position
    if _is_imperative(s, position):
        return position
    return start if position > start and s.word(start) in ("make", "ensure") else None


def behind_openers(s: Sentence, position: int) -> int:
    """The index behind words that only lead up to the verb: "then", "make sure to"."""
    for _ in range(MOST_OPENERS):
        here = " ".join(s.word(position + i) for i in range(3)) + " "
        carrier = next((phrase for phrase in lexicon.CARRIERS if here.startswith(f"{phrase} ")), "")
        only_then = 2 * (s.word(position) == "only" and s.word(position + 1) == "then")
        size = len(carrier.split()) or only_then or int(s.word(position) in lexicon.OPENERS)
        if not size or position + size >= len(s.words):
            break
        position += size
    if s.word(position) in ("make", "be", "take", "remember", "try"):
        for size in (1, 2):  # "be careful not to"
            if s.word(position + size) == "not":
                return position + size
    return position


def _is_imperative(s: Sentence, position: int) -> bool:
    """By what the word is or what follows it; a noun with a finite verb behind it is a subject."""
    text, following = s.word(position), s.word(position + 1)
    named = text in lexicon.NON_VERBS and not (text == "state" and following in lexicon.DETERMINERS)
    if named or not text.isascii() or not text.replace("-", "").isalpha():
        return False
    quoted = s.quote_after(position)
    if _is_verb(text):
        if following in lexicon.OBJECTS or quoted:
            return True
        noun = text in _ADJECTIVES or lexicon.forms_of(text)[1] in lexicon.NOUNISH
        verb = finite(s, position, min(position + _NEAR, s.clause(position).stop), 2) if noun else None
        return verb is None and following not in lexicon.FINITE | {"of"}
    if text.endswith(("ing", "ed", "ly", "s")) or text in lexicon.OFTEN.keys() | lexicon.OPENERS | _NO_VERBS:
        return False
    return following in lexicon.DETERMINERS - {"no"} or (quoted and not s.finite_in(s.clause(position)))


def _is_verb(text: str) -> bool:
    prefix, _, stem = text.rpartition("-")
    known = text in VERBS or text.removeprefix("re") in VERBS or text.replace("ise", "ize") in VERBS
    return known or (prefix in _PREFIXES and stem in VERBS)


def joints(s: Sentence, position: int, stop: int) -> list[tuple[int, int]]:
    """Where further steps are joined on: indices of the joining word, and of the step's verb or of the word
    that governs it. With no joining word, both are the same."""
    pairs: list[tuple[int, int]] = []
    later = position + 1
    while later < stop:
        gap = s.covered[s.words[later - 1].end : s.words[later].start]
        text = s.word(later)
        verb = later
        while verb < stop and s.word(verb) in _JOINING and (verb == later or not s.quote_after(verb - 1)):
            verb += 1
        if verb > later and text not in ("also", "only", "finally"):
            gerunds = base_of(s.word(verb)) and base_of(s.word(position + 1))
            if s.quote_after(verb - 1):
                pairs.append((later, verb - 1))
            elif verb < stop and (s.word(verb) in BASES or steps_on(s, verb, position) or gerunds):
                pairs.append((later, verb))
            later = verb - 1
        elif "," in gap and steps_on(s, later, position) and not gap.strip(" ,"):
            pairs.append((later, later))
        later += 1
    return pairs


def steps_on(s: Sentence, verb: int, position: int) -> bool:
    """Whether a further step of the imperative begins here."""
    text, following = s.word(verb), s.word(verb + 1)
    if text in ("never", "always", "avoid", "don't") or (text == "do" and following in ("not", "never")):
        return True
    if base_of(text) and s.word(position) == "avoid":
        return True
    if not _is_verb(text):
        unknown = text.isalpha() and text not in lexicon.NON_VERBS and not text.endswith("s")
        return unknown and following in lexicon.OBJECTS
    noun = lexicon.forms_of(text)[1] in lexicon.NOUNISH
    led = following in lexicon.OBJECTS | lexicon.PREPOSITIONS or s.quote_after(verb)
    return led or not noun
