"""One typed cue, and how a text of cues is taken apart: the grammar that Triggers and checks share."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from episodes.trajectory import Moment
from memory.words import STOP_WORDS, content_words, folded_words, stem

Kind = Literal["task", "state", "action"]
_KINDS: tuple[Kind, ...] = ("task", "state", "action")

# A straight quote opens after anything but a letter or digit (5" is a length), a single one closes before
# anything but a letter or digit: don't and the users' page are apostrophes.
_QUOTED = re.compile(
    r"""
      (?<![^\W_])"(?P<double>[^"]*)"
    | (?P<ticks>`+)(?P<code>.+?)(?P=ticks)
    | “(?P<curly>[^”]*)”
    | „(?P<low>[^“”]*)[“”]
    | «(?P<angle>[^»]*)»
    | ‹(?P<small>[^›]*)›
    | 「(?P<corner>[^」]*)」
    | ‘(?P<single_curly>.+?)’(?![^\W_])
    | (?<![^\W_])'(?=\S)(?P<single>.+?)(?<=\S)'(?![^\W_])
    """,
    re.VERBOSE | re.DOTALL,
)
_UNCLOSED = re.compile(r"(?<!\d)\"|[“„«]")
_PREFIX = re.compile(r"[\s*_-]*(?P<kind>[^:\"“„«`]*?)[\s*_]*:(?P<text>.*)", re.DOTALL)
_JOINT = re.compile(rf"\||\n(?=[\s*_-]*(?:not\s+)?(?:{'|'.join(_KINDS)})[\s*_]*:)", re.IGNORECASE)


class CueFault(ValueError):
    """A text that is no cue. The message is one line and says what was needed."""


@dataclass(frozen=True, slots=True)
class Cue:
    """One condition on a moment. Quoted text must stand there; of unquoted text, all content words.

    Args:
        kind: where to look: the task's text, the last observation, or the proposed action.
        text: the cue as written, its prefix included.
        literals: quoted texts of one word, case-folded.
        spaced: those of several words, as patterns in which any white space is as good as another.
        stems: the stems of the unquoted content words.
        starts: what each stem's words begin with, for a fast no.
    """

    kind: Kind
    text: str
    literals: tuple[str, ...]
    spaced: tuple[re.Pattern[str], ...]
    stems: frozenset[str]
    starts: tuple[str, ...]

    def holds(self, moment: Moment) -> bool:
        """Whether the moment shows all that the cue names. Nothing holds in an empty text."""
        if self.kind == "task":
            text = moment.task
        elif self.kind == "state":
            text = moment.state
        else:
            text = moment.action
        # Most cues fail on most moments: plain substring tests come first, words are cut only for the rest.
        folded = text.casefold()
        for start in self.starts:
            if start not in folded:
                return False
        for literal in self.literals:
            if literal not in folded:
                return False
        for pattern in self.spaced:
            if not pattern.search(folded):
                return False
        if not self.stems:
            return True
        found = (word for word in folded_words(folded) if word.startswith(self.starts))
        return self.stems <= {stem(word) for word in found if word not in STOP_WORDS}


def split_cues(text: str) -> tuple[str, ...]:
    """The cue texts, cut at each `|` outside quotes and at a line break before a cue's prefix; stripped."""
    joints = list(_JOINT.finditer(_masked(text)))
    starts = [0, *(joint.end() for joint in joints)]
    stops = [*(joint.start() for joint in joints), len(text)]
    return tuple(text[start:stop].strip() for start, stop in zip(starts, stops, strict=True))


def compile_cue(text: str) -> Cue:
    """One cue, such as `state: "Next" link` or `action: buy`.

    Raises:
        CueFault: no prefix, an unknown one, a quote that does not close, or nothing to look for.
    """
    masked = _masked(text)
    prefix = _PREFIX.match(masked)
    shown = _short(text)
    if not prefix or not prefix["kind"]:
        raise CueFault(f"a cue begins with 'task:', 'state:' or 'action:', got {shown}")
    kind = _kind(prefix["kind"])
    if kind is None:
        raise CueFault(f"a cue is of kind task, state or action, not {_short(prefix['kind'])}, in {shown}")
    open_text = prefix["text"]
    if _UNCLOSED.search(open_text):
        raise CueFault(f"a quote does not close in {shown}")
    quoted = [
        next(filter(None, _contents(found)), "") for found in _QUOTED.finditer(text, prefix.start("text"))
    ]
    literals = [quote.casefold() for quote in quoted if quote.strip()]
    stems = frozenset(content_words(open_text))
    if not literals and not stems:
        raise CueFault(f"a cue needs a quoted text or a content word to look for, got {shown}")
    # what every form begins with as written: a stem's last i may have been a y, its apostrophe a curly one
    starts = tuple(sorted(word.partition("'")[0].removesuffix("i") or word for word in stems))
    plain = tuple(literal for literal in literals if len(literal.split()) == 1)
    spaced = tuple(_any_space(literal) for literal in literals if len(literal.split()) > 1)
    return Cue(kind, text.strip(), plain, spaced, stems, starts)


def _any_space(literal: str) -> re.Pattern[str]:
    """A quote stays a quote where the world breaks the line."""
    return re.compile(r"\s+".join(re.escape(piece) for piece in re.split(r"\s+", literal)))


def _kind(written: str) -> Kind | None:
    return next((kind for kind in _KINDS if written.casefold() == kind), None)


def _masked(text: str) -> str:
    """The text with blanks in place of quoted spans, of the same length."""
    return _QUOTED.sub(lambda found: " " * len(found[0]), text)


def _contents(found: re.Match[str]) -> tuple[str | None, ...]:
    return found.group("double", "code", "curly", "low", "angle", "small", "corner", "single_curly", "single")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= 60 else line[:59] + "…")
