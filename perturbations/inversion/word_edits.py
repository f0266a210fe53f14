"""Single words put in, taken out or replaced in a sentence, in the right case and with the right article."""

from loadbearing.memory.language.sentences import Edit, Sentence
from loadbearing.perturbations.language.spelling import article, with_capital

_NEAR = 24  # words looked at for a title's capitals


def replaced(s: Sentence, at: int, text: str) -> list[Edit]:
    """The word at index `at` replaced, in its case; "a" before it becomes "an" where it must."""
    word = s.words[at]
    edits = [Edit(word.start, word.end, cased(s.raw[word.start : word.end], text))]
    if s.word(at - 1) in ("a", "an") and article(text) != article(word.text) and at:
        before = s.words[at - 1]
        edits.insert(
            0, Edit(before.start, before.end, cased(s.raw[before.start : before.end], article(text)))
        )
    return edits


def insert(s: Sentence, at: int, text: str) -> list[Edit]:
    """The word put before index `at`, if there is such a word."""
    return [put_before(s, at, at, text)] if at < len(s.words) else []


def put_before(s: Sentence, start: int, at: int, text: str) -> Edit:
    """`text` and the word at index `at`, in the place of all words from index `start` to `at`."""
    opening, word = s.words[start], s.words[min(at, len(s.words) - 1)]
    first, own = s.raw[opening.start : opening.end], s.raw[word.start : word.end]
    if start == 0 and first[:1].isupper():
        text = text[:1].upper() + text[1:]
        if start == at and first[1:] == first[1:].lower() and not in_title_case(s):
            own = own[:1].lower() + own[1:]
    elif in_title_case(s):
        text = text[:1].upper() + text[1:]
    return Edit(opening.start, word.end, f"{text} {own}" if text else own)


def drop(s: Sentence, at: int) -> Edit:
    """The word taken out with the blank behind it."""
    word = s.words[at]
    rest = s.raw[word.end + 1 : word.end + 2]
    if at == 0 and s.raw[word.start].isupper() and rest.isalpha():
        return Edit(word.start, word.end + 2, rest.upper())
    if s.raw[word.end : word.end + 1] == " ":
        return Edit(word.start, word.end + 1, "")
    blank = word.start > 0 and s.raw[word.start - 1] == " "
    return Edit(word.start - blank, word.end, "")


def cased(like: str, text: str) -> str:
    """In the case of the word it stands for."""
    return text.upper() if len(like) > 1 and like.isupper() else with_capital(like, text)


def in_title_case(s: Sentence) -> bool:
    """Whether most words begin with a capital letter."""
    long = [word for word in s.words[:_NEAR] if len(word.text) > 3]
    return len(long) > 1 and sum(s.raw[word.start].isupper() for word in long) > 0.7 * len(long)
