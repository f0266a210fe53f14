"""Whether a run solved its task, said by a model that is blind to the arm, or by the world itself.

The judge reads the task, what was done and what the world answered. It is shown no thought, for an agent may
talk about its memory there. What cannot be read is an error, and never a failure.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from memtrial.agents.trajectory import Trajectory
from memtrial.judges.failure_coder import cut_middle
from memtrial.memory.words import folded_words
from memtrial.models.client.client import Caller
from memtrial.models.client.types import Message
from memtrial.prompts.templates import Prompt
from memtrial.worlds.world import Outcome

Form = Literal["json", "lines", "substring"]
Label = Literal["success", "failure", ""]
PROMPTS = (Prompt("grade_outcome"), Prompt("grade_requirements"))
"""The two wordings: the first decides, the second is asked of a sample."""
ANSWERS: Mapping[Form, Prompt] = {form: Prompt(f"grade_answer_{form}") for form in get_args(Form)}
ORACLE = "oracle"
"""The judge that is no model."""
MOST = 20_000
"""Characters of a reply that are read."""
_THOUGHTS = re.compile(r"^Thoughts:(.*)$", re.MULTILINE)
_STATUS = re.compile(r"^Status:(.*)$", re.MULTILINE)
_SOLVED = frozenset({"success", "successful", "successfully", "succeeded"})
_LOST = frozenset({"fail", "fails", "failed", "failure", "unsuccessful", "unsuccessfully"})


@dataclass(frozen=True, slots=True)
class Grade:
    """Whether a run is a success.

    Args:
        label: empty with a fault.
        confidence: the judge's own, in [0, 1]; None where the form has none.
        fault: why the reply is no answer.
    """

    label: Label
    confidence: float | None = None
    reason: str = ""
    fault: str = ""


def read_json(reply: str) -> Grade:
    """`{"verdict": "success" | "failure", "confidence": 0 to 1, "reason": …}`, whatever stands around it."""
    start, end = reply.find("{"), reply.rfind("}")
    try:
        answer = json.loads(reply[start : end + 1]) if 0 <= start < end else None
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        return _unreadable("a JSON object", reply)
    label, sure = answer.get("verdict"), answer.get("confidence")
    if label not in ("success", "failure"):
        return _unreadable("the verdict success or failure", reply)
    if isinstance(sure, bool) or not isinstance(sure, int | float) or not 0 <= sure <= 1:
        return _unreadable("a confidence from 0 to 1", reply)
    return Grade("success" if label == "success" else "failure", float(sure), str(answer.get("reason") or ""))


def read_lines(reply: str) -> Grade:
    """The first line `Thoughts: …` and the first line `Status: success` or `Status: failure`.

    Source: ReasoningBank's judge for WebArena (UPSTREAM 3.5), which takes any other status for a failure.
    """
    thoughts, status = _THOUGHTS.search(reply), _STATUS.search(reply)
    label = status[1].strip().strip("\"'`.").casefold() if status else ""
    if thoughts is None or label not in ("success", "failure"):
        return _unreadable("a line Thoughts and a line Status with success or failure", reply)
    return Grade("success" if label == "success" else "failure", None, thoughts[1].strip())


def read_substring(reply: str) -> Grade:
    """A word for success, or one for failure, and not both.

    Source: the judge of ReasoningBank for SWE (UPSTREAM 3.5), to which `unsuccessful` is a success.
    """
    words = set(folded_words(reply.casefold()))
    solved, lost = bool(words & _SOLVED), bool(words & _LOST)
    if solved == lost:
        return _unreadable("either success or fail", reply)
    return Grade("success" if solved else "failure")


READERS: Mapping[Form, Callable[[str], Grade]] = {
    "json": read_json,
    "lines": read_lines,
    "substring": read_substring,
}


def oracle(outcome: Outcome) -> Grade:
    """The world's own word; no model is asked."""
    return Grade("success" if outcome.success else "failure", 1.0, outcome.cause)


@dataclass(frozen=True)
class SuccessJudge:
    """A language model as the judge; `wording` is one of PROMPTS."""

    caller: Caller
    form: Form = "json"
    wording: int = 0

    async def __call__(self, run: Trajectory) -> Grade:
        """Ask and read.

        Raises:
            ModelFault: no answer could be had at all.
        """
        instructions = PROMPTS[self.wording].render() + "\n\n" + ANSWERS[self.form].render()
        reply = await self.caller.ask((Message("system", instructions), Message("user", transcript(run))))
        return READERS[self.form](reply.text[:MOST])


def transcript(run: Trajectory) -> str:
    """The task, what was done, and what the world answered."""
    steps = "\n\n".join(
        f"Action {number}: {step.action}\nObservation: {step.observation}"
        for number, step in enumerate(run.steps, 1)
    )
    return cut_middle(f"Task: {run.query}\n\nAt first: {run.start}\n\n{steps or 'Nothing was done.'}")


def _unreadable(needed: str, reply: str) -> Grade:
    return Grade(
        "", fault=f"the judge of success has to answer with {needed}; got {' '.join(reply[:80].split())!r}"
    )
