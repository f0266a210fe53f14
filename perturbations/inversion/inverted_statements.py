"""A statement turned into its opposite: each of its main verbs once, what is subordinate stays.

"It resets and loses the draft, so it is slow" → "it never resets or loses the draft, so it is not slow".
"""

from memtrial.memory.language import lexicon
from memtrial.memory.language.lexicon import AUXILIARIES, POSITIVE, read_section, words
from memtrial.memory.language.sentences import Edit, Sentence
from memtrial.perturbations.advice import verbs
from memtrial.perturbations.language.grammar import article, with_capital

_NEAR = 24  # words looked at for a title's capitals


def replace_word(s: Sentence, position: int, text: str) -> list[Edit]:
    """The word at index `position` replaced, in its case; "a" before it becomes "an" where it must."""
    word = s.words[position]
    edits = [Edit(word.start, word.end, match_case(s.raw[word.start : word.end], text))]
    if s.word(position - 1) in ("a", "an") and article(text) != article(word.text) and position:
        before = s.words[position - 1]
        edits.insert(
            0, Edit(before.start, before.end, match_case(s.raw[before.start : before.end], article(text)))
        )
    return edits


def insert(s: Sentence, position: int, text: str) -> list[Edit]:
    """The word put before index `position`, if there is such a word."""
    return [put_before(s, position, position, text)] if position < len(s.words) else []


def put_before(s: Sentence, start: int, position: int, text: str) -> Edit:
    """`text` and the word at index `position`, in the place of all words from index `start` to `position`."""
    opening, word = s.words[start], s.words[min(position, len(s.words) - 1)]
    first, own = s.raw[opening.start : opening.end], s.raw[word.start : word.end]
    if start == 0 and first[:1].isupper():
        text = text[:1].upper() + text[1:]
        if start == position and first[1:] == first[1:].lower() and not in_title_case(s):
            own = own[:1].lower() + own[1:]
    elif in_title_case(s):
        text = text[:1].upper() + text[1:]
    return Edit(opening.start, word.end, f"{text} {own}" if text else own)


def drop(s: Sentence, position: int) -> Edit:
    """The word taken out with the blank behind it."""
    word = s.words[position]
    rest = s.raw[word.end + 1 : word.end + 2]
    if position == 0 and s.raw[word.start].isupper() and rest.isalpha():
        return Edit(word.start, word.end + 2, rest.upper())
    if s.raw[word.end : word.end + 1] == " ":
        return Edit(word.start, word.end + 1, "")
    blank = word.start > 0 and s.raw[word.start - 1] == " "
    return Edit(word.start - blank, word.end, "")


def match_case(like: str, text: str) -> str:
    """In the case of the word it stands for."""
    return text.upper() if len(like) > 1 and like.isupper() else with_capital(like, text)


def in_title_case(s: Sentence) -> bool:
    """Whether most words begin with a capital letter."""
    long = [word for word in s.words[:_NEAR] if len(word.text) > 3]
    return len(long) > 1 and sum(s.raw[word.start].isupper() for word in long) > 0.7 * len(long)


_NEGATIVE_WORDS = lexicon.phrases(read_section("statements.negative_words"))
_FILLING = lexicon.word_set("only then also just")
_NO_ADVERBS = lexicon.word_set("early only likely reply family supply assembly daily")
_COUNTED = words("statements.counted")


def turn_statement(s: Sentence, start: int, stop: int) -> list[Edit]:
    """The edits that turn what the words of `[start, stop)` state; none where no verb is found."""
    edits: list[Edit] = []
    position = start
    while position < stop:
        verb = verbs.finite(s, position, stop)
        if verb is None:
            edits += (
                []
                if "no" in (s.word(later) for later in range(position, stop))
                else _affirm(s, position, stop, stop)
            )
            break
        end = verbs.end_of_clause(s, verb, stop)
        negated, scoped = _negate(s, position, verb, end)
        edits += negated
        while end < stop and s.word(end) in ("and", "or", "then") and verbs.continues(s, verb, end + 1):
            second = verbs.verb_at(s, end + 1, stop)
            behind = verbs.end_of_clause(s, second, stop)
            joined, first = s.word(second), s.word(verb)
            # "is not A and never does B"
            apart = first in verbs.BE and joined not in verbs.BE and s.word(end + 1) != "to"
            apart = apart or (joined in verbs.AUXILIARY and first not in verbs.AUXILIARY)
            if not scoped or apart:
                edits += replace_word(s, end, "and") if s.word(end) == "or" else []
                edits += _negate(s, end + 1, second, behind)[0]
            elif s.word(end) != "or":  # "never A and B" would leave B as it was; "never A or B" takes both
                edits += replace_word(s, end, "or")
                edits += [
                    drop(s, position) for position in range(end + 1, second) if s.word(position) in _FILLING
                ]
            end = behind
        position = max(end, position + 1)
        while position < stop and s.word(position) in verbs.JOINS:
            position += 1
    return edits


def _negate(s: Sentence, start: int, verb: int, end: int) -> tuple[list[Edit], bool]:
    """The edits that turn one clause, and whether the negation takes in what is joined on behind."""
    if negated := _affirm(s, start, verb, end):
        return negated, False
    for position in (verb - 1, verb + 1):
        if start <= position < end and s.word(position) in ("always", "already"):
            return replace_word(s, position, "never"), True
    if s.word(verb) in verbs.AUXILIARY:
        return _auxiliary(s, verb)
    adverb = verb - 1 > start and s.word(verb - 1).endswith("ly") and s.word(verb - 1) not in _NO_ADVERBS
    return insert(s, verb - adverb, "never"), True


def _affirm(s: Sentence, start: int, verb: int, end: int) -> list[Edit]:
    text = s.word(verb)
    if text in POSITIVE or text == "cannot":
        return _without_not(s, verb, drop_at=None)
    for position in range(start, end):
        word = s.word(position)
        if word == "not" and s.word(position + 1) not in ("only", "just", "yet", "necessarily"):
            adverb = s.word(position - 1).endswith("ly")
            if position == verb + 1 or (position == verb + 2 and adverb and text in verbs.BE):
                return _without_not(s, verb, drop_at=position)
            continue
        if word == "no" and s.word(position + 1) not in ("matter", "more", "one"):
            counted = s.word(position + 1) in _COUNTED
            return replace_word(s, position, article(s.word(position + 1)) if counted else "some")
        if word == "never":
            return replace_word(s, position, "always")
        if word in _NEGATIVE_WORDS:
            return replace_word(s, position, _NEGATIVE_WORDS[word])
    return []


def _without_not(s: Sentence, verb: int, drop_at: int | None) -> list[Edit]:
    """ "does not match" → "matches", "isn't" → "is"."""
    text = "can" if s.word(verb) == "cannot" else POSITIVE.get(s.word(verb), s.word(verb))
    after = verb + 1 if drop_at is None else drop_at + 1
    gone = [] if drop_at is None else [drop(s, drop_at)]
    base = s.word(after)
    if text in ("does", "do", "did") and base.isalpha() and (text != "did" or base in verbs.BASES):
        form = lexicon.forms_of(base)[{"do": 0, "does": 1, "did": 2}[text]]
        return [drop(s, verb), *gone, *replace_word(s, after, form)]
    if text in ("should", "must", "shall") and drop_at is not None:
        return replace_word(s, drop_at, "always")
    return [*(replace_word(s, verb, text) if drop_at is None else ()), *gone]


def _auxiliary(s: Sentence, verb: int) -> tuple[list[Edit], bool]:
    """ "is A" → "is not A", "can" → "cannot"; and whether that takes in what follows."""
    text, following = s.word(verb), s.word(verb + 1)
    if text in verbs.BE or text.endswith("'s"):
        if s.word(verb - 1) == "there":
            if following in ("a", "an"):
                return replace_word(s, verb + 1, "no"), True
            return insert(s, verb + 1, "no") or replace_word(s, verb, AUXILIARIES[text]), True
        if text != "am":
            return [_behind(s, verb, "not")], True
    if text in ("can", "may", "might"):
        return replace_word(s, verb, "cannot"), True
    if text in ("should", "must", "would", "could", "will", "shall"):
        return [_behind(s, verb, "never")], True
    if text in ("has", "have", "had") and not following.endswith(("ed", "en")):
        return insert(s, verb, "never"), True
    negative = AUXILIARIES.get(text)
    return (replace_word(s, verb, negative), True) if negative else ([], False)


def _behind(s: Sentence, position: int, text: str) -> Edit:
    return Edit(s.words[position].end, s.words[position].end, f" {text}")
