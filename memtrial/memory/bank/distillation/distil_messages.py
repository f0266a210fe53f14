"""What the distiller is asked: of a success, of a failure, of attempts to compare, of corrected drafts.

The right answer of a task stands in it only where the caller hands it over, which is for training alone
(REQUIREMENTS C19).
"""

from collections.abc import Sequence

from memtrial.agents.trajectory import Trajectory, Verdict
from memtrial.agents.trajectory_views import View, render
from memtrial.memory.bank.distillation.distilled_items import MOST_ITEMS
from memtrial.models.client.types import Message
from memtrial.prompts.templates import Prompt

SUCCESS, GUARDRAIL = Prompt("bank_success"), Prompt("bank_guardrail")
CONTRAST, CORRECTION = Prompt("bank_contrast"), Prompt("bank_correction")
AGAIN, SIGNS = Prompt("bank_again"), Prompt("bank_signs")
PROMPTS = (SUCCESS, GUARDRAIL, CONTRAST, CORRECTION, AGAIN)
SHORT_CONTENT = "in one to three sentences"
STEPS_CONTENT = "in three to eight numbered steps, each with the sign by which it is decided"
SAME_TASK, LIKE_TASKS = "the same task", "tasks that are alike"
MENDED = "An earlier draft failed and a later one succeeded: say what was wrong, and what mended it."
SPOILT = "An earlier draft succeeded and a later one failed: say what spoilt it, and how to leave it be."
Messages = tuple[Message, ...]


def ask_of_run(
    run: Trajectory, view: View, content: str = SHORT_CONTENT, truth: str = "", most: int = MOST_ITEMS
) -> Messages:
    """Strategies of a success, or guardrails of a failure, by the outcome of the run."""
    prompt = SUCCESS if run.outcome == "success" else GUARDRAIL
    system = prompt.render({"most": most, "content": content, "truth": truth})
    return Message("system", system), Message("user", show_runs((run,), view))


def ask_of_attempts(
    runs: Sequence[Trajectory],
    view: View,
    scope: str = SAME_TASK,
    truth: str = "",
    most: int = MOST_ITEMS,
) -> Messages:
    """Items of what tells successes from failures (seeds/000 and 003; R-22), each attempt with its label.

    Of tasks that are alike the last run is the one in hand, and the others have taught something already.
    """
    latest = len(runs) if scope == LIKE_TASKS else 0
    system = CONTRAST.render({"most": most, "scope": scope, "truth": truth, "latest": latest})
    return Message("system", system), Message("user", show_runs(runs, view))


def ask_of_drafts(drafts: Sequence[Trajectory], view: View, most: int = MOST_ITEMS) -> Messages:
    """Items of what a correction mended or spoilt; all drafts are shown (REQUIREMENTS C20)."""
    change = MENDED if drafts[-1].outcome == "success" else SPOILT
    system = CORRECTION.render({"most": most, "change": change})
    return Message("system", system), Message("user", show_runs(drafts, view, "Draft"))


def ask_again(messages: Messages, reply: str, fault: str) -> Messages:
    """The same once more, with the reply that could not be read and why."""
    return (*messages, Message("assistant", reply), Message("user", AGAIN.render({"fault": fault}).strip()))


def ask_for_signs(messages: Messages) -> Messages:
    """The same, with the signs wanted of each item by which it comes up in the midst of a task."""
    system = f"{messages[0].text.rstrip()}\n\n{SIGNS.render().strip()}"
    return Message("system", system), *messages[1:]


def show_runs(runs: Sequence[Trajectory], view: View, name: str = "Attempt") -> str:
    """The runs in order, each with its outcome; several are numbered."""
    shown = [f"{render(run, view)}\n\nOutcome: {run.outcome}" for run in runs]
    if len(shown) == 1:
        return shown[0]
    label: dict[Verdict, str] = {"success": "Success", "failure": "Failure"}
    return "\n\n".join(
        f"# {name} {number} ({label[run.outcome]})\n\n{text}"
        for number, (run, text) in enumerate(zip(runs, shown, strict=True), 1)
    )
