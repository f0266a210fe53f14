"""What a memory text advises: the same reading for every schema, prose included."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from memtrial.models.simulated.text import QUOTED, content, list_quotes, stems

ITEM_HEADING = re.compile(r"^#\s*Memory Item\b.*$", re.IGNORECASE | re.MULTILINE)
CONDITION_FIELDS = frozenset({"trigger"})
# a check in the Form is asked of one action, and no condition of the advice
SILENT_FIELDS = frozenset({"mechanism", "memory", "title", "form"})
RANGE_FIELDS = frozenset({"scope", "description"})

MOST_CONDITIONS = 50
"""States and exclusions of an item's fields that are heeded."""

# white space is read from where it begins: tried at each blank, a long run would be read over and over
_GAP = r"(?:(?<!\s)\s++)?+"
_COMMA = rf"(?:,\s*+|{_GAP})"
REASON = re.compile(rf"{_COMMA}\b(?:because|since|so that|as it)\b.*$", re.IGNORECASE | re.DOTALL)
EXCLUSION = re.compile(
    rf"{_COMMA}(?:\b(?:but|and)\b\s*+)?(?:\bunless\b|\bexcept\s+(?:when|if|where|while)\b"
    r"|\b(?:does|do|did|is|are)(?:\s+not|n't)\s+(?:apply|hold|valid|true|help)\b[^,.]{0,300}?"
    r"\b(?:when|if|where|while|once)\b"
    r"|\bnot\s+(?:when|if|where|while)\b)\s+(?P<what>[^,;]+)",
    re.IGNORECASE,
)
LEADING = re.compile(
    r"^\s*+(?:in|when|whenever|if|while|where|once|as soon as)\s++(?P<what>[^,:]++),\s*+", re.IGNORECASE
)
TRAILING = re.compile(
    r"(?:,|(?<!\s))\s++(?:when|whenever|if|while|where|once|as soon as)\s+(?P<what>[^,;]+)", re.IGNORECASE
)
ORDERED = re.compile(rf"{_GAP}(?:,\s*+(?:and\s++)?+then\b|\bthen\b|;|\band then\b)\s*+,?", re.IGNORECASE)
BEFORE = re.compile(rf"{_GAP}(?:,\s*+)?+\bbefore\b\s*+(?:you\s++)?+", re.IGNORECASE)
AFTER = re.compile(rf"{_GAP}(?:,\s*+)?+\bafter\b\s*+(?:you\s++)?+", re.IGNORECASE)
FIRST_CLAUSE = re.compile(r"^\s*+(before|after)\s++(?:you\s++)?([^,]++),\s*(.+)$", re.IGNORECASE | re.DOTALL)
NEGATIVE = re.compile(r"\b(?:avoid|never|not|refrain|without|skip|stop)\b|n['’]t\b", re.IGNORECASE)
NEGATION = re.compile(r"\b(?:not|never)\b|\b\w+n['’]t\b", re.IGNORECASE)
PLACE = re.compile("\x00(\\d+)\x00")


@dataclass(frozen=True, slots=True)
class Act:
    """One action that advice names: the text, its words, and the quoted spans in it."""

    text: str
    words: tuple[str, ...]
    spans: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Advice:
    """One sentence that says what to do.

    Args:
        states, exclusions: what must stand in the observation or the task, or must not; a set of words each.
        acts: the actions named, in the order to do them.
        do: False where the advice is to avoid them.
    """

    item: str
    states: tuple[frozenset[str], ...]
    exclusions: tuple[frozenset[str], ...]
    acts: tuple[Act, ...]
    do: bool

    def fits(self, scene: frozenset[str]) -> bool:
        """The states stand in the scene and no exclusion does."""
        return all(state <= scene for state in self.states) and not any(
            exclusion <= scene for exclusion in self.exclusions
        )


def read(block: str) -> tuple[Advice, ...]:
    """All advice of a memory block, in the order it is written."""
    items = [text for text in ITEM_HEADING.split(block) if text.strip()]
    return tuple(advice for item in items for advice in _read_item(item))


@lru_cache(maxsize=512)  # blocks differ in an item or two
def _read_item(item: str) -> tuple[Advice, ...]:
    return tuple(_list_advice(item))


def _list_advice(item: str) -> Iterator[Advice]:
    states: list[frozenset[str]] = []
    exclusions: list[frozenset[str]] = []
    sentences: list[tuple[str, list[str]]] = []
    for field, text in _split_fields(item):
        if field in CONDITION_FIELDS:
            states += _read_cue_states(text)
        elif field not in SILENT_FIELDS:
            held, spans = _hold_quotes(text)
            for sentence in re.split(r"(?<=[.!?])\s+|\n+", held):
                if field in RANGE_FIELDS:
                    exclusions += [_read_words(m["what"], spans) for m in EXCLUSION.finditer(sentence)]
                elif sentence.strip():
                    sentences.append((sentence, spans))
    for sentence, spans in sentences:
        own_states, own_exclusions = states[:MOST_CONDITIONS], exclusions[:MOST_CONDITIONS]
        rest = _take_conditions(sentence, spans, own_states, own_exclusions)
        parts = (_put_back(part, spans) for part in _order_parts(rest))
        # all that is left may be signs
        acts = tuple(Act(p.strip(" .,:"), stems(p), list_quotes(p)) for p in parts if stems(p))
        if acts:
            known = tuple(filter(None, own_states)), tuple(filter(None, own_exclusions))
            yield Advice(item, *known, acts, not _is_negative(rest))


def _split_fields(item: str) -> list[tuple[str, str]]:
    """Heading label (lower case, empty for plain text) and the text under it."""
    fields: list[tuple[str, list[str]]] = [("", [])]
    for line in item.splitlines():
        match = re.match(r"^#+\s*(\w+)\b\s*:?\s*(.*)$", line.strip())
        if match:
            fields.append((match[1].lower(), [match[2]]))
        else:
            fields[-1][1].append(line)
    return [(label, "\n".join(lines)) for label, lines in fields]


def _hold_quotes(text: str) -> tuple[str, list[str]]:
    """Quoted spans become marks, so that their stops and commas cut nothing."""
    spans: list[str] = []

    def hold(match: re.Match[str]) -> str:
        spans.append(match[0])
        return f"\x00{len(spans) - 1}\x00"

    return QUOTED.sub(hold, text), spans


def _put_back(text: str, spans: list[str]) -> str:
    return PLACE.sub(lambda match: spans[int(match[1])], text)


def _read_words(text: str, spans: list[str]) -> frozenset[str]:
    """The words a condition asks for: of its quoted text where it quotes, else its own."""
    whole = _put_back(text, spans)
    quotes = list_quotes(whole)
    return frozenset().union(*map(content, quotes)) if quotes else content(NEGATION.sub(" ", whole))


def _read_cue_states(text: str) -> list[frozenset[str]]:
    states = []
    for cue in re.split(r"\|(?=\s*(?:task|state|action)\s*:)", text):
        kind, _, what = cue.partition(":")
        if kind.strip().lower() in ("state", "task"):
            states.append(frozenset().union(*map(content, list_quotes(what) or (what,))))
    return [state for state in states if state]


def _take_conditions(
    sentence: str, spans: list[str], states: list[frozenset[str]], exclusions: list[frozenset[str]]
) -> str:
    """What a sentence says to do; its conditions are added to the lists."""
    rest = REASON.sub("", sentence)
    conditions = [(match["what"], False) for match in EXCLUSION.finditer(rest)]
    rest = EXCLUSION.sub("", rest).strip().lstrip("-*0123456789.) ")
    if leading := LEADING.match(rest):
        conditions.append((leading["what"], True))
        rest = rest[leading.end() :]
    conditions += [(match["what"], True) for match in TRAILING.finditer(rest)]
    for what, must in conditions:
        (exclusions if must is _is_negative(what) else states).append(_read_words(what, spans))
    return TRAILING.sub("", rest).strip(" ,")


def _is_negative(text: str) -> bool:
    """An odd number of negations outside quotes."""
    return len(NEGATIVE.findall(PLACE.sub("", text))) % 2 == 1


def _order_parts(text: str) -> list[str]:
    """The parts of a clause in the order of doing: `A before B`, `Before B, A`, `B after A` are one."""
    parts: list[str] = []
    for part in ORDERED.split(text):
        earlier, later = BEFORE.split(part, maxsplit=1), AFTER.split(part, maxsplit=1)
        if first := FIRST_CLAUSE.match(part):
            parts += [first[3], first[2]] if first[1].lower() == "before" else [first[2], first[3]]
        elif len(earlier) == 2 and earlier[0].strip():
            parts += earlier
        elif len(later) == 2 and later[0].strip():
            parts += reversed(later)
        else:
            parts.append(part)
    return [part for part in parts if part.strip()]
