"""The scribe: drafts native and theory items from any trajectory, with one extraction and one defect rate."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Literal

from loadbearing.models.client.types import ModelFault, Reply, Request
from loadbearing.models.simulated.chance import choice, uniform
from loadbearing.models.simulated.structured import answer, given, wanted
from loadbearing.models.simulated.trajectory_text import Lesson, lessons, turns

Defect = Literal["", "vague", "no trigger", "ungrounded", "overreach"]
DEFECTS: tuple[Defect, ...] = ("vague", "no trigger", "ungrounded", "overreach")
INVENTED = ("A green flag waves", "Seven bells toll", "Violet paint peels", "Some parrot screams")
VAGUE = ("Be careful and do good work", "Think hard and stay patient", "Plan ahead and keep calm")
REASONS = (
    "because then {after} follows",
    "because that leads to {after}",
    "because {after} comes of it",
    "because it ends in {after}",
)
MECHANISMS = (
    "It is `{act}` that brings {after}; without it the situation stays.",
    "`{act}` causes {after}, and nothing else was seen to.",
    "Only `{act}` made the difference between what stood there and {after}.",
    "The reply {after} appeared once `{act}` was tried.",
)
SCOPES = (
    # exclusions of small words alone: they exclude nothing that a native item would not
    "Cases like this. Does NOT apply when it is not so.",
    "Near relatives of that task. Does NOT apply when this is not there.",
    "Wherever these words return. Does NOT apply when they do not.",
    "One example so far. Does NOT apply when it was not as here.",
)
PURPOSES = (
    "A step taken once and what came of it.",
    "For whoever meets something similar.",
    "Learned from an earlier attempt.",
    "Worth knowing beforehand.",
)
POSITION = re.compile(r"^#\s*Memory Item\s+(\d+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Scribe:
    """A condenser's model.

    Args:
        defects: the chance that a drafted item has one defect, for native and theory drafts alike: a vague
            claim, a missing trigger, an ungrounded claim, or overreach, each as likely.
        repair: the chance that a revision is free of defects.
    """

    defects: float = 0.3
    repair: float = 0.8

    @property
    def free(self) -> bool:
        """It computes its answers."""
        return True

    async def ready(self) -> None:
        """Nothing is needed."""

    async def answer(self, request: Request, repeat: int) -> Reply:
        """Draft or revise.

        Raises:
            ModelFault: the request is neither.
        """
        seed = request.digest.hex()
        fields = wanted(request.messages)
        if "memory_items" in fields:
            text = self._draft(given(request.messages), seed, repeat)
        elif "memory_item" in fields:
            text = self._revise(given(request.messages), seed, repeat)
        elif not fields and len(request.messages) == 2:
            text = self._native(request.messages[0].content, request.messages[1].content, seed, repeat)
        else:
            raise ModelFault(
                f"simulated/scribe drafts and revises memory items; it was asked for {fields or 'a chat'}"
            )
        length = sum(len(message.content) for message in request.messages)
        return Reply(text, length // 4, len(text) // 4, request.model)

    async def close(self) -> None:
        """It holds nothing."""

    def _draft(self, fields: dict[str, str], seed: str, repeat: int) -> str:
        trace = fields["trajectory"]
        query, _ = turns(trace)
        found = lessons(trace, fields["outcome"] == "success")
        items = [
            _theory(lesson, query, self._defect(seed, repeat, number)) for number, lesson in enumerate(found)
        ]
        return answer({"memory_items": json.dumps(items, ensure_ascii=False)})

    def _revise(self, fields: dict[str, str], seed: str, repeat: int) -> str:
        trace = fields["trajectory"]
        query, _ = turns(trace)
        found = lessons(trace, fields["outcome"] == "success")
        if not found:
            raise ModelFault("simulated/scribe revises what a run taught it; this run holds no action")
        numbered = POSITION.search(fields["item"])
        position = int(numbered[1]) - 1 if numbered else 0
        lesson = found[min(position, len(found) - 1)]
        repaired = uniform(seed, repeat, "repair") < self.repair
        defect: Defect = "" if repaired else self._pick(seed, repeat, "again")
        return answer({"memory_item": json.dumps(_theory(lesson, query, defect), ensure_ascii=False)})

    def _native(self, instruction: str, trace: str, seed: str, repeat: int) -> str:
        query, _ = turns(trace)
        success = not re.search(r"\bfail", instruction, re.IGNORECASE)
        found = lessons(trace, success)
        return "\n\n".join(
            _native_item(lesson, query, self._defect(seed, repeat, number), number + 1)
            for number, lesson in enumerate(found)
        )

    def _defect(self, seed: str, repeat: int, number: int) -> Defect:
        if uniform(seed, repeat, number, "defect") >= self.defects:
            return ""
        return self._pick(seed, repeat, number)

    def _pick(self, *parts: str | int) -> Defect:
        return choice(DEFECTS, *parts, "which")  # type: ignore[return-value]


def _advice(lesson: Lesson, defect: Defect) -> tuple[str, str]:
    """The state and the advice, spoilt where the draft is to be defective."""
    state = choice(INVENTED, lesson.state) if defect == "ungrounded" else lesson.state
    acts = ", then ".join(f"`{act}`" for act in lesson.acts)
    return state, f"{'do' if lesson.do else 'avoid'} {acts}"


def _theory(lesson: Lesson, query: str, defect: Defect) -> dict[str, str]:
    state, advice = _advice(lesson, defect)
    cue = f" | action: `{lesson.acts[0]}`" if not lesson.do else ""
    item = {
        "claim": f'In "{state}", {advice}, {_why(lesson)}.',
        "trigger": f'{"task" if lesson.state in query else "state"}: "{state}"{cue}',
        "mechanism": _phrase(MECHANISMS, lesson).format(act=lesson.acts[-1], after=_after(lesson)),
        "scope": _phrase(SCOPES, lesson),
        "form": "heuristic",
    }
    if defect == "vague":
        item["claim"] = _phrase(VAGUE, lesson) + "."
    if defect == "no trigger":
        item["trigger"] = "when it helps"
    if defect == "overreach":
        item["mechanism"] = "It just works."
        item["scope"] = "Everywhere."
    return item


def _native_item(lesson: Lesson, query: str, defect: Defect, number: int) -> str:
    state, advice = _advice(lesson, defect)
    content = f'When "{state}", {advice}, {_why(lesson)}.'
    if defect == "vague":
        content = _phrase(VAGUE, lesson) + "."
    # what a reader can learn from the advice is the same in both schemas, defect for defect
    purpose = _phrase(PURPOSES, lesson)
    if defect == "no trigger":
        purpose = "Useful at times."
    if defect == "overreach":
        purpose = "For everything and everyone."
    return "\n".join(
        [
            f"# Memory Item {number}",
            f"## Title {' '.join(query.split()[:4])}",
            f"## Description {purpose}",
            f"## Content {content}",
        ]
    )


def _after(lesson: Lesson) -> str:
    return f'"{lesson.result}"' if lesson.result else "a change"


def _why(lesson: Lesson) -> str:
    return _phrase(REASONS, lesson).format(after=_after(lesson))


def _phrase(phrases: tuple[str, ...], lesson: Lesson) -> str:
    """The same lesson is always worded the same; different ones seldom are."""
    return choice(phrases, lesson.state, *lesson.acts)
