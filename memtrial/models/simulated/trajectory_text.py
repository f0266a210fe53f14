"""How scribe and examiner read a trajectory: steps in tags, as every condenser gets them.

A lesson from calls such as `Search[name]` holds no name of its own question, and no answer: these stand for
themselves alone, and what was asked in which order may help with the next question.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from memtrial.models.simulated.text import WORD, content

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
    """What one could learn from a run of turns: in this state, do or avoid these, and then this shows.

    `needs` is a sight that stood there before the last of several acts, and not before the one before it;
    empty where there is none.
    """

    state: str
    acts: tuple[str, ...]
    result: str
    do: bool
    needs: str = ""


def turns(text: str) -> tuple[str, tuple[Turn, ...]]:
    """The query and the turns of a rendered trajectory."""
    bold = "**" if "**Query:**" in text else ""  # the paper's harness has none
    question, rest, _ = text.partition(f"{bold}Query:{bold}")[2].partition(f"\n\n{bold}Trajectory:{bold}")
    query = question.strip() if rest else ""
    read: list[Turn] = []
    before = action = ""
    for kind, body in (*_read_blocks(text), ("action", "")):
        if kind != "think" and action:
            read.append(Turn(before, action, body if kind == "observation" else ""))
        if kind == "action":
            action = body
        elif kind == "observation":
            before, action = body, ""
    return query, tuple(read)


def _read_blocks(text: str) -> Iterator[tuple[str, str]]:
    """Kind and text of each block; a tag that does not close opens none."""
    closes: dict[str, int] = {}
    place = 0
    while opening := BLOCK.search(text, place):
        kind, place = opening[1], opening.end()
        if -1 < closes.get(kind, 0) < place:
            closes[kind] = text.find(f"\n</{kind}>", place)
        if closes[kind] >= 0:
            yield kind, text[place : closes[kind]].strip()
            place = closes[kind]


def lessons(text: str, success: bool) -> tuple[Lesson, ...]:
    """At most three lessons: what worked, and what came to nothing."""
    query, all_turns = turns(text)
    tail = _find_tail(all_turns) if success else []
    idle = [turn for turn in all_turns if turn.idle and not WAITING.match(turn.action)]
    if not success and not idle:
        idle = list(all_turns[-1:])
    first: dict[str, Turn] = {}
    for turn in idle:
        first.setdefault(turn.action, turn)
    learned = [_make_lesson(tail, query, True)] if tail else []
    learned += [_make_lesson([turn], query, False) for turn in first.values()]
    return tuple(lesson for lesson in learned if any(lesson.acts))[:3]


def beside_the_point(text: str, success: bool, number: int) -> Lesson | None:
    """What one of the steps did that decided nothing, told as advice; None where every step counted."""
    query, all_turns = turns(text)
    tail = _find_tail(all_turns) if success else []
    others = [turn for turn in all_turns if turn not in tail and not WAITING.match(turn.action)]
    return _make_lesson([others[number % len(others)]], query, True) if others else None


def _make_lesson(run: Sequence[Turn], query: str, do: bool) -> Lesson:
    # an action as it can stand in backticks
    acts = tuple(" ".join(turn.action.replace("`", "'").split())[:200] for turn in run)
    needs = _find_sight(_list_new(run[-2].before, run[-1].before)) if len(run) > 1 else ""
    return Lesson(
        _find_sight(run[0].before) or _find_sight(query), acts, _find_sight(run[-1].after), do, needs
    )


def _list_new(before: str, after: str) -> str:
    """What stands in the later text and not in the earlier one, piece by piece."""
    stood = {piece.strip() for piece in BREAKS.split(before)}
    return "\n".join(piece for piece in BREAKS.split(after) if piece.strip() not in stood)


def _find_tail(all_turns: tuple[Turn, ...]) -> list[Turn]:
    """The last run of turns that did something, without the waiting at its head; at most twelve."""
    tail = list(takewhile(lambda turn: not turn.idle, reversed(all_turns)))
    while len(tail) > 1 and WAITING.match(tail[-1].action):
        tail.pop()
    return tail[11::-1]


def _find_sight(text: str) -> str:
    """A short verbatim piece of a text that names what is to be seen: its shortest plain sentence."""
    pieces = [piece.strip() for piece in BREAKS.split(text)]
    # a few signs may do in a script that sets no spaces between words
    pieces = [
        piece
        for piece in pieces
        if len(WORD.findall(piece)) >= 2 or (len(piece) >= 4 and not piece.isascii() and " " not in piece)
    ]
    plain = [
        piece
        for piece in pieces
        if len(WORD.findall(piece)) <= 14 and not re.search(r"\d", piece) and not NARRATION.match(piece)
        if not IDLE.search(piece)
    ]
    if plain:
        return min(plain, key=lambda piece: len(WORD.findall(piece))).rstrip(".!?")
    starts = filter(None, (re.match(r"\S+(?:\s\S+){1,7}", piece) for piece in pieces))
    return next((start[0].rstrip(".!?,;: ") for start in starts), "")


CALL = re.compile(r"(?P<verb>[^\W\d]\w*)\[(?P<what>.*)", re.DOTALL)
ENDS = ("finish", "answer", "submit")
ASKS = re.compile(r"\b(?i:which|whose|whom|who|what|where|when|how)\b(?: [a-z]+\b)?")
AGREES = re.compile(r"\b(?i:are|is|were|was|did|does|do|has|have)\b(?: [a-z]+\b)?")
"""What kind of question it is, by the first such word; else it wants a yes or a no."""


def beyond(lessons: tuple[Lesson, ...], query: str) -> tuple[Lesson, ...]:
    """Lessons of calls alone without what belongs to their own question, each once; others as they are."""
    return tuple(dict.fromkeys(_generalise(lesson, query) for lesson in lessons))


def _generalise(lesson: Lesson, query: str) -> Lesson:
    calls = [CALL.fullmatch(act) for act in lesson.acts]
    kind = ASKS.search(query) or AGREES.search(query)
    if kind is None or not all(calls):
        return lesson
    acts: list[str] = []
    for call in filter(None, calls):
        act = f"{call['verb']}[<{_name_argument(call, query, lesson.do)}>]"
        if act not in acts[-1:]:
            acts.append(act)
    ended = calls[-1] is not None and calls[-1]["verb"].lower() in ENDS
    state = _cut_names(lesson.state) if IDLE.search(lesson.state) else kind[0]
    result = _cut_names(lesson.result) if ended or IDLE.search(lesson.result) else ""
    return Lesson(state, tuple(acts), result, lesson.do)


def _name_argument(call: re.Match[str], query: str, worked: bool) -> str:
    """What the call's argument was."""
    if call["verb"].lower() in ENDS:
        return "the answer" if worked else "the first guess"
    return "a name in the task" if content(call["what"]) & content(query) else "a name just read"


def _cut_names(text: str) -> str:
    """A reply without what it names in brackets."""
    return text.partition("[")[0].strip()
