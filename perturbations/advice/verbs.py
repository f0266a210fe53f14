"""Where the main verbs of a sentence stand, and where their clauses end."""

from memtrial.memory.language import lexicon
from memtrial.memory.language.lexicon import OFTEN, words
from memtrial.memory.language.sentences import QUOTE_MASK, Sentence

OPENS = words("verbs.opens")
_OPENS_MAYBE = lexicon.word_set("before after until as than while since")
JOINS = lexicon.word_set("and but so or then yet")
_PLURAL_SUBJECT = lexicon.word_set("they you we i people these those both most many some")
BASES = lexicon.VERBS | lexicon.STATIVE
_STATED = frozenset(lexicon.forms_of(verb)[1] for verb in BASES) | lexicon.THIRD_PERSON
PASTS = frozenset(form for verb in BASES if (form := lexicon.forms_of(verb)[2]) not in BASES) | lexicon.PASTS
BE = lexicon.word_set("is are was were am")
_MODALS = lexicon.word_set("can could will would should must may might shall")
AUXILIARY = lexicon.FINITE - {"be"} | {"it's", "that's", "there's"}
_FORMS = _STATED | PASTS | BASES | AUXILIARY
_OPENS_SUBJECT = lexicon.word_set("a an the each every it this")
_FAR_VERB = 9  # a subject is shorter
_NEAR = 24  # words within which a surer verb, a subject or the verb of a clause is looked for
_SUBJECTS = lexicon.word_set("i you he she it we they")
_LINKED = lexicon.word_set("this that all each both these those")
_BARE = (lexicon.DETERMINERS | lexicon.PREPOSITIONS | frozenset(lexicon.NUMBERS[1:])) - _LINKED
_NO_VERBS = lexicon.PREPOSITIONS | lexicon.word_set("up out off down whatever")
_ADVERBS = lexicon.word_set("then still thus therefore now")


def finite(s: Sentence, start: int, stop: int, least: int = 1) -> int | None:
    """Index of the first main verb: of all before the next joint, the surest, if it is sure enough."""
    best, sureness, skip = None, least - 1, 0
    for position in range(start, stop):
        text = s.word(position)
        joint = text in JOINS or text in OPENS or text in _OPENS_MAYBE or is_comma(s, position)
        ends = text in ("but", "so", "then") or (text in JOINS and is_comma(s, position)) or sureness > 1
        ends = (joint and ends) or (sureness > 1 and text in _SUBJECTS)  # "at the moment it is placed"
        if best is not None and (ends or position > best + _NEAR):
            break
        if (
            text in OPENS
            and position > start
            and not (text == "that" and best is None and s.word(position - 1) in JOINS)
        ):
            skip += not s.word(position + 1).endswith("ing") and s.word(position + 1) != "to"
        elif text in _OPENS_MAYBE and position > start:
            clause = s.word(position + 1) in lexicon.PRONOUNS or best is not None
            skip += clause and not s.word(position + 1).endswith("ing")
        elif sure := _sureness(s, start, position):
            if skip:
                skip -= 1
            elif sure > sureness:
                best, sureness = position, sure
    return best


def _sureness(s: Sentence, start: int, position: int) -> int:
    """How surely the word is a finite verb with a subject before it, from 0 to 3."""
    text, before = s.word(position), s.word(position - 1)
    following = "" if is_comma(s, position + 1) else s.word(position + 1)
    quoted = quoted_before(s, position)
    ahead = position == start and not (before in ("but", "which") and text in _STATED)
    if quoted and (is_plural(text) or text.endswith("ed")) and text not in lexicon.NON_VERBS | _STATED:
        return 2
    if not quoted and (ahead or before in ("to", "and", "or", "not")) and text not in AUXILIARY:
        return 0
    if text in AUXILIARY:
        return 0 if before == "to" or (position == start and not quoted and text in ("do", "have")) else 3
    if (not quoted and before in _BARE) or before in AUXILIARY or text in _NO_VERBS:
        return 0
    adverb = before in OFTEN or before.endswith("ly") or before in _ADVERBS
    subject = s.word(position - 2) if adverb else before
    several = subject in _PLURAL_SUBJECT or (subject == "them" and s.word(position - 2) == "of")
    plural = several or is_plural(subject)
    if text in _STATED or text.removeprefix("re") in _STATED:
        alone = not following or following in lexicon.PREPOSITIONS | JOINS
        behind_one = s.word(position - 2) in lexicon.PREPOSITIONS and not adverb and not is_plural(before)
        if text in lexicon.NOUNISH and alone and behind_one:
            return 0  # "for comparison questions"
        sure = text not in lexicon.NOUNISH or subject in lexicon.PRONOUNS
        return 3 if sure else 1 + (following in lexicon.DETERMINERS)
    if text in BASES:
        if plural or quoted or before in ("that", "which", "who"):
            return 2
        # "the items of a guest disappear": no noun, and a plural stands farther off
        far = any(is_plural(s.word(later)) for later in range(max(start, position - _NEAR), position - 1))
        noun = lexicon.forms_of(text)[1] in lexicon.NOUNISH
        return int(far and not noun and before not in lexicon.NON_VERBS)
    if text in PASTS and not (plural and adverb):
        return 2
    if text in lexicon.NON_VERBS or not text.isalpha() or text.endswith(("ed", "ing", "ly")):
        return 0
    return _sureness_unknown(s, start, position, plural, adverb)


def _sureness_unknown(s: Sentence, start: int, position: int, plural: bool, adverb: bool) -> int:
    """The same for a word that is in no list of verbs: by its ending and by what stands around it."""
    text, before = s.word(position), s.word(position - 1)
    following = "" if is_comma(s, position + 1) else s.word(position + 1)
    if text in lexicon.NOUNISH:
        return int(following in lexicon.DETERMINERS)
    if not is_plural(text):
        if plural and (adverb or following in lexicon.DETERMINERS):
            return 2
        early = plural and (
            position == start + 1 or (position - start < 4 and following in lexicon.PREPOSITIONS)
        )
        return int(early or (before in OFTEN and before not in ("only", "just", "also")))
    if not before.isalpha() or following == "that" or following in _STATED - lexicon.PREPOSITIONS:
        return 0
    if _leads(following) or adverb:
        return 2
    if s.word(start).endswith("ing") or s.word(start) in _OPENS_SUBJECT:
        return int(bool(following))
    return int(position - start < 4 and (following in lexicon.PREPOSITIONS or following == "only"))


def is_plural(text: str) -> bool:
    """Whether it has the ending that plural nouns and third persons share."""
    return len(text) > 3 and text.endswith("s") and not text.endswith(("ss", "us", "is", "'s"))


def _leads(following: str) -> bool:
    return following in lexicon.OBJECTS or following in ("to", "you", "that")


def is_comma(s: Sentence, position: int) -> bool:
    """Whether a comma stands before this word."""
    return (
        0 < position < len(s.words) and "," in s.covered[s.words[position - 1].end : s.words[position].start]
    )


def end_of_clause(s: Sentence, verb: int, stop: int) -> int:
    """Index of the word that joins the next clause to this one."""
    inside = False
    for position in range(verb + 1, stop):
        text, comma = s.word(position), is_comma(s, position)
        if text in OPENS or (text in _OPENS_MAYBE and s.word(position + 1) in lexicon.PRONOUNS):
            inside = not (comma and text in ("which", "whereas"))
            if not inside:
                return position
        elif (text == "so" and comma) or (text == "while" and comma):
            return position
        elif text in ("and", "but", "then", "or") and (comma or not inside):
            behind = (
                position
                + 1
                + (s.word(position + 1) in OFTEN or s.word(position + 1) in ("then", "so", "thus"))
            )
            if continues(s, verb, position + 1) or _has_clause(s, behind, stop):
                return position
    return stop


def continues(s: Sentence, verb: int, position: int) -> bool:
    """Whether a verb of the same form as `verb` comes here, with the same subject."""
    for _ in range(2):
        position += s.word(position) in OFTEN or s.word(position).endswith("ly") or s.word(position) == "then"
    text, first = s.word(position), s.word(verb)
    if text == "to" and s.word(position + 1) in BASES:
        return True
    if text in _MODALS or (text in BE and first in BE):
        return True
    if first in _STATED or first.removeprefix("re") in _STATED or first.endswith("s"):
        led = _leads(s.word(position + 1)) or s.word(position + 1) in lexicon.PREPOSITIONS
        sure = text not in lexicon.NOUNISH or verb + 2 == position or led
        return (text in _STATED or text in ("is", "has")) and sure
    if first in PASTS:
        return text in PASTS or text in ("was", "were", "had")
    return text in BASES and text not in lexicon.NOUNISH


def _has_clause(s: Sentence, start: int, stop: int) -> bool:
    verb = finite(s, start, min(stop, start + _NEAR))
    return verb is not None and (verb > start or quoted_before(s, verb)) and verb - start < _FAR_VERB


def quoted_before(s: Sentence, position: int) -> bool:
    """Whether a quoted span stands directly before this word."""
    low = s.words[position - 1].end if position else 0
    return s.covered[low : s.words[position].start].rstrip(" *_)]").endswith(QUOTE_MASK)


def verb_at(s: Sentence, start: int, stop: int) -> int:
    """Index of the verb that comes here, behind adverbs."""
    return next(
        (position for position in range(start, min(start + 4, stop)) if s.word(position) in _FORMS), start
    )
