"""Other ways to say an English sentence without a change of what is advised.

Small words stand for each other, and clauses change places: "When X, do Y" and "Do Y when X" say the same.
Nothing here is a negation, a number, an order (first, before) or an action. Conservative: one condition, one
main clause, nothing that could attach itself to another place; a richer sentence stays.
"""

from __future__ import annotations

import re

from loadbearing.memory.words import STOP_WORDS
from loadbearing.perturbations.language.lexicon import NEGATORS, PRONOUNS, VERBS, word_set
from loadbearing.perturbations.language.sentences import QUOTE_MASK, Edit, Sentence, apply


def _phrases(text: str) -> dict[str, tuple[str, ...]]:
    """A phrase and its stand-ins, `this = that/another`, parted by semicolons."""
    pairs = (entry.split("=") for entry in text.split(";"))
    return {" ".join(one.split()): tuple(other.strip().split("/")) for one, other in pairs}


_PHRASES = _phrases(
    """because = since; in order to = so as to; therefore = thus/hence; thus = therefore/hence;
    hence = thus/therefore; moreover = furthermore; furthermore = moreover; however = nevertheless;
    for example = for instance; for instance = for example; as a result = for that reason;
    consequently = therefore/thus; additionally = moreover/furthermore; make sure to = be sure to;
    be sure to = make sure to; each time = every time; every time = each time; due to = owing to;
    owing to = due to; although = though; everyone = everybody; everybody = everyone; someone = somebody;
    somebody = someone; typically = generally; generally = typically; usually = generally/normally;
    whenever = when; perhaps = maybe; maybe = perhaps; it seems = it appears; instead of = rather than;
    until = till; make sure that = ensure that; ensure that = make sure that; remember that = note that;
    note that = remember that; e.g. = for example"""
)
# only where a pattern of their own finds them
_PLACED = _phrases(
    """so = therefore; when = whenever; every = each; it is = it's; there is = there's; i need to = i have to;
    i have to = i need to; we need to = we have to"""
)
_DET = "the|a|an|this|these|your|its|you|it|there|i|we|they"
_ANYWHERE = re.compile(
    rf"(?<![\w'’/-])(?P<phrase>{'|'.join(sorted(map(re.escape, _PHRASES), key=len, reverse=True))})"
    r"(?![\w'’/-])(?!\s+of\b)",
    re.IGNORECASE,
)
_AT_START = re.compile(
    rf"\s*(?P<phrase>so(?=,?\s+(?:{_DET})\b)|so(?=,?\s+[A-Z])|when(?=\s+(?:{_DET}|{QUOTE_MASK}))"
    r"|(?:it|there) is(?!\s+(?:not|no|never|,))(?=\s+\w))",
    re.IGNORECASE,
)
_WITHIN = re.compile(rf"(?<=\w)\s(?P<phrase>when)(?=\s+(?:{_DET})\b)")
_EVERY = re.compile(
    r"(?<![\w'’-])(?P<phrase>every)(?=\s+[a-z]+(?<!s)\b)"
    r"(?!\s+(?:other|single|one|few|now|once|bit|day|so|two|three|four|five|six|ten)\b)",
    re.IGNORECASE,
)
_I_NEED = re.compile(r"(?<![\w'’])(?P<phrase>I need to|I have to|we need to)(?=\s+[a-z])")

_ENGLISH = word_set(
    "the a and of to you is are when if before it with this that for from then your not do be on in by i "
    "was has have its because since which until"
)
_FOREIGN = re.compile(r"[\[\]{}<=|\\#]|(?<!\s)>|>(?!\s)")
_CUE = re.compile(r"[\s*_-]*(?:not\s+)?(?:task|state|action|check)[\s*_]*:", re.IGNORECASE)

_HERE = re.compile(r"In(?P<the>\s+the|\s+an?|)\s+(?P<place>[^,]{1,80}),\s+(?P<verb>[\w']+)")
_NO_PLACE = word_set(
    "case cases end general particular short addition fact order meantime beginning start future past "
    "contrast other same event long middle summary conclusion practice theory total turn time times step "
    "steps following previous first last process this that these those such most many all some any both "
    "every each way ways spite return response advance"
)
_ADVISING = VERBS | word_set("do avoid never always make be try keep")

_CLAUSE = "when|whenever|if|unless|while|before|after|until|as soon as"
_LEADING = re.compile(rf"(?P<clause>(?:{_CLAUSE}|once)\s[^,]++),\s++(?P<main>[^,]++)", re.IGNORECASE)
_TRAILING = re.compile(
    rf"(?=[^,]++\Z)(?P<main>.+?)(?<!\s)\s++(?P<clause>(?P<opener>{_CLAUSE})\s.++)", re.DOTALL
)
_REASON = re.compile(r",\s+(?:because|since|so that)\s")
_MARKS = re.compile(r"[()\[\]{}<=|\\#*_:→\"“”„«»`‘]|(?<!\w)'|'(?!\w)|\s[-—–]")
_CONDITIONS = word_set("when whenever if unless while before after until once")
_JOINTS = word_set(
    "and or but nor then so yet because since as than that which who whose where whether though although "
    "otherwise instead except rather"
)
# what they speak of depends on the place
_POINTING = word_set(
    "only just even it its they them their this these those he she him her his one ones both"
)
# what a clause might attach itself to, or a pronoun that might find another noun
_ENTANGLING = _JOINTS | _CONDITIONS | _POINTING | {"soon"}
# "only when", "right before", "two steps after": the word belongs to the clause
_BOUND = VERBS | word_set(
    "only even just not especially particularly right shortly immediately directly long soon well always "
    "never minute minutes second seconds hour hours step steps turn turns time times day days is are was "
    "were be twice once again first last"
)
# "check if it is lit": the clause is what is asked for, no condition
_ASKING = word_set(
    "check see verify determine know ask find note record decide confirm tell test observe notice learn "
    "remember figure understand identify report sure wonder matters matter depends say says show shows"
)


def is_plain(sentence: Sentence) -> bool:
    """Whether it is English prose: no code, no cue, no other language."""
    if _FOREIGN.search(sentence.covered) or _CUE.match(sentence.covered):
        return False
    known = sum(word.text in _ENGLISH for word in sentence.words)
    return known >= 2 or (known >= 1 and len(sentence.words) <= 8)


def substituted(sentence: Sentence) -> list[str]:
    """The sentence with all its phrases replaced, each by its first, then each by its last stand-in."""
    covered, texts = sentence.covered, [word.text for word in sentence.words]
    found = [one for pattern in (_ANYWHERE, _I_NEED, _EVERY) for one in pattern.finditer(covered)]
    if match := _AT_START.match(covered):
        found.append(match)
    if any(text in NEGATORS or text.endswith("n't") for text in texts):
        # "does not apply when" is a phrase of its own
        found = [match for match in found if match["phrase"].lower() not in ("when", "whenever")]
    elif not _ASKING & set(texts):
        found += _WITHIN.finditer(covered)  # not of "record when it turns on"
    edits: list[tuple[Edit, Edit]] = []
    for match in sorted(found, key=lambda one: one.start("phrase")):
        start, end = match.span("phrase")
        if match["phrase"] == "Until" or (edits and start < edits[-1][0].end):
            continue
        old = sentence.raw[start:end]
        key = " ".join(old.lower().split())
        new = _PHRASES.get(key) or _PLACED[key]
        edits.append((Edit(start, end, _as(old, new[0])), Edit(start, end, _as(old, new[-1]))))
    return [apply(sentence.raw, way) for way in zip(*edits, strict=True)]


def opened(sentence: Sentence) -> list[str]:
    """The sentence with an opening that says more plainly that a condition follows: "When in the hall, …"."""
    match = _HERE.match(sentence.covered)
    if match is None or match["verb"].lower() not in _ADVISING:
        return []
    words = match["place"].lower().split()
    if len(words) > 7 or _NO_PLACE & set(words):
        return []
    rest, article = sentence.raw[match.start("place") :], match["the"].strip()
    # a note of a few words has no room for one more: an article makes it
    bare = [f"When in {rest}"] if article.lower() in ("the", "") else []
    return [*bare, *([f"When in {article} {rest}"] if article else [])]


def reordered(sentence: Sentence) -> list[str]:
    """The sentence with its two clauses in the other order; empty where that is not safe."""
    covered, raw = sentence.covered, sentence.raw
    if not sentence.closed or _MARKS.search(covered):
        return []
    reason = _REASON.search(covered, 0, sentence.tail)
    stop = reason.start() if reason else sentence.tail
    moved = ""
    if found := _LEADING.fullmatch(covered, 0, stop):
        moved = _behind(found, raw)
    elif found := _TRAILING.fullmatch(covered, 0, stop):
        moved = _ahead(found, raw)
    return [_as(raw, moved) + raw[stop:]] if moved else []


def _behind(found: re.Match[str], raw: str) -> str:
    """The leading clause put behind the main one."""
    main, clause = _words(found["main"]), _words(found["clause"])
    if len(main) < 2 or len(clause) < 3 or _ENTANGLING & set(main) or _CONDITIONS & set(clause[1:]):
        return ""
    moved = raw[slice(*found.span("clause"))]
    return f"{raw[slice(*found.span('main'))]} {moved[:1].lower()}{moved[1:]}"


def _ahead(found: re.Match[str], raw: str) -> str:
    """The trailing clause put before the main one."""
    main, clause = _words(found["main"]), _words(found["clause"])
    joined = (_JOINTS - {"that", "which", "who", "as"} | _CONDITIONS) & set(clause[1:])
    if len(main) < 2 or len(clause) < 3 or main[-1] in _BOUND or joined or _ENTANGLING & set(main):
        return ""
    if found["opener"] in ("when", "whenever", "if", "while") and _ASKING & set(main):
        return ""
    lowered = _lowered(raw[slice(*found.span("main"))])
    return f"{raw[slice(*found.span('clause'))]}, {lowered}" if lowered else ""


def _words(text: str) -> list[str]:
    """Lower-cased words; a masked span counts as one."""
    return [word.strip(".,;!?").replace("’", "'").lower() for word in text.split()]


def _lowered(text: str) -> str:
    """The text as it goes on in the middle of a sentence; empty where its first word may be a name."""
    first = text.split()[0].rstrip(",;")
    plain = first.lower()
    if first == plain or first.startswith(QUOTE_MASK) or not first[0].isalpha():
        return text
    known = plain in (VERBS | STOP_WORDS | PRONOUNS) - {"i"} or plain.removeprefix("re") in VERBS
    return text[:1].lower() + text[1:] if known and first[1:].islower() else ""


def _as(old: str, new: str) -> str:
    """With a capital where the old text has one."""
    return new[:1].upper() + new[1:] if old[:1].isupper() else new
