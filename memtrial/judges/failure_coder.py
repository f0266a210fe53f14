"""How an agent failed with memory where it succeeded without: a closed question, blind to arm and damage."""

from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from typing import Any, Literal, get_args

from memtrial.agents.trajectory import Trajectory
from memtrial.agents.trajectory_views import passages, render
from memtrial.models.client.client import Caller
from memtrial.models.client.structured import ReplyFault, Structured, signature_of
from memtrial.prompts.templates import Prompt

Mode = Literal["distraction", "reliance", "premature", "other"]
MODES: tuple[Mode, ...] = get_args(Mode)
INSTRUCTIONS = Prompt("failure_mode")
LONGEST = 40_000
"""Characters of one run, and of the items, that a model is shown."""


@dataclass(frozen=True, slots=True)
class FailureCase:
    """One task solved without memory and failed with it.

    Args:
        name: says nothing of arm or condition.
        items: the memory text that the failed run was shown.
        surroundings: all that the solved run was shown: rules, task, observations, actions to choose from.
    """

    name: str
    solved: Trajectory
    failed: Trajectory
    items: str
    surroundings: str = ""

    @property
    def parting(self) -> int:
        """The first step at which the two runs act differently, counted from 0."""
        runs = self.solved.steps, self.failed.steps
        acts = zip_longest(*([_canonical(step.action) for step in steps] for steps in runs))
        return next(
            (turn for turn, (first, second) in enumerate(acts) if first != second), len(self.solved.steps)
        )


@dataclass(frozen=True, slots=True)
class Coding:
    """How a run failed.

    Args:
        mode: empty where nothing was decided, and with a fault.
        solved, failed: the evidence, verbatim, one passage of each run; a missing act leaves one empty.
        fault: why there is no answer.
    """

    mode: Mode | Literal[""]
    solved: str = ""
    failed: str = ""
    reason: str = ""
    fault: str = ""


@dataclass(frozen=True)
class ModelCoder:
    """A language model that codes failures."""

    caller: Caller

    async def __call__(self, case: FailureCase) -> Coding:
        """Ask, and check that the quoted passages are there; raises ModelFault where no answer came."""
        inputs = {
            "items": cut_middle(case.items),
            "solved": show_run(case.solved),
            "failed": show_run(case.failed),
        }
        try:
            reply = await Structured(self.caller).ask(_signature(), inputs)
        except ReplyFault as fault:
            return Coding("", fault=f"the coder's reply could not be read: {fault}")
        quotes = reply.solved_quote.strip(), reply.failed_quote.strip()
        for quote, run, which in zip(quotes, (case.solved, case.failed), ("solved", "failed"), strict=True):
            if not quote or not any(quote in text for text in passages(run)):
                return Coding(
                    "", fault=f"the coder quoted what does not stand in the {which} run: {quote[:80]!r}"
                )
        return Coding(reply.mode, *quotes, reply.reason.strip())


def show_run(run: Trajectory) -> str:
    """A run as those who code it read it: without its outcome's reason, and without its middle if long."""
    return cut_middle(render(run))


def cut_middle(text: str) -> str:
    """A text without its middle where it is longer than `LONGEST`."""
    half = LONGEST // 2
    left = len(text) - 2 * half
    return text if left <= 0 else f"{text[:half]}\n[{left:,} characters are left out here]\n{text[-half:]}"


def _canonical(action: str) -> str:
    return " ".join(action.casefold().split())


@cache
def _signature() -> Any:
    given = {
        "items": "the notes that the agent of the failed run was shown",
        "solved": "the run without notes, which solved the task",
        "failed": "the run with notes, which did not",
    }
    wanted = {
        "mode": (Mode, "how the run with notes failed"),
        "solved_quote": (str, "a passage of the solved run, letter by letter"),
        "failed_quote": (str, "a passage of the failed run, letter by letter"),
        "reason": (str, "one sentence from the passages to the answer"),
    }
    return signature_of(INSTRUCTIONS.render(), given, wanted)
