"""Which model plays which role, whether it can, and whether a judge of gates blocks."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from memtrial.faults import SpecFault, refused
from memtrial.gates.calibration.labelled_items import SHIPPED
from memtrial.gates.calibration.rates import GateCalibration, GateRow
from memtrial.gates.calibration.regression import gate_digest, judge_digest
from memtrial.gates.gate import GateKind
from memtrial.gates.suite import ALL, NAMES
from memtrial.judges.success import ORACLE
from memtrial.models.client.keys import Keys
from memtrial.models.client.types import ModelFault, provider_of, split_model
from memtrial.models.providers.open import open_backend
from memtrial.models.providers.provider_table import destinations
from memtrial.models.providers.replay import Replay
from memtrial.models.simulated.open_simulated import PARTS, Part
from memtrial.plugins.load_plugin import asks, wants
from memtrial.prompts.control_prompts import ControlPrompts
from memtrial.prompts.plain_text import text_of
from memtrial.runs.run_folder.folder import refuse_damaged_recording
from memtrial.runs.setup.design import Design
from memtrial.runs.spec.damage_writers import damage_writers
from memtrial.runs.spec.sampling import sampling_of
from memtrial.runs.spec.spec import Spec

MOST_BYTES = 4 * 1024 * 1024


class GateStanding(NamedTuple):
    """Whether the judged half of a gate blocks or advises, why, and from which confidence of the judge on.

    Args:
        uncalibrated: it advises, and may block once it is calibrated.
    """

    blocks: bool
    why: str
    threshold: float | None = None
    uncalibrated: bool = False


def read_calibration(path: Path) -> GateCalibration:
    """A file that `gates regress --out` wrote; SpecFault where it cannot be read, or is no such file."""
    needed = "gate_calibration: the file of a calibration is needed, as gates regress --out writes it"
    try:
        return GateCalibration.model_validate_json(text_of(path, needed, SpecFault, MOST_BYTES))
    except ValidationError as fault:
        first = fault.errors()[0]
        raise SpecFault(f"{needed}; {path}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from fault


@cache
def shipped_calibrations() -> tuple[GateCalibration, ...]:
    """The calibrations that come with the gates."""
    return tuple(read_calibration(path) for path in sorted((SHIPPED.parent / "calibration").glob("*.json")))


def standings(
    kinds: Sequence[GateKind], judge: str, calibrations: Sequence[GateCalibration]
) -> Mapping[str, GateStanding]:
    """By gate, whether its judge, named by the digest of its configuration, blocks."""
    rows = [
        (row, calibration.in_sample)
        for calibration in calibrations
        if calibration.judge_digest == judge
        for row in calibration.gates
    ]
    return {
        kind.name: _standing_of(kind, [row for row in rows if row[0].gate == kind.name]) for kind in kinds
    }


def _standing_of(kind: GateKind, rows: list[tuple[GateRow, bool]]) -> GateStanding:
    if not kind.judged:
        return GateStanding(True, "a program decides all of it")
    now = gate_digest(kind)
    fresh = [row for row in rows if row[0].digest == now]
    if not fresh:
        stale = (
            "its calibration is of other code or prompts" if rows else "no fresh calibration for this judge"
        )
        return GateStanding(False, f"advises ({stale})", uncalibrated=True)
    row, in_sample = fresh[-1]
    rates = told_rates(row, in_sample)
    threshold = row.confidence.threshold if row.confidence else None
    if threshold is not None:
        rates += f", flags from confidence {threshold:g} on"
    if not row.passed:
        return GateStanding(False, f"advises (its calibration failed: {rates})", threshold)
    return GateStanding(True, f"blocks (calibrated: {rates})", threshold)


def told_rates(row: GateRow, in_sample: bool) -> str:
    """The held-out rates where there are any; else those of the first set, and what that set is."""
    if row.held_out is not None:
        return f"held-out {row.held_out.line}"
    return f"in-sample {row.line}" if in_sample else row.line


def program_rates(kinds: Sequence[GateKind], calibrations: Sequence[GateCalibration]) -> Mapping[str, str]:
    """By gate, the rates of its program alone where a calibration is of the gate as it is."""
    now = {kind.name: gate_digest(kind) for kind in kinds}
    return {
        row.gate: told_rates(row, calibration.in_sample)
        for calibration in calibrations
        if calibration.judge_digest == judge_digest(RULES)
        for row in calibration.gates
        if now.get(row.gate) == row.digest
    }


WHAT: dict[Part, tuple[str, str]] = {
    "play": ("plays tasks", "backbone and traces.player"),
    "condense": ("drafts and revises items", "roles.condenser (or --model)"),
    "judge": ("answers gates", "roles.gate (or --judge)"),
    "decide": ("says what slots advise", "roles.judge"),
    "perturb": ("writes damage", "roles.perturber"),
    "grade": ("judges success", "roles.grader"),
    "code": ("reads and codes failures", "roles.coder"),
}
"""What a part does, and where its model is named."""
Role = tuple[Part, str]
"""A part and the model string that plays it."""
RULES = "rules"
"""The coder that is no model."""


def gate_model(condenser_model: str, asked: str | None) -> str:
    """The model that answers the gates' judged halves: the condenser's own, but for the scribe."""
    if asked is not None:
        return asked
    provider, name, _ = split_model(condenser_model)
    return "simulated/examiner" if (provider, name) == ("simulated", "scribe") else condenser_model


def cast(spec: Spec, design: Design) -> tuple[Role, ...]:
    """Every role of a run, each once."""
    roles: list[Role] = [("play", backbone) for backbone in spec.backbone]
    # in mode `stream` there is nothing to collect
    collected = spec.mode == "frozen" and spec.traces.source != "import"
    if (design.memories or design.systems) and collected and spec.traces.player is not None:
        roles.append(("play", spec.traces.player))
    used = [spec.condensers[name] for name in design.memories]
    drafted = any(asks(condenser.kind) for condenser in used) or any(
        wants(name, "ask") for name in design.systems
    )
    gated = any(condenser.gates for condenser in used)
    for backbone in spec.backbone:
        condenser = spec.roles.condenser or backbone
        if drafted:
            roles.append(("condense", condenser))
        if gated:
            roles.append(("judge", gate_model(condenser, spec.roles.gate)))
    if spec.roles.judge is not None:
        roles.append(("decide", spec.roles.judge))
    writers = damage_writers(spec)
    if writers.model is not None and writers.judge is not None:
        roles += [("perturb", writers.model), ("decide", writers.judge)]
    if spec.roles.grader not in (None, ORACLE):
        roles.append(("grade", str(spec.roles.grader)))
    if spec.roles.coder not in (None, RULES):
        roles.append(("code", str(spec.roles.coder)))
    return tuple(dict.fromkeys(roles))


def check_cast(roles: tuple[Role, ...], keys: Keys, others: Iterable[str] = ()) -> tuple[str, ...]:
    """Every model can be opened, and do what it is asked for; where keys go but to a provider's own address,
    a line each. SpecFault where one cannot, or for an address that is for no model of these and `others`."""
    for part, model in roles:
        with refused(ModelFault):
            backend = open_backend(model, keys)
        if isinstance(backend, Replay):
            refuse_damaged_recording(backend.folder)
        if provider_of(model) == "simulated" and (name := split_model(model)[1]) and PARTS[name] != part:
            fitting = ", ".join(f"simulated/{other}" for other, able in PARTS.items() if able == part)
            (does, where), instead = WHAT[part], WHAT[PARTS[name]][0]
            name = fitting or "a provider's model"
            raise SpecFault(f"{where} needs a model that {does}; {model} {instead}; name {name}")
    with refused(ModelFault):
        return destinations((*(model for _, model in roles), *others), keys)


TUNED = GateStanding(False, "advises (its question was tuned, and no calibration is of the tuned one)")


def gate_standings(
    judge: str,
    temperature: float | None,
    max_tokens: int | None,
    calibration: Path | None,
    tuned: Collection[str] = (),
) -> Mapping[str, GateStanding]:
    """Of each gate that ships, whether this judge blocks; SpecFault where the calibration cannot be read.

    Args:
        calibration: beside those that ship; where both are fresh, it is the one that counts.
        tuned: gates whose question was tuned: no calibration is of the question as it is asked.
    """
    own = () if calibration is None else (read_calibration(calibration),)
    gate_standings = standings(
        ALL, judge_digest(judge, temperature, max_tokens), (*shipped_calibrations(), *own)
    )
    return {name: TUNED if name in tuned else standing for name, standing in gate_standings.items()}


def judges_of_gates(spec: Spec, memories: Collection[str] | None = None) -> Mapping[str, tuple[str, ...]]:
    """By judge, the gates that it is asked at, in the suite's order: of all condensers, or of those named."""
    used = (condenser for name, condenser in spec.condensers.items() if memories is None or name in memories)
    asked = {gate for condenser in used for gate in condenser.gates}
    gates = tuple(name for name in NAMES if name in asked)
    models = (gate_model(spec.roles.condenser or backbone, spec.roles.gate) for backbone in spec.backbone)
    return dict.fromkeys(models, gates) if gates else {}


def standings_by_judge(
    spec: Spec, control: ControlPrompts, tuned: Collection[str] = ()
) -> Mapping[str, Mapping[str, GateStanding]]:
    """By judge and gate, what its verdict may do; SpecFault where the calibration cannot be read."""
    drawn = sampling_of(spec.sampling.gate, "gate", control)
    calibration = spec.roles.gate_calibration
    return {
        judge: gate_standings(judge, drawn.temperature, drawn.max_tokens, calibration, tuned)
        for judge in judges_of_gates(spec)
    }


def standings_of(
    spec: Spec, control: ControlPrompts, tuned: Collection[str] = (), memories: Collection[str] | None = None
) -> Mapping[str, GateStanding]:
    """Of each gate of the condensers (of those in `memories`, where given) what it may do, by judge where the
    backbones bring several; the rates of its program stand in the reason."""
    judges, held = judges_of_gates(spec, memories), standings_by_judge(spec, control, tuned)
    programs = program_rates(ALL, shipped_calibrations()) if judges else {}
    standings_by_name = {}
    for judge, gates in judges.items():
        for name in gates:
            program = f"; its program: {programs[name]}" if name in programs else ""
            place = name if len(judges) == 1 else f"{name}, {judge}"
            standings_by_name[place] = held[judge][name]._replace(why=held[judge][name].why + program)
    return standings_by_name
