"""Which judged gates of a run block, and which only advise."""

from collections.abc import Collection, Mapping
from pathlib import Path

from loadbearing.gates.calibration.freshness import Standing, read_calibration, shipped, standings
from loadbearing.gates.calibration.labelled_items import FixtureFault
from loadbearing.gates.calibration.regression import judge_digest
from loadbearing.gates.suite import ALL, NAMES
from loadbearing.judges.question import signature
from loadbearing.models.client.structured import instruction_key
from loadbearing.prompts.control import ControlPrompts
from loadbearing.runs.errors import SpecFault
from loadbearing.runs.setup.model_roles import gate_model
from loadbearing.runs.setup.role_sampling import sampling_of
from loadbearing.runs.spec.spec import Spec


def gate_standings(
    judge: str,
    temperature: float | None,
    max_tokens: int,
    calibration: Path | None,
    tuned: Collection[str] = (),
) -> Mapping[str, Standing]:
    """Of each gate that ships, whether this judge blocks; SpecFault where the calibration cannot be read.

    Args:
        calibration: beside those that ship; where both are fresh, it is the one that counts.
        tuned: keys of instructions that are replaced; what was calibrated is the one that ships.
    """
    try:
        own = () if calibration is None else (read_calibration(calibration),)
    except FixtureFault as fault:
        raise SpecFault(f"gate_calibration: {fault}") from fault
    found = dict(standings(ALL, judge_digest(judge, temperature, max_tokens), (*shipped(), *own)))
    for kind in ALL if tuned else ():
        asked = {"question": kind.question.render() if kind.question else ""}
        if kind.judged and instruction_key(signature().instructions, asked) in tuned:
            found[kind.name] = Standing(
                False, "advises (its instruction was tuned, and not calibrated since)"
            )
    return found


def standings_of(spec: Spec, control: ControlPrompts, tuned: Collection[str] = ()) -> Mapping[str, str]:
    """Of each gate of the spec's condensers what it may do, by judge where the backbones bring several."""
    asked = {gate for one in spec.condensers.values() for gate in one.gates if gate in NAMES}
    if not asked:
        return {}
    judges = dict.fromkeys(gate_model(spec.roles.condenser or one, spec.roles.gate) for one in spec.backbone)
    drawn = sampling_of(spec.sampling.gate, "gate", control)
    found = {}
    for judge in judges:
        held = gate_standings(judge, drawn.temperature, drawn.max_tokens, spec.roles.gate_calibration, tuned)
        for name in NAMES:
            if name in asked:
                found[name if len(judges) == 1 else f"{name}, {judge}"] = held[name].why
    return found
