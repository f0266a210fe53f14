"""Rows as guards meet them, and what is known beside them."""

from dataclasses import replace

from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.analysis.behaviour.cancellation import Cancellation
from memtrial.analysis.estimands.contrast import (
    CARRIES,
    Contrast,
    beyond_placebo,
    content_effect,
    contents_apart,
    drop,
    drops_apart,
    follow,
    follow_other,
    polarity,
    polarity_beside,
    retention,
    utility,
)
from memtrial.analysis.hypothesis_families import HYPOTHESES
from memtrial.analysis.result import Estimate
from memtrial.analysis.sequential.interim import LockedLooks, take_look
from memtrial.analysis.sequential.look_schedule import Looks
from memtrial.analysis.verdicts.facts import Facts, Headroom, RowFacts, RunFacts
from memtrial.outcomes.reserved_names import ALL, PLACEBO

PLAN = AnalysisPlan(
    arms=("control",),
    conditions=("corrupt_invert", PLACEBO),
    positive_control="oracle",
    withheld=("withheld",),
)
DAMAGE = "corrupt_invert"
CANCELLING = Cancellation(0.01, 0.4, 0.5, 30, "present", "effects differ between tasks")


def row(contrast: Contrast, backbone: str = "m", estimate: float = 0.3, p: float = 0.001) -> Estimate:
    """A row with 60 tasks."""
    return Estimate(
        estimand=contrast.estimand, backbone=backbone, arm=contrast.arm, versus=contrast.versus,
        condition=contrast.condition, share=contrast.share, family="f", n_tasks=60, n_clusters=60,
        n_missing=0, n_informative=30, estimate=estimate, p=p, p_adjusted=p, p_equivalence=0.5,
    )  # fmt: skip


GAIN = row(utility("control"))
HELPS, UNSHOWN = (replace(row(utility(arm)), verdict="helps") for arm in ("control", "withheld"))
INERT = replace(
    row(drop("control", DAMAGE), estimate=0.01, p=0.9), verdict="inert", p_equivalence_adjusted=0.01
)
FALLS = replace(row(drop("control", DAMAGE)), verdict="load-bearing")
MEAN = replace(INERT, backbone=ALL)
REWORDED = replace(row(drop("control", PLACEBO)), verdict="load-bearing")
CARRIED = row(retention("control", DAMAGE, CARRIES))
ODD = row(content_effect("control", DAMAGE), estimate=0.02, p=0.7)
IGNORED = replace(row(follow("control"), estimate=0.01, p=0.9), verdict="ignores")
OTHER_IGNORED = replace(row(follow_other("control"), estimate=0.01, p=0.9), verdict="ignores")
FOLLOWS, OTHER_FOLLOWS = (replace(row(half("control")), verdict="follows") for half in (follow, follow_other))
OTHER_ALONE = replace(OTHER_FOLLOWS, p=0.04, p_adjusted=0.1, verdict="inconclusive")
OBEYS = replace(row(polarity("control")), verdict="obeys")
NAMED_ALONE = replace(OBEYS, estimate=0.1, p=0.04, p_adjusted=0.07, verdict="inconclusive")
BESIDE = replace(row(polarity_beside("control")), verdict="obeys")
NAMED_BESIDE = replace(BESIDE, estimate=0.1, p=0.04, p_adjusted=0.07, verdict="inconclusive")
OPEN_FOLLOW = replace(IGNORED, estimate=0.1, p=0.2, verdict="inconclusive")
COUNTERED = replace(row(drop("control", "counter"), estimate=0.0, p=0.9), verdict="inert")
GONE = replace(row(drop("control", "without")), verdict="load-bearing")
CARRIES_ROW = replace(row(retention("control", DAMAGE, CARRIES)), verdict="carries")
OPEN = replace(row(drop("control", DAMAGE)), verdict="inconclusive")
MORE = replace(row(drops_apart("artifact", "control", DAMAGE)), verdict="load-bearing")
OPEN_TREATMENT = replace(row(drop("artifact", DAMAGE)), verdict="inconclusive")
FALLS_TREATMENT = replace(OPEN_TREATMENT, verdict="load-bearing")
NOT_APART = row(contents_apart("artifact", "control", DAMAGE), estimate=0.01, p=0.8)
PLAYED = RunFacts(fluent=frozenset())
NO_MORE = row(beyond_placebo("control", DAMAGE, PLACEBO), estimate=0.01, p=0.8)
SMALL_GAIN = replace(row(utility("control"), estimate=0.01, p=0.9), low=-0.02, high=0.04)
DEAF = replace(row(drop("oracle", DAMAGE), estimate=0.01, p=0.9), verdict="inert")
DECLARED = replace(MORE, family=HYPOTHESES)
LOOKS = Looks((20, 40, 60), 0.05)
GOES_ON = RunFacts(looks=LockedLooks(LOOKS, (), False, 60))
MISSED = RunFacts(looks=LockedLooks(LOOKS, (take_look([DECLARED], LOOKS, 1, (), "all"),), True, 60))


def facts(
    *rows: Estimate,
    run: RunFacts | None = None,
    cancels: bool = False,
    readable: Estimate | None = None,
    room: Headroom | None = None,
) -> Facts:
    seen = RowFacts(all_zero=True, room=room, cancellation=CANCELLING if cancels else None, readable=readable)
    return Facts(
        PLAN,
        {one.key: one for one in rows},
        dict.fromkeys([one.key for one in rows], seen),
        run or RunFacts(),
    )


SHOWN_CONTENT = row(content_effect("control", DAMAGE))
SHOWN_APART = row(contents_apart("artifact", "control", DAMAGE))
SWAPPED_MORE = replace(MORE, condition="irrelevant_swap")
SWAPPED_TREATMENT = replace(FALLS_TREATMENT, condition="irrelevant_swap")
SWAPPED_APART = replace(NOT_APART, condition="irrelevant_swap", versus="control")
SWAPPED, MASKED = (replace(FALLS, condition=name) for name in ("irrelevant_swap", "corrupt_mask"))
ODD_SWAP = row(content_effect("control", "irrelevant_swap"), estimate=0.02, p=0.7)
OPEN_COUNTER = replace(COUNTERED, verdict="inconclusive")
FALLS_COUNTER = replace(COUNTERED, estimate=0.3, p=0.001, p_adjusted=0.001, verdict="load-bearing")
VOUCHED = (FOLLOWS, replace(COUNTERED, estimate=0.3, p=0.001, verdict="load-bearing"), OBEYS)
TURNED_NOTHING = replace(OPEN, estimate=0.01, p=0.9, p_adjusted=0.9)
UNSEEN = RunFacts(fluent=frozenset(), unseen=True)
FLUENT = RunFacts(fluent=frozenset({("m", "control", DAMAGE), ("m", "artifact", DAMAGE)}))
