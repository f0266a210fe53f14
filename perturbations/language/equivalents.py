"""Other ways to say an English sentence without a change of what is advised.

Clauses change places: "When X, do Y" and "Do Y when X" say the same. Lead-ins say it with more words: "you
should pull the lever", "note that …". (For words that stand for each other see `stand_ins`.) Nothing here is
a negation, a number, an order (first, before) or an action. Conservative: one condition, one main clause,
nothing that could attach itself to another place; a richer sentence stays.
"""

import re

from memtrial.memory.language import lexicon
from memtrial.memory.language.lexicon import PRONOUNS, VERBS, word_set, words
from memtrial.memory.language.sentences import QUOTE_MASK, Edit, Sentence
from memtrial.memory.words import STOP_WORDS
from memtrial.perturbations.language.grammar import with_capital
from memtrial.perturbations.language.substitutes import Ways

_ENGLISH = words("equivalents.english")
_FOREIGN = re.compile(r"[\[\]{}<=|\\#]|(?<!\s)>|>(?!\s)")
_CUE = re.compile(r"(?i)[\s*_-]*(?:not\s+)?(?:task|state|action|check)[\s*_]*:")

ADVISING = VERBS | word_set("do avoid never always make be try keep")

_CLAUSE = "when|whenever|if|unless|while|before|after|until|as soon as"
_WHY = ("because", "since")
_FINITE_WORDS = lexicon.FINITE | lexicon.THIRD_PERSON
_LEADING = re.compile(
    rf"(?i)(?P<clause>(?:{_CLAUSE}|once|because|since|as long as)\s[^,]++),\s++(?P<main>[^,]++)"
)
_PURPOSE = re.compile(r"(?i)(?:In\s++order\s++)?to\s++(?P<clause>[^,]++),\s++(?P<main>[^,]++)")
_TRAILING = re.compile(
    rf"(?=[^,]++\Z)(?P<main>.+?)(?<!\s)\s++(?P<clause>(?P<opener>{_CLAUSE}|because)\s.++)", re.DOTALL
)
_REASON = re.compile(r",\s+(?:because|since|so that)\s")
_MARKS = re.compile(r"[()\[\]{}<=|\\#*_:→\"“”„«»`‘]|(?<!\w)'|'(?!\w)|\s[-—–]")
_CONDITIONS = word_set("when whenever if unless while before after until once")
_JOINTS = words("equivalents.joints")
# what they speak of depends on the place
_POINTING = words("equivalents.pointing")
_THEM = word_set("them their its him her")
# what a clause might attach itself to, or a pronoun that might find another noun
_ENTANGLING = _JOINTS | _CONDITIONS | _POINTING | {"soon"}
# "only when", "right before", "two steps after": the word belongs to the clause
_BOUND = VERBS | words("equivalents.bound")
# "check if it is lit": the clause is what is asked for, no condition
_ASKING = words("equivalents.asking")


def is_plain(sentence: Sentence) -> bool:
    """Whether it is English prose: no code, no cue, no other language."""
    if _FOREIGN.search(sentence.covered) or _CUE.match(sentence.covered):
        return False
    known = sum(word.text in _ENGLISH for word in sentence.words)
    return known >= 2 or (known >= 1 and len(sentence.words) <= 8)


def reorder(sentence: Sentence) -> list[str]:
    """The sentence with its two clauses in the other order; empty where that is not safe."""
    covered, raw = sentence.covered, sentence.raw
    if not sentence.is_closed or _MARKS.search(covered):
        return []
    reason = _REASON.search(covered, 0, sentence.tail)
    stop = reason.start() if reason else sentence.tail
    moved = ""
    if match := _PURPOSE.fullmatch(covered, 0, stop):
        moved = _aim_first(match, raw)
    elif match := _LEADING.fullmatch(covered, 0, stop):
        moved = _move_behind(match, raw)
    elif match := _TRAILING.fullmatch(covered, 0, stop):
        moved = _move_ahead(match, raw)
    return [with_capital(raw, moved) + raw[stop:]] if moved else []


def _move_behind(match: re.Match[str], raw: str) -> str:
    main, clause = _words(match["main"]), _words(match["clause"])
    if len(main) < 2 or len(clause) < 3 or _ENTANGLING & set(main) or _CONDITIONS & set(clause[1:]):
        return ""
    moved = raw[slice(*match.span("clause"))]
    return f"{raw[slice(*match.span('main'))]} {moved[:1].lower()}{moved[1:]}"


def _aim_first(match: re.Match[str], raw: str) -> str:
    """The purpose put behind what is to be done: "Open the hive in order to grow fruit"."""
    main, clause = _words(match["main"]), _words(match["clause"])
    if main[0] not in VERBS or len(main) < 3 or (_CONDITIONS | _POINTING | {"as", "so"}) & {*main, *clause}:
        return ""
    return f"{raw[slice(*match.span('main'))]} in order to {raw[slice(*match.span('clause'))]}"


def _move_ahead(match: re.Match[str], raw: str) -> str:
    main, clause = _words(match["main"]), _words(match["clause"])
    joined = (_JOINTS - {"that", "which", "who", "as"} | _CONDITIONS) & set(clause[1:])
    before = match["opener"].lower() == "before"  # "do this and that before": the order stays
    entangled = (_ENTANGLING - {"and"} if before else _ENTANGLING) & set(main)
    if len(main) < 2 or len(clause) < 3 or main[-1] in _BOUND or joined or entangled:
        return ""
    if main[0] not in ADVISING and not _FINITE_WORDS & set(main):
        return ""  # "not needed when it is lit"
    if _THEM & set(clause) or (match["opener"].lower() in _WHY and _POINTING & set(clause)):
        return ""
    timed = match["opener"].lower() in ("before", "after")
    if timed and not (clause[1] in PRONOUNS or _FINITE_WORDS & set(clause) or clause[1].endswith("ing")):
        return ""  # "look there before the cabinets"
    if match["opener"] in ("when", "whenever", "if", "while") and _ASKING & set(main):
        return ""
    lowered = _lower_first(raw[slice(*match.span("main"))])
    return f"{raw[slice(*match.span('clause'))]}, {lowered}" if lowered else ""


def _words(text: str) -> list[str]:
    return [word.strip(".,;!?").replace("’", "'").lower() for word in text.split()]


def _lower_first(text: str) -> str:
    """The text as it goes on in the middle of a sentence; empty where its first word may be a name."""
    first = text.split()[0].rstrip(",;")
    plain = first.lower()
    if first == plain or first.startswith(QUOTE_MASK) or not first[0].isalpha():
        return text
    known = plain in (VERBS | STOP_WORDS | PRONOUNS) - {"i"} or plain.removeprefix("re") in VERBS
    return text[:1].lower() + text[1:] if known and first[1:].islower() else ""


_SUBJECTS = word_set("the a an this these those every each it there most many some all both another")
_RANGES = words("lead_ins.ranges")
_KINDS = words("lead_ins.kinds")
_MAIN = word_set("need needs require requires benefit is are should must can have often usually typically")
_BEHIND_RANGE = word_set("that which with about in of for where to on without from over whose") | {""}
_POLAR = word_set("avoid never always prefer")
_NOT_LED = word_set("note remember be make keep sit")
_OBJECTS = lexicon.OBJECTS | words("lead_ins.objects")
_BECAUSE = re.compile(r",\s++because\b")


def led_in(sentence: Sentence) -> list[Ways]:
    """The same advice with a lead-in: "You should pull the lever", "be sure to pull it"."""
    ways = []
    for position in sentence.heads[:1]:  # the next ones may only go on with a list
        word, behind = sentence.words[position], sentence.word(position + 1)
        verb_text = sentence.raw[word.start : word.end]
        comma = "," in sentence.covered[max(0, word.start - 8) : word.start]
        if position and not (comma and verb_text == word.text):
            continue
        if not verb_text[1:].islower() or sentence.finite_in(
            range(position + 1, sentence.clause(position).stop)
        ):
            continue
        start, end = word.start, word.start + 1
        leads = [f"you should {word.text[0]}"]
        if word.text == "do" and behind == "not":
            leads, end = ["you should"], word.end
        elif word.text in _POLAR:
            if not behind:
                continue
        elif word.text in _NOT_LED or word.text not in VERBS | {"do"}:
            continue
        elif sentence.quote_after(position):
            pass
        elif behind in _OBJECTS:
            leads += [f"be sure to {word.text[0]}", f"make sure to {word.text[0]}"]
        else:
            continue
        ways.append(tuple(Edit(start, end, with_capital(verb_text, lead)) for lead in leads))
    return ways


def with_lead(sentence: Sentence) -> Ways:
    """A statement with a lead-in: "Note that the list is long"."""
    if not sentence.words or not sentence.raw[:1].isupper() or len(sentence.words) < 6:
        return ()
    first = sentence.words[0]
    if first.start or first.text not in _SUBJECTS or not sentence.finite_in(range(len(sentence.words))):
        return ()
    start = first.text[0]
    return (Edit(0, 1, f"Note that {start}"), Edit(0, 1, f"Keep in mind that {start}"))


def range_heads(sentence: Sentence, label: str) -> list[Ways]:
    """A bare range of cases with a word that says what it is: "For household tasks that have a goal"."""
    words = [word.text for word in sentence.words[:6]]
    position = next((position for position, word in enumerate(words[:3]) if word in _RANGES), None)
    if position is None or sentence.words[0].start or not all(word in _KINDS for word in words[:position]):
        return []
    if _MAIN & {word.text for word in sentence.words[position + 3 :]}:
        return []  # a whole sentence: "Tasks about fruit need bees"
    ways: list[Ways] = []
    if sentence.word(position + 1) in _BEHIND_RANGE and "," not in sentence.covered:
        says = ("For", "Meant for") if label == "description" else ("Holds for", "Meant for")
        ways.append(tuple(Edit(0, 1, f"{opener} {words[0][0]}") for opener in says))
    if sentence.word(position + 1) == "with" and sentence.word(position + 2) not in (
        "",
        "which",
        "regard",
        "respect",
    ):
        ways.append(
            (Edit(sentence.words[position + 1].start, sentence.words[position + 1].end, "that have"),)
        )
    return ways


def part_reason(sentence: Sentence) -> Ways:
    """The reason in a sentence of its own: "Pull it. This is because it sticks."."""
    match = _BECAUSE.search(sentence.covered)
    if match is None or not sentence.is_closed or sum(word.text == "because" for word in sentence.words) > 1:
        return ()
    verb_text = sentence.covered[: match.start()].split()
    return (Edit(*match.span(), ". This is because"),) if len(verb_text) > 3 else ()
