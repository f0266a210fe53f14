"""Does the check of a Form check anything?

A program compiles it and evaluates it at every recorded state: of the run, of the other training tasks, and
of the unrelated reference states. True at all of them or at none, it decides nothing there. That is proof
where a sight stands in every state, and where no run had what a successful one is said to have needed; a
sight that must be absent may yet turn up, and a failed run may have failed for want of it. Whether it checks
the precondition that the Claim needs, the judge says.
"""

from collections.abc import Iterator

from memtrial.gates.gate import GateCase, GateKind, Ruling
from memtrial.gates.trigger_presence import reference_moments
from memtrial.memory.trigger import TriggerFault, compile_form


def idle_check(case: GateCase) -> Iterator[Ruling]:
    """What is wrong with the check, with its counts; a heuristic has none."""
    form = case.roles.form or ""
    try:
        check = compile_form(form)
    except TriggerFault as fault:
        yield Ruling(f"the Form's check does not compile: {fault}", proof="grammar")
        return
    if check is None:
        yield Ruling("the Form is a heuristic", applies=False)
        return
    # action cues say of which proposals the rest is asked
    asked = tuple(cue for cue in check.cues if cue.kind != "action") or check.cues
    own = tuple(case.trajectory.moments())
    others = tuple(moment for moments in case.around.elsewhere(case.trajectory.task_id) for moment in moments)
    every = (*own, *others, *reference_moments())
    shown = form.split("\n")[0]
    n_true = sum(all(cue.holds(moment) for cue in asked) for moment in every)
    if n_true == len(every):
        of_absence = any(cue.negated for cue in asked)
        yield Ruling(
            f"the check is true at all {len(every)} recorded states", shown, None if of_absence else "replay"
        )
    if not any(all(cue.holds(moment) for cue in asked) for moment in (*own, *others)):
        n = len(own) + len(others)
        yield Ruling(
            f"the check is true at none of the {n} recorded states of the runs",
            shown,
            "replay" if own and case.trajectory.outcome == "success" else None,
        )


FORM_CHECK = GateKind(
    "form-check",
    "The Form states a check that no program can evaluate, or that decides nothing.",
    ("form",),
    idle_check,
    proves=("grammar", "replay"),
)
