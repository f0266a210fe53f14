"""Closed questions about an item or a slot, answered with evidence that is quoted verbatim."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, Protocol

from memtrial.agents.trajectory import Trajectory
from memtrial.agents.trajectory_views import View, passages, render
from memtrial.models.client.structured import ReplyFault, Structured, signature_of
from memtrial.prompts.templates import Prompt

if TYPE_CHECKING:
    from memtrial.models.client.client import Caller

Verdict = Literal["PASS", "WARN", "FAIL", "ERROR", "NOT_APPLICABLE"]
Place = Literal["item", "trace"]
INSTRUCTIONS = Prompt("judge")


@dataclass(frozen=True, slots=True)
class JudgeAnswer:
    """What the judge says; `quote` is the evidence, verbatim, and None where there is no answer.

    Args:
        confidence: that the failure is there, in [0, 1]; None where the judge does not say.
    """

    verdict: Verdict
    quote: str | None
    where: Place
    reason: str
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class ClosedQuestion:
    """What a judge is asked, with what it is shown beside the item.

    Args:
        text: the failure to look for, and the test that decides.
        examples: worked examples of other domains; may be empty.
        other_tasks: tasks besides the item's own, without their outcomes; may be empty.
    """

    text: str
    examples: str = ""
    other_tasks: str = ""


class Judge(Protocol):
    """Answers a closed question about one item and the trajectory it came from."""

    async def __call__(self, question: ClosedQuestion, item: str, trajectory: Trajectory) -> JudgeAnswer:
        """Answer; a question that could not be answered is an ERROR, never a PASS."""


@dataclass(frozen=True)
class ModelJudge:
    """A language model as the judge; of the trajectory it sees the same as the condenser saw."""

    caller: Caller
    view: View = "full"

    async def __call__(self, question: ClosedQuestion, item: str, trajectory: Trajectory) -> JudgeAnswer:
        """Ask, and check that the quoted evidence is there.

        Raises:
            ModelFault: no answer could be had at all.
        """
        try:
            reply = await Structured(self.caller).ask(
                signature(), ask_fields(question, item, trajectory, self.view)
            )
        except ReplyFault as fault:
            return JudgeAnswer("ERROR", None, "item", f"the judge's reply could not be read: {fault}")
        return read_answer(reply, item, trajectory, self.view)


def ask_fields(question: ClosedQuestion, item: str, trajectory: Trajectory, view: View) -> dict[str, str]:
    """The input fields of the call."""
    return {
        "question": question.text,
        "examples": question.examples,
        "other_tasks": question.other_tasks,
        "item": item,
        "outcome": trajectory.outcome,
        "trajectory": render(trajectory, view),
    }


def read_answer(reply: Any, item: str, trajectory: Trajectory, view: View) -> JudgeAnswer:
    """The answer in the output fields; an ERROR where the evidence does not stand where it is said to."""
    places: dict[Place, tuple[str, ...]] = {"item": (item,), "trace": passages(trajectory, view)}
    quote, where = reply.quote.strip(), reply.where
    if not quote or not any(quote in text for text in places[where]):
        why = f"the judge quoted what does not stand in the {where}: {quote[:80]!r}"
        return JudgeAnswer("ERROR", None, "item", why)
    return JudgeAnswer(reply.answer.upper(), quote, where, reply.reason.strip(), _share(reply.confidence))


def _share(text: str) -> float | None:
    """A number from 0 to 1; anything else says nothing."""
    try:
        share = float(text[:20])
    except ValueError:
        return None
    return share if 0 <= share <= 1 else None


@cache
def signature() -> Any:
    """The fields of the call, for DSPy."""
    given = {
        "question": "the failure to look for, and the test that decides",
        "examples": "the test applied to items of other domains",
        "other_tasks": "tasks besides the item's own, where the question needs them",
        "item": "the memory item under review",
        "outcome": "how the run ended: success or failure",
        "trajectory": "the run the item was distilled from",
    }
    wanted = {
        "answer": (Literal["pass", "warn", "fail"], "the outcome of the test"),
        "quote": (str, "one passage, copied letter by letter, that decides it"),
        "where": (Literal["item", "trace"], "where the passage stands"),
        "reason": (str, "one sentence from the passage to the answer"),
        "confidence": (str, "from 0 to 1, how sure it is that the failure is there"),
    }
    return signature_of(INSTRUCTIONS.render(), given, wanted, default="")


DECISION = Prompt("decision")
NOTHING = "nothing"
_AROUND = "`\"'“”‘’*. \t\n"


@dataclass(frozen=True, slots=True)
class AdvisedDecision:
    """What the notes advise here.

    Args:
        action: `nothing` where they advise none; empty with a fault.
        quote: the passage of the notes that decides it, verbatim; may be empty for `nothing`.
        fault: why there is no answer.
    """

    action: str
    quote: str
    fault: str = ""


@dataclass(frozen=True)
class ModelReader:
    """A language model that says what notes advise."""

    caller: Caller

    async def __call__(self, rules: str, situation: str, notes: str) -> AdvisedDecision:
        """Ask, and check that the quoted passage is there.

        Args:
            rules: how to act in this world.
            situation: the task and the first observation, as the agent is shown them.
            notes: the text of the slot.

        Raises:
            ModelFault: no answer could be had at all.
        """
        inputs = {"rules": rules, "situation": situation, "notes": notes}
        try:
            reply = await Structured(self.caller).ask(_decision_signature(), inputs)
        except ReplyFault as fault:
            return AdvisedDecision("", "", f"the judge's reply could not be read: {fault}")
        action, quote = " ".join(reply.action.strip(_AROUND).split()), reply.quote.strip()
        if action.lower() == NOTHING:
            action = NOTHING
        if not action:
            return AdvisedDecision("", "", "the judge named neither an action nor nothing")
        if quote not in notes or (not quote and action != NOTHING):
            return AdvisedDecision(
                "", "", f"the judge quoted what does not stand in the notes: {quote[:80]!r}"
            )
        return AdvisedDecision(action, quote)


@cache
def _decision_signature() -> Any:
    given = {
        "rules": "how the agent acts here",
        "situation": "the task, and what the agent is shown first",
        "notes": "the notes the agent is given",
    }
    wanted = {
        "action": (str, "what the notes tell it to do now, or: nothing"),
        "quote": (str, "one passage of the notes, copied letter by letter"),
    }
    return signature_of(DECISION.render(), given, wanted)
