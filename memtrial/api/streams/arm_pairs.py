"""Which arms of an evolution are compared with which, and what the project's own analysis says of them.

Its unit is the stream: all tasks of one stream hang on what was learnt before them, so that a stream is one
observation of a memory that grows.
"""

from collections.abc import Mapping, Sequence

from memtrial.analysis_rules import STANDARD_RULES
from memtrial.api.analyze import AnalysisOptions, analyze
from memtrial.evolution.evolve_spec import EvolveArm, EvolveSpec
from memtrial.evolution.stream_rows import TaskRow
from memtrial.outcomes.table_options import TableOptions
from memtrial.views.rows.evolution_rows import ArmsCompared

FEWEST_STREAMS = 2


def reference_arm(arms: Mapping[str, EvolveArm]) -> str | None:
    """The arm without memory that does each task once; None where there is none."""
    return next((name for name, arm in arms.items() if arm.mode == "vanilla"), None)


def pairs_of(arms: Mapping[str, EvolveArm]) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """Which arms are compared with which: why, the reference, and the arms.

    With `vanilla` all that learn are; an arm of more tries with the one of as many tries that learns nothing,
    which is memory at equal compute; contrastive learning with that from successes alone; and an arm that
    searches its bank in another way with the one that is the same but for that.
    """
    pairs: list[tuple[str, str, tuple[str, ...]]] = []
    vanilla = reference_arm(arms)
    if vanilla is not None:
        others = tuple(name for name in arms if name != vanilla)
        pairs.append(("with each task done once, without memory", vanilla, others))
    for name, arm in arms.items():
        if arm.learn != "none" or arm.mode == "vanilla":
            continue
        same = tuple(
            other
            for other, one in arms.items()
            if one.learn != "none"
            and (one.mode, one.k, one.r, one.vary) == (arm.mode, arm.k, arm.r, arm.vary)
        )
        if same:
            pairs.append(("memory at equal compute: as many tries that learn nothing", name, same))
    for name, arm in arms.items():
        twins = tuple(
            other
            for other, one in arms.items()
            if one.learn == "contrastive" and (one.mode, one.k, one.r) == (arm.mode, arm.k, arm.r)
        )
        if arm.learn == "success-only" and twins:
            pairs.append(("what contrasts add to successes alone", name, twins))
    for name, arm in arms.items():
        usual = {"query": "task", "retrieve": "before"}
        others = tuple(
            other for other, one in arms.items() if one != arm and one.model_copy(update=usual) == arm
        )
        if others:
            pairs.append(("what other searches of the bank add", name, others))
    return tuple(pairs)


def compare_arms(spec: EvolveSpec, rows: Sequence[TaskRow], simulated: bool) -> tuple[ArmsCompared, ...]:
    """Every comparison for which two streams of its arms have ended; estimates in the order of the spec."""
    compared: list[ArmsCompared] = []
    for about, reference, arms in pairs_of(spec.arms):
        own = [row for row in rows if row.arm in (reference, *arms)]
        if len({row.stream for row in own if row.arm == reference}) < FEWEST_STREAMS:
            continue
        table = [
            {
                "backbone": row.backbone,
                "task": f"{row.stream}/{row.task}",
                "arm": row.arm,
                "cluster": f"stream {row.stream}",
                "score": row.score,
                "error": row.error,
                "simulated": simulated,
            }
            for row in own
        ]
        rules = AnalysisOptions(
            STANDARD_RULES.margin, STANDARD_RULES.alpha, seed=spec.seed, question=spec.question
        )
        results = analyze(table, TableOptions(reference=reference), rules)
        estimates = {(row.backbone, row.arm): row for row in results.estimates if row.estimand == "utility"}
        places = [(backbone, arm) for backbone in spec.backbone for arm in arms]
        compared.append(
            ArmsCompared(
                about=about,
                reference=reference,
                arms=arms,
                estimates=tuple(estimates[place] for place in places if place in estimates),
                notes=results.notes,
            )
        )
    return tuple(compared)
