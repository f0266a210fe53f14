"""Can a program, and an agent, tell when this item is to be used?"""

import json
from functools import cache
from pathlib import Path

from loadbearing.episodes.trajectory import Moment
from loadbearing.gates.gate import Case, GateKind, Ruling
from loadbearing.memory.trigger import TriggerFault, compile_form, compile_trigger

EVERYWHERE = 0.5
"""A Trigger that holds at so large a share of unrelated states fires on everything."""


def misfires(case: Case) -> Ruling | None:
    """What is wrong with the Trigger, seen by a program that replays it; the judge says whether an agent
    would recognise the condition."""
    try:
        trigger = compile_trigger(case.roles.when or "")
    except TriggerFault as fault:
        return Ruling(f"the Trigger does not compile: {fault}")
    try:
        precondition = compile_form(case.roles.form or "")
    except TriggerFault as fault:
        return Ruling(f"the Form's check does not compile: {fault}")
    own = tuple(case.trajectory.moments())
    first = next((at for at, moment in enumerate(own) if trigger.holds(moment)), None)
    if first is None:
        return Ruling("the Trigger holds at no moment of the trace it was distilled from")
    # an item that has fired stays to the end
    if precondition is not None and not any(precondition.holds(moment) for moment in own[first:]):
        return Ruling("the Form's check holds at no moment of the trace from the Trigger's first on")
    unrelated = reference_moments()
    share = sum(trigger.holds(moment) for moment in unrelated) / len(unrelated)
    if share >= EVERYWHERE:
        return Ruling(
            f"the Trigger fires on everything: it holds at {share:.0%} of the unrelated reference states"
        )
    return None


def _rates(case: Case) -> str:
    """How often the Trigger fires at other training tasks, and at unrelated states."""
    others = case.around.elsewhere(case.trajectory.task_id)
    if not others:
        return ""
    trigger = compile_trigger(case.roles.when or "")
    n = sum(any(trigger.holds(one) for one in moments) for moments in others)
    unrelated = [trigger.holds(one) for one in reference_moments()]
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
    measured=_rates,
)
