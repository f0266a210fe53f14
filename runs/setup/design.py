"""The design a spec asks for: its arms, its cells, and what must hold before anything is paid for."""

from collections.abc import Mapping
from dataclasses import dataclass

from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.arms.arm import (
    CHANNEL_PAIRS,
    INJECTIONS,
    LADDER,
    NONE,
    OF_THE_WORLD,
    PAIRS,
    PLANTED_THEORY,
    STANDARD,
    WITHHOLD,
    Arm,
    named_pairs,
)
from memtrial.faults import SpecFault
from memtrial.outcomes.reserved_names import INTACT, WITHOUT
from memtrial.perturbations.aim import Effect
from memtrial.perturbations.composite import JOINT, compose
from memtrial.perturbations.kinds import ALL as PERTURBATIONS
from memtrial.perturbations.kinds import NAMED
from memtrial.plugins.adapters import load_perturbation
from memtrial.plugins.load_plugin import asks
from memtrial.plugins.plugin_names import is_plugin
from memtrial.protocols import Perturbation
from memtrial.runs.spec.arm_spec import ArmSpec
from memtrial.runs.spec.condenser_factors import RAW, TYPED
from memtrial.runs.spec.spec import Spec

Damages = Mapping[str, tuple[Perturbation, ...]]
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Design:
    """What is compared.

    Args:
        arms: those with memory; `none` is the shared cell of all of them.
        damages: what is done to the slot, by value and by arm, in the order of the spec: damage of one kind,
            of one after another, or the instruction to follow the items.
        pairs: (treatment, control) arms whose drops are compared.
        channel_pairs: the same of one memory by two injections, compared after the hypotheses.
        systems: memory systems, by the name of the arm's memory.
        primary: the conditions, by their names, whose contrasts are the hypotheses.
        drawn: the condensers of which each repeat has a bank of its own; the others have one for all.
        draws: banks of each of them; 1 where every repeat shows the same.
    """

    arms: tuple[Arm, ...]
    damages: Damages
    pairs: tuple[Pair, ...]
    systems: tuple[str, ...] = ()
    primary: tuple[str, ...] = ()
    drawn: tuple[str, ...] = ()
    draws: int = 1
    channel_pairs: tuple[Pair, ...] = ()

    @property
    def cells(self) -> tuple[tuple[str, str], ...]:
        """(arm, condition) of every cell of a block; `none` and `without` are one."""
        cells = [(NONE, WITHOUT)]
        for arm in self.arms:
            cells += [(arm.name, INTACT), *((arm.name, kind.name) for kind in self.damages[arm.name])]
        return tuple(cells)

    @property
    def conditions(self) -> tuple[str, ...]:
        """The names of all perturbations of any arm, each once."""
        return tuple(self.effects)

    @property
    def effects(self) -> dict[str, Effect]:
        """What each condition does to a memory, by its name."""
        return {kind.name: kind.aim.declared.effect for arm in self.arms for kind in self.damages[arm.name]}

    @property
    def memories(self) -> tuple[str, ...]:
        """The condensers whose banks are needed, each once."""
        return _banks(self.arms, self.systems)


def design_of(spec: Spec) -> Design:
    """The spec's design.

    Raises:
        SpecFault: an arm asks for what its condenser cannot give, a pair for arms that are not there or have
            no damage in common, or looks for a hypothesis where there is none.
    """
    arms = tuple(_arm(arm, spec) for arm in spec.arms if arm != NONE)
    if not arms:
        raise SpecFault("arms needs at least one arm with memory beside none; got only none")
    recalling = [arm.memory for arm in spec.arms if isinstance(arm, ArmSpec) and arm.memory is not None]
    systems = tuple(dict.fromkeys(recalling))
    if both := sorted({*systems} & {*spec.condensers}):
        raise SpecFault(f"memory: {both[0]} is a memory system; the condenser of that name needs another one")
    shown = _banks(arms, systems)
    for name in shown:
        if (like := spec.condensers[name].like) is not None and like not in shown:
            raise SpecFault(f"condenser {name!r} follows {like!r}, which no arm shows; add an arm with it")
    kinds = {name: _kind(name) for name in spec.perturbations}
    damages = _damages(spec, arms, tuple(kinds.values()))
    pairs = _pairs(spec, arms, damages)
    primary = tuple(kinds[name].name for name in spec.primary)
    compared = {name for pair in pairs for name in _shared_damages(damages, pair)}
    single = set(AnalysisPlan(arms=(), conditions=tuple(compared), pairs=()).damages)
    if spec.analysis.looks > 1 and not (single & set(primary) if primary else single):
        raise SpecFault(
            f"analysis.looks needs a hypothesis to look at; got looks: {spec.analysis.looks} and no two arms"
            " whose drops are compared under a primary condition; leave looks out, or name analysis.pairs"
        )
    # a condenser that asks a model makes another bank each time
    drawn = tuple(name for name in shown if asks(spec.condensers[name].kind))
    if spec.draws == "one" or spec.mode == "stream" or spec.repeats == 1:
        drawn = ()
    asked, names = spec.analysis.pairs, {arm.name for arm in arms}
    channel_pairs = named_pairs(CHANNEL_PAIRS, names) if asked is None else ()
    return Design(arms, damages, pairs, systems, primary, drawn, spec.repeats if drawn else 1, channel_pairs)


def _banks(arms: tuple[Arm, ...], systems: tuple[str, ...]) -> tuple[str, ...]:
    memories = dict.fromkeys(arm.memory for arm in arms)
    return tuple(name for name in memories if name not in (*OF_THE_WORLD, *systems))


def _pairs(spec: Spec, arms: tuple[Arm, ...], damages: Damages) -> tuple[Pair, ...]:
    names = {arm.name for arm in arms}
    pairs = spec.analysis.pairs
    if pairs is None:
        return named_pairs(PAIRS, names)
    if len(set(pairs)) < len(pairs):
        raise SpecFault(f"analysis.pairs takes each pair once; got {[list(pair) for pair in pairs]}")
    for pair in pairs:
        if not set(pair) <= names or pair[0] == pair[1]:
            raise SpecFault(f"analysis.pairs needs two different arms of {sorted(names)}; got {list(pair)}")
        if not _shared_damages(damages, pair):
            raise SpecFault(
                f"analysis.pairs needs two arms with a damage in common; got {list(pair)}, whose drops cannot"
                " be compared; leave the pair out, or name other arms or conditions"
            )
    return pairs


def _shared_damages(damages: Damages, pair: Pair) -> tuple[str, ...]:
    """What is done to both arms of a pair."""
    control = {kind.name for kind in damages[pair[1]]}
    return tuple(kind.name for kind in damages[pair[0]] if kind.name in control)


def _kind(name: str) -> Perturbation:
    if is_plugin(name):
        return load_perturbation(name)
    if JOINT in name:
        return compose(name, PERTURBATIONS)
    return next(kind for kind in NAMED if kind.name == name)


def _damages(spec: Spec, arms: tuple[Arm, ...], asked: tuple[Perturbation, ...]) -> Damages:
    """What is done to each arm's slot."""
    names = [kind.name for kind in asked]
    if len({*names, INTACT, WITHOUT}) < len(names) + 2:
        raise SpecFault(f"each condition needs a name of its own, and not intact or without; got {names}")
    condensers = spec.condensers
    raw = {arm.name for arm in arms if arm.memory in condensers and condensers[arm.memory].kind in RAW}
    for kind in asked:
        if kind.aim.declared.raw == "only" and not raw:
            raise SpecFault(
                f"condition {kind.name!r} damages raw trajectories alone; name it with an arm raw"
            )
    own = tuple(kind for kind in PERTURBATIONS if kind.aim.declared.raw != "no")
    rest = tuple(kind for kind in asked if kind.aim.declared.raw != "only")
    # what varies on the ladder is the number of true items; damage to what is not shown damages nothing
    whole = {arm.name for arm in arms if arm in LADDER or arm.injection == WITHHOLD}
    return {arm.name: () if arm.name in whole else own if arm.name in raw else rest for arm in arms}


def _arm(asked: str | ArmSpec, spec: Spec) -> Arm:
    if isinstance(asked, str):
        arm = next(arm for arm in STANDARD if arm.name == asked)
    else:
        injection = next(kind for kind in INJECTIONS if kind.name == asked.injection)
        if asked.memory is not None:
            return Arm(asked.name, asked.memory, injection, discuss=asked.discuss)
        arm = Arm(asked.name, asked.condenser or "", injection, asked.reach, asked.discuss)
    condensers = {name: condenser.kind for name, condenser in spec.condensers.items()}
    if arm.memory not in OF_THE_WORLD and arm.memory not in condensers:
        raise SpecFault(
            f"arm {arm.name!r} needs condenser {arm.memory!r}; condensers has {sorted(condensers)}"
        )
    if arm.reach == "bank" and arm.memory in OF_THE_WORLD:
        raise SpecFault(
            f"arm {arm.name!r}: reach: bank needs a condenser's bank; got {arm.memory!r}, the world's own"
            " memory; leave reach out, or name a condenser"
        )
    triggers = [PLANTED_THEORY, *(name for name, kind in sorted(condensers.items()) if kind in TYPED)]
    if arm.injection.needs_trigger and arm.memory not in triggers:
        raise SpecFault(
            f"arm {arm.name!r} injects by {arm.injection.name}, but memory {arm.memory!r} holds no Trigger; "
            f"use prepend or state, or a condenser with triggers: {triggers}"
        )
    return arm
