"""The calibration table: all checks in order, each with its question, its measurement and its band."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

import numpy as np

from memtrial.analysis.calibration import known_participants as who
from memtrial.analysis.calibration.error_bands import (
    ALPHA,
    Row,
    Values,
    at_least,
    at_most,
    closed_form,
    closeness,
    near,
    near_zero,
    on,
    plan_tasks,
    power,
    unbiased,
)
from memtrial.analysis.calibration.group_checks import list_group_checks
from memtrial.analysis.calibration.known_participants import APART, DROP, KnownParticipant, follower, two_arms
from memtrial.analysis.calibration.known_verdicts import VERDICTS, Rate
from memtrial.analysis.calibration.measured_experiments import (
    FEWEST,
    LARGE,
    LOOKED_AT,
    LOOKS,
    MIDDLE,
    RULES,
    SMALL,
    TINY,
    Bench,
    ContrastCase,
    Effort,
    Said,
    Setting,
    Stage,
    family_absence,
    family_p,
    judge_stage,
    path,
)
from memtrial.analysis.calibration.probe_checks import list_probe_checks
from memtrial.analysis.estimands.contrast import Contrast
from memtrial.analysis.sequential.look_schedule import obrien_fleming

KNOWN: tuple[tuple[KnownParticipant, Contrast], ...] = (
    # no effect, in every task or on average
    (who.IGNORES, DROP),
    (who.FORMAT_ONLY, DROP),
    (who.CEILING, DROP),
    (who.FLOOR, DROP),
    (who.PARTIAL, DROP),
    (who.REDISTRIBUTES, DROP),
    (who.mixed_sign(0.2), DROP),
    (two_arms(0.5, 0.5), APART),
    # an effect
    (follower(0.1), DROP),
    (follower(0.5), DROP),
    (follower(0.9), DROP),
    (who.HARMFUL, DROP),
    (who.FORMAT_ONLY, who.UTILITY),
    (who.PARTIAL_FOLLOWER, DROP),
    (two_arms(0.1, 0.5), APART),
)
"""Participants whose true effect is known: error or power, coverage and bias are checked for each."""


FEW_UNITS = 0.005
"""By how much Student's t may miss its error where units are few: STATISTICS 0d.4."""


@lru_cache(maxsize=8)
def table(effort: Effort) -> Mapping[str, tuple[Row, ...]]:
    """All checks in order, grouped by the question that they answer."""
    known = (
        ContrastCase(participant, contrast, size)
        for size in effort.settings
        for participant, contrast in KNOWN
    )
    return {
        "one contrast": tuple(row for case in known for row in _one_contrast(case)),
        "special cases": tuple(_special_cases()),
        "edges": tuple(_edges()),
        "inside": tuple(_coverage_rows()),
        "planned size": tuple(_planned_size()),
        "equivalence": tuple(_equivalence()),
        "families": tuple(_families()),
        "absences": tuple(_absences()),
        "clusters": tuple(_clusters()),
        "looks": tuple(_looks()),
        "groups": tuple(list_group_checks()),
        "probes": tuple(list_probe_checks()),
    } | {f"verdicts, {stage}": tuple(_verdicts(stage, rates)) for stage, rates in VERDICTS}


# -- one contrast ------------------------------------------------------------------------------------------


def _one_contrast(case: ContrastCase) -> Iterator[Row]:
    """Errors at most alpha where the truth is zero, power as promised elsewhere; coverage; no bias."""
    if abs(case.true.effect) < 1e-12:
        # Student's t: at most .055 (STATISTICS 0d.4), where few tasks differ or their contrasts are skewed
        yield on(f"type I: {case}", case, "effect", at_most(ALPHA, FEW_UNITS))
    elif case.setting.tasks >= 30:  # no power is promised for fewer tasks
        yield power(f"power: {case}", case)
    # coverage that may be lost where the contrasts are skewed: STATISTICS 11
    skewness = 0.010 if case.setting.tasks >= 60 else 0.015
    yield on(f"coverage: {case}", case, "truth held", at_least(1 - ALPHA, skewness))
    yield on(f"bias: {case}", case, "error", unbiased)


def _special_cases() -> Iterator[Row]:
    """Repeats that copy each other add no evidence; a two-sided test errs equally often on both sides."""
    sticky, nothing = ContrastCase(who.STICKY, DROP, MIDDLE), ContrastCase(who.IGNORES, DROP, MIDDLE)
    yield on(f"type I: {sticky}", sticky, "effect", at_most(ALPHA))
    yield on(f"type I upwards: {nothing}", nothing, "effect above", at_most(ALPHA / 2))
    yield on(f"type I downwards: {nothing}", nothing, "effect below", at_most(ALPHA / 2))


def _edges() -> Iterator[Row]:
    """Near floor and ceiling, seeing no difference proves nothing, and intervals are little wider than t's.

    With 12 tasks, most of them without a difference, Student's t alone has coverage 69, 69 and 87 %.
    """
    for size in (TINY, SMALL):
        for participant in (who.FLOOR_LIFTED, who.CEILING_LOST, who.CEILING_HARMED):
            case, what = ContrastCase(participant, DROP, size), f"{participant.name}, {size}"
            yield on(f"coverage at the edge: {what}", case, "truth held", at_least(1 - ALPHA))
            yield on(f"test and interval disagree: {what}", case, "disagreement", at_most(0.0))
        name = f"equivalence error without a difference seen: {who.SURE.name}, {size}"
        yield on(name, ContrastCase(who.SURE, DROP, size), "margin ruled out", at_most(ALPHA, 0.01))
    # so few that Student's t leaves the range of scores
    for participant in (follower(0.9), who.HARMFUL, who.CEILING_HARMED):
        case = ContrastCase(participant, DROP, FEWEST)
        yield on(f"coverage within the range: {case}", case, "truth held", at_least(1 - ALPHA, 0.005))
        yield on(f"beyond the range: {case}", case, "outside", at_most(0.0))


def _coverage_rows() -> Iterator[Row]:
    """Away from the edges coverage is exactly 1 - alpha, not merely at least that."""
    for case in (ContrastCase(follower(0.5), DROP, LARGE), ContrastCase(two_arms(0.1, 0.5), APART, LARGE)):
        yield on(f"coverage as promised: {case}", case, "truth held", near(1 - ALPHA, 0.005))
        yield on(f"width: {case}", case, "width", near_zero(0.02))
    some = ContrastCase(two_arms(0.5, 0.5), APART, SMALL)
    yield on(f"test and interval disagree: {some}", some, "disagreement", at_most(0.0))


def _planned_size() -> Iterator[Row]:
    """With as many tasks as the plan asks for, 80 % of the experiments show the effect."""
    for participant, contrast in ((follower(0.2), DROP), (follower(0.4), DROP), (two_arms(0.1, 0.3), APART)):
        case = plan_tasks(ContrastCase(participant, contrast, MIDDLE), 0.80)
        yield on(f"planner: {case}", case, "effect above", near(0.80, closeness(case.setting)))


def _equivalence() -> Iterator[Row]:
    """An effect at the margin is ruled out in at most alpha of the experiments, a zero effect as promised."""
    for size in (SMALL, MIDDLE, LARGE):
        # its drop is .10, the margin; skew makes the error slightly high: STATISTICS 2
        case = ContrastCase(follower(0.2), DROP, size)
        yield on(f"equivalence error at the margin: {size}", case, "margin ruled out", at_most(ALPHA, 0.01))
    for size in (MIDDLE, LARGE):
        case = ContrastCase(who.IGNORES, DROP, size)
        promised = closed_form(case).equivalence_power(RULES.rules.margin, size.tasks)
        band = near(promised, closeness(size))
        yield on(f"equivalence power: ignores, {size}", case, "margin ruled out", band)


def _clusters() -> Iterator[Row]:
    """Tasks that share a source record count as one; counted one by one, they show false effects.

    Error and coverage hold from three records on, of equal and of unequal size, and test and interval agree.
    """
    size = Setting(96, 3)
    for participant in (who.by_record(size.tasks, 12), who.by_record(size.tasks, 24)):
        case, what = ContrastCase(participant, DROP, size), f"{participant.name}, {size}"
        yield on(f"type I by cluster: {what}", case, "effect", at_most(ALPHA))
        yield on(f"coverage by cluster: {what}", case, "zero held", at_least(1 - ALPHA))
        alone, name = replace(case, by_task=True), f"counted by task, the error is seen: {what}"
        yield on(name, alone, "effect", at_least(2 * ALPHA))
    for records in ((5,), (1, 9, 5)):
        for tasks in (15, 30, 105):
            for repeats in (1, 4):
                size = Setting(tasks, repeats)
                null = ContrastCase(who.in_records(records, 0.0, 0.1), DROP, size)
                some = ContrastCase(who.in_records(records, 0.3, 0.0), DROP, size)
                yield on(f"type I by cluster: {null}", null, "effect", at_most(ALPHA, FEW_UNITS))
                yield on(f"coverage by cluster: {some}", some, "truth held", at_least(1 - ALPHA, 0.005))
                yield on(f"test and interval disagree: {null}", null, "disagreement", at_most(0.0))
    for repeats in (1, 4):
        # with a pseudo unit as large as a cluster it is half as wide again
        some = ContrastCase(who.in_records((5,), 0.3, 0.0), DROP, Setting(105, repeats))
        yield on(f"width by cluster: {some}", some, "width", near_zero(0.10))


# -- families, looks, verdicts ------------------------------------------------------------------------------


def _families() -> Iterator[Row]:
    """max-T: at most alpha of the experiments show a false effect anywhere in the family.

    Where the family is one contrast six times, the error must be alpha, not a sixth of it. With separate
    signs for each column, or with Bonferroni or Holm, it would be lower (1 % with the last two).
    """

    def false(
        participant: KnownParticipant, family: tuple[Contrast, ...], nulls: int
    ) -> Callable[[Bench], Values]:
        return lambda bench: np.any(family_p(bench, participant, family)[:, :nulls] <= ALPHA, axis=1)

    def few(family: tuple[Contrast, ...], size: Setting, mid: bool = False) -> Callable[[Bench], Values]:
        return lambda bench: np.any(family_p(bench, who.NOBODY_READS, family, size, mid) <= ALPHA, axis=1)

    def found(bench: Bench) -> Values:
        return np.asarray(np.all(family_p(bench, who.ONE_ARM_READS, who.FAMILY)[:, 3:] <= ALPHA, axis=1))

    for name, see, band in (
        # sums of thirds have ties, so the error is slightly below alpha
        ("max-T uses alpha, 6 alike and null", false(who.GAMBLES, who.ALIKE, 6), near(ALPHA, 0.005)),
        ("max-T error, all of 6 null", false(who.NOBODY_READS, who.FAMILY, 6), at_most(ALPHA)),
        ("max-T error, 3 of 6 null", false(who.ONE_ARM_READS, who.FAMILY, 3), at_most(ALPHA)),
        ("max-T finds the others", found, at_least(0.9)),
    ):
        yield Row(f"{name}: {MIDDLE}", see, band)
    for size in (TINY, SMALL):
        yield Row(f"mid-p error, alone: {size}", few(who.ALIKE[:1], size, mid=True), at_most(ALPHA))
        yield Row(f"mid-p error, max-T, 6 null: {size}", few(who.FAMILY, size, mid=True), at_most(ALPHA))
        band = at_most(ALPHA, FEW_UNITS)
        yield Row(f"max-T error, all of 6 null: {size}", few(who.FAMILY, size), band)


def _absences() -> Iterator[Row]:
    """At most alpha of the experiments show a false absence anywhere in a family of effects at the margin.

    Without adjustment four utilities show one in 17 %, nine drops in 31 %. Beside six large effects, three
    absences are each found in 40 %; in 17 % if each of the nine were counted in full.
    """

    def any_absent(family: tuple[Contrast, ...]) -> Callable[[Bench], Values]:
        return lambda bench: np.any(family_absence(bench, who.AT_MARGIN, family, LARGE) <= ALPHA, axis=1)

    def found(bench: Bench) -> Values:
        absent = family_absence(bench, who.TWO_ARMS_READ, who.DROPS, MIDDLE)[:, :3] <= ALPHA
        return np.asarray(absent.mean(axis=1))

    for name, family in (("nine drops", who.DROPS), ("four utilities", who.UTILITIES)):
        # skew makes a single test's error slightly high: STATISTICS 2
        yield Row(f"false absence, {name} at the margin: {LARGE}", any_absent(family), at_most(ALPHA, 0.005))
    yield Row(f"absences found, three beside six large drops: {MIDDLE}", found, lambda _: (0.3, 1.0))


def _looks() -> Iterator[Row]:
    """O'Brien-Fleming looks and the e-process keep alpha and find effects; unplanned looks do not keep it."""
    from scipy.stats import norm

    boundaries, one_look = obrien_fleming(LOOKS, ALPHA), float(norm.isf(ALPHA / 2))

    def crossing_values(
        participant: KnownParticipant, boundary: float | Values = boundaries
    ) -> Callable[[Bench], Values]:
        return lambda bench: np.any(path(bench, participant)[0] >= boundary, axis=1)

    def ever(participant: KnownParticipant) -> Callable[[Bench], Values]:
        return lambda bench: path(bench, participant)[1]

    for participant in (who.IGNORES, who.REDISTRIBUTES):
        name = f"O'Brien-Fleming error: {participant.name}, {LOOKS} looks, {LOOKED_AT}"
        yield Row(name, crossing_values(participant), at_most(ALPHA))
        yield Row(
            f"e-process error at any time: {participant.name}, {LOOKED_AT}", ever(participant), at_most(ALPHA)
        )
    name = f"peeking without a plan is seen: {LOOKED_AT}"
    yield Row(name, crossing_values(who.IGNORES, one_look), at_least(2 * ALPHA))
    # five looks have about a point less power than one look, whose power is Student's: STATISTICS 5
    some = ContrastCase(follower(0.15), DROP, LOOKED_AT)
    promised = closed_form(some).power(some.true.effect, LOOKED_AT.tasks)
    band = near(promised, closeness(LOOKED_AT) + 0.02)
    yield Row(f"O'Brien-Fleming power: {some.who.name}, {LOOKED_AT}", crossing_values(some.who), band)
    name = f"e-process finds a large effect: follows-50, {LOOKED_AT}"
    yield Row(name, ever(follower(0.5)), at_least(0.95))


def _verdicts(stage: Stage, rates: tuple[Rate, ...]) -> Iterator[Row]:
    """The whole analysis: each participant gets its verdict often enough, and wrong verdicts rarely."""

    def given(rows: Said) -> Callable[[Bench], Values]:
        return lambda bench: np.array(
            [not rows.isdisjoint(verdicts) for verdicts in judge_stage(bench, stage)]
        )

    for rate in rates:
        yield Row(f"verdict {rate.name}: {stage}, {LARGE}", given(rate.rows), rate.band)
