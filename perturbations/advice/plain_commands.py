"""Sentences that command one act, or a short row of acts, and say nothing else.

Only such a sentence is turned round, or given another act, without remainder: what is set against something
else, counted, put in an order, hedged or compared leaves a part of the old advice, or no English.
"""

import re

from memtrial.memory.language import lexicon
from memtrial.memory.language.lexicon import VERBS, base_of, words
from memtrial.memory.language.roles import clauses
from memtrial.memory.language.sentences import QUOTE_MASK, Sentence
from memtrial.memory.language.structure import mask
from memtrial.perturbations.advice.imperatives import ACTS, LOOSE, NOUNISH, imperative_head

LISTS = "it holds a list, an aside or figures"
GOVERNING = lexicon.word_set("do don't never always avoid")
BEGINNING = ACTS | VERBS | GOVERNING
HEDGING = words("shapes.hedging")
JOINTS = lexicon.word_set("and or then")
MARKS = re.compile(rf"\.(?!\S)|[^\w\s'’*_./{QUOTE_MASK}-]|\d")
_MOST_ACT, _MOST_STEP, _MOST_STEPS = 14, 7, 3
"""Words of one act, and of each in a row of so many."""
_IDIOMS = words("shapes.idioms")
_CLAUSES = lexicon.word_set("that whether which what how where before after")
_ORDINALS = lexicon.word_set("first second third last next")
_DETERMINERS = lexicon.word_set("the a an its their your")
_LED = lexicon.OBJECTS | lexicon.PREPOSITIONS | LOOSE
_QUOTED = re.compile(f"{QUOTE_MASK}+")
_QUOTED_ACT = re.compile(r"\W?(?P<verb>[A-Za-z]+)(?:(?: [\w'-]+){0,12}|\[[^\[\]\n]+\])\W?")
_LEAD = re.compile(rf"(?i)\s*+(?:for|to|during|on)\s(?:[\w\s'’{QUOTE_MASK}-]){{1,80}}+,(?=\s)")
_COMMA = re.compile(r",\s++(?P<next>[\w-]+)(?:\s++(?P<behind>\w+))?")


def told_text(s: Sentence) -> str:
    """The covered sentence, blanks in the place of its conditions and its reason."""
    begun = clauses(s)
    taken = [(0, begun.begin), *begun.opened, (begun.reason, len(s.covered))]
    if lead := _LEAD.match(s.covered):
        taken.append(lead.span())
    covered = mask(len(s.covered), taken)
    return "".join(" " if covered[place] else sign for place, sign in enumerate(s.covered))


def is_command(s: Sentence, told: str) -> bool:
    """Whether what it tells begins with a verb, what governs one, or a word that stands as one."""
    first = next((place for place, word in enumerate(s.words) if told[word.start] != " "), 0)
    unknown = imperative_head(s) == first and s.word(first + 1) in _DETERMINERS  # "stash the changes"
    return s.word(first) in BEGINNING or unknown


def find_command_fault(s: Sentence, told: str) -> str:
    """Why a command is none of plain acts; empty where it is."""
    text = [word.text for word in s.words if told[word.start] != " "]
    # not to do it first is the opposite, of one act
    ending = text.pop() if text[-1] == "first" and not set(text) & JOINTS else ""
    negative = text[0] in ("never", "avoid", "don't") or text[:2] == ["do", "not"]
    if MARKS.search(_COMMA.sub(_join, told.strip().rstrip(".!?;"))):
        return LISTS
    if negative and clauses(s).unless:
        return "it says when not to avoid"
    quoted = [s.raw[slice(*match.span())] for match in _QUOTED.finditer(told)]
    if text[0] in ("do", "avoid") and set(text[1:]) <= JOINTS and quoted:
        acts = all(map(_is_act, quoted)) and (not negative or len(quoted) == 1)
        return "" if acts else "it holds a name that may be no act"
    head = 2 if text[:2] == ["do", "not"] else int(text[0] in GOVERNING)
    rows = _rows(s, told, head)
    if ending:
        rows[-1].remove(ending)
    if len(rows) > 1 and (negative or len(rows) > _MOST_STEPS or max(map(len, rows)) > _MOST_STEP):
        return "it tells several acts"
    governor = text[0] if head else ""
    return next((fault for row in rows if (fault := _fault_of_act(s, row, governor))), "")


def fault_of_words(text: list[str], most: int) -> str:
    """Whether it is said without hedges, in so many words at most."""
    around = zip(["", *text], text, [*text[1:], ""], strict=False)
    # neither "the first line" nor "next to it" puts anything in order
    plain = (word in _ORDINALS and (before == "the" or behind == "to") for before, word, behind in around)
    hedging = (word in HEDGING and not placed for word, placed in zip(text, plain, strict=True))
    if any(hedging) or any(word.endswith("ly") for word in text[1:]):
        return "it counts, compares, hedges or puts in order"
    return f"it has more than {most} words" if len(text) > most else ""


def _join(match: re.Match[str]) -> str:
    """Without the comma where a further step may begin there."""
    verb = match["next"].lower() in ACTS | VERBS and (match["behind"] or "").lower() in _LED
    return match[0][1:] if verb or match["next"].lower() in JOINTS else match[0]


def _rows(s: Sentence, told: str, head: int) -> list[list[str]]:
    """The words of each act: a new one begins behind a comma, a `then`, or an `and` or `or` before a verb."""
    own = [word for word in s.words if told[word.start] != " "][head:]
    rows: list[list[str]] = [[]]
    for place, word in enumerate(own):
        behind = own[place + 1].text if place + 1 < len(own) else ""
        joins = word.text in JOINTS and (word.text == "then" or bool({behind} - _DETERMINERS))
        comma = place > 0 and "," in told[own[place - 1].end : word.start]
        if (joins or comma) and rows[-1]:
            rows.append([])
        if not joins:
            rows[-1].append(word.text)
    return rows


def _fault_of_act(s: Sentence, row: list[str], governor: str) -> str:
    """Of the words of one act, from its verb on; behind `never` and the like it can be no noun."""
    verb = (base_of(row[0]) if governor == "avoid" else row[0]) if row else ""
    behind = row[1] if len(row) > 1 else ""
    led = governor or not behind or behind in _LED or behind.endswith("ing") or _hands_on(s, row[0])
    known = verb in ACTS | VERBS or (verb and behind in _DETERMINERS)
    if not known or set(row) & _IDIOMS or (verb in NOUNISH and not led):
        return "it does not begin with a verb of one plain act"
    if fault := fault_of_words(row, _MOST_ACT):
        return fault
    stated = next((place for place, word in enumerate(row) if word in lexicon.FINITE), len(row))
    opened = next((place for place, word in enumerate(row) if word in _CLAUSES), len(row))
    return "it states as well as commands" if stated < opened else ""


def _hands_on(s: Sentence, text: str) -> bool:
    """Whether a quote follows the first word of this text."""
    return s.quote_after(next(place for place, word in enumerate(s.words) if word.text == text))


def _is_act(quote: str) -> bool:
    """Whether what is quoted is an act in plain words, or a call: `turn the valve`, `search[a]`."""
    act = _QUOTED_ACT.fullmatch(quote)
    return act is not None and (act["verb"] in ACTS | VERBS or "[" in quote)
