"""How a condenser is made, as plans and reports state it."""

from typing import Literal

from loadbearing.ledger.run_plan import Makeup
from loadbearing.runs.setup.preflight import Experiment


def makeup_of(experiment: Experiment, name: str) -> Makeup:
    """The make-up of a condenser of the spec; a factor that it does not use is empty."""
    asked = experiment.spec.condensers[name]
    drafts = {
        "native": f"native, {experiment.control_of(name).label.removeprefix('control: ')}",
        "theory": "theory schema",
        "raw": "the trajectory itself",
        "nothing": "stores nothing",
    }
    by: Literal["nobody", "gates", "placebo", "person"] = "nobody"
    checked = ""
    if asked.review == "human":
        seen = "without" if experiment.spec.review.blind or not asked.gates else "with"
        by, checked = "person", f"a person decides, {seen} the findings of gates"
    elif asked.gates:
        then = "then our loop: " if asked.kind == "native" else ""
        by = "gates"
        checked = f"{then}gates {', '.join(asked.gates)}, at most {asked.max_rounds} revisions"
    elif asked.placebo_like is not None:
        by, checked = "placebo", f"revised as often as {asked.placebo_like}, without criteria"
    return Makeup(
        draft=drafts.get(asked.kind, asked.kind),
        warned=f"prompt warns of {', '.join(asked.exhort)}" if asked.exhort else "",
        checked_by=by,
        checked=checked,
        length="" if asked.length_like is None else f"as many words as {asked.length_like}",
        thinned=""
        if asked.thin_like is None
        else f"items removed at random, as many as {asked.thin_like} drops",
    )
