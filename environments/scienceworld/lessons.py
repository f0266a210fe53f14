"""What is true of each kind of task: its lesson in prose, and a gold path made shorter."""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from loadbearing.environments.scienceworld.commands import is_refusal

_FOCUS = "Focus only on what the task names, because a wrong focus ends the task as a failure."


@cache
def general() -> dict[str, str]:
    """Task name → what holds in every variation of the task."""
    text = (files("loadbearing.environments.scienceworld") / "lessons.txt").read_text(encoding="utf-8")
    found: dict[str, str] = {}
    for block in text.split("\n[")[1:]:
        names, _, told = block.partition("]\n")
        found |= dict.fromkeys(names.split(), " ".join(told.split()))
    return found


def lesson(name: str, path: Sequence[str]) -> str:
    """The lesson of one variation of the task `name`: what holds for its kind, then its steps in order."""
    steps = ", then ".join(f"`{action}`" for action in path)
    return f"{general()[name]} {_FOCUS} In this task do these steps in order: {steps}."


def shortenings(walk: Sequence[tuple[str, str]]) -> tuple[tuple[str, ...], ...]:
    """Paths made from a walk (pairs of action and reply) that solved its task, the walk's own last.

    The gold path looks, waits, opens open doors and types numbers at questions that are long answered.
    A shorter path has yet to be replayed: some tasks need the time that waiting takes.
    """
    told = [(act, say) for act, say in walk if not (is_refusal(say) or "already open" in say)]
    brisk = [act for act, _ in told if not act.startswith(("look ", "examine ", "wait"))]
    return tuple(brisk), tuple(act for act, _ in told), tuple(act for act, _ in walk)
