"""What each factor of the arms does, which arms are missing to tell, and what an inert artifact means."""

from collections.abc import Iterator, Mapping, Sequence

from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.analysis.estimands.factor_effects import (
    FEWEST_STRATA,
    SCORE,
    UncrossedFactor,
    find_uncrossed,
    main_effects,
)
from memtrial.analysis.result import Estimate
from memtrial.ledger.run_plan import RunPlan
from memtrial.outcomes.grouping import group_by
from memtrial.outcomes.reserved_names import INTACT
from memtrial.protocol.arm_factors import INJECTION, ORDER, SCHEMA
from memtrial.views.rows.factor_rows import FactorRow

MOST_LACKING = 3
"""Missing arms of one factor that are named."""
INERT_ARTIFACT = (
    "This null result is informative: faithfulness is not reachable by artifact form alone, which supports"
    " the activation-channel half of fork A"
)


def factor_rows(rules: AnalysisPlan, estimates: Sequence[Estimate]) -> tuple[FactorRow, ...]:
    """Every main effect that was estimated, factor by factor, of all backbones."""
    named = {effect.name: effect for effect in main_effects(rules.factors, dict(rules.levels))}
    return tuple(
        FactorRow(
            factor=named[row.arm].factor,
            levels=named[row.arm].levels,
            outcome=SCORE if row.condition == INTACT else row.condition,
            backbone=row.backbone,
            n_tasks=row.n_tasks,
            n_clusters=row.n_clusters,
            estimate=row.estimate,
            low=row.low,
            high=row.high,
            p=row.p,
            p_adjusted=row.p_adjusted,
            verdict=row.verdict,
        )
        for row in estimates
        if row.estimand == "factorial" and row.arm in named
    )


def missing_arms(rules: AnalysisPlan) -> tuple[str, ...]:
    """A sentence on each factor whose levels are not crossed with all others; none where one alone varies."""
    if len(rules.factors) < 2:
        return ()
    names = [name for name, _ in rules.factors]
    return tuple(_name_missing(factor, names) for factor in find_uncrossed(rules.factors, dict(rules.levels)))


def _name_level(factor: str, level: str) -> str:
    return level if factor in (INJECTION, SCHEMA) else f"{factor} {level}"


def _name_missing(factor: UncrossedFactor, names: Sequence[str]) -> str:
    first, second = factor.levels
    whole = factor.strata
    over = f"estimated over the {whole} combinations of the other factors that hold both levels"
    if whole < FEWEST_STRATA:
        held = "only one combination" if whole else "no combination"
        over = f"no main effect is estimated, as {held} of the other factors holds both levels"
    arms = "; ".join(" · ".join(map(_name_level, names, row)) for row in factor.lacking[:MOST_LACKING])
    more = f" and {n} more" if (n := len(factor.lacking) - MOST_LACKING) > 0 else ""
    return f"{factor.factor}, {first} and {second}: {over}. Missing arms: {arms}{more}."


def inert_artifact(plan: RunPlan, verdicts: Mapping[str, Mapping[str, Mapping[str, str]]]) -> tuple[str, ...]:
    """What it means for fork A that an arm which changes the artifact alone is inert; nothing where none is.

    Such an arm shows checked theory items from the start. It is inert under all of the primary conditions.

    Args:
        verdicts: of drops, by backbone, arm and condition.
    """
    artifacts = [arm for arm, level in plan.levels.items() if _changes_artifact_alone(plan, *level)]
    return tuple(
        f"On {backbone}, {', '.join(arm for arm, _ in same)}: inert under {', '.join(conditions)}."
        f" {INERT_ARTIFACT}.{_channel_too(plan, words, [arm for arm, _ in same])}"
        for backbone, words in verdicts.items()
        for conditions, same in group_by(_inert(plan, words, artifacts), lambda entry: entry[1]).items()
    )


def _channel_too(plan: RunPlan, words: Mapping[str, Mapping[str, str]], artifacts: Sequence[str]) -> str:
    """That the same memory by the other injection is inert as well, where it is."""
    others = [treatment for treatment, control in plan.channel_pairs if control in artifacts]
    inert = ", ".join(arm for arm, _ in _inert(plan, words, others))
    return f" Here {inert} is inert as well: that channel is not shown to make it reachable." if inert else ""


def _changes_artifact_alone(plan: RunPlan, memory: str, shown: str) -> bool:
    made = plan.makeups.get(memory)
    if made is None or not made.draft.startswith(ORDER[SCHEMA][1]):
        return False
    return made.checked_by in ("gates", "person") and shown == ORDER[INJECTION][0]


def _inert(
    plan: RunPlan, words: Mapping[str, Mapping[str, str]], artifacts: Sequence[str]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The arms of these that are inert, with the conditions."""
    for arm in artifacts:
        own = {name: word for name, word in words.get(arm, {}).items() if name in plan.primary}
        if own and set(own.values()) == {"inert"}:
            yield arm, tuple(own)
