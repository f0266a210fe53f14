"""How a condenser is made, as plans and reports state it."""

from loadbearing.ledger.run_plan import Checker, Makeup
from loadbearing.runs.setup.preflight import Experiment
from loadbearing.runs.spec.condenser_factors import CondenserSpec


def makeup_of(experiment: Experiment, name: str) -> Makeup:
    """The make-up of a condenser of the spec; a factor that it does not use is empty."""
    asked = experiment.spec.condensers[name]
    drafts = {
        "native": f"native, {experiment.control_of(name).label.removeprefix('control: ')}",
        "theory": "theory schema",
        "raw": "the trajectory itself",
        "nothing": "stores nothing",
    }
    by, how = _checks(asked)
    thinned = "" if asked.thin_like is None else f"as many removed at random as {asked.thin_like} drops"
    return Makeup(
        draft=drafts.get(asked.kind, asked.kind),
        warned=f"prompt warns of {', '.join(asked.exhort)}" if asked.exhort else "",
        checked_by=by,
        checked=how,
        length="" if asked.length_like is None else f"as many words as {asked.length_like}",
        thinned=thinned,
    )


def _checks(asked: CondenserSpec) -> tuple[Checker, str]:
    """Who looks at drafts before they are stored, and how."""
    then = "then our loop: " if asked.kind == "native" else ""
    if asked.review == "human":
        return "person", f"{then}a person decides on each first draft, gates advise: {len(asked.gates)}"
    if asked.gates:
        return "gates", f"{then}gates {', '.join(asked.gates)}, at most {asked.max_rounds} revisions"
    if asked.placebo_like is not None:
        return "placebo", f"revised as often as {asked.placebo_like}, without criteria"
    return "nobody", ""
