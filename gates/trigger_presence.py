"""Can a program, and an agent, tell when this item is to be used?"""

import json
from functools import cache
from pathlib import Path

from loadbearing.episodes.trajectory import Moment, Trajectory
from loadbearing.episodes.views import View
from loadbearing.gates.gate import GateKind
from loadbearing.memory.item import TheoryItem
from loadbearing.memory.trigger import TriggerFault, compile_form, compile_trigger

EVERYWHERE = 0.5
"""A Trigger that holds at so large a share of unrelated states fires on everything."""


def misfires(item: TheoryItem, trajectory: Trajectory, view: View = "full") -> str:  # noqa: ARG001
    """What is wrong with the Trigger, seen by a program."""
    try:
        trigger = compile_trigger(item.trigger)
    except TriggerFault as fault:
        return f"the Trigger does not compile: {fault}"
    try:
        precondition = compile_form(item.form)
    except TriggerFault as fault:
        return f"the Form's check does not compile: {fault}"
    fired = [moment for moment in trajectory.moments() if trigger.holds(moment)]
    if not fired:
        return "the Trigger holds at no moment of the trace it was distilled from"
    if precondition is not None and not any(precondition.holds(moment) for moment in fired):
        return "the Form's check holds at no moment of the trace at which the Trigger does"
    unrelated = reference_moments()
    share = sum(trigger.holds(moment) for moment in unrelated) / len(unrelated)
    if share >= EVERYWHERE:
        return f"the Trigger fires on everything: it holds at {share:.0%} of the unrelated reference states"
    return ""


@cache
def reference_moments() -> tuple[Moment, ...]:
    """The shipped unrelated moments, each with a task, a state and a proposed action."""
    lines = (Path(__file__).parent / "reference_states.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(Moment(**json.loads(line)) for line in lines)


TRIGGER_PRESENCE = GateKind("trigger-presence", misfires)
