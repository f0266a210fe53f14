"""What each gate does: a condenser for each subset of the gates, in one run, or two where they are many."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from string import ascii_uppercase
from typing import Literal

from pydantic import ValidationError

from memtrial.api.given_spec import Given, spec_of
from memtrial.api.run import RunEnd, RunOptions, run
from memtrial.arms.arm import ORACLE
from memtrial.console.display import Display
from memtrial.faults import SpecFault
from memtrial.outcomes.reserved_names import INVERTED
from memtrial.plugins.load_plugin import object_of
from memtrial.plugins.plugin_names import is_plugin
from memtrial.runs.run_folder.folder import folder_of
from memtrial.runs.setup.design import design_of
from memtrial.runs.spec.condenser_factors import LIKE, TYPED, CondenserSpec
from memtrial.runs.spec.option_values import refuse_options, settle
from memtrial.runs.spec.read_spec import first_of
from memtrial.runs.spec.spec import Spec
from memtrial.views.rows.ablation_results import Ablation

Subset = tuple[str, ...]
Kind = Literal["full", "half", "screening"]
MOST_FULL, HALVED = 4, 5
SIZES = (8, 12, 20, 24)
"""Runs of a screening design: multiples of four, one more than a prime."""
MOST_FACTORS = SIZES[-1] - 1


def kind_of(n_factors: int) -> Kind:
    """All subsets of at most four factors, half of those of five, and a screening of more."""
    if n_factors <= MOST_FULL:
        return "full"
    return "half" if n_factors == HALVED else "screening"


def subsets(factors: Subset) -> tuple[Subset, ...]:
    """The runs of a design, those with fewer factors first; ValueError for no factor, one twice, too many."""
    if not 1 <= len(factors) <= MOST_FACTORS or len(set(factors)) < len(factors):
        raise ValueError(f"a design takes 1 to {MOST_FACTORS} factors, each once; got {list(factors)}")
    kind = kind_of(len(factors))
    subsets = (
        full(factors) if kind == "full" else half(factors) if kind == "half" else screening_design(factors)
    )
    place = {name: number for number, name in enumerate(factors)}
    return tuple(sorted(subsets, key=lambda run: (len(run), [place[name] for name in run])))


def full(factors: Subset) -> tuple[Subset, ...]:
    """Every subset: all main effects and interactions can be told apart."""
    sizes = range(len(factors) + 1)
    return tuple(chosen for size in sizes for chosen in combinations(factors, size))


def half(factors: Subset) -> tuple[Subset, ...]:
    """The half in which the last factor is the product of the others, in the coding of -1 and +1.

    Of five factors: resolution V, so that main effects and interactions of two can be told apart. Source:
    Box, Hunter & Hunter 2005, chapter 6.
    """
    *others, last = factors
    return tuple((*run, last) if (len(others) - len(run)) % 2 == 0 else run for run in full(tuple(others)))


def screening_design(factors: Subset) -> tuple[Subset, ...]:
    """A Plackett-Burman design: main effects that are orthogonal to each other, not to interactions.

    The rows are shifts of signs by quadratic residues, and one run has every factor on. Source: Plackett &
    Burman 1946; Paley 1933.
    """
    prime = next(size - 1 for size in SIZES if size > len(factors))
    squares = {n * n % prime for n in range(1, prime)}
    shifted = [
        tuple(name for number, name in enumerate(factors) if (number + shift) % prime in squares)
        for shift in range(prime)
    ]
    return (*shifted, factors)


Factors = Mapping[str, tuple[str, ...]]
NAME = re.compile(r"[\w·.+-]{1,100}")
ABOUT_ALL = ("margin", "alpha", "flips", "outcome", "cluster")
"""Keys of `analysis` that say nothing of single arms."""


@dataclass(frozen=True, slots=True)
class SubsetOptions:
    """What is switched, and what is done to the memories.

    Args:
        gates: a factor each; those of the spec's theory condenser unless gates or groups are given.
        groups: gates that are switched together, by the factor's name.
    """

    gates: tuple[str, ...] = ()
    groups: Factors = field(default_factory=dict)
    conditions: tuple[str, ...] = (INVERTED,)

    def __post_init__(self) -> None:
        settle(self)


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
    """The condenser with Triggers of the first arm that has one, and how the arm injects; else the first."""
    usable = {
        name: condenser
        for name, condenser in spec.condensers.items()
        if condenser.kind in TYPED and all(getattr(condenser, key) is None for key in LIKE)
    }
    for arm in design_of(spec).arms:
        if arm.memory in usable:
            shown: dict[str, str | bool] = {"injection": arm.injection.name, "reach": arm.reach}
            return usable[arm.memory], shown | {"discuss": arm.discuss}
    for condenser in usable.values():
        return condenser, {}
    kinds = sorted({condenser.kind for condenser in spec.condensers.values()})
    raise SpecFault(
        f"ablate needs a condenser of kind theory or additive, whose gates it switches; the spec has {kinds}"
    )


def factors_of(spec: Spec, asked: SubsetOptions) -> dict[str, tuple[str, ...]]:
    """By name, the gates that a factor switches, as the spec names them. Raises as `ablation_spec`."""
    condenser, _ = _condenser(spec)
    factors = {name: _known_gates(gates) for name, gates in asked.groups.items()}
    grouped = [gate for gates in factors.values() for gate in gates]
    singles = asked.gates or (() if asked.groups else condenser.gates)
    alone = [gate for gate in _known_gates(singles) if gate not in grouped]
    names = [*factors, *_names(alone)]
    if wrong := [name for name in names if not NAME.fullmatch(name)]:
        raise SpecFault(f"a group needs a name of letters, digits, _ . + and -; got {wrong[0]!r}")
    if len({*grouped, *alone}) < len(grouped) + len(alone) or len(set(names)) < len(names):
        raise SpecFault(f"each gate belongs to one factor with a name of its own; got {names}, {grouped}")
    return factors | dict(zip(_names(alone), ((gate,) for gate in alone), strict=True))


def _known_gates(gates: Sequence[str]) -> tuple[str, ...]:
    """Gates by their own names; SpecFault where there is no such gate."""
    try:
        return CondenserSpec(kind="theory", gates=tuple(gates)).gates
    except ValidationError as fault:
        raise SpecFault(first_of(fault, "ablate", {})) from fault


def _names(gates: Sequence[str]) -> tuple[str, ...]:
    """What gates are called in tables: one of the user's by its object."""
    return tuple(object_of(gate) if is_plugin(gate) else gate for gate in gates)


SCREENED = 0.10
"""A factor is active in a screening where its p, alone, is at most this on some outcome."""


@dataclass(frozen=True, slots=True)
class AblationEnd:
    """How an ablation ended: one run, and after a screening with active factors a second one of these."""

    runs: tuple[RunEnd, ...]

    @property
    def last(self) -> RunEnd:
        """The run that says most."""
        return self.runs[-1]

    @property
    def first_ablation(self) -> Ablation | None:
        """What the first of two runs found."""
        return ablation_of(self.runs[0]) if len(self.runs) > 1 else None


def ablate(
    spec: Given,
    asked: SubsetOptions = SubsetOptions(),
    options: RunOptions = RunOptions(),
    display: Display | None = None,
) -> AblationEnd:
    """Play a spec with subsets of its gates; the same call again goes on where the first one stopped.

    More than five factors are screened, and the active ones, four at most, then played in full in a folder
    beside the first, with the others off. That choice is made on the same tasks, so that the second run's p
    does not account for it. Each of the two runs has the whole budget.

    Raises:
        SpecFault: the spec has no theory condenser, or what is asked for does not fit.
        RunFault: a run cannot go on.
    """
    refuse_options(asked, SubsetOptions, "asked")
    refuse_options(options, RunOptions, "options")
    given = spec_of(spec)
    wanted = ablation_spec(given, asked)
    first = run(wanted, options, display)
    ablation = ablation_of(first)
    if ablation is None or first.ending.how != "done" or kind_of(len(ablation.factors)) != "screening":
        return AblationEnd((first,))
    chosen = active(ablation)
    if not chosen:
        return AblationEnd((first,))
    switched = factors_of(given, asked)
    narrowed = replace(asked, gates=(), groups={name: switched[name] for name in chosen})
    folder = folder_of(wanted, options.out)
    beside = replace(options, out=folder.with_name(f"{folder.name}-active"))
    return AblationEnd((first, run(ablation_spec(given, narrowed), beside, display)))


def ablation_of(ended: RunEnd) -> Ablation | None:
    """What a run found about its gates; None before its first trial."""
    return None if ended.results is None else ended.results.ablation


def active(ablation: Ablation) -> tuple[str, ...]:
    """The factors whose main effect shows on some outcome and backbone, the clearest four, in order."""
    best: dict[str, float] = {}
    for effect in ablation.effects:
        if (
            len(effect.factors) == 1
            and not effect.of_mode  # coding failures later must not choose other gates
            and effect.p is not None
            and not effect.unchanged
            and effect.p <= SCREENED
        ):
            best[effect.gate] = min(effect.p, best.get(effect.gate, 1.0))
    clearest = sorted(best, key=lambda name: best[name])[:MOST_FULL]
    return tuple(name for name in ablation.factors if name in clearest)
