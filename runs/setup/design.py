"""The design a spec asks for: its arms, its cells, and what must hold before anything is paid for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from loadbearing.arms.arm import INJECTIONS, LADDER, NONE, OF_THE_WORLD, PAIRS, PLANTED_THEORY, STANDARD, Arm
from loadbearing.outcomes.reserved_names import INTACT, WITHOUT
from loadbearing.perturbations.composite import JOINT, composed
from loadbearing.perturbations.members import ALL as PERTURBATIONS
from loadbearing.perturbations.perturbation import Effect, Perturbation
from loadbearing.runs.errors import SpecFault
from loadbearing.runs.plugins.load import asks
from loadbearing.runs.plugins.perturbation import load_perturbation
from loadbearing.runs.setup.unused_settings import refuse_idle
from loadbearing.runs.spec.plugin_names import is_plugin
from loadbearing.runs.spec.sections import ArmSpec
from loadbearing.runs.spec.spec import Spec

Cell = tuple[str, str]
"""(arm, condition)"""


@dataclass(frozen=True, slots=True)
class Design:
    """What is compared.

    Args:
        arms: those with memory; `none` is the shared cell of all of them.
        damages: what is done to the slot, by value and by arm, in the order of the spec: damage of one kind,
            of one after another, or the instruction to follow the items.
        pairs: (treatment, control) arms whose drops are compared.
        systems: memory systems, by the name of the arm's memory.
        primary: the conditions, by their names, whose contrasts are the hypotheses.
        drawn: the condensers of which each repeat has a bank of its own; the others have one for all.
        draws: banks of each of them; 1 where every repeat shows the same.
    """

    arms: tuple[Arm, ...]
    damages: Mapping[str, tuple[Perturbation, ...]]
    pairs: tuple[tuple[str, str], ...]
    systems: tuple[str, ...] = ()
    primary: tuple[str, ...] = ()
    drawn: tuple[str, ...] = ()
    draws: int = 1

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Every cell of a block; `none` and `without` are one."""
        cells = [(NONE, WITHOUT)]
        for arm in self.arms:
            cells += [(arm.name, INTACT), *((arm.name, kind.name) for kind in self.damages[arm.name])]
        return tuple(cells)

    @property
    def damages_by_name(self) -> dict[str, tuple[str, ...]]:
        """The names of what is done to each arm's slot."""
        return {arm: tuple(kind.name for kind in kinds) for arm, kinds in self.damages.items()}

    @property
    def conditions(self) -> tuple[str, ...]:
        """The names of all perturbations of any arm, each once."""
        return tuple(dict.fromkeys(kind.name for arm in self.arms for kind in self.damages[arm.name]))

    @property
    def effects(self) -> dict[str, Effect]:
        """What each condition does to a memory, by its name."""
        return {kind.name: kind.effect for arm in self.arms for kind in self.damages[arm.name]}

    @property
    def memories(self) -> tuple[str, ...]:
        """The condensers whose banks are needed, each once."""
        other = (*OF_THE_WORLD, *self.systems)
        return tuple(dict.fromkeys(arm.memory for arm in self.arms if arm.memory not in other))


def design_of(spec: Spec) -> Design:
    """The spec's design.

    Raises:
        SpecFault: an arm asks for what its condenser cannot give, or a pair for arms that are not there.
    """
    arms = tuple(_arm(arm, spec) for arm in spec.arms if arm != NONE)
    systems = [arm.memory for arm in spec.arms if isinstance(arm, ArmSpec) and arm.memory is not None]
    if not arms:
        raise SpecFault("arms needs at least one arm with memory beside none; got only none")
    names = {arm.name for arm in arms}
    standard = tuple((treatment.name, control.name) for treatment, control in PAIRS)
    asked = spec.analysis.pairs
    pairs = asked if asked is not None else tuple(pair for pair in standard if set(pair) <= names)
    for pair in pairs:
        if not set(pair) <= names or pair[0] == pair[1]:
            raise SpecFault(f"analysis.pairs needs two different arms of {sorted(names)}; got {list(pair)}")
    if len(set(pairs)) < len(pairs):
        raise SpecFault(f"analysis.pairs takes each pair once; got {[list(pair) for pair in pairs]}")
    kinds = {name: _kind(name) for name in spec.perturbations}
    primary = tuple(kinds[name].name for name in spec.primary)
    damages = _damages(spec, arms, tuple(kinds.values()))
    design = Design(arms, damages, pairs, tuple(dict.fromkeys(systems)), primary)
    refuse_idle(spec, design.damages_by_name, design.pairs, design.primary)
    drawn = _drawn(spec, design.memories)
    return replace(design, drawn=drawn, draws=spec.repeats if drawn else 1)


def _drawn(spec: Spec, memories: tuple[str, ...]) -> tuple[str, ...]:
    """The condensers that make another bank each time they are asked, where each repeat is to have one."""
    if spec.draws == "one" or spec.mode == "stream" or spec.repeats == 1:
        return ()
    return tuple(name for name in memories if asks(spec.condensers[name].kind))


def _kind(name: str) -> Perturbation:
    if is_plugin(name):
        return load_perturbation(name)
    if JOINT in name:
        return composed(name, PERTURBATIONS)
    return next(kind for kind in PERTURBATIONS if kind.name == name)


def _damages(
    spec: Spec, arms: tuple[Arm, ...], asked: tuple[Perturbation, ...]
) -> dict[str, tuple[Perturbation, ...]]:
    """What is done to each arm's slot."""
    names = [kind.name for kind in asked]
    if len({*names, INTACT, WITHOUT}) < len(names) + 2:
        raise SpecFault(f"each condition needs a name of its own, and not intact or without; got {names}")
    raw = {arm.name for arm in arms if arm.memory in spec.condensers and _is_raw(spec, arm.memory)}
    for kind in asked:
        if kind.raw == "only" and not raw:
            raise SpecFault(
                f"condition {kind.name!r} damages raw trajectories alone; name it with an arm raw"
            )
    own = tuple(kind for kind in PERTURBATIONS if kind.raw != "no")
    rest = tuple(kind for kind in asked if kind.raw != "only")
    # what varies on the ladder is the number of true items
    return {arm.name: () if arm in LADDER else own if arm.name in raw else rest for arm in arms}


def _is_raw(spec: Spec, condenser: str) -> bool:
    return spec.condensers[condenser].kind == "raw"


def _arm(asked: str | ArmSpec, spec: Spec) -> Arm:
    if isinstance(asked, str):
        arm = next(arm for arm in STANDARD if arm.name == asked)
    else:
        injection = next(kind for kind in INJECTIONS if kind.name == asked.injection)
        if asked.memory is not None:
            return Arm(asked.name, asked.memory, injection)
        arm = Arm(asked.name, asked.condenser or "", injection)
    if arm.memory in OF_THE_WORLD:
        if arm.injection.watches and arm.memory != PLANTED_THEORY:
            raise SpecFault(
                f"arm {arm.name!r} injects by trigger, but a lesson is prose; use prepend,"
                f" or condenser: {PLANTED_THEORY}"
            )
        return arm
    condenser = spec.condensers.get(arm.memory)
    if condenser is None:
        raise SpecFault(
            f"arm {arm.name!r} needs condenser {arm.memory!r}; condensers has {sorted(spec.condensers)}"
        )
    if arm.injection.watches and condenser.kind != "theory":
        having = sorted(name for name, other in spec.condensers.items() if other.kind == "theory")
        raise SpecFault(
            f"arm {arm.name!r} injects by trigger, but condenser {arm.memory!r} writes no Trigger; "
            f"use prepend, or a condenser with triggers: {having}"
        )
    return arm
