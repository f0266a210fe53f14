"""Whether a run solved its task, said by a model that is blind to the arm, or by the world itself.

The judge reads the task, what was done and what the world answered. It is shown no thought, for an agent may
talk about its memory there. What cannot be read is an error, and never a failure.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from memtrial.agents.trajectory import Trajectory
from memtrial.judges.failure_coder import cut_middle
from memtrial.judges.verdict_text import read_verdict
from memtrial.judges.verdict_words import Label
from memtrial.models.client.client import Caller
from memtrial.models.client.types import Message
from memtrial.prompts.templates import Prompt
from memtrial.worlds.world import Outcome

Form = Literal["json", "lines", "substring"]
PROMPTS = (Prompt("grade_outcome"), Prompt("grade_requirements"))
"""The two wordings: the first decides, the second is asked of a sample."""
ANSWERS: Mapping[Form, Prompt] = {form: Prompt(f"grade_answer_{form}") for form in get_args(Form)}
ORACLE = "oracle"
"""The judge that is no model."""


@dataclass(frozen=True, slots=True)
class Grade:
    """Whether a run is a success.

    Args:
        label: empty with a fault.
        confidence: the judge's own, in [0, 1]; None where it states none that can be read.
        fault: why the reply is no answer.
    """

    label: Label
    confidence: float | None = None
    reason: str = ""
    fault: str = ""


def read_grade(reply: str) -> Grade:
    """The verdict of a reply, whatever form it was asked for in: judges answer in forms of their own."""
    verdict = read_verdict(reply)
    if not verdict.label:
        start = " ".join(reply[:80].split())
        return Grade("", fault=f"the judge of success has to answer success or failure; got {start!r}")
    return Grade(verdict.label, verdict.confidence, " ".join(verdict.reasons))


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
        return read_grade(reply.text)


def transcript(run: Trajectory) -> str:
    """The task, what was done, and what the world answered."""
    steps = "\n\n".join(
        f"Action {number}: {step.action}\nObservation: {step.observation}"
        for number, step in enumerate(run.steps, 1)
    )
    return cut_middle(f"Task: {run.query}\n\nAt first: {run.start}\n\n{steps or 'Nothing was done.'}")
