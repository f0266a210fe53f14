"""The design a spec asks for: its arms, its cells, and what must hold before anything is paid for."""

from __future__ import annotations

from dataclasses import dataclass

from arms.arm import ACTIVATION, ARTIFACT, CONTROL, INJECTIONS, NONE, ORACLE, STANDARD, Arm
from perturbations.members import ALL as PERTURBATIONS
from perturbations.perturbation import Perturbation
from runs.fault import SpecFault
from runs.spec import INTACT, WITHOUT, ArmSpec, Spec

Cell = tuple[str, str]
"""(arm, condition)"""


@dataclass(frozen=True, slots=True)
class Design:
    """What is compared.

    Args:
        arms: those with memory; `none` is the shared cell of all of them.
        conditions: perturbations by value, in the spec's order.
        pairs: (treatment, control) arms whose drops are compared.
    """

    arms: tuple[Arm, ...]
    conditions: tuple[Perturbation, ...]
    pairs: tuple[tuple[str, str], ...]

    @property
    def cells(self) -> tuple[Cell, ...]:
        """Every cell of a block; `none` and `without` are one."""
        named = (INTACT, *(kind.name for kind in self.conditions))
        return ((NONE, WITHOUT), *((arm.name, condition) for arm in self.arms for condition in named))

    @property
    def memories(self) -> tuple[str, ...]:
        """The condensers whose banks are needed, each once."""
        return tuple(dict.fromkeys(arm.memory for arm in self.arms if arm.memory != ORACLE))


def design_of(spec: Spec) -> Design:
    """The spec's design.

    Raises:
        SpecFault: an arm asks for what its condenser cannot give, or a pair for arms that are not there.
    """
    arms = tuple(_arm(arm, spec) for arm in spec.arms if arm != NONE)
    if not arms:
        raise SpecFault("arms needs at least one arm with memory beside none; got only none")
    names = {arm.name for arm in arms}
    standard = ((ARTIFACT.name, CONTROL.name), (ACTIVATION.name, CONTROL.name))
    asked = spec.analysis.pairs
    pairs = asked if asked is not None else tuple(pair for pair in standard if set(pair) <= names)
    for pair in pairs:
        if not set(pair) <= names or pair[0] == pair[1]:
            raise SpecFault(f"analysis.pairs needs two different arms of {sorted(names)}; got {list(pair)}")
    if len(set(pairs)) < len(pairs):
        raise SpecFault(f"analysis.pairs takes each pair once; got {[list(pair) for pair in pairs]}")
    conditions = tuple(kind for name in spec.perturbations for kind in PERTURBATIONS if kind.name == name)
    return Design(arms, conditions, pairs)


def _arm(asked: str | ArmSpec, spec: Spec) -> Arm:
    if isinstance(asked, str):
        arm = next(arm for arm in STANDARD if arm.name == asked)
    else:
        arm = Arm(
            asked.name, asked.condenser, next(kind for kind in INJECTIONS if kind.name == asked.injection)
        )
    if arm.memory == ORACLE:
        if arm.injection.name == "trigger":
            raise SpecFault(f"arm {arm.name!r} injects by trigger, but a lesson is prose; use prepend")
        return arm
    condenser = spec.condensers.get(arm.memory)
    if condenser is None:
        raise SpecFault(
            f"arm {arm.name!r} needs condenser {arm.memory!r}; condensers has {sorted(spec.condensers)}"
        )
    if arm.injection.name == "trigger" and condenser.kind != "theory":
        having = sorted(name for name, other in spec.condensers.items() if other.kind == "theory")
        raise SpecFault(
            f"arm {arm.name!r} injects by trigger, but condenser {arm.memory!r} writes no Trigger; "
            f"use prepend, or a condenser with triggers: {having}"
        )
    return arm
