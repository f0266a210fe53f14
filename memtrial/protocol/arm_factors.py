"""The factors of the arms, as the plan states them: how memories were made and reach the agent."""

from collections.abc import Mapping

from memtrial.ledger.run_plan import Makeup, RunPlan
from memtrial.outcomes.reserved_names import NONE, WITHHOLD

DISCUSSED = ", discussed"
"""Ends the injection of an arm whose cue asks to discuss each item."""
NOTHING = "none"
"""The level of a factor that is not used."""
INJECTION, GATES, REVIEW, SCHEMA = "injection", "gates", "review", "schema"
"""Forks A, B and C, and the schema of the items."""
ORDER: Mapping[str, tuple[str, ...]] = {
    INJECTION: ("prepend", "trigger", "enforce", "yoked", "state"),
    GATES: (NOTHING, "seed", "all"),
    REVIEW: (NOTHING, "gates", "human"),
    SCHEMA: ("native", "theory"),
}
"""Levels in the order in which they are compared; those not named follow as the arms bring them up."""

Crossing = tuple[tuple[tuple[str, tuple[str, ...]], ...], tuple[tuple[str, tuple[str, ...]], ...]]
"""Factors with their levels, and the levels of each arm, as the plan of an analysis takes them."""


def arm_factors(plan: RunPlan) -> Crossing:
    """The factors in which the arms differ; `none` and the two controls are not compared by factors."""
    shown = {
        arm: plan.levels[arm]
        for arm in plan.arms
        if arm in plan.levels and arm not in (NONE, plan.positive_control)
    }
    return cross_factors(shown, plan.makeups)


def cross_factors(shown: Mapping[str, tuple[str, str]], makeups: Mapping[str, Makeup]) -> Crossing:
    """The same of arms by their memory and how it is shown, and of memories by how they are made."""
    compared = {
        arm: _levels(makeups, *level)
        for arm, level in shown.items()
        if level[1].removesuffix(DISCUSSED) != WITHHOLD  # whatever its memory is, none of it is shown
    }
    columns: dict[str, dict[str, None]] = {}
    for row in compared.values():
        for factor, level in row.items():
            columns.setdefault(factor, {})[level] = None
    factors = tuple(
        (factor, tuple(sorted(levels, key=lambda level: _rank(factor, level))))
        for factor, levels in columns.items()
        if len(levels) > 1
    )
    names = [name for name, _ in factors]
    return factors, tuple((arm, tuple(row[name] for name in names)) for arm, row in compared.items())


def _rank(factor: str, level: str) -> int:
    order = ORDER.get(factor, (NOTHING,))
    head = level.partition(",")[0]
    return order.index(head) if head in order else len(order)


def _levels(makeups: Mapping[str, Makeup], memory: str, shown: str) -> dict[str, str]:
    """The level of every factor of one arm; a memory that no condenser made is a schema of its own."""
    made = makeups.get(memory) or Makeup(draft=memory)
    injection = shown.removesuffix(DISCUSSED)
    schema = made.draft.removesuffix(" schema")
    native = {other.draft for other in makeups.values() if other.draft.startswith("native")}
    return {
        INJECTION: injection,
        # a plan of before forks were stated says in words what happens to drafts
        GATES: made.gates or made.checked or NOTHING,
        REVIEW: made.review or NOTHING,
        SCHEMA: "native" if native == {schema} else schema,
        "wording": made.warned or NOTHING,
        "length": made.length or NOTHING,
        "thinned": made.thinned or NOTHING,
        "cue": NOTHING if injection == shown else "discuss each item",
    }
