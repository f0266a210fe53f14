"""Do literals of the one source task stand in an item that is meant for others?

A program finds addresses, ids, order numbers, prices, dates, names and runs of words of the question, the
answer itself, words that point at the run, and a Trigger that fires at none of the other training tasks.
Whether another word belongs to the one source, and whether a literal is marked as an example well enough, the
judge says.
"""

import re
from collections.abc import Iterator
from dataclasses import fields
from itertools import groupby

from loadbearing.gates.gate import Case, GateKind, Ruling
from loadbearing.memory.language.lexicon import word_set
from loadbearing.memory.language.sentences import cut
from loadbearing.memory.leakage import folded, runs
from loadbearing.memory.trigger import TriggerFault, compile_trigger
from loadbearing.memory.words import STOP_WORDS

_MONTH = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]{0,6}"
LITERALS = (
    ("an address", re.compile(r"(?i)https?://[^\s)\]>\"'`]++|\bwww\.[^\s)\]>\"'`]++")),
    ("a mail address", re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}\.\w{2,}")),
    (
        "the id of an element",
        re.compile(
            r"(?i)\b(?:click|fill|type|hover|press|select_option|focus|clear|tap)\s?[(\[]\s?['\"“‘]?[a-z]?\d++"
            r"|\bbid\s?[=:]?\s?['\"]?\d++|(?<![\w\]])\[\d{2,}\]"
        ),
    ),
    ("a number of the source", re.compile(r"#\s?\d{3,}|(?<![\w.,-])\d{5,}(?![\w,-])|\b[A-Z]{2,6}-?\d{3,}\b")),
    ("a reference", re.compile(r"\b(?=[A-Z\d]{6,16}\b)[A-Z]++\d++[A-Z][A-Z\d]*+")),
    (
        "a price",
        re.compile(
            r"[$€£]\s?\d[\d,.]*|(?<![\d.,])\d{1,9}(?:[.,]\d{1,3}){0,3}\s?(?:USD|EUR|GBP|CHF|CAD|AUD|JPY|CNY|INR|NOK|SEK|DKK|dollars?|euros?)\b"
        ),
    ),
    (
        "a date",
        re.compile(
            rf"(?i)\b\d{{4}}-\d\d-\d\d\b|\b\d{{1,2}}/\d{{1,2}}/\d{{2,4}}\b|\b{_MONTH}\.?\s\d{{1,2}}(?:st|nd|rd|th)?,?\s\d{{4}}\b"
            rf"|\b\d{{1,2}}\s{_MONTH}\s\d{{4}}\b"
        ),
    ),
)
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
LEAST_OTHERS = 10
"""Other training tasks from which on it says something that a Trigger fires at none of them."""
_ASKING = word_set("Which What Who When Where How Why In On The A An For Of Is")
"""Words that begin a question or a phrase, and are no names."""


def literals(case: Case) -> Ruling | None:
    """The first literal of the source in the item, the most telling kind first."""
    texts = [getattr(case.item, field.name) for field in fields(case.item)]
    for text in texts:
        if found := POINTING.search(text):
            return Ruling("the item speaks of the run it came from", found[0])
    answer = _answer(case)
    for text in texts if answer else ():
        if quote := _whole(text, answer):
            return Ruling("the item recites the answer of its own question", quote)
    unmarked = [sentence for text in texts for sentence in cut(text) if not _EXAMPLE.search(sentence)]
    for what, pattern in LITERALS:
        for sentence in unmarked:
            if found := pattern.search(sentence):
                return Ruling(f"the item holds {what}", found[0].strip())
    return _named(case, unmarked) or _recited(case, texts) or _lonely(case)


def _answer(case: Case) -> str:
    """What the run answered; empty where its last action answers nothing, or too little to be told apart."""
    last = case.trajectory.steps[-1].action if case.trajectory.steps else ""
    found = _ANSWER.match(last)
    text = found["text"].strip(" \t\n\"'`”’)]") if found else ""
    plain = text.casefold()
    short = len(text) < 3 or plain in ("yes", "no", "true", "false", "none", "n/a", "unknown")
    return "" if short or len(text) > 200 else text


def _whole(text: str, piece: str) -> str:
    """The piece where it stands in the text as whole words; empty where it does not."""
    at = text.casefold().find(piece.casefold())
    stop = at + len(piece)
    if at < 0 or text[at - 1 : at].isalnum() or text[stop : stop + 1].isalnum():
        return ""
    return text[at:stop]


def _named(case: Case, sentences: list[str]) -> Ruling | None:
    """A name of the question. A Scope that names a single word may be about just that."""
    told = "\n".join(sentences)
    for name in _names(case.trajectory.query):
        own = len(name.split()) == 1 and _whole(case.roles.where or "", name)
        if not own and (quote := _whole(told, name)) == name:
            return Ruling(f"the item names {name!r}, which its question is about", quote)
    return None


def _names(query: str) -> Iterator[str]:
    """The runs of capitalised words that do not begin a sentence, several words first."""
    found: list[list[str]] = []
    for sentence in cut(query):
        tokens = [word.strip("\"'“”‘’()[],.?!:;") for word in sentence.split()]
        found += [list(run) for capital, run in groupby(tokens[1:], _is_name) if capital]
    found.sort(key=lambda run: len(run) == 1)
    names = [" ".join(run) for run in (*found, *(run[-1:] for run in found if len(run) > 1))]
    yield from (name for name in names if len(name) > 2 and name in query)


def _is_name(token: str) -> bool:
    """Capitalised, and no identifier or abbreviation of many capitals."""
    return token[:1].isupper() and not any(sign.isupper() for sign in token[1:]) and token not in _ASKING


def _recited(case: Case, texts: list[str]) -> Ruling | None:
    """Many words of the question in a row."""
    asked = set(runs(folded(case.trajectory.query), SHARED))
    rows = {row for row in asked if sum(word not in STOP_WORDS for word in row) >= SHARED // 2}
    told = (row for text in texts if rows for row in runs(folded(text), SHARED))
    recited = next((row for row in told if row in rows), None)
    return Ruling(f"the item recites its question: {' '.join(recited)!r}") if recited else None


def _lonely(case: Case) -> Ruling | None:
    """A Trigger that fires at no other task is the memory of one question."""
    others = case.around.elsewhere(case.trajectory.task_id)
    if case.roles.when is None or len(others) < LEAST_OTHERS:
        return None
    try:
        trigger = compile_trigger(case.roles.when)
    except TriggerFault:  # that is trigger-presence's
        return None
    if any(trigger.holds(one) for moments in others for one in moments):
        return None
    said = f"the Trigger fires at 0 of {len(others)} other training tasks: it remembers one question"
    return Ruling(said, verdict="WARN")


SOURCE_RESIDUE = GateKind(
    "source-residue", "Literals of the one source task leak into the item.", ("what",), literals
)
