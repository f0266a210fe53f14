"""What a lesson from calls such as `Search[name]` says beyond its own question: no name of it, and no answer.

A name or an answer stands for itself alone; what was asked in which order may help with the next question.
"""

import re

from loadbearing.models.simulated.text import content
from loadbearing.models.simulated.trajectory_text import IDLE, Lesson

CALL = re.compile(r"(?P<verb>[^\W\d]\w*)\[(?P<what>.*)", re.DOTALL)
ENDS = ("finish", "answer", "submit")
ASKS = re.compile(r"\b(?i:which|whose|whom|who|what|where|when|how)\b(?: [a-z]+\b)?")
AGREES = re.compile(r"\b(?i:are|is|were|was|did|does|do|has|have)\b(?: [a-z]+\b)?")
"""What kind of question it is, by the first such word; else it wants a yes or a no."""


def beyond(lessons: tuple[Lesson, ...], query: str) -> tuple[Lesson, ...]:
    """Lessons of calls alone without what belongs to their own question; the others as they are.

    Those that then say the same are one.
    """
    return tuple(dict.fromkeys(_beyond(lesson, query) for lesson in lessons))


def _beyond(lesson: Lesson, query: str) -> Lesson:
    calls = [CALL.fullmatch(act) for act in lesson.acts]
    kind = ASKS.search(query) or AGREES.search(query)
    if kind is None or not all(calls):
        return lesson
    acts: list[str] = []
    for call in filter(None, calls):
        act = f"{call['verb']}[<{_place(call, query, lesson.do)}>]"
        if act not in acts[-1:]:
            acts.append(act)
    ended = calls[-1] is not None and calls[-1]["verb"].lower() in ENDS
    state = _head(lesson.state) if IDLE.search(lesson.state) else kind[0]
    result = _head(lesson.result) if ended or IDLE.search(lesson.result) else ""
    return Lesson(state, tuple(acts), result, lesson.do)


def _place(call: re.Match[str], query: str, worked: bool) -> str:
    """What the call's argument was."""
    if call["verb"].lower() in ENDS:
        return "the answer" if worked else "the first guess"
    return "a name in the task" if content(call["what"]) & content(query) else "a name just read"


def _head(text: str) -> str:
    """A reply without what it names in brackets."""
    return text.partition("[")[0].strip()
