"""How a word is written beside others, and faults of grammar that damage may bring in.

Few and sure ones, read outside quotes: each pattern was tried on real texts (see the tests). What stood in
the intact text already is no fault of the damage.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from memtrial.memory.language.lexicon import THIRD_PERSON, VERBS, word_set
from memtrial.memory.language.sentences import mask_quotes, spans
from memtrial.memory.language.structure import HeadedPart, parts
from memtrial.memory.words import STOP_WORDS

_SOUNDS_LIKE_YOU = re.compile(
    r"eu|ewe|u(?:ni(?!n|m)|s(?:e|u|a[bg])|til|biq|r(?:in|an[iu])|kr|fo|rug|topi)|one(?:s|$|-)|once|oui"
)
_SILENT_H = re.compile(r"(?:heir|hono|hour|honest)")
_EITHER = re.compile(r"h|sql|uni[nm]|url|ubu")  # spoken both ways, or by letters


def sure_article(word: str) -> str:
    """The article that is spoken before this word; empty where that is not sure."""
    if not (word.islower() or word.istitle()):
        return ""
    small = word.lower()
    if _SILENT_H.match(small):
        return "an"
    if _EITHER.match(small):
        return ""
    return "an" if small[0] in "aeiou" and not _SOUNDS_LIKE_YOU.match(small) else "a"


def article(text: str) -> str:
    """The article before a text, where one has to be chosen: by its first letter in doubt."""
    first = next(iter(text.split()), "")
    return sure_article(first) or ("an" if first[:1].lower() in tuple("aeiou") else "a")


def with_capital(like: str, text: str) -> str:
    """The text with a capital if the text it replaces has one."""
    return text[:1].upper() + text[1:] if like[:1].isupper() else text


LEAST_REPEATED = 5
"""Words of a sentence that is not said twice by chance."""
_NO_SENTENCES = ("title", "trigger", "form")

_GAP = r"[^\S\n]{1,9}"
_ARTICLE = re.compile(rf"(?i)(?<![\w'’.&/-])(?P<article>an?){_GAP}(?P<word>[a-z]{{2,}}+)(?![\w'’&/]|\.\w)")
_TWICE = re.compile(rf"(?i)(?<![\w'’.&/-])(?P<word>[A-Za-z]{{2,}}+|a){_GAP}(?P=word)(?![\w'’&/-])")
_MAY_STAND_TWICE = word_set("that had her so very more no many bye ha")
_DETERMINER = "the|a|an|your|its|their|my|our"
_BASES = "|".join(sorted(VERBS - word_set("be search work water use account test guess")))
_OTHERS = tuple(
    (re.compile(rf"(?i)(?<![\w'’-])(?:{pattern})(?![\w'’-])"), what)
    for pattern, what in (
        (
            rf"(?:never|not|don['’]t){_GAP}(?:never|not|don['’]t|do{_GAP}not)"
            rf"|(?:never|avoid){_GAP}always|always{_GAP}never|avoid{_GAP}do|(?:never|always){_GAP}do{_GAP}(?:{_BASES})"
            rf"|avoid{_GAP}(?:not|never|don['’]t|do{_GAP}not)|avoid{_GAP}avoid(?:ing)?",
            "a doubled negation",
        ),
        (rf"(?:{_DETERMINER}){_GAP}(?-i:{_DETERMINER})", "two articles"),
        (rf"avoid{_GAP}(?:{_BASES}){_GAP}(?:{_DETERMINER})", "a verb that does not fit"),
        (
            rf"(?:do{_GAP}not|don['’]t|doesn['’]t|does{_GAP}not){_GAP}"
            rf"(?:{'|'.join(sorted(THIRD_PERSON))})",
            "a verb that does not fit",
        ),
    )
)
_MARKS = re.compile(r",[^\S\n]?[,.;]|(?<=\w)[^\S\n][.,;](?=\s|$)|(?<=\s)\([^\S\n]?\)|(?<![.\w])\.[^\S\n]?,")
# what no sentence ends with
_DANGLING = re.compile(
    r"(?:^|\s)(?:the|an?|and|or|but|because|unless|whether|your|their|our|my|every|than|nor)[\s*_]*+[.!?,]?+\s*+$"
)


class GrammarFault(NamedTuple):
    """A fault in words, and its kind where those of a kind are the same: as many as the intact text has may
    stand in the damaged one."""

    text: str
    kind: str = ""


def brought_in(before: Iterable[str], after: Iterable[str]) -> str:
    """The first fault of grammar that stands in the items after and did not before, in words; else empty."""
    return _first_new(before, after, _faults)


def not_whole(before: Iterable[str], after: Iterable[str]) -> str:
    """The first sentence that is no whole one, or said twice, and was not so before, in words; else empty."""
    return _first_new(before, after, _oddities)


def _first_new(
    before: Iterable[str], after: Iterable[str], faults: Callable[[str], Iterable[GrammarFault]]
) -> str:
    old = Counter(fault.kind or fault.text for item in before for fault in faults(item))
    for item in after:
        for fault in faults(item):
            kind = fault.kind or fault.text
            if not old[kind]:
                return fault.text
            old[kind] -= 1
    return ""


def _bodies(item: str) -> Iterator[tuple[HeadedPart, str]]:
    """The parts of an item with their text, quotes covered; none of a raw trajectory, which is no prose."""
    whole = parts(item)
    if not any(part.step for part in whole):
        yield from ((part, mask_quotes(part.body)) for part in whole)


@lru_cache(maxsize=4096)  # the intact text is held against each way to damage it
def _faults(item: str) -> tuple[GrammarFault, ...]:
    return tuple(_find_faults(item))


def _find_faults(item: str) -> Iterator[GrammarFault]:
    for _, covered in _bodies(item):
        for match in _ARTICLE.finditer(covered):
            if (wanted := sure_article(match["word"])) and match["article"].lower() != wanted:
                yield GrammarFault(f"`{match[0]}`, where `{wanted}` is right")
        for match in _TWICE.finditer(covered):
            first, second = match["word"], match[0][-len(match["word"]) :]
            name = not second.islower() or (first != second and second not in STOP_WORDS)  # "Gallus gallus"
            if not name and second not in _MAY_STAND_TWICE:
                yield GrammarFault(f"`{match[0]}`, a word twice")
        for pattern, what in _OTHERS:
            yield from (GrammarFault(f"`{match[0]}`, {what}") for match in pattern.finditer(covered))
        for match in _MARKS.finditer(covered):
            yield GrammarFault(f"`{match[0].strip()}`, marks that do not go together")


@lru_cache(maxsize=4096)
def _oddities(item: str) -> tuple[GrammarFault, ...]:
    return tuple(_odd_sentences(item))


def _odd_sentences(item: str) -> Iterator[GrammarFault]:
    for part, covered in _bodies(item):
        seen: set[str] = set()
        for low, high in spans(part.body):
            text = " ".join(part.body[low:high].split())
            if text.count(" ") + 1 >= LEAST_REPEATED:
                if text in seen:
                    yield GrammarFault(f"`{text[:60]}` is said twice", "twice")
                seen.add(text)
        if part.label in _NO_SENTENCES:
            continue
        for low, high in spans(part.body):
            ends = covered[low:high].rstrip()
            closed = high == len(covered) or ends.endswith((".", "!", "?"))
            if closed and (end := _DANGLING.search(ends[-40:])):
                yield GrammarFault(f"a sentence ends with `{end[0].strip()}`")
        if covered.count("(") > covered.count(")"):
            yield GrammarFault("a bracket is left open")
        if covered.count('"') % 2:
            yield GrammarFault("a quote is left open")
