"""Do literals of the one source task stand in an item that is meant for others?

A program finds addresses, ids, order numbers, prices, dates, names and runs of words of the question, the
answer itself, and words that point at the run. What another training task's run holds, too, is of the world
and no residue. An address or an element's id that the run holds to the letter is proof; all else is a
warning. Whether another word belongs to the one source, and whether a literal is marked as an example well
enough, the judge says.
"""

import re
from collections.abc import Iterator
from dataclasses import fields
from itertools import groupby, islice
from typing import NamedTuple

from memtrial.agents.trajectory_views import passages
from memtrial.gates.gate import GateCase, GateKind, Ruling
from memtrial.memory.language.lexicon import word_set
from memtrial.memory.language.sentences import cut_sentences
from memtrial.memory.leakage import fold_words, runs
from memtrial.memory.words import STOP_WORDS

_MONTH = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]{0,6}"


class LiteralKind(NamedTuple):
    """A kind of literal. `proves`: standing in the run to the letter, it is proof, for it is a name that
    somebody gave to one page, one person or one element; a number, a price or a date may be a rule's."""

    what: str
    pattern: re.Pattern[str]
    proves: bool = False


ELEMENT = "the id of an element"
LITERALS = (
    LiteralKind(
        "an address", re.compile(r"(?i)https?://[^\s)\]>\"'`]++|\bwww\.[^\s)\]>\"'`]++"), proves=True
    ),
    LiteralKind(
        "a mail address",
        re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}\.[A-Za-z]{2,}"),
        proves=True,
    ),
    LiteralKind(
        ELEMENT,
        re.compile(
            r"(?i)\b(?:click|fill|type|hover|press|select_option|focus|clear|tap)\s?[(\[]\s?['\"“‘]?[a-z]?\d++"
            r"|\bbid\s?[=:]?\s?['\"]?\d++|(?<![\w\]])\[\d{2,}\]"
        ),
        proves=True,
    ),
    LiteralKind(
        "a number of the source",
        re.compile(
            r"#\s?\d{3,}|(?<![\w.,-])\d{5,}(?![\w,-])"
            r"|\b(?!(?:ISO|UTF|SHA|RFC|HTTP|PEP|UTC|AES|RSA|CRC|DIN|IEEE)-?\d)[A-Z]{2,6}-?\d{3,}\b"
        ),
    ),
    LiteralKind("a reference", re.compile(r"\b(?=[A-Z\d]{6,16}\b)[A-Z]++\d++[A-Z][A-Z\d]*+")),
    LiteralKind(
        "a price",
        re.compile(
            r"[$€£]\s?\d[\d,.]*|(?<![\d.,])\d{1,9}(?:[.,]\d{1,3}){0,3}\s?(?:USD|EUR|GBP|CHF|CAD|AUD|JPY|CNY|INR|NOK|SEK|DKK|dollars?|euros?)\b"
        ),
    ),
    LiteralKind(
        "a date",
        re.compile(
            rf"(?i)\b\d{{4}}-\d\d-\d\d\b|\b\d{{1,2}}/\d{{1,2}}/\d{{2,4}}\b|\b{_MONTH}\.?\s\d{{1,2}}(?:st|nd|rd|th)?,?\s\d{{4}}\b"
            rf"|\b\d{{1,2}}\s{_MONTH}\s\d{{4}}\b"
        ),
    ),
)
_ARGUMENT = re.compile(r"[(\[,]\s?['\"]?[a-z]?(?P<number>\d++)['\"]?\s?(?=[,)\]])")
"""A number that an action is given."""
_OF_THIS_MACHINE = re.compile(r"(?i)https?://(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])")
POINTING = re.compile(
    r"(?i)\bthe\s+agent\s+(?:in|of|from)\b|\b(?:in|from|of|during)\s+(?:this|the\s+given|the\s+present)"
    r"\s+(?:trajectory|trace|episode|transcript)\b|\bthis\s+(?:trajectory|transcript)\b"
)
_EXAMPLE = re.compile(r"(?i)\b(?:e\.g\.|for\s+example|for\s+instance|such\s+as|as\s+an\s+example)")
_ANSWER = re.compile(
    r"(?is)\s*+(?:finish|answer|report|submit|final[_ ]answer|send_msg_to_user|stop)"
    r"\s*+[\[(:]\s*+(?P<text>.+)"
)
SHARED = 7
"""So many words of the question in a row are a recital of it."""
MOST_LITERALS = 50
"""Of a kind that are looked for in the runs."""
_ASKING = word_set("Which What Who When Where How Why In On The A An For Of Is")
"""Words that begin a question or a phrase, and are no names."""


def literals(case: GateCase) -> Iterator[Ruling]:
    """The literals of the source in the item, the most telling kinds first."""
    texts = [getattr(case.item, field.name) for field in fields(case.item)]
    unmarked = [
        sentence for text in texts for sentence in cut_sentences(text) if not _EXAMPLE.search(sentence)
    ]
    yield from _literal_texts(case, unmarked)
    for text in texts:
        if pointing := POINTING.search(text):
            yield Ruling("the item speaks of the run it came from", pointing[0])
    answer = _answer(case)
    for text in texts if answer and not _is_shared(case, answer) else ():
        if quote := _whole(text, answer):
            yield Ruling("the item recites the answer of its own question", quote)
    yield from _find_names(case, unmarked)
    yield from _find_recitals(case, texts)


def _literal_texts(case: GateCase, sentences: list[str]) -> Iterator[Ruling]:
    """A ruling for each literal that no other training task's run holds."""
    own = "\n".join(passages(case.trajectory)).casefold()
    for kind in LITERALS:
        matches = (match[0].strip() for sentence in sentences for match in kind.pattern.finditer(sentence))
        for literal in islice(dict.fromkeys(matches), MOST_LITERALS):
            plain = literal.rstrip(".,;:!?")
            if _OF_THIS_MACHINE.match(literal) or _is_shared(case, plain):
                continue
            stands = _is_element(case, literal) if kind.what == ELEMENT else plain.casefold() in own
            yield Ruling(
                f"the item holds {kind.what}", literal, "literal" if kind.proves and stands else None
            )


def _is_shared(case: GateCase, literal: str) -> bool:
    """Another training task's run holds it, too."""
    return case.around.is_shared(literal, case.trajectory.task_id)


def _is_element(case: GateCase, literal: str) -> bool:
    """The number names an element of the run: of an action, or at the head of a line of a page.

    A bracketed number in the middle of a line may be a list of a program, or a footnote.
    """
    number = re.findall(r"\d+", literal)[-1]
    if len(number) < 2:
        return False
    if not literal.startswith("["):
        used = (_ARGUMENT.finditer(step.action) for step in case.trajectory.steps)
        return any(match["number"] == number for matches in used for match in matches)
    states = (case.trajectory.start, *(step.observation for step in case.trajectory.steps))
    return any(line.lstrip().startswith(literal) for state in states for line in state.split("\n"))


def _answer(case: GateCase) -> str:
    """What the run answered; empty where its last action answers nothing, or too little to be told apart."""
    last = case.trajectory.steps[-1].action if case.trajectory.steps else ""
    answering = _ANSWER.match(last)
    text = answering["text"].strip(" \t\n\"'`”’)]") if answering else ""
    plain = text.casefold()
    # one word in small letters is a word of the language: a colour, a state, "done"
    common = text.isalpha() and plain == text
    short = len(text) < 3 or plain in ("yes", "no", "true", "false", "none", "n/a", "unknown")
    return "" if short or common or len(text) > 200 else text


def _whole(text: str, piece: str) -> str:
    """The piece where it stands in the text as whole words; empty where it does not."""
    start = text.casefold().find(piece.casefold())
    stop = start + len(piece)
    if start < 0 or text[start - 1 : start].isalnum() or text[stop : stop + 1].isalnum():
        return ""
    return text[start:stop]


def _find_names(case: GateCase, sentences: list[str]) -> Iterator[Ruling]:
    """The names of the question. A Scope that names a single word may be about just that."""
    all_text, named = "\n".join(sentences), list[str]()
    for name in islice(dict.fromkeys(_names(case.trajectory.query)), MOST_LITERALS):
        own = len(name.split()) == 1 and _whole(case.roles.where or "", name)
        if own or any(name in longer for longer in named):
            continue
        if (quote := _whole(all_text, name)) == name and not _is_shared(case, name):
            named.append(name)
            yield Ruling(f"the item names {name!r}, which its question is about", quote)


def _names(query: str) -> Iterator[str]:
    """The runs of capitalised words that do not begin a sentence, several words first."""
    names_of_words: list[list[str]] = []
    for sentence in cut_sentences(query):
        tokens = [word.strip("\"'“”‘’()[],.?!:;") for word in sentence.split()]
        names_of_words += [list(run) for capital, run in groupby(tokens[1:], _is_name) if capital]
    names_of_words.sort(key=lambda run: len(run) == 1)
    names = [
        " ".join(run) for run in (*names_of_words, *(run[-1:] for run in names_of_words if len(run) > 1))
    ]
    yield from (name for name in names if len(name) > 2 and name in query)


def _is_name(token: str) -> bool:
    """Capitalised, and no identifier or abbreviation of many capitals."""
    return token[:1].isupper() and not any(sign.isupper() for sign in token[1:]) and token not in _ASKING


def _find_recitals(case: GateCase, texts: list[str]) -> Iterator[Ruling]:
    """Many words of the question in a row, that are no template of other questions."""
    asked = set(runs(fold_words(case.trajectory.query), SHARED))
    rows = {row for row in asked if sum(word not in STOP_WORDS for word in row) >= SHARED // 2}
    quoted_rows = (row for text in texts if rows for row in runs(fold_words(text), SHARED))
    recited = next((row for row in quoted_rows if row in rows), None)
    if recited is None:
        return
    own = case.trajectory.task_id
    others = (trace.query for trace in case.around.trajectories if trace.task_id != own)
    if any(recited in set(runs(fold_words(query), SHARED)) for query in others):
        return
    yield Ruling(f"the item recites its question: {' '.join(recited)!r}")


SOURCE_RESIDUE = GateKind(
    "source-residue",
    "Literals of the one source task leak into the item.",
    ("what",),
    literals,
    proves=("literal",),
    sees_others=True,
)
