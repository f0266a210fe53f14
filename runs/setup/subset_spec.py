"""The spec of an ablation: one arm for each subset of the gates of a theory condenser."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from string import ascii_uppercase

from pydantic import ValidationError

from loadbearing.arms.arm import ORACLE
from loadbearing.arms.subsets import subsets
from loadbearing.runs.errors import SpecFault
from loadbearing.runs.plugins.load import object_of
from loadbearing.runs.setup.design import design_of
from loadbearing.runs.spec.condenser_factors import LIKE, CondenserSpec
from loadbearing.runs.spec.load import first_of
from loadbearing.runs.spec.plugin_names import is_plugin
from loadbearing.runs.spec.spec import Spec

Factors = Mapping[str, tuple[str, ...]]
NAME = re.compile(r"[\w·.+-]{1,100}")
DAMAGE = "corrupt_invert"
ABOUT_ALL = ("margin", "alpha", "flips", "outcome", "cluster")
"""Keys of `analysis` that say nothing of single arms."""


@dataclass(frozen=True, slots=True)
class SubsetOptions:
    """What is switched, and what is done to the memories.

    Args:
        gates: a factor each; those of the spec's theory condenser unless gates or groups are given.
        groups: gates that are switched together, by the factor's name.
        conditions: kinds of damage.
    """

    gates: tuple[str, ...] = ()
    groups: Factors = field(default_factory=dict)
    conditions: tuple[str, ...] = (DAMAGE,)


def ablation_spec(spec: Spec, asked: SubsetOptions) -> Spec:
    """The spec with the arms of the design instead of its own, but for the positive control.

    All arms condense with the spec's first theory condenser and inject as its arm does. Equal requests of
    several arms are one call, and their cells with equal prompts one episode.

    Raises:
        SpecFault: it has no theory condenser, grows its memory during the run, or something asked for does
            not fit.
    """
    if spec.mode == "stream":
        raise SpecFault("ablate needs banks that are made before the run; got mode: stream, leave it out")
    condenser, shown = _condenser(spec)
    factors = factors_of(spec, asked)
    try:
        runs = subsets(tuple(factors))
    except ValueError as fault:
        raise SpecFault(f"{fault}; name fewer with --gates, or put some together with --groups") from fault
    letter = dict(zip(factors, ascii_uppercase, strict=False))
    on = {f"gates-{''.join(letter[name] for name in run) or '0'}": run for run in runs}
    given = condenser.model_dump(mode="json", exclude_unset=True)
    raw = spec.model_dump(mode="json", exclude_unset=True)
    kept = {name: value for name, value in raw.get("analysis", {}).items() if name in ABOUT_ALL}
    raw |= {
        "name": f"{spec.name[:80]}-ablation",
        "condensers": {
            arm: {**given, "gates": [gate for name in run for gate in factors[name]]}
            for arm, run in on.items()
        },
        "arms": [
            *([ORACLE] if ORACLE in spec.arms else []),
            *({"name": arm, "condenser": arm, **shown} for arm in on),
        ],
        "conditions": ["without", *asked.conditions],
        "analysis": kept,
        "ablation": {"factors": {name: _names(gates) for name, gates in factors.items()}, "subsets": on},
    }
    try:
        return Spec.model_validate(raw)
    except ValidationError as fault:
        raise SpecFault(first_of(fault, "ablate", {})) from fault


def _condenser(spec: Spec) -> tuple[CondenserSpec, dict[str, str | bool]]:
    """The theory condenser of the first arm that has one, and how the arm injects; else the first one."""
    usable = {
        name: one
        for name, one in spec.condensers.items()
        if one.kind == "theory" and all(getattr(one, key) is None for key in LIKE)
    }
    for arm in design_of(spec).arms:
        if arm.memory in usable:
            return usable[arm.memory], {
                "injection": arm.injection.name,
                "reach": arm.reach,
                "discuss": arm.discuss,
            }
    for condenser in usable.values():
        return condenser, {}
    kinds = sorted({one.kind for one in spec.condensers.values()})
    raise SpecFault(f"ablate needs a condenser of kind theory, whose gates it switches; the spec has {kinds}")


def factors_of(spec: Spec, asked: SubsetOptions) -> dict[str, tuple[str, ...]]:
    """By name, the gates that a factor switches, as the spec names them. Raises as `ablation_spec`."""
    condenser, _ = _condenser(spec)
    factors = {name: _known(gates) for name, gates in asked.groups.items()}
    grouped = [gate for gates in factors.values() for gate in gates]
    singles = asked.gates or (() if asked.groups else condenser.gates)
    alone = [gate for gate in _known(singles) if gate not in grouped]
    names = [*factors, *_names(alone)]
    if wrong := [name for name in names if not NAME.fullmatch(name)]:
        raise SpecFault(f"a group needs a name of letters, digits, _ . + and -; got {wrong[0]!r}")
    if len({*grouped, *alone}) < len(grouped) + len(alone) or len(set(names)) < len(names):
        raise SpecFault(f"each gate belongs to one factor with a name of its own; got {names}, {grouped}")
    return factors | dict(zip(_names(alone), ((gate,) for gate in alone), strict=True))


def _known(gates: Sequence[str]) -> tuple[str, ...]:
    """Gates by their own names; SpecFault where there is no such gate."""
    try:
        return CondenserSpec(kind="theory", gates=tuple(gates)).gates
    except ValidationError as fault:
        raise SpecFault(first_of(fault, "ablate", {})) from fault


def _names(gates: Sequence[str]) -> tuple[str, ...]:
    """What gates are called in tables: one of the user's by its object."""
    return tuple(object_of(gate) if is_plugin(gate) else gate for gate in gates)
