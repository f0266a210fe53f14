"""Which model plays which role, and whether it can. Checked before anything is begun."""

from collections.abc import Iterable

from loadbearing.judges.success import ORACLE
from loadbearing.models.client.keys import Keys
from loadbearing.models.client.types import ModelFault, provider_of, split_model
from loadbearing.models.providers.open import open_backend
from loadbearing.models.providers.reach import destinations
from loadbearing.models.providers.replay import Replay
from loadbearing.models.simulated.members import PARTS, Part
from loadbearing.runs.errors import SpecFault, refused
from loadbearing.runs.folder.run_folder import refuse_damaged_recording
from loadbearing.runs.plugins.load import asks, wants
from loadbearing.runs.setup.design import Design
from loadbearing.runs.spec.spec import Spec

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
    drafted = any(asks(one.kind) for one in used) or any(wants(name, "ask") for name in design.systems)
    gated = any(one.gates for one in used)
    for backbone in spec.backbone:
        condenser = spec.roles.condenser or backbone
        if drafted:
            roles.append(("condense", condenser))
        if gated:
            roles.append(("judge", gate_model(condenser, spec.roles.gate)))
    if spec.roles.judge is not None:
        roles.append(("decide", spec.roles.judge))
    if spec.roles.perturber is not None:
        roles.append(("perturb", spec.roles.perturber))
    if spec.roles.grader not in (None, ORACLE):
        roles.append(("grade", str(spec.roles.grader)))
    if spec.roles.coder not in (None, RULES):
        roles.append(("code", str(spec.roles.coder)))
    return tuple(dict.fromkeys(roles))


def destinations_of(names: Iterable[str], keys: Keys) -> tuple[str, ...]:
    """Where keys go but to a provider's own address, a line each; SpecFault for an address that is for none
    of them."""
    with refused(ModelFault):
        return destinations(names, keys)


def check_cast(roles: tuple[Role, ...], keys: Keys | None = None) -> None:
    """Every model can be opened, and do what it is asked for; SpecFault where one cannot."""
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
