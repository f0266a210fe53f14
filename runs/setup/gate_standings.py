"""Which judged gates of a run block, and which only advise."""

from collections.abc import Collection, Mapping
from pathlib import Path

from loadbearing.gates.calibration.freshness import Standing, read_calibration, shipped, standings
from loadbearing.gates.calibration.labelled_items import FixtureFault
from loadbearing.gates.calibration.regression import judge_digest
from loadbearing.gates.suite import ALL, NAMES
from loadbearing.prompts.control import ControlPrompts
from loadbearing.runs.errors import refused
from loadbearing.runs.setup.model_roles import gate_model
from loadbearing.runs.spec.sampling import sampling_of
from loadbearing.runs.spec.spec import Spec

TUNED = Standing(False, "advises (its question was tuned, and no calibration is of the tuned one)")


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
        tuned: gates whose question was tuned: no calibration is of the question as it is asked.
    """
    with refused(FixtureFault, said="gate_calibration: "):
        own = () if calibration is None else (read_calibration(calibration),)
    found = standings(ALL, judge_digest(judge, temperature, max_tokens), (*shipped(), *own))
    return {name: TUNED if name in tuned else one for name, one in found.items()}


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
