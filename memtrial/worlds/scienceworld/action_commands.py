"""What is typed into the simulator, how its replies are read, and the lessons: pure functions on text."""

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

PATTERNS = (
    *("open OBJ", "close OBJ", "go to LOC", "look around", "look at OBJ", "look in OBJ", "inventory", "task"),
    *("pick up OBJ", "put down OBJ", "move OBJ to OBJ", "focus on OBJ", "activate OBJ", "deactivate OBJ"),
    *("use OBJ on OBJ", "connect OBJ to OBJ", "disconnect OBJ", "pour OBJ in OBJ", "dunk OBJ in OBJ"),
    *("mix OBJ", "read OBJ", "eat OBJ", "flush OBJ", "wait", "wait1"),
)
TELEPORT = "teleport to LOC"

_ABOUT = """\
You are in a small world of rooms with things, living beings and substances in them. You change it with
short typed commands, one command a turn. These are the commands. OBJ stands for a thing that you can reach,
LOC for a place:

{patterns}

Name a thing as the world names it, without the text in brackets behind it. What lies inside a closed thing
or in another room is out of reach. You can walk only to a place that a door of this room leads to. With wait
ten moments pass, with wait1 one. Focus only on what the task tells you to focus on: focusing on a wrong thing
ends the episode as a failure, and nothing takes it back."""

_REFUSALS = ("No known action matches", "Unknown action", "ERROR")
_READING = re.compile(r"^\d+:\t(.*\S)", re.MULTILINE)


def rules(easy: bool) -> str:
    """How to act, for the agent's system prompt; one `- pattern` a line."""
    patterns = (*PATTERNS, TELEPORT) if easy else PATTERNS
    return _ABOUT.format(patterns="\n".join(f"- {pattern}" for pattern in patterns))


def clean_action(action: str) -> str:
    """The agent's action as one line: no quotes around it, no punctuation behind it."""
    line = " ".join(action.encode("utf-8", "replace").decode().split())
    return line.strip("`'\"* ").rstrip(".,;:!? ").rstrip("`'\"* ")


def clean_reply(reply: str) -> str:
    """The reply without the blanks that the simulator leaves at its lines' ends."""
    return "\n".join(line.rstrip() for line in reply.strip().split("\n"))


def is_refusal(reply: str) -> bool:
    """The simulator did not understand, and nothing happened."""
    return reply.startswith(_REFUSALS)


def readings(reply: str) -> tuple[str, ...] | None:
    """The readings that the simulator offers, where it asks which was meant and waits for the answer."""
    return tuple(_READING.findall(reply)) if reply.startswith("Ambiguous request") else None


def resolve_question(offered: tuple[str, ...], reply: str) -> str:
    """The observation after a question that was answered with the first reading."""
    if not offered:
        return "That was ambiguous, and nothing was done."
    others = "; ".join(dict.fromkeys(offered[1:]))
    return f"That was ambiguous. Taken as: {offered[0]}. It could also mean: {others}.\n{reply}"


_FOCUS = "Focus only on what the task names, because a wrong focus ends the task as a failure."


@cache
def general() -> dict[str, str]:
    """Task name → what holds in every variation of the task."""
    text = (files("memtrial.worlds.scienceworld") / "lessons.txt").read_text(encoding="utf-8")
    commands: dict[str, str] = {}
    for block in text.split("\n[")[1:]:
        names, _, command = block.partition("]\n")
        commands |= dict.fromkeys(names.split(), " ".join(command.split()))
    return commands


def lesson(name: str, path: Sequence[str]) -> str:
    """The lesson of one variation of the task `name`: what holds for its kind, then its steps in order."""
    steps = ", then ".join(f"`{action}`" for action in path)
    return f"{general()[name]} {_FOCUS} In this task do these steps in order: {steps}."


def shortenings(walk: Sequence[tuple[str, str]]) -> tuple[tuple[str, ...], ...]:
    """Paths made from a walk (pairs of action and reply) that solved its task, the walk's own last.

    The gold path looks, waits, opens open doors and types numbers at questions that are long answered.
    A shorter path has yet to be replayed: some tasks need the time that waiting takes.
    """
    sayings = [(act, say) for act, say in walk if not (is_refusal(say) or "already open" in say)]
    brisk = [act for act, _ in sayings if not act.startswith(("look ", "examine ", "wait"))]
    return tuple(brisk), tuple(act for act, _ in sayings), tuple(act for act, _ in walk)
