"""Rules that contradict each other in other words, where a program can be sure: precision first.

- A ban without limits, and an order that begins with its words: "never report X", "report X in the table".
- Two preferences turned round: "prefer A over B" and "use B instead of A".
- What is ruled out ("no X"; "A instead of X"), and an order to use it: "mock with X".

Read are orders and bans of one file that share their scope (see `rule_scopes`). A condition, an exception
or a word that narrows keeps a rule out of it.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Literal, NamedTuple

from memtrial.gates.notes.note_orders import cut_clauses, read_order
from memtrial.gates.notes.note_report import NoteFinding, place_finding
from memtrial.gates.notes.rule_scopes import is_turned, share_scope
from memtrial.memory.language.sentences import mask_quotes, spans
from memtrial.memory.notes.note_files import NoteFile
from memtrial.memory.notes.note_items import NoteItem
from memtrial.memory.words import content_words

GATE = "internal-consistency"
REPEATED = "duplicate"
_NARROWED = re.compile(
    r"(?i)\b(?:when|whenever|if|while|unless|until|once|except|only|after|before|without|outside|more|less|than|directly"
    r"|again|twice|yet|just|alone|manually|blindly|silently|first|other|another|both|same|inside"
    r"|by\s+default|where|everywhere|yourself|by\s+hand|it|them|this|that|these|those|one|ones|such|so|too|new|existing)\b|\.\.\.|…"
)
"""Words that narrow an order or a ban to some case, or point to what stands elsewhere."""
_WHOLE = re.compile(r"(?i)\b(?:all|any|every|each)\b")
"""Of a ban: only all of it is banned. Of an order it takes in more."""
_PLACE = re.compile(r"(?<=\w|`)\s+(?:in|for|from|on|at|under|within|across)\s+")
_BESIDE = re.compile(
    r"(?i)\A\W*(?:always\s+|please\s+)?(?P<verb>use|prefer|take|choose|write)\s+(?P<chosen>`[^`\n]{1,60}`|[\w.-]{1,40}(?:\s[\w.-]{1,40}){0,2}?)"
    r"\s*(?:,\s*|\s)(?:instead\s+of|rather\s+than|over|not|never)\s+(?P<spurned>`[^`\n]{1,60}`|[\w.-]{1,40}(?:\s[\w.-]{1,40}){0,2}?)"
    r"(?P<rest>\s*(?:\Z|[.,;:()—–]|\s(?:for|in|on|at|to|when|where|unless|except|because|since|as|if|with)\b).*)",
    re.DOTALL,
)
_NONE = re.compile(
    r"(?i)\A\W*no\s+(?:use\s+of\s+)?(?P<what>`[^`\n]{1,60}`|[\w.#-]{1,40}(?:\s[\w.-]{1,40})?)\W*\Z"
)
_TOOL = re.compile(
    r"(?:\b(?:with|using|via)\s+|\b[Uu]se\s+)(?P<what>`[^`\n]{1,60}`|[A-Z][\w.]{2,40})(?=\W*\Z|\s)"
)
"""What an order is to be done with: code, or a name."""
_EXCEPT = re.compile(r"(?i)\b(?:except|unless|but|only|when|if|where)\b(?P<what>.*)", re.DOTALL)
_IDLE = frozenset(content_words("always must should please make sure ensure code use using write add"))
MOST_WORDS = 12
MOST_BESIDE = 32
"""Rules of one first word, and preferences of one pair, that another is held against, the first ones."""


Kind = Literal["orders", "bans", "spurns"]


class ReadRule(NamedTuple):
    """What a clause orders or rules out.

    Args:
        item, quote: where, and its words.
        kind: a ban is by a verb, as "never" and "do not"; what stands behind "no" or "instead of" is spurned.
        acts: stems of its content words in order, without the verbs of use and the scope.
        scope: of a ban, those of its place or use: "in tests".
        around: those of the whole sentence.
        named: it is about a thing by its name, so that a word is enough.
        limited: a word narrows it.
    """

    item: NoteItem
    quote: str
    kind: Kind
    acts: tuple[str, ...]
    scope: frozenset[str]
    around: frozenset[str]
    named: bool
    limited: bool


class ReadPart(NamedTuple):
    """A clause, the words of its sentence, and whether a word narrows it as a ban, and as an order."""

    item: NoteItem
    around: frozenset[str]
    text: str
    narrowed: bool
    conditional: bool


class Preference(NamedTuple):
    """What is chosen, and over what; with the words of an exception, and of a use."""

    item: NoteItem
    quote: str
    chosen: tuple[str, ...]
    spurned: tuple[str, ...]
    excepted: frozenset[str]
    tail: frozenset[str]


def find_rival_rules(file: NoteFile) -> Iterator[NoteFinding]:
    """Each item that an earlier one of the file contradicts in other words, or whose ban it repeats, once."""
    by_first: dict[str, list[ReadRule]] = defaultdict(list)
    preferred: dict[tuple[tuple[str, ...], tuple[str, ...]], list[Preference]] = defaultdict(list)
    for item in file.read.items:
        if item.leads or is_turned(file, item):
            continue
        rules, choices = _read_rules(item), _read_preferences(item)
        finding = _find_turned(file, choices, preferred) or _find_rival(file, rules, by_first)
        if finding:
            yield finding
        for rule in rules:
            if len(beside := by_first[rule.acts[0]]) < MOST_BESIDE:
                beside.append(rule)
        for choice in choices:
            if len(known := preferred[choice.chosen, choice.spurned]) < MOST_BESIDE:
                known.append(choice)


def _find_rival(
    file: NoteFile, rules: list[ReadRule], by_first: dict[str, list[ReadRule]]
) -> NoteFinding | None:
    for rule in rules:
        for other in by_first[rule.acts[0]]:
            if other.item is rule.item:
                continue
            if _exclude(rule, other) and share_scope(file, rule.item, other.item):
                return _report(file, rule, other)
            if _repeats(rule, other):
                reason = f"forbids again what line {other.item.line} does"
                return place_finding(REPEATED, file, rule.item, rule.quote, reason)
    return None


def _exclude(first: ReadRule, second: ReadRule) -> bool:
    """One rules out, without a limit, what the other begins with and orders."""
    order, ban = (first, second) if first.kind == "orders" else (second, first)
    if order.kind != "orders" or ban.kind == "orders" or first.limited or second.limited:
        return False
    if len(ban.acts) < 2 and not (ban.named and order.named):
        return False
    return order.acts[: len(ban.acts)] == ban.acts and ban.scope <= order.around


def _repeats(rule: ReadRule, other: ReadRule) -> bool:
    """Both ban the same, in words enough; "no dead code" is said of one thing and of another."""
    if {rule.kind, other.kind} != {"bans"} or rule.limited or other.limited:
        return False
    enough = len(rule.acts) + len(rule.scope) > 2 - rule.named
    return enough and {*rule.acts} | rule.scope == {*other.acts} | other.scope


def _find_turned(
    file: NoteFile,
    choices: list[Preference],
    preferred: dict[tuple[tuple[str, ...], tuple[str, ...]], list[Preference]],
) -> NoteFinding | None:
    for choice in choices:
        for other in preferred.get((choice.spurned, choice.chosen), ()):
            if share_scope(file, choice.item, other.item) and _has_no_exception(choice, other):
                return _report(file, choice, other)
    return None


def _has_no_exception(first: Preference, second: Preference) -> bool:
    """Neither leaves out what the other is for; an exception is only told apart from words for a use."""
    for own, other in ((first, second), (second, first)):
        if own.excepted and (not other.tail or own.excepted & other.tail):
            return False
    return not (first.excepted and second.excepted) and (
        not first.tail or not second.tail or first.tail == second.tail
    )


def _read_rules(item: NoteItem) -> list[ReadRule]:
    """The clauses that order or rule out, and the tools that they name."""
    covered = mask_quotes(item.text)
    rules: list[ReadRule] = []
    for low, high in spans(item.text):
        sentence = item.text[low:high]
        narrowed = _NARROWED.search(covered, low, high) is not None
        counted = _WHOLE.search(covered, low, high) is not None
        whole = ReadPart(item, frozenset(content_words(sentence)), sentence, narrowed or counted, narrowed)
        for start, stop in cut_clauses(covered, low, high):
            rules += _read_clause(whole._replace(text=item.text[start:stop]))
        beside = _BESIDE.match(sentence)
        if beside and beside["verb"].lower() != "prefer":
            aside = whole._replace(narrowed=whole.narrowed or bool(beside["rest"].strip(" .,;\n")))
            rules += _rule(aside, "spurns", beside["spurned"], True)
    return rules


def _read_clause(part: ReadPart) -> Iterator[ReadRule]:
    if none := _NONE.match(part.text):
        yield from _rule(part, "spurns", none["what"], True)
        return
    order = read_order(part.text)
    if order is None:
        return
    do, rest = order
    bare = re.sub(r"(?i)\A\W*(?:use|using)\s+", "", rest)
    yield from _rule(part, "orders" if do else "bans", bare, bare != rest or bare.startswith("`"))
    for tool in _TOOL.finditer(rest) if do else ():
        yield from _rule(part, "orders", tool["what"], True)


def _rule(part: ReadPart, kind: Kind, what: str, named: bool) -> Iterator[ReadRule]:
    """The rule, if it has words; a ban is cut where its place or its use begins."""
    cut = _PLACE.search(what) if kind != "orders" else None
    acts = tuple(word for word in _name(what[: cut.start()] if cut else what) if word not in _IDLE)
    scope = frozenset(content_words(what[cut.end() :])) if cut else frozenset()
    limited = part.narrowed if kind != "orders" else part.conditional
    if 1 <= len(acts) <= MOST_WORDS:
        yield ReadRule(part.item, part.text.strip(), kind, acts, scope, part.around, named, limited)


def _name(what: str) -> tuple[str, ...]:
    """The stems of a thing's words; a name in code that has none of its own, as it stands."""
    plain = what.strip("` ").casefold()
    return tuple(content_words(what)) or ((plain,) if what.startswith("`") else ())


def _read_preferences(item: NoteItem) -> list[Preference]:
    choices = []
    for low, high in spans(item.text):
        sentence = item.text[low:high]
        if not (match := _BESIDE.match(sentence)):
            continue
        chosen, spurned = (_name(match[name]) for name in ("chosen", "spurned"))
        excepted = _EXCEPT.search(match["rest"])
        but = frozenset(content_words(excepted["what"])) if excepted else frozenset()
        tail = frozenset(content_words(match["rest"][: excepted.start()] if excepted else match["rest"]))
        if chosen and spurned:
            choices.append(Preference(item, sentence.strip(), chosen, spurned, but, tail))
    return choices


def _report(file: NoteFile, rule: ReadRule | Preference, other: ReadRule | Preference) -> NoteFinding:
    reason = f"cannot be followed beside line {other.item.line}: {other.quote!r}"
    return place_finding(GATE, file, rule.item, rule.quote, reason)
