"""What words say of success: one value, or the sentences of a judge, read as a person would.

Negations count ("not successful", "success was not reached"), conditions and aims say nothing, and where a
text says both, its conclusion decides. What stays open is neither a success nor a failure.
"""

import re
from collections.abc import Iterator
from typing import Literal

from memtrial.memory.language.lexicon import words as listed
from memtrial.memory.words import folded_words

Label = Literal["success", "failure", ""]
_SOLVED, _LOST, _NOT = listed("verdict.solved"), listed("verdict.lost"), listed("verdict.not")
_OPEN = listed("verdict.open") | listed("verdict.half")
_ENDS, _TELLING, _CLAIMS = listed("verdict.ends"), listed("verdict.telling"), listed("verdict.claims")
_BE = frozenset({"is", "are", "was", "were", "has", "have", "had", "can", "could", "be", "been"})
_BARE_YES = frozenset({"true", "1", "vrai", "wahr", "verdadero"})
_BARE_NO = frozenset({"false", "0", "faux", "falsch", "falso"})
_YES = _BARE_YES | {"yes", "done", "correct", "complete", "oui", "ja", "sí"}
_NO = _BARE_NO | {"no", "incorrect", "wrong", "non", "nein"}
_IF = re.compile(r"\b[Ss]i\b")
"""French and Spanish; SI is a system of units."""
_DIRECT = "non"
"""It denies what stands right behind it: a non-empty cart is no failure."""
_I_WOULD = re.compile(r"\bI(?:'d| would)\b", re.IGNORECASE)
_YET_TO = re.compile(r"\byet to\b|\bnot yet\b", re.IGNORECASE)
_CONCEDES = ("although", "though", "despite", "malgré", "obwohl", "trotz", "aunque")
_CONTRAST = re.compile(
    r"\b(?:but|however|yet|nevertheless|mais|cependant|aber|jedoch|pero|" + "|".join(_CONCEDES) + r")\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[.!?;](?=\s|$)|[。！？；\n]")
_PART = re.compile(r"\s[-–—]{1,2}\s|[→⇒:;]|[-=]>")
"""What a negation does not reach across: `did not complete the task → failure`."""
_CHINESE: tuple[tuple[str, Label], ...] = (
    ("未成功", "failure"),
    ("不成功", "failure"),
    ("失败", "failure"),
    ("成功", "success"),
)
REACH = 4
"""Words before a verdict's word in which a negation of it may stand."""


def read_value(value: object) -> Label:
    """A verdict that is a field's or a line's whole value: `Success.`, `"failure"`, True, `not a success`."""
    if isinstance(value, bool):
        return "success" if value else "failure"
    if not isinstance(value, str):
        return ""
    text = value[:200]
    for sign, label in _CHINESE:
        if sign in text:
            return label
    words = folded_words(text.casefold())
    polarities = _polarities(text)
    if words and words[0] in _YES | _NO and (len(words) == 1 or not polarities):
        return "success" if words[0] in _YES else "failure"
    return "" if _is_open(words, text) else _agreed(polarities)


def read_named_value(value: object) -> Label:
    """The same for a field such as `label`: what is true of it, nobody knows."""
    if isinstance(value, bool):
        return ""
    text = value[:200] if isinstance(value, str) else ""
    bare = not {*folded_words(text.casefold())[:1]}.isdisjoint(_BARE_YES | _BARE_NO)
    return "" if bare and not _polarities(text) else read_value(value)


def read_prose(text: str) -> Label:
    """What sentences say: all the same, or else the last that draws a conclusion.

    A sentence that says both decides by its main clause; one that cannot be told leaves all of it open.
    """
    read: list[tuple[Label, bool]] = []
    question: Label = ""
    for sentence in _sentences(_YET_TO.sub("not", _I_WOULD.sub("I", text))):
        words = folded_words(sentence.casefold())
        polarities = _polarities(sentence)
        if not words or _is_open(words, sentence):
            continue
        if sentence.rstrip().endswith(("?", "？")):
            question = _agreed(polarities)
            continue
        if question and words[0] in _YES | _NO and not polarities:
            label = question if words[0] in _YES else _other(question)
        else:
            label = _agreed(polarities) or _main_clause(sentence)
            if not label and polarities:
                return ""
        question = ""
        if label:
            read.append((label, words[0] in _ENDS or words[:2] == ["in", "conclusion"]))
    labels = {label for label, _ in read}
    ends = [label for label, concludes in read if concludes]
    return labels.pop() if len(labels) == 1 else ends[-1] if ends else ""


def _sentences(text: str) -> Iterator[str]:
    start = 0
    for mark in _SENTENCE.finditer(text):
        yield text[start : mark.end()]
        start = mark.end()
    yield text[start:]


def _main_clause(sentence: str) -> Label:
    """The clause that a contrast leaves standing: behind `but`, before `despite`, behind the comma of a
    sentence that begins with `although`."""
    mark = _CONTRAST.search(sentence)
    if mark is None:
        return ""
    before, main = sentence[: mark.start()], sentence[mark.end() :]
    if mark[0].casefold() in _CONCEDES:
        main = before if before.strip() else main.partition(",")[2]
    return _agreed(_polarities(main))


def _is_open(words: list[str], text: str) -> bool:
    """It is a condition or an aim, or says that it cannot be told."""
    if words[:1] == ["to"] or words[:3] == ["in", "order", "to"] or not _OPEN.isdisjoint(words):
        return True
    if _IF.search(text) is not None:
        return True
    if "neither" in words and not _SOLVED.isdisjoint(words) and not _LOST.isdisjoint(words):
        return True
    return any(
        word in _TELLING and any(map(_denies, words[max(place - REACH, 0) : place]))
        for place, word in enumerate(words)
    )


def _polarities(text: str) -> list[Label]:
    """Of each word that says success or failure, what it says with its negations; what is claimed is none."""
    read: list[Label] = []
    for part in _PART.split(text.casefold()):
        words = folded_words(part)
        for place, word in enumerate(words):
            before = words[max(place - REACH, 0) : place]
            if (word in _SOLVED or word in _LOST) and _CLAIMS.isdisjoint(before):
                denials = sum(map(_denies, before)) + (before[-1:] == [_DIRECT])
                denials += _is_denied(words[place + 1 : place + 4])
                read.append("success" if (word in _SOLVED) == (denials % 2 == 0) else "failure")
    return read


def _is_denied(after: list[str]) -> bool:
    """The words behind a verdict's word take it back: `success was not`, `success isn't`."""
    held = next((place for place, word in enumerate(after) if word not in _BE), len(after))
    word = after[held] if held < len(after) else ""
    return word.endswith("n't") or (held > 0 and word in {"not", "never"})


def _denies(word: str) -> bool:
    return word in _NOT or word.endswith("n't")


def _agreed(read: list[Label]) -> Label:
    return read[0] if read and len(set(read)) == 1 else ""


def _other(label: Label) -> Label:
    return "failure" if label == "success" else "success"
