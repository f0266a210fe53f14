"""The scribe: drafts native and theory items from any trajectory, with one extraction and one defect rate."""

import json
import re
from dataclasses import dataclass

from loadbearing.models.client.types import Message, ModelFault
from loadbearing.models.simulated.chance import choice, uniform
from loadbearing.models.simulated.structured import answer, given, wanted
from loadbearing.models.simulated.trajectory_text import Lesson, lessons, turns

DEFECTS = ("vague", "no trigger", "ungrounded", "overreach")
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

    def say(self, messages: tuple[Message, ...], seed: str, repeat: int) -> str:
        fields = wanted(messages)
        if "memory_items" in fields or "memory_item" in fields:
            told = given(messages)
            trace, success = told["trajectory"], told["outcome"] == "success"
        elif not fields and len(messages) == 2:
            trace, success = messages[1].content, not re.search(r"\bfail", messages[0].content, re.IGNORECASE)
        else:
            raise ModelFault(
                f"simulated/scribe drafts and revises memory items; it was asked for {fields or 'a chat'}"
            )
        query, _ = turns(trace)
        found = lessons(trace, success)
        if not fields:
            return "\n\n".join(
                _native(lesson, query, self._defect(seed, repeat, number), number + 1)
                for number, lesson in enumerate(found)
            )
        if "memory_items" in fields:
            items = [_theory(one, query, self._defect(seed, repeat, at)) for at, one in enumerate(found)]
            return answer({"memory_items": json.dumps(items, ensure_ascii=False)})
        if not found:
            raise ModelFault("simulated/scribe revises what a run taught it; this run holds no action")
        numbered = POSITION.search(told["item"])
        position = int(numbered[1]) - 1 if numbered else 0
        lesson = found[min(position, len(found) - 1)]
        repaired = uniform(seed, repeat, "repair") < self.repair
        defect = "" if repaired else choice(DEFECTS, seed, repeat, "again", "which")
        return answer({"memory_item": json.dumps(_theory(lesson, query, defect), ensure_ascii=False)})

    def _defect(self, seed: str, repeat: int, number: int) -> str:
        if uniform(seed, repeat, number, "defect") >= self.defects:
            return ""
        return choice(DEFECTS, seed, repeat, number, "which")


def _advice(lesson: Lesson, defect: str, first: str) -> str:
    """The sentence that advises, begun with `first`, spoilt where the draft is to be defective."""
    if defect == "vague":
        return _phrase(VAGUE, lesson) + "."
    state = choice(INVENTED, lesson.state) if defect == "ungrounded" else lesson.state
    acts = ", then ".join(f"`{act}`" for act in lesson.acts)
    why = _phrase(REASONS, lesson).format(after=_after(lesson))
    return f'{first} "{state}", {"do" if lesson.do else "avoid"} {acts}, {why}.'


def _theory(lesson: Lesson, query: str, defect: str) -> dict[str, str]:
    state = choice(INVENTED, lesson.state) if defect == "ungrounded" else lesson.state
    cue = f" | action: `{lesson.acts[0]}`" if not lesson.do else ""
    trigger = f'{"task" if lesson.state in query else "state"}: "{state}"{cue}'
    mechanism = _phrase(MECHANISMS, lesson).format(act=lesson.acts[-1], after=_after(lesson))
    return {
        "claim": _advice(lesson, defect, "In"),
        "trigger": "when it helps" if defect == "no trigger" else trigger,
        "mechanism": "It just works." if defect == "overreach" else mechanism,
        "scope": "Everywhere." if defect == "overreach" else _phrase(SCOPES, lesson),
        "form": _form(lesson),
    }


def _form(lesson: Lesson) -> str:
    """A check where the run shows what the last of several acts waited for."""
    check = f'check: action: `{lesson.acts[-1]}` | state: "{lesson.needs}"'
    return check if lesson.needs and lesson.acts[-1] not in lesson.acts[:-1] else "heuristic"


def _native(lesson: Lesson, query: str, defect: str, number: int) -> str:
    # what a reader can learn from the advice is the same in both schemas, defect for defect
    spoilt = {"no trigger": "Useful at times.", "overreach": "For everything and everyone."}
    purpose = spoilt.get(defect, _phrase(PURPOSES, lesson))
    return (
        f"# Memory Item {number}\n## Title {' '.join(query.split()[:4])}\n## Description {purpose}\n"
        f"## Content {_advice(lesson, defect, 'When')}"
    )


def _after(lesson: Lesson) -> str:
    return f'"{lesson.result}"' if lesson.result else "a change"


def _phrase(phrases: tuple[str, ...], lesson: Lesson) -> str:
    """The same lesson is always worded the same; different ones seldom are."""
    return choice(phrases, lesson.state, *lesson.acts)
