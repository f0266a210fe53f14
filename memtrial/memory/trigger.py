"""Typed cues: one alone, a Trigger, all of which must hold, and the precondition that a Form states."""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from memtrial.agents.trajectory import Moment
from memtrial.memory.language.sentences import Edit, apply
from memtrial.memory.quotes import Marks, Quotes
from memtrial.memory.words import STOP_WORDS, content_words, folded_words, stem

Kind = Literal["task", "state", "action"]
_KINDS: tuple[Kind, ...] = ("task", "state", "action")

LONGEST = 4_000
"""Characters of a Trigger, or of the cues of a check. Each cue is looked for in every state of an episode."""

# A straight quote opens after anything but a letter or digit (5" is a length), a single one closes before
# anything but a letter or digit: don't and the users' page are apostrophes.
_QUOTES = Quotes(
    (
        Marks(r"(?<![^\W_])\"", re.compile('"')),
        Marks("`+", None),
        Marks("“", re.compile("”")),
        Marks("„", re.compile("[“”]")),
        Marks("«", re.compile("»")),
        Marks("‹", re.compile("›")),
        Marks("「", re.compile("」")),
        Marks("‘", re.compile(r"’(?![^\W_])"), least=1),
        Marks(r"(?<![^\W_])'(?=\S)", re.compile(r"(?<=\S)'(?![^\W_])"), least=1),
    )
)
_UNCLOSED = re.compile(r"(?<!\d)\"|[“„«]")
_PREFIX = re.compile(
    r"[\s*_-]*+(?P<kind>(?:[^:\"“„«`\s*_]++|[\s*_]++(?!:))*+)[\s*_]*+:(?P<text>.*)", re.DOTALL
)
# what stands above a prefix as a whole: line by line, each would look past all that follow
_ABOVE = re.compile(rf"(?i)(?<![\s*_-])[\s*_-]++(?=(?:not\s++)?(?:{'|'.join(_KINDS)})[\s*_]*+:)|\|")
_SPACE = re.compile(r"\s+")
_NOT = re.compile(r"(?is)not\s+(?P<cue>.*)")


class CueFault(ValueError):
    """A text that is no cue. The message is one line and says what was needed."""


@dataclass(frozen=True, slots=True)
class TriggerCue:
    """One condition on a moment. Quoted text must stand there; of unquoted text, all content words.

    Args:
        kind: where to look: the task's text, the last observation, or the proposed action.
        text: the cue as written, its prefix included.
        literals: quoted texts of one word, case-folded.
        spaced: those of several words, with one blank for any white space.
        stems: the stems of the unquoted content words.
        starts: what each stem's words begin with, for a fast no.
        negated: it holds where all this is not so.
    """

    kind: Kind
    text: str
    literals: tuple[str, ...]
    spaced: tuple[str, ...]
    stems: frozenset[str]
    starts: tuple[str, ...]
    negated: bool = False

    def holds(self, moment: Moment) -> bool:
        """Whether the moment is as the cue says."""
        text = moment.state if self.kind == "state" else moment.task if self.kind == "task" else moment.action
        return _stands(self.literals, self.spaced, self.stems, self.starts, text) is not self.negated


@lru_cache(maxsize=4096)  # the same items are watched in the same states by all trials of a task
def _stands(
    literals: tuple[str, ...],
    spaced: tuple[str, ...],
    stems: frozenset[str],
    starts: tuple[str, ...],
    text: str,
) -> bool:
    """Whether the text shows all that a cue names. Nothing stands in an empty text."""
    folded = text.casefold()
    # Most cues fail on most moments: plain substring tests come first, words are cut only for the rest.
    if not (all(map(folded.__contains__, starts)) and all(map(folded.__contains__, literals))):
        return False
    may = all(word in folded for phrase in spaced for word in phrase.split())
    even = _SPACE.sub(" ", folded) if may and spaced else ""
    if not all(phrase in even for phrase in spaced):
        return False
    if not stems:
        return True
    fitting = (word for word in folded_words(folded) if word.startswith(starts))
    return stems <= {stem(word) for word in fitting if word not in STOP_WORDS}


def split_cues(text: str) -> tuple[str, ...]:
    """The cue texts, cut at each `|` outside quotes and at a line break before a cue's prefix; stripped.

    Raises:
        CueFault: the text is longer than `LONGEST`.
    """
    if len(text) > LONGEST:
        raise CueFault(f"cues have at most {LONGEST} characters, got {len(text)}: {_short(text)}; name fewer")
    joints = [
        above.start() + place
        for above in _ABOVE.finditer(_mask_quotes(text))
        for place, sign in enumerate(above[0])
        if sign in "|\n"
    ]
    starts = [0, *(joint + 1 for joint in joints)]
    return tuple(text[start:stop].strip() for start, stop in zip(starts, [*joints, len(text)], strict=True))


def compile_cue(text: str, negatable: bool = False) -> TriggerCue:
    """One cue, such as `state: "Next" link` or `action: buy`.

    Args:
        negatable: a leading `not` turns it round.

    Raises:
        CueFault: no prefix, an unknown one, a quote that does not close, or nothing to look for.
    """
    if negatable and (negated := _NOT.fullmatch(text)):
        return replace(compile_cue(negated["cue"]), negated=True)
    prefix = _PREFIX.match(_mask_quotes(text))
    shown = _short(text)
    if not prefix or not prefix["kind"]:
        raise CueFault(f"a cue begins with 'task:', 'state:' or 'action:', got {shown}")
    kind = next((kind for kind in _KINDS if prefix["kind"].casefold() == kind), None)
    if kind is None:
        raise CueFault(f"a cue is of kind task, state or action, not {_short(prefix['kind'])}, in {shown}")
    open_text = prefix["text"]
    if _UNCLOSED.search(open_text):
        raise CueFault(f"a quote does not close in {shown}")
    quoted = [span.text for span in _QUOTES.spans(text) if span.start >= prefix.start("text")]
    literals = [quote.casefold() for quote in quoted if quote.strip()]
    stems = frozenset(content_words(open_text))
    if not literals and not stems:
        raise CueFault(f"a cue needs a quoted text or a content word to look for, got {shown}")
    # what every form begins with as written: a stem's last i may have been a y, its apostrophe a curly one
    starts = tuple(sorted(word.partition("'")[0].removesuffix("i") or word for word in stems))
    plain = tuple(literal for literal in literals if len(literal.split()) == 1)
    spaced = tuple(_SPACE.sub(" ", literal) for literal in literals if len(literal.split()) > 1)
    return TriggerCue(kind, text.strip(), plain, spaced, stems, starts)


def _mask_quotes(text: str) -> str:
    """The text with blanks in place of quoted spans, of the same length."""
    return apply(
        text, (Edit(quote.start, quote.end, " " * (quote.end - quote.start)) for quote in _QUOTES.spans(text))
    )


def _short(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= 60 else line[:59] + "…")


_HEURISTIC = re.compile(r"(?is)heuristic\s*(?:[.:;,(–—-].*)?")
_CHECK = re.compile(r"(?is)check\s*:(?P<cues>.*)")


class TriggerFault(ValueError):
    """A Trigger or a check that does not compile. The message is one line and says what was needed."""


@dataclass(frozen=True, slots=True)
class Trigger:
    """Cues that must all hold, at least one; `text` as written, of a check without its `check:`."""

    text: str
    cues: tuple[TriggerCue, ...]

    @property
    def needs_action(self) -> bool:
        """It can hold only once an action is proposed."""
        return any(cue.kind == "action" for cue in self.cues)

    def holds(self, moment: Moment) -> bool:
        """Whether every cue holds."""
        return all(cue.holds(moment) for cue in self.cues)

    def why(self, moment: Moment) -> str:
        """The cues that hold, as written, joined by ` | `; empty where none does."""
        return " | ".join(cue.text for cue in self.cues if cue.holds(moment))


def breaks_check(check: Trigger, moment: Moment) -> bool:
    """Whether the proposed action lacks its precondition; never without a proposal.

    The check's `action:` cues say which proposals it is asked of, all other cues what must hold then:
    `action: sign off | state: "is sound"`. Without an `action:` cue it is asked of every proposal. Where
    there are no others, the proposal itself must be as they say.
    """
    asked = [cue for cue in check.cues if cue.kind == "action" and not cue.negated]
    needed = [cue for cue in check.cues if cue not in asked]
    if not needed:
        asked, needed = [], asked
    fits = bool(moment.action) and all(cue.holds(moment) for cue in asked)
    return fits and not all(cue.holds(moment) for cue in needed)


def compile_trigger(text: str) -> Trigger:
    """A Trigger from its text, such as `task: order history | state: "Next" | action: answer`.

    Raises:
        TriggerFault: empty, or a part of it is no cue.
    """
    if not text.strip():
        raise TriggerFault("a Trigger needs at least one cue such as 'state: \"Next\"', got an empty text")
    try:
        return Trigger(text, tuple(compile_cue(part) for part in split_cues(text)))
    except CueFault as fault:
        raise TriggerFault(f"Trigger does not compile: {fault}") from fault


def compile_form(text: str) -> Trigger | None:
    """What an item's Form asks of an action; None for a heuristic, which asks nothing.

    Takes `heuristic` (a remark may follow it behind a punctuation mark), an empty text, or `check:` and cues
    joined by `|`, each with an optional leading `not`: `check: state: "Next" | not state: "Last page"`.

    Raises:
        TriggerFault: anything else, for it could not be evaluated.
    """
    form = text.strip()
    if not form or _HEURISTIC.fullmatch(form):
        return None
    check = _CHECK.fullmatch(form)
    if not check:
        shown = " ".join(form.split())[:60]
        raise TriggerFault(f"a Form is 'heuristic' or 'check: <cues>', got {shown!r}")
    cues = check["cues"].strip()
    if not cues:
        raise TriggerFault("a check needs at least one cue such as 'state: \"Next\"', got an empty one")
    try:
        return Trigger(cues, tuple(compile_cue(part, negatable=True) for part in split_cues(cues)))
    except CueFault as fault:
        raise TriggerFault(f"check cannot be evaluated: {fault}") from fault
