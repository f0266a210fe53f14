"""The condenser's model `simulated/scribe`: drafts native and theory items from any trajectory, with one
extraction and one defect rate."""

import json
import re
from dataclasses import dataclass

from memtrial.models.client.types import Message, ModelFault
from memtrial.models.simulated.prompt import answer, given, wanted_fields
from memtrial.models.simulated.system_questions import ATTEMPT, SystemQuestion, read_question
from memtrial.models.simulated.text import choice, content, uniform
from memtrial.models.simulated.trajectory_text import Lesson, beside_the_point, beyond, lessons, turns

DEFECTS = ("vague", "no trigger", "ungrounded", "overreach")
WARNING = "must show none of these failures"
WARNED_OF = {
    "vague": "a truism",
    "no trigger": "no condition",
    "ungrounded": "does not support",
    "overreach": "no mechanism",
}
"""By defect, words of the warning."""
INVENTED = ("A green flag waves", "Seven bells toll", "Violet paint peels", "Some parrot screams")
VAGUE = (
    "When you begin, be careful and do good work, because care pays",
    "Once you begin, think hard and stay patient, because haste fails",
    "When you begin, plan ahead and keep calm, because calm pays",
)
"""In form, so that nothing but a gate stops them: a state, an action and a reason that fit any run."""
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
IDLE_MECHANISMS = (
    "`{act}` moves no part that counts there; what came was {after}.",
    "Nothing is linked to `{act}` there: {after} was all that came.",
    "`{act}` left every sign where it stood; {after} was the reply.",
    "No part followed `{act}`; the reply was {after}.",
)
SCOPES = (
    'Tasks that show "{state}" before the step, as this one did.',
    'Seen once, with "{state}" there; likely wherever that sign means the same.',
    'Cases of one kind: "{state}" is what they have in common.',
    'Where "{state}" is the sign to go by.',
)
PURPOSES = (
    'A step taken once at "{state}" and what came of it.',
    'For whoever meets "{state}" again.',
    'Learned from an earlier attempt that met "{state}".',
    'Worth knowing once "{state}" is there.',
)
LATER = 'when "{result}" stands there already'
ELSEWHERE = "when another sign stands in its place"
POSITION = re.compile(r"^#\s*Memory Item\s+(\d+)", re.MULTILINE)
THEORY = re.compile(r"^## Claim\b", re.MULTILINE)
ADDITIVE = re.compile(r'"required": \["title", "description", "content", "claim"')
"""In the fields that a structured call asks for."""
NATIVE = re.compile(r"(?P<prompt>.*?)\n\n(?P<run>(?:\*\*)?+Query:.*)", re.DOTALL)
"""The prompt of a native condenser and the run, in one message or in two."""


@dataclass(frozen=True, slots=True)
class Scribe:
    """A condenser's model.

    Args:
        defects: the chance that a drafted item has one defect, for native and theory drafts alike: a vague
            claim, a missing trigger, an ungrounded claim, or overreach, each as likely.
        repair: the chance that a revision mends a defective item; one without a defect stays as it is.
        unseen: the chance that an item is beside the point: sound in form, borne out by the run, and of no
            use. No gate can see it, and no revision mends it.
        heeds: the chance that a draft is free of a defect that its prompt warns of.
    """

    defects: float = 0.3
    repair: float = 0.8
    unseen: float = 0.0
    heeds: float = 0.5

    def say(self, messages: tuple[Message, ...], seed: str, repeat: int) -> str:
        if (asked := read_question(messages)) is not None:
            return asked.write(self._advise(asked, (seed, repeat)))
        fields = wanted_fields(messages)
        if "memory_items" in fields or "memory_item" in fields:
            inputs = given(messages)
            trace, success = inputs["trajectory"], inputs["outcome"] == "success"
            prompt = messages[0].text
        elif not fields and (native := NATIVE.match("\n\n".join(message.text for message in messages))):
            trace, prompt = native["run"], native["prompt"]
            success = not re.search(r"\bfail", prompt.partition(WARNING)[0], re.IGNORECASE)
        else:
            raise ModelFault(
                f"simulated/scribe drafts and revises memory items; it was asked for {fields or 'a chat'}"
            )
        query, _ = turns(trace)
        taught = beyond(self._lessons(trace, success), query)
        warning = prompt.partition(WARNING)[2]
        if not fields:
            return "\n\n".join(
                _write_markdown(
                    _write_native(lesson, query, self._heed_warning(warning, (seed, repeat, number))),
                    number + 1,
                )
                for number, lesson in enumerate(taught)
            )
        additive = ADDITIVE.search(prompt) is not None
        if "memory_items" in fields:
            draft = _write_additive if additive else _write_theory
            items = [
                draft(lesson, query, self._heed_warning(warning, (seed, repeat, number)))
                for number, lesson in enumerate(taught)
            ]
            return answer({"memory_items": json.dumps(items, ensure_ascii=False)})
        if not taught:
            raise ModelFault("simulated/scribe revises what a run taught it; this run holds no action")
        numbered = POSITION.search(inputs["item"])
        position = int(numbered[1]) - 1 if numbered else 0
        lesson = taught[min(position, len(taught) - 1)]
        typed = _write_additive if additive else _write_theory
        written = typed if THEORY.search(inputs["item"]) else _write_native
        sound = all(text in inputs["item"] for text in written(lesson, query, "").values())
        if "findings" not in inputs:  # nobody said what is wrong: written again as it was drafted
            defect = self._defect(seed, repeat, position)
        elif sound or uniform(seed, repeat, "repair") < self.repair:
            defect = ""
        else:
            defect = choice(DEFECTS, seed, repeat, "again", "which")
        return answer({"memory_item": json.dumps(written(lesson, query, defect), ensure_ascii=False)})

    def _advise(self, asked: SystemQuestion, place: tuple[str, int]) -> tuple[dict[str, str], ...]:
        """What the runs of a memory system's question teach, an item a lesson.

        Of several runs each lesson counts once, what succeeded first; nothing is to be avoided that a run
        which succeeded has done.
        """
        several = len(asked.runs) > 1
        taught: dict[tuple[str, ...], tuple[Lesson, str, dict[str, str]]] = {}
        for attempt, (trace, success) in sorted(enumerate(asked.runs, 1), key=lambda run: not run[1][1]):
            query, _ = turns(trace)
            source = {ATTEMPT: str(attempt)} if several else {}
            worked = {act for lesson, *_ in taught.values() if lesson.do for act in lesson.acts}
            for lesson in beyond(self._lessons(trace, success), query):
                if lesson.do or not several or worked.isdisjoint(lesson.acts):
                    taught.setdefault(lesson.acts, (lesson, query, source))
        return tuple(
            _write_native(lesson, query, self._defect(*place, number)) | source
            for number, (lesson, query, source) in enumerate(taught.values())
        )

    def _lessons(self, trace: str, success: bool) -> tuple[Lesson, ...]:
        """What the run taught, less what is beside the point: the same in both schemas and all revisions."""
        return tuple(
            (beside_the_point(trace, success, number) or lesson)
            if uniform(trace, "unseen", number) < self.unseen
            else lesson
            for number, lesson in enumerate(lessons(trace, success))
        )

    def _defect(self, seed: str, repeat: int, number: int) -> str:
        if uniform(seed, repeat, number, "defect") >= self.defects:
            return ""
        return choice(DEFECTS, seed, repeat, number, "which")

    def _heed_warning(self, warning: str, place: tuple[str, int, int]) -> str:
        """The defect of a draft at a place (seed, repeat, number), or none where the prompt warned of it and
        the draft heeds that."""
        defect = self._defect(*place)
        warned = defect and WARNED_OF[defect] in warning
        return "" if warned and uniform(*place, "heed") < self.heeds else defect


def _write_advice(lesson: Lesson, defect: str, first: str) -> str:
    """The sentence that advises, begun with `first`, spoilt where the draft is to be defective."""
    if defect == "vague":
        return _choose_phrase(VAGUE, lesson) + "."
    state = choice(INVENTED, lesson.state) if defect == "ungrounded" else lesson.state
    acts = ", then ".join(f"`{act}`" for act in lesson.acts)
    why = _choose_phrase(REASONS, lesson).format(after=_quote_result(lesson))
    return f'{first} "{state}", {"do" if lesson.do else "avoid"} {acts}, {why}.'


def _write_theory(lesson: Lesson, query: str, defect: str) -> dict[str, str]:
    state = choice(INVENTED, lesson.state) if defect == "ungrounded" else lesson.state
    # of a call without its name, the part that every such call begins with
    cue = "" if lesson.do else f" | action: `{lesson.acts[0].partition('<')[0]}`"
    trigger = f'{"task" if lesson.state in query else "state"}: "{state}"{cue}'
    why = MECHANISMS if lesson.do else IDLE_MECHANISMS
    mechanism = _choose_phrase(why, lesson).format(act=lesson.acts[-1], after=_quote_result(lesson))
    scope = (
        f"{_choose_phrase(SCOPES, lesson).format(state=state)} Does NOT apply {_write_limit(lesson, query)}."
    )
    return {
        "claim": _write_advice(lesson, defect, "In"),
        "trigger": "when it helps" if defect == "no trigger" else trigger,
        "mechanism": "It just works." if defect == "overreach" else mechanism,
        "scope": f"Everywhere. Does NOT apply {ELSEWHERE}." if defect == "overreach" else scope,
        "form": _write_form(lesson),
    }


def _write_form(lesson: Lesson) -> str:
    """A check where the run shows what the last of several acts waited for."""
    check = f'check: action: `{lesson.acts[-1]}` | state: "{lesson.needs}"'
    return check if lesson.needs and lesson.acts[-1] not in lesson.acts[:-1] else "heuristic"


def _write_native(lesson: Lesson, query: str, defect: str) -> dict[str, str]:
    # what a reader can learn from the advice is the same in both schemas, defect for defect
    spoilt = {"no trigger": "Useful at times.", "overreach": "For everything and everyone."}
    state = choice(INVENTED, lesson.state) if defect == "ungrounded" else lesson.state
    helps = (
        f"{_choose_phrase(PURPOSES, lesson).format(state=state)} Does not help {_write_limit(lesson, query)}."
    )
    purpose = spoilt.get(defect, helps)
    title = " ".join(query.split()[:4])
    return {"title": title, "description": purpose, "content": _write_advice(lesson, defect, "When")}


def _write_additive(lesson: Lesson, query: str, defect: str) -> dict[str, str]:
    """The native fields with those of the theory beside them, of the same lesson and with the same defect."""
    return _write_native(lesson, query, defect) | _write_theory(lesson, query, defect)


def _write_markdown(item: dict[str, str], number: int) -> str:
    return "\n".join([f"# Memory Item {number}", *(f"## {key.title()} {text}" for key, text in item.items())])


def _write_limit(lesson: Lesson, query: str) -> str:
    """Where the lesson ends: once its result is there, if that is not what the task or its state names."""
    new = not content(lesson.result) <= content(f"{query} {lesson.state}")
    return LATER.format(result=lesson.result) if new else ELSEWHERE


def _quote_result(lesson: Lesson) -> str:
    return f'"{lesson.result}"' if lesson.result else "a change"


def _choose_phrase(phrases: tuple[str, ...], lesson: Lesson) -> str:
    """The same lesson is always worded the same; different ones seldom are."""
    return choice(phrases, lesson.state, *lesson.acts)
