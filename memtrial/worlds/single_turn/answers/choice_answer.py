"""The choice that a reply makes, by its letter or by its text."""

import re
from collections.abc import Iterator, Sequence

from memtrial.worlds.single_turn.answers.answer_fault import AnswerFault
from memtrial.worlds.single_turn.answers.answer_statements import (
    LONGEST,
    is_taken_back,
    list_statements,
    without_denied,
)
from memtrial.worlds.single_turn.answers.word_overlap import normalise

DRESS = re.compile(r"\\(?:text|mathrm|textbf|mathbf)\b|[*_`${}\"“”]")
ALONE = re.compile(r"[(\[]?([A-Za-z])[)\]]?[.:,;!]?")
HEAD = re.compile(r"[(\[]?([A-Z])(?:[)\].:;!]|,(?!\s*[A-HJ-Z]\b)|(?=\s*\Z)|(?=\s+[-–—(]))")
WORDY = re.compile(r"([A-Z])\b(?![-'’])")
TWO = re.compile(
    r"[(\[]?([A-Z])[)\]]?[ \t]?(?:,|/|&|\bor\b|\band\b)[ \t]?(?:maybe )?[(\[]?([A-Z])\b(?!['’]|[ \t][a-z]{3})"
)
NAMED = re.compile(
    r"\b(?:option|choice|answer|letter|correct|action|final(?=[ \t]?:))(?:[ \t]?:)?[ \t]++[(\[]?([A-Z])\b",
    re.IGNORECASE,
)
BRACKETED = re.compile(r"[(\[]([A-Z])[)\]]")
CHOSEN = re.compile(
    r"\b(?i:choose|chose|pick|select|say|go(?:ing)? (?:with|for)|leaves"
    r"|(?:\A|(?<=[,.;!] ))it(?:['’]s| is)|\A\W{0,9}but"
    r"|(?:must|should|would|can only|has to) be|so|thus|hence|therefore)"
    r",?[ \t]++(?:option |choice )?[(\[]?([A-Z])\b(?!['’]|[ \t][a-z])"
)
RIGHT = re.compile(
    r"(?<!\w)[(\[]?([A-Z])[)\]]?[ \t]++is[ \t]++(?:the[ \t]++)?(?:correct|right|best|true|only)\b"
)
REMAINS = re.compile(r"\b[Oo]nly[ \t]++[(\[]?([A-Z])[)\]]?[ \t]++(?:remains|is left|fits|works|holds)\b")
CHOICES = (NAMED, CHOSEN, RIGHT, REMAINS)


def read_choice(reply: str, options: Sequence[str]) -> str:
    """The letter of the choice, `A` for the first option.

    Raises:
        AnswerFault: no choice of the list, or two.
    """
    letters = tuple(chr(ord("A") + place) for place in range(len(options)))
    for place, statement in list_statements(reply):
        letter = _read_statement(statement[:LONGEST], letters, options)
        if letter is not None:
            if is_taken_back(reply, place, letter):
                raise AnswerFault("it takes its choice back")
            return letter
    # a box cannot hold a sentence; without any statement the last line counts, then what was named last
    plain = DRESS.sub("", without_denied(reply))
    lines = [line.strip() for line in plain.splitlines() if line.strip()]
    for line in (*lines[-1:], *(line for line in lines[:1] if ALONE.fullmatch(line))):
        if (letter := _read_line(line[:LONGEST], letters, options)) is not None:
            return letter
    named = max(_named(plain, letters, (*CHOICES, BRACKETED)), default=None)
    if named is not None:
        return named[1]
    raise AnswerFault(f"no choice from {letters[0]} to {letters[-1]} stands in it")


def _read_statement(statement: str, letters: Sequence[str], options: Sequence[str]) -> str | None:
    """The choice of what follows a label, or stands in a box."""
    text = DRESS.sub("", without_denied(statement)).strip(" \t.:")
    if (by_text := _match_option(text, options)) is not None and len(text) > 1:
        return letters[by_text]
    if (letter := _read_line(text, letters, options)) is not None:
        return letter
    wordy = WORDY.match(text)
    return wordy[1] if wordy and wordy[1] in letters else None


def _read_line(text: str, letters: Sequence[str], options: Sequence[str]) -> str | None:
    """The choice of a line: a letter alone or at its head, one that is named as a choice, or an option."""
    text = text.strip(" \t;,:.")
    if (two := TWO.match(text)) and two[1] != two[2] and {two[1], two[2]} <= {*letters}:
        raise AnswerFault(f"it names two choices, {two[1]} and {two[2]}")
    alone = ALONE.fullmatch(text)
    if alone and alone[1].upper() in letters:
        return alone[1].upper()
    head = HEAD.match(text)
    if head and head[1] in letters:
        return head[1]
    for patterns in (CHOICES, (BRACKETED,)):
        named = {letter for _, letter in _named(text, letters, patterns)}
        if len(named) == 1:
            return named.pop()
        if len(named) > 1:
            raise AnswerFault(f"it names {len(named)} choices, {' and '.join(sorted(named))}")
    place = _match_option(text, options)
    if place is None:
        place = _contained(text, options)
    return None if place is None else letters[place]


def _named(
    text: str, letters: Sequence[str], patterns: Sequence[re.Pattern[str]]
) -> Iterator[tuple[int, str]]:
    for pattern in patterns:
        for match in pattern.finditer(text):
            if match[1].upper() in letters and (match[1].isupper() or pattern is not NAMED):
                yield match.start(1), match[1].upper()


def _match_option(text: str, options: Sequence[str]) -> int | None:
    """The one option whose words these are."""
    wanted = normalise(DRESS.sub("", text))
    places = [place for place, option in enumerate(options) if normalise(DRESS.sub("", option)) == wanted]
    return places[0] if wanted and len(places) == 1 else None


def _contained(text: str, options: Sequence[str]) -> int | None:
    """The one option that stands in the text, those aside that are a part of it."""
    whole = f" {normalise(text)} "
    inside = {
        place: words
        for place, option in enumerate(options)
        if len(words := normalise(DRESS.sub("", option))) > 2 and f" {words} " in whole
    }
    largest = [
        place
        for place, words in inside.items()
        if not any(f" {words} " in f" {other} " and words != other for other in inside.values())
    ]
    return largest[0] if len(largest) == 1 else None
