"""What a design compares: pairs of arms with their family of tests, and the factors that its arms cross."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.analysis.estimands.factor_effects import main_effects
from memtrial.analysis.hypothesis_families import CHANNEL, HYPOTHESES, Role
from memtrial.ledger.run_plan import Makeup
from memtrial.outcomes.reserved_names import ORACLE
from memtrial.protocol.arm_factors import cross_factors
from memtrial.runs.setup.design import Design
from memtrial.views.evidence.factor_evidence import missing_arms


@dataclass(frozen=True, slots=True)
class PlannedPair:
    """Two arms whose drops are compared under the primary conditions.

    Args:
        family: whose tests share one error rate; `order`: its place among those tested one after the other.
    """

    treatment: str
    control: str
    family: str
    role: Role
    order: int


@dataclass(frozen=True, slots=True)
class PlannedComparisons:
    """What a design compares.

    Args:
        main_effects: `factor: level − level` of each that arms cross.
        uncrossed: a sentence on each factor for which arms are missing.
    """

    pairs: tuple[PlannedPair, ...]
    main_effects: tuple[str, ...]
    uncrossed: tuple[str, ...]


def planned_comparisons(design: Design, makeups: Mapping[str, Makeup]) -> PlannedComparisons:
    """What the design compares; `makeups` by the names of its condensers."""
    shown = {arm.name: (arm.memory, arm.shown) for arm in design.arms if arm.name != ORACLE}
    factors, levels = cross_factors(shown, makeups)
    plan = AnalysisPlan(tuple(shown), design.conditions, factors=factors, levels=levels)
    pairs = [PlannedPair(*pair, HYPOTHESES, "primary", 1) for pair in design.pairs]
    pairs += [PlannedPair(*pair, CHANNEL, "secondary", 2) for pair in design.channel_pairs]
    effects = main_effects(factors, dict(levels))
    return PlannedComparisons(tuple(pairs), tuple(effect.name for effect in effects), missing_arms(plan))


def channel_line(compared: PlannedComparisons) -> Iterator[str]:
    """In which family the clean contrast of fork A is, where it is compared."""
    named = [f"{pair.treatment} − {pair.control}" for pair in compared.pairs if pair.family == CHANNEL]
    if named:
        yield f"Fork A: {', '.join(named)}, in the secondary family '{CHANNEL}', after the hypotheses."


def factor_lines(compared: PlannedComparisons) -> Iterator[str]:
    """The main effects that will be estimated, and what is missing for others."""
    names = ", ".join(compared.main_effects) or "none, as no factor is crossed with another"
    yield f"Main effects of factors: {names}."
    yield from compared.uncrossed
