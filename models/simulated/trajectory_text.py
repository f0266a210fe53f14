"""How scribe and examiner read a trajectory: steps in tags, as every condenser gets them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loadbearing.models.simulated.text import WORD

BLOCK = re.compile(r"<(think|action|observation)>\n")
IDLE = re.compile(
    r"nothing happens|not on the list|no known action|unknown action|could not|no effect|no change", re.I
)
WAITING = re.compile(r"^(?:wait\d*|look around|inventory)$", re.IGNORECASE)
NARRATION = re.compile(r"^(?:you|thick dust)\b", re.IGNORECASE)
BREAKS = re.compile(r"(?<=[.!?])\s+|[\n\"`“”|]+")


@dataclass(frozen=True, slots=True)
class Turn:
    """One step as read: what stood there before, what was done, what came of it."""

    before: str
    action: str
    after: str

    @property
    def idle(self) -> bool:
        """The action came to nothing."""
        return bool(IDLE.search(self.after))


@dataclass(frozen=True, slots=True)
class Lesson:
    """What one could learn from a run of turns: in this state, do or avoid these, and then this shows."""

    state: str
    acts: tuple[str, ...]
    result: str
    do: bool


def turns(text: str) -> tuple[str, tuple[Turn, ...]]:
    """The query and the turns of a rendered trajectory."""
    asked, told, _ = text.partition("**Query:**")[2].partition("\n\n**Trajectory:**")
    query = asked.strip() if told else ""
    found: list[Turn] = []
    before = action = ""
    for kind, body in _blocks(text):
        if kind == "action":
            if action:
                found.append(Turn(before, action, ""))
            action = body
        elif kind == "observation":
            if action:
                found.append(Turn(before, action, body))
            before, action = body, ""
    if action:
        found.append(Turn(before, action, ""))
    return query, tuple(found)


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """Kind and text of each block; a tag that does not close opens none."""
    closes: dict[str, int] = {}
    at = 0
    while opening := BLOCK.search(text, at):
        kind, at = opening[1], opening.end()
        if -1 < closes.get(kind, 0) < at:
            closes[kind] = text.find(f"\n</{kind}>", at)
        if closes[kind] >= 0:
            yield kind, text[at : closes[kind]].strip()
            at = closes[kind]


def lessons(text: str, success: bool) -> tuple[Lesson, ...]:
    """At most three lessons: what worked, and what came to nothing."""
    query, all_turns = turns(text)
    tail = _tail(all_turns) if success else ()
    idle = [turn for turn in all_turns if turn.idle and not WAITING.match(turn.action)]
    if not success and not idle:
        idle = list(all_turns[-1:])
    found = []
    if tail:
        acts = tuple(_clean(turn.action) for turn in tail)
        found.append(Lesson(_state(tail[0].before, query), acts, _sight(tail[-1].after), True))
    seen: set[str] = set()
    for turn in idle:
        if turn.action not in seen:
            seen.add(turn.action)
            found.append(
                Lesson(_state(turn.before, query), (_clean(turn.action),), _sight(turn.after), False)
            )
    return tuple(lesson for lesson in found if any(lesson.acts))[:3]


def _tail(all_turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
    """The last run of turns that did something, without the waiting at its head; at most twelve."""
    tail: list[Turn] = []
    for turn in reversed(all_turns):
        if turn.idle:
            break
        tail.append(turn)
    while len(tail) > 1 and WAITING.match(tail[-1].action):
        tail.pop()
    return tuple(reversed(tail[:12]))


def _clean(action: str) -> str:
    """An action as it can stand in backticks."""
    return " ".join(action.replace("`", "'").split())[:200]


def _state(before: str, query: str) -> str:
    return _sight(before) or _sight(query)


def _sight(text: str) -> str:
    """A short verbatim piece of a text that names what is to be seen: its shortest plain sentence."""
    pieces = [piece.strip() for piece in BREAKS.split(text)]
    pieces = [piece for piece in pieces if len(WORD.findall(piece)) >= 2 or _unspaced(piece)]
    plain = [
        piece
        for piece in pieces
        if len(WORD.findall(piece)) <= 14 and not re.search(r"\d", piece) and not NARRATION.match(piece)
        if not IDLE.search(piece)
    ]
    if plain:
        return min(plain, key=lambda piece: len(WORD.findall(piece))).rstrip(".!?")
    for piece in pieces:
        start = re.match(r"\S+(?:\s\S+){1,7}", piece)
        if start:
            return start[0].rstrip(".!?,;: ")
    return ""


def _unspaced(piece: str) -> bool:
    """A few signs of a script that sets no spaces between words."""
    return len(piece) >= 4 and not piece.isascii() and " " not in piece
