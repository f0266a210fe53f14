"""Can a program, and an agent, tell when this item is to be used?

A program compiles the Trigger and replays it. At how many other training tasks it fires is told and no fault:
of a few tasks, or of many kinds, a sound Trigger fires at its own alone.
"""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from memtrial.agents.trajectory import Moment
from memtrial.gates.gate import GateCase, GateKind, Ruling
from memtrial.memory.trigger import Trigger, TriggerFault, compile_form, compile_trigger

EVERYWHERE = 0.5
"""A Trigger that holds at so large a share of unrelated states fires on everything."""


def misfires(case: GateCase) -> Iterator[Ruling]:
    """What is wrong with the Trigger, seen by a program that replays it; the judge says whether an agent
    would recognise the condition."""
    trigger: Trigger | None
    try:
        trigger = compile_trigger(case.roles.when or "")
    except TriggerFault as fault:
        yield Ruling(f"the Trigger does not compile: {fault}", proof="grammar")
        trigger = None
    try:
        compile_form(case.roles.form or "")  # an item whose check does not compile never comes up
    except TriggerFault as fault:
        yield Ruling(f"the Form's check does not compile: {fault}", proof="grammar")
    if trigger is None:
        return
    own = tuple(case.trajectory.moments())
    if not any(trigger.holds(moment) for moment in own):
        yield Ruling("the Trigger holds at no moment of the trace it was distilled from", proof="replay")
    unrelated = reference_moments()
    share = sum(trigger.holds(moment) for moment in unrelated) / len(unrelated)
    if share < EVERYWHERE:
        return
    tells_nothing = all(trigger.holds(moment) for moment in (*own, *unrelated))
    yield Ruling(
        f"the Trigger fires on everything: it holds at {share:.0%} of the unrelated reference states",
        proof="replay" if tells_nothing else None,
    )


def _rates(case: GateCase) -> str:
    """How often the Trigger fires at other training tasks, and at unrelated states."""
    others = case.around.elsewhere(case.trajectory.task_id)
    if not others:
        return ""
    trigger = compile_trigger(case.roles.when or "")
    n = sum(any(trigger.holds(moment) for moment in moments) for moments in others)
    unrelated = [trigger.holds(moment) for moment in reference_moments()]
    return (
        f" The Trigger fires at {n} of {len(others)} other training tasks and at"
        f" {sum(unrelated)} of {len(unrelated)} unrelated states."
    )


@cache
def reference_moments() -> tuple[Moment, ...]:
    """The shipped unrelated moments, each with a task, a state and a proposed action."""
    lines = (Path(__file__).parent / "reference_states.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(Moment(**json.loads(line)) for line in lines)


TRIGGER_PRESENCE = GateKind(
    "trigger-presence",
    "The Trigger is no condition that a program or an agent can match.",
    ("when",),
    misfires,
    proves=("grammar", "replay"),
    measured=_rates,
)
