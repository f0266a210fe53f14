"""The shapes of sentences that rules turn round without remainder; whatever has another shape is declined.

A `never` before a verb is the opposite of a sentence that says one general thing. So a command tells one act,
or a short row of acts; a statement has one verb, or two clauses of one each; a name neither advises nor
argues. What is set against something else, counted, put in an order, hedged or compared is none of these, nor
is what follows from the advice in another clause.
"""

import re
from itertools import pairwise

from memtrial.memory.language import lexicon
from memtrial.memory.language.lexicon import VERBS, base_of, words
from memtrial.memory.language.roles import clauses
from memtrial.memory.language.sentences import QUOTE_MASK, Edits, Sentence
from memtrial.memory.language.structure import mask
from memtrial.memory.words import content_words, stem
from memtrial.perturbations.advice.imperatives import ACTS, LOOSE, NOUNISH
from memtrial.perturbations.advice.verbs import BASES, PASTS, finite
from memtrial.perturbations.inversion.inverted_sentences import NAMING
from memtrial.perturbations.inversion.known_frames import is_framed

_MOST_ACT, _MOST_STEP, _MOST_STATED, _MOST_NAMED = 14, 7, 14, 6
"""Words of one act, of each in a row of acts, of a clause that states, and of a name."""
_MOST_STEPS = 3
_HEDGING = words("shapes.loose")
_ARGUING = words("shapes.arguing")
_IDIOMS = words("shapes.idioms")
_ABOUT = tuple(lexicon.read_section("shapes.about").replace("\n", " ").split("; "))
_OUTSIDE = ("does not help", "doesn't help", "does not apply", "doesn't apply")
_CLAUSES = lexicon.word_set("that whether which what how where")
_LED = lexicon.OBJECTS | lexicon.PREPOSITIONS | LOOSE
_JOINTS = lexicon.word_set("and or then")
_GOVERNING = lexicon.word_set("do don't never always avoid")
_BEGINNING = ACTS | VERBS | _GOVERNING
_STATING = lexicon.word_set("is are isn't aren't can cannot can't will won't does do doesn't don't")
_SURE = frozenset(lexicon.forms_of(verb)[1] for verb in BASES) | lexicon.THIRD_PERSON
_POLAR = _STATING | lexicon.word_set("never not always avoid or and then")
_MARKS = re.compile(rf"[^\w\s'’*_./{QUOTE_MASK}-]|\d")
_QUOTED = re.compile(f"{QUOTE_MASK}+")
_QUOTED_ACT = re.compile(r"\W?(?P<verb>[A-Za-z]+)(?:(?: [\w'-]+){0,12}|\[[^\[\]\n]+\])\W?")
_LEAD = re.compile(rf"(?i)\s*+(?:for|to|during|on)\s(?:[\w\s'’{QUOTE_MASK}-]){{1,80}}+,(?=\s)")
_STEP_COMMA = re.compile(r",(?=\s+(?:and|or|then)\b)")
# white space is read from where it begins: tried at each blank, a long run would be read over and over
_CLAUSE = re.compile(
    r"(?i)(?:,\s++|(?<![\s,])\s++)(?:and|so)\s++"
    rf"(?=(?:it|they|the|an?|this|these|those|its|their|you)(?:\s|'s)|{QUOTE_MASK})"
)
_LISTS = "it holds a list, an aside or figures"
_HEDGES = "it counts, compares, hedges or puts in order"
_ADVISES = "it may say what is advised, or why"


def find_fault(s: Sentence, edits: Edits, label: str, advised: frozenset[str]) -> str:
    """Why these edits do not turn the sentence into its sound opposite; empty where they do.

    Args:
        label: of the part it stands in.
        advised: the stems of what the item tells to do, which a name that stays may not say.
    """
    if is_framed(s):
        return "" if edits else "no rule turns it round"
    if not edits:
        return _fault_of_name(s, label, advised) if label in NAMING else "no rule turns it round"
    if not _turns_alone(s, edits):
        return "it has a word whose opposite depends on what is meant"
    reason = clauses(s).reason
    if reason < len(s.raw) and (fault := _fault_of_reason(s, reason, edits)):
        return fault
    told = _told(s)
    begins = next((word.text for word in s.words if told[word.start] != " "), "")
    if label != "mechanism" and begins in _BEGINNING:
        return _fault_of_command(s, told)
    if label in NAMING or reason < len(s.raw):
        return "it is neither a plain command nor a plain statement"
    return _fault_of_statement(s, edits)


def advised_stems(s: Sentence) -> frozenset[str]:
    """The stems of what a sentence tells, without its conditions and its reason."""
    return frozenset(content_words(_told(s)))


def _told(s: Sentence) -> str:
    """The covered sentence, blanks in the place of its conditions and its reason."""
    begun = clauses(s)
    taken = [*begun.opened, (begun.reason, len(s.covered))]
    if lead := _LEAD.match(s.covered):
        taken.append(lead.span())
    covered = mask(len(s.covered), taken)
    return "".join(" " if covered[place] else sign for place, sign in enumerate(s.covered))


def _turns_alone(s: Sentence, edits: Edits) -> bool:
    """Whether no word comes or goes but those of polarity; a verb may change its form."""
    for edit in edits:
        texts = (s.raw[edit.start : edit.end], edit.text)
        old, new = (set(text.lower().replace("’", "'").split()) for text in texts)
        gone, come = (
            {_verb_of(word.strip(",.;*_")) for word in side - other - _POLAR}
            for side, other in ((old, new), (new, old))
        )
        if gone != come:
            return False
    return True


def _verb_of(word: str) -> str:
    return stem(base_of(word) or word)


def _fault_of_name(s: Sentence, label: str, advised: frozenset[str]) -> str:
    """Of a title or a description that stays: it may not say what is advised, nor why."""
    text = [word.text for word in s.words]
    lowered = " ".join(text)
    if lowered.startswith(_OUTSIDE):
        return ""
    if set(text) & _ARGUING or _MARKS.search(s.covered[: s.tail]):
        return _ADVISES
    if frozenset(content_words(_told(s))) & advised:
        return "it names what is advised, and would stay as it is"
    if lowered.startswith(_ABOUT):
        return ""
    states = any(word in lexicon.FINITE | _HEDGING or base_of(word) for word in text)
    begins = not text or text[0] in _BEGINNING | BASES
    return _ADVISES if label == "description" or states or begins or len(text) > _MOST_NAMED else ""


def _fault_of_command(s: Sentence, told: str) -> str:
    text = [word.text for word in s.words if told[word.start] != " "]
    bare = _STEP_COMMA.sub("", told.strip().rstrip(".!?;"))
    negative = text[0] in ("never", "avoid", "don't") or text[:2] == ["do", "not"]
    if _MARKS.search(bare):
        return _LISTS
    if negative and clauses(s).unless:
        return "it says when not to avoid"
    quoted = [s.raw[slice(*match.span())] for match in _QUOTED.finditer(told)]
    if text[0] in ("do", "avoid") and set(text[1:]) <= _JOINTS and quoted:
        acts = all(_is_act(quote) for quote in quoted) and (not negative or len(quoted) == 1)
        return "" if acts else "it holds a name that may be no act"
    rows = _rows(text[2 if text[:2] == ["do", "not"] else int(text[0] in _GOVERNING) :])
    if len(rows) > 1 and (negative or len(rows) > _MOST_STEPS or max(map(len, rows)) > _MOST_STEP):
        return "it tells several acts"
    return next((fault for row in rows if (fault := _fault_of_act(s, row, text[0] == "avoid"))), "")


def _rows(text: list[str]) -> list[list[str]]:
    """The words between the joining ones."""
    rows: list[list[str]] = [[]]
    for word in text:
        if word not in _JOINTS:
            rows[-1].append(word)
        elif rows[-1]:
            rows.append([])
    return rows


def _fault_of_act(s: Sentence, row: list[str], gerund: bool) -> str:
    """Of the words of one act, from its verb on."""
    verb = (base_of(row[0]) if gerund else row[0]) if row else ""
    behind = row[1] if len(row) > 1 else ""
    led = gerund or not behind or behind in _LED or behind.endswith("ing") or _hands_on(s, row[0])
    if verb not in ACTS | VERBS or set(row) & _IDIOMS or (verb in NOUNISH and not led):
        return "it does not begin with a verb of one plain act"
    if fault := _fault_of_words(row, _MOST_ACT):
        return fault
    stated = next((place for place, word in enumerate(row) if word in lexicon.FINITE), len(row))
    opened = next((place for place, word in enumerate(row) if word in _CLAUSES | {"before", "after"}), len(row))
    return "it states as well as commands" if stated < opened else ""


def _hands_on(s: Sentence, text: str) -> bool:
    """Whether a quote follows the first word of this text."""
    return s.quote_after(next(place for place, word in enumerate(s.words) if word.text == text))


def _fault_of_words(text: list[str], most: int) -> str:
    if set(text) & _HEDGING or any(word.endswith("ly") for word in text):
        return _HEDGES
    return f"it has more than {most} words" if len(text) > most else ""


def _is_act(quote: str) -> bool:
    """Whether what is quoted is an act in plain words, or a call: `turn the valve`, `search[a]`."""
    act = _QUOTED_ACT.fullmatch(quote)
    return act is not None and (act["verb"] in ACTS | VERBS or "[" in quote)


_OPENS_REASON = re.compile(r"(?i)[\s,]*+(?:because|since)\s++")


def _fault_of_reason(s: Sentence, begin: int, edits: Edits) -> str:
    opener = _OPENS_REASON.match(s.covered, begin)
    if opener is None:
        return "it gives a purpose that would stay"
    low = opener.end()
    clause = Sentence(s.raw[low:], s.covered[low:])
    if not any(edit.start >= low for edit in edits):
        return "it gives a reason that would stay"
    if is_framed(clause):
        return ""
    moved = tuple(edit._replace(start=edit.start - low, end=edit.end - low) for edit in edits if edit.start >= low)
    return _fault_of_statement(clause, moved)


def _fault_of_statement(s: Sentence, edits: Edits) -> str:
    """Of one clause, or two that are joined, each turned at its own verb; a condition may stand beside them."""
    told = _told(s)
    bare = told[: s.tail].rstrip(" ;")
    joints = [*_CLAUSE.finditer(bare)]
    if len(joints) > 1 or any(told[place] == " " != s.covered[place] for edit in edits for place in range(*edit[:2])):
        return "it states more than two things"
    ends = [(0, 0), *(joint.span() for joint in joints), (len(bare), len(bare))]
    for (_, low), (high, _) in pairwise(ends):
        own = [edit for edit in edits if low <= edit.start < high or low < edit.end <= high]
        fault = _fault_of_clause(Sentence(bare[low:high], bare[low:high])) if own else "a part of it would stay"
        if fault:
            return fault
    return ""


def _fault_of_clause(s: Sentence) -> str:
    text = [word.text for word in s.words]
    if _MARKS.search(s.covered):
        return _LISTS
    if fault := _fault_of_words(text, _MOST_STATED):
        return fault
    if set(text[text[:1] == ["that"] :]) & (_JOINTS | _CLAUSES):
        return "it states more than one thing"
    verb = finite(s, 0, len(text), 2) if text else None
    if verb is None or (text[verb] in lexicon.NOUNISH and finite(s, 0, len(text), 3) != verb):
        return "no verb is found in it"
    if text[verb] not in _STATING | _SURE | BASES:
        return "it tells what happened"
    others = {*text[:verb], *text[verb + 1 :]} & (lexicon.FINITE | _SURE - lexicon.NOUNISH)
    helped = text[verb] in ("does", "do", "is", "are")
    return "it states more than one thing" if others - {"not"} or (not helped and set(text) & PASTS) else ""
