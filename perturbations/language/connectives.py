"""Words and phrases that can stand for each other without a change of what is advised. Plain English, ours.

Nothing here is a negation, a number, an order (first, before) or an action.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from loadbearing.perturbations.language.clauses import ASKING
from loadbearing.perturbations.language.flips import imperative_head
from loadbearing.perturbations.language.lexicon import NEGATORS, VERBS, word_set
from loadbearing.perturbations.language.sentences import Sentence

_PHRASES = {
    "because": "since",
    "in order to": "so as to",
    "therefore": "thus/hence",
    "thus": "therefore/hence",
    "hence": "thus/therefore",
    "moreover": "furthermore",
    "furthermore": "moreover",
    "however": "nevertheless",
    "for example": "for instance",
    "for instance": "for example",
    "as a result": "for that reason",
    "consequently": "therefore/thus",
    "additionally": "moreover/furthermore",
    "make sure to": "be sure to",
    "be sure to": "make sure to",
    "each time": "every time",
    "every time": "each time",
    "due to": "owing to",
    "owing to": "due to",
    "although": "though",
    "everyone": "everybody",
    "everybody": "everyone",
    "someone": "somebody",
    "somebody": "someone",
    "typically": "generally",
    "generally": "typically",
    "usually": "generally/normally",
    "whenever": "when",
    "perhaps": "maybe",
    "maybe": "perhaps",
    "it seems": "it appears",
    "instead of": "rather than",
    "until": "till",
    "make sure that": "ensure that",
    "ensure that": "make sure that",
    "remember that": "note that",
    "note that": "remember that",
    "e.g.": "for example",
}
_PLACED = {
    "so": "therefore",
    "when": "whenever",
    "every": "each",
    "it is": "it's",
    "there is": "there's",
}
_THOUGHT = {"i need to": "i have to", "i have to": "i need to", "we need to": "we have to"}
_DET = "the|a|an|this|these|your|its|you|it|there|i|we|they"

_ANYWHERE = re.compile(
    r"(?<![\w'’/-])(?P<phrase>" + "|".join(sorted(map(re.escape, _PHRASES), key=len, reverse=True)) + r")"
    r"(?![\w'’/-])(?!\s+of\b)",
    re.IGNORECASE,
)
_AT_START = re.compile(
    rf"\s*(?P<phrase>so(?=,?\s+(?:{_DET})\b)|so(?=,?\s+[A-Z])|when(?=\s+(?:{_DET}|\ue000))"
    r"|(?:it|there) is(?!\s+(?:not|no|never|,))(?=\s+\w))",
    re.IGNORECASE,
)
_WITHIN = re.compile(rf"(?<=\w)\s(?P<phrase>when)(?=\s+(?:{_DET})\b)")
_EVERY = re.compile(
    r"(?<![\w'’-])(?P<phrase>every)(?=\s+[a-z]+(?<!s)\b)"
    r"(?!\s+(?:other|single|one|few|now|once|bit|day|so|two|three|four|five|six|ten)\b)",
    re.IGNORECASE,
)
_SO_DO = re.compile(r",\s+(?P<phrase>so)\s+(?P<verb>[a-z]+)\b")
_I_NEED = re.compile(r"(?<![\w'’])(?P<phrase>I need to|I have to|we need to)(?=\s+[a-z])")
_ENGLISH = word_set(
    "the a and of to you is are when if before it with this that for from then your not do be on in by i "
    "was has have its because since which until"
)
_GENERAL = word_set(
    "case cases end general particular short addition fact order meantime beginning start future past "
    "contrast other same event long middle summary conclusion practice theory total turn time times step "
    "steps following previous first last process this that these those such most many all some any both "
    "every each way ways spite return response advance"
)
_HERE = re.compile(r"In(?P<the>\s+the|\s+an?|)\s+(?P<place>[^,]{1,80}),\s+(?P<verb>[\w']+)")
_FOREIGN = re.compile(r"[\[\]{}<=|\\#]|(?<!\s)>|>(?!\s)")
_CUE = re.compile(r"[\s*_-]*(?:not\s+)?(?:task|state|action|check)[\s*_]*:", re.IGNORECASE)
_ADVISING = word_set("do avoid never always make be try keep")


@dataclass(frozen=True, slots=True)
class Spot:
    """A phrase of a sentence, and what can stand in its place."""

    start: int
    end: int
    texts: tuple[str, ...]


def is_plain(sentence: Sentence) -> bool:
    """Whether it is English prose: no code, no cue, no other language."""
    if _FOREIGN.search(sentence.covered) or _CUE.match(sentence.covered):
        return False
    known = sum(word.text in _ENGLISH for word in sentence.words)
    return known >= 2 or (known >= 1 and len(sentence.words) <= 8)


def spots(sentence: Sentence) -> list[Spot]:
    """The phrases outside quotes that can be replaced, first to last, none over another."""
    raw = sentence.raw
    found = [*_ANYWHERE.finditer(sentence.covered), *_I_NEED.finditer(sentence.covered)]
    found += _EVERY.finditer(sentence.covered)
    found += (match for match in _SO_DO.finditer(sentence.covered) if match["verb"] in VERBS)
    if match := _AT_START.match(sentence.covered):
        found.append(match)
    if any(word.text in NEGATORS or word.text.endswith("n't") for word in sentence.words):
        # "does not apply when" is a phrase of its own
        found = [match for match in found if match["phrase"].lower() not in ("when", "whenever")]
    elif not any(word.text in ASKING for word in sentence.words):
        found += _WITHIN.finditer(sentence.covered)  # not of "record when it turns on"
    found = [match for match in found if match["phrase"] != "Until"]
    taken: list[Spot] = []
    for match in sorted(found, key=lambda one: one.start("phrase")):
        start, end = match.span("phrase")
        if taken and start < taken[-1].end:
            continue
        old = raw[start:end]
        key = " ".join(old.lower().split())
        new = (_PHRASES.get(key) or _PLACED.get(key) or _THOUGHT[key]).split("/")
        taken.append(Spot(start, end, tuple(_as(old, text) for text in new)))
    return taken


def opened(sentence: Sentence) -> list[str]:
    """The sentence with an opening that says more plainly that a condition follows: "When in the hall, …"."""
    raw = sentence.raw
    if (match := _HERE.match(sentence.covered)) and _is_place(match):
        rest = raw[match.start("place") :]
        article = raw[slice(*match.span("the"))].strip()
        # a note of a few words has no room for one more: an article makes it
        bare = [f"When in {rest}"] if article.lower() in ("the", "") else []
        return [*bare, *([f"When in {article} {rest}"] if article else [])]
    return []


def please(sentence: Sentence) -> str:
    """An order as a request; empty where the sentence does not begin with one."""
    begins = sentence.words and sentence.words[0].start == 0 and sentence.raw[1:2].islower()
    if begins and sentence.word(0) in VERBS and imperative_head(sentence) == 0:
        return f"{_as(sentence.raw, 'please')} {sentence.raw[0].lower()}{sentence.raw[1:]}"
    return ""


def _is_place(match: re.Match[str]) -> bool:
    words = match["place"].lower().split()
    verb = match["verb"].lower()
    return len(words) <= 7 and not _GENERAL & set(words) and (verb in VERBS or verb in _ADVISING)


def _as(old: str, new: str) -> str:
    return new[:1].upper() + new[1:] if old[:1].isupper() else new
