"""A sentence's clauses in another order: "When X, do Y" and "Do Y when X" say the same.

Conservative: one condition, one main clause, nothing that could attach itself to another place. Where a
sentence is richer than that, it stays.
"""

from __future__ import annotations

import re

from loadbearing.memory.words import STOP_WORDS
from loadbearing.perturbations.language.lexicon import PRONOUNS, VERBS, word_set
from loadbearing.perturbations.language.sentences import QUOTE_MASK, Sentence

_OPENERS = r"when|whenever|if|unless|while|before|after|until|once|as soon as"
_LEADING = re.compile(rf"(?P<clause>(?:{_OPENERS})\s[^,]++),\s++(?P<main>[^,]++)", re.IGNORECASE)
_TRAILING = re.compile(
    r"(?=[^,]++\Z)(?P<main>.+?)(?<!\s)\s++"
    r"(?P<clause>(?P<opener>when|whenever|if|unless|while|before|after|until|as soon as)\s.++)",
    re.DOTALL,
)
_PURPOSE = re.compile(r"(?P<clause>To\s(?P<verb>[a-z]++)\s[^,]++),\s++(?P<main>[^,]++)")
_PLACE = re.compile(r"In\s[^,]+,\s+(?=\S)")
_REASON = re.compile(r",\s+(?:because|since|so that)\s")
_MARKS = re.compile(r"[()\[\]{}<=|\\#*_:→\"“”„«»`‘]|(?<!\w)'|'(?!\w)|\s[-—–]")

_JOINTS = word_set(
    "and or but nor then so yet because since as than that which who whose where whether though although "
    "otherwise instead except rather"
)
_CONDITIONS = word_set("when whenever if unless while before after until once soon")
# what they speak of depends on the place
_POINTING = word_set(
    "only just even it its they them their this these those he she him her his one ones both"
)
# "only when", "right before", "two steps after": the word belongs to the clause
_BOUND = word_set(
    "only even just not especially particularly right shortly immediately directly long soon well always "
    "never minute minutes second seconds hour hours step steps turn turns time times day days is are was "
    "were be twice once again first last"
)
# "check if it is lit": the clause is what is asked for, no condition
ASKING = word_set(
    "check see verify determine know ask find note record decide confirm tell test observe notice learn "
    "remember figure understand identify report sure wonder matters matter depends say says show shows"
)


def reordered(sentence: Sentence, closed: bool) -> str | None:
    """The sentence with its two clauses in the other order, or None where that is not safe.

    Args:
        closed: it ends with a stop, a line or the text, so that nothing behind it hangs on its end.
    """
    if not closed or _MARKS.search(sentence.covered):
        return None
    end = sentence.tail
    reason = _REASON.search(sentence.covered, 0, end)
    stop = reason.start() if reason else end
    place = _PLACE.match(sentence.covered, 0, stop)
    start = place.end() if place else 0
    core, raw = sentence.covered[start:stop], sentence.raw[start:stop]
    if place is None and (found := _LEADING.fullmatch(core)):
        moved = _behind(found, raw)
    elif place is None and (found := _PURPOSE.fullmatch(core)):
        moved = _behind(found, raw) if _is_purpose(found) else None
    elif found := _TRAILING.fullmatch(core):
        moved = _ahead(found, raw, place is not None)
    else:
        return None
    if moved is None:
        return None
    first = sentence.raw[start : start + 1]
    if first.isupper():
        moved = moved[:1].upper() + moved[1:]
    return sentence.raw[:start] + moved + sentence.raw[stop:]


def _behind(found: re.Match[str], raw: str) -> str | None:
    """The leading clause put behind the main one."""
    main, clause = _words(found["main"]), _words(found["clause"])
    if len(main) < 2 or len(clause) < 3 or _entangled(main) or _CONDITIONS & set(clause[1:]) - {"soon"}:
        return None
    clause_text = raw[slice(*found.span("clause"))]
    return f"{raw[slice(*found.span('main'))]} {clause_text[:1].lower()}{clause_text[1:]}"


def _is_purpose(found: re.Match[str]) -> bool:
    """ "To open it, turn the wheel": an order follows, and the purpose finds no other verb or noun to belong
    to than the last one."""
    main = _words(found["main"])
    return found["verb"] in VERBS and main[0] in VERBS and main[-1] not in _BOUND | VERBS


def _ahead(found: re.Match[str], raw: str, inside: bool) -> str | None:
    """The trailing clause put before the main one."""
    main, clause = _words(found["main"]), _words(found["clause"])
    asks = found["opener"] in ("when", "whenever", "if", "while") and bool(ASKING & set(main))
    bound = main[-1] in _BOUND | VERBS if main else True
    joined = (_JOINTS - {"that", "which", "who"}) & set(clause[1:]) - {"as"}
    nested = _CONDITIONS & set(clause[1:]) - {"soon"}
    order = found["opener"] in ("before", "after")
    if len(main) < 2 or len(clause) < 3 or asks or bound or joined or nested or _entangled(main):
        return None
    if inside and not order:
        return None  # two conditions in a row would be read as one
    main_text = raw[slice(*found.span("main"))]
    lowered = _lowered(main_text)
    return f"{raw[slice(*found.span('clause'))]}, {lowered}" if lowered else None


def _entangled(main: list[str]) -> bool:
    """A clause put behind or before it might belong to a part of it, or a pronoun find another noun."""
    return bool((_JOINTS | _CONDITIONS | _POINTING) & set(main))


def _words(text: str) -> list[str]:
    """Lower-cased words; a masked span counts as one."""
    return [word.strip(".,;!?").replace("’", "'").lower() for word in text.split()]


def _lowered(text: str) -> str:
    """The text as it goes on in the middle of a sentence; empty where its first word may be a name."""
    first = text.split()[0].rstrip(",;")
    plain = first.lower()
    if first == plain or first.startswith(QUOTE_MASK) or not first[0].isalpha():
        return text
    known = plain in VERBS or plain in (STOP_WORDS | PRONOUNS) - {"i"} or plain.removeprefix("re") in VERBS
    return text[:1].lower() + text[1:] if known and first[1:].islower() else ""
