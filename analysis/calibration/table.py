"""The table of the calibration: the checks in order, each with its question, what is seen, and its band."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial

import numpy as np

from loadbearing.analysis.calibration import cast
from loadbearing.analysis.calibration.bands import Band, Values, at_least, at_most, near, unbiased
from loadbearing.analysis.calibration.bench import LARGE, MIDDLE, SMALL, TINY, Bench, Effort, Setting
from loadbearing.analysis.calibration.cast import APART, CONTENT, DROP, follower, two_arms
from loadbearing.analysis.calibration.claims import (
    ALPHA,
    Row,
    above,
    anywhere,
    below,
    held,
    off,
    on,
    power,
    ruled_out,
    shown,
    wider,
)
from loadbearing.analysis.calibration.estimators import Measured
from loadbearing.analysis.calibration.observations import (
    LOOKED_AT,
    LOOKS,
    Case,
    bulk_gap,
    family_p,
    judged,
    path,
    words,
)
from loadbearing.analysis.calibration.participants import Participant
from loadbearing.analysis.calibration.promises import (
    closeness,
    planned,
    promised_equivalence,
    promised_power,
    skewness,
)
from loadbearing.analysis.estimands.contrast import Contrast
from loadbearing.analysis.sequential.obrien_fleming import obrien_fleming

KNOWN: tuple[tuple[Participant, Contrast], ...] = (
    # nothing there, in every task or on average
    (cast.IGNORES, DROP),
    (cast.FORMAT_ONLY, DROP),
    (cast.CEILING, DROP),
    (cast.FLOOR, DROP),
    (cast.PARTIAL, DROP),
    (cast.REDISTRIBUTES, DROP),
    (cast.mixed_sign(0.2), DROP),
    (two_arms(0.5, 0.5), APART),
    # something there
    (follower(0.1), DROP),
    (follower(0.5), DROP),
    (follower(0.9), DROP),
    (cast.HARMFUL, DROP),
    (cast.FORMAT_ONLY, cast.UTILITY),
    (cast.partial_follower(0.5), DROP),
    (two_arms(0.1, 0.5), APART),
)
"""Whose truth is known: of each the error or the power, the coverage and the bias are checked."""

VERDICTS: tuple[tuple[Participant, bool, dict[str, Band]], ...] = (
    (cast.IGNORES, False, {"inert": at_most(0.05), "load-bearing": at_most(0.05)}),
    # equivalence at the margin is shown in 84 % here, and effects must not look uneven between tasks
    (cast.FORMAT_ONLY, False, {"inert": at_least(0.75), "load-bearing": at_most(0.05)}),
    (follower(0.9), False, {"load-bearing": at_least(0.99)}),
    (cast.HARMFUL, False, {"reversed": at_least(0.90)}),
    (cast.FLOOR, False, {"untestable": at_least(0.99)}),
    # a rule that did not ask for an established utility would print inert in 54 %: STATISTICS 0c.2
    (cast.slightly_useful(0.05), False, {"inert": at_most(0.15)}),
    (cast.mixed_sign(0.2), False, {"inert": at_most(0.05)}),
    (cast.STARTLED, True, {"load-bearing": at_most(0.05)}),
    (follower(0.9), True, {"load-bearing": at_least(0.95)}),
)
"""Participants, whether the damage is also done to an irrelevant slot, and how often a word may, or has to,
be the verdict on their drop."""


@lru_cache(maxsize=8)
def table(effort: Effort) -> Mapping[str, tuple[Row, ...]]:
    """Every check by the question that it helps to answer, in order."""
    known = (Case(who, contrast, size) for size in effort.settings for who, contrast in KNOWN)
    return {
        "bulk path": tuple(_bulk_path()),
        "one contrast": tuple(row for case in known for row in _one_contrast(case)),
        "special cases": tuple(_special_cases()),
        "edges": tuple(_edges()),
        "inside": tuple(_inside()),
        "planned size": tuple(_planned_size()),
        "equivalence": tuple(_equivalence()),
        "families": tuple(_families()),
        "clusters": tuple(_clusters()),
        "looks": tuple(_looks()),
        "startle": tuple(_startle()),
        "retention": tuple(_retention()),
    } | {f"verdicts, {judged(*one[:2])}": tuple(_verdicts(*one)) for one in VERDICTS}


# -- one contrast ------------------------------------------------------------------------------------------


def _bulk_path() -> Iterator[Row]:
    """The bulk path is the path of real data: the same numbers, experiment by experiment."""
    records = (cast.by_record(96, 12), Setting(96, 3))
    for who, size in ((follower(0.3), SMALL), (follower(0.3), MIDDLE), (cast.FLOOR, SMALL), records):
        name = f"bulk equals one by one: {who.name}, {size}"
        yield Row(name, partial(bulk_gap, who=who, setting=size), lambda _: (0.0, 1e-12))


def _one_contrast(case: Case) -> Iterator[Row]:
    """Errors at most alpha where the truth is zero, power as promised elsewhere; coverage; no bias."""
    if abs(case.true.effect) < 1e-12:
        yield on(f"type I: {case}", case, shown, at_most(ALPHA))
    elif case.setting.tasks >= 30:  # among fewer no power is promised
        yield power(f"power: {case}", case)
    yield on(f"coverage: {case}", case, held, at_least(1 - ALPHA, skewness(case.setting)))
    yield on(f"bias: {case}", case, off, unbiased)


def _special_cases() -> Iterator[Row]:
    """Repeats that copy each other are no more evidence; a two-sided test errs on both sides alike."""
    sticky, nothing = Case(cast.STICKY, DROP, MIDDLE), Case(cast.IGNORES, DROP, MIDDLE)
    yield on(f"type I: {sticky}", sticky, shown, at_most(ALPHA))
    yield on(f"type I upwards: {nothing}", nothing, above, at_most(ALPHA / 2))
    yield on(f"type I downwards: {nothing}", nothing, below, at_most(ALPHA / 2))


def _edges() -> Iterator[Row]:
    """Near floor and ceiling no difference seen is no certainty, and intervals are as wide as promised.

    Where most tasks show no effect, Student's t alone covers it in 69, 69 and 87 % of 12 tasks.
    """
    for size in (TINY, SMALL):
        for who in (cast.FLOOR_LIFTED, cast.CEILING_LOST, cast.CEILING_HARMED):
            case, what = Case(who, DROP, size), f"{who.name}, {size}"
            yield on(f"coverage at the edge: {what}", case, held, at_least(1 - ALPHA))
            yield on(f"width at the edge: {what}", case, wider, unbiased)
        name = f"equivalence error without a difference seen: {cast.SURE.name}, {size}"
        yield on(name, Case(cast.SURE, DROP, size), ruled_out, at_most(ALPHA, 0.01))


def _inside() -> Iterator[Row]:
    """Away from the edges the interval's promise is exact and not a bound: neither narrower nor wider."""
    for case in (Case(follower(0.5), DROP, LARGE), Case(two_arms(0.1, 0.5), APART, LARGE)):
        yield on(f"coverage as promised: {case}", case, held, near(1 - ALPHA, 0.005))
        yield on(f"width: {case}", case, wider, unbiased)


def _planned_size() -> Iterator[Row]:
    """With as many tasks as the plan asks for, 80 % of the experiments show the effect."""
    for who, contrast in ((follower(0.2), DROP), (follower(0.4), DROP), (two_arms(0.1, 0.3), APART)):
        case = planned(Case(who, contrast, MIDDLE), 0.80)
        yield on(f"planner: {case}", case, above, near(0.80, closeness(case.setting)))


def _equivalence() -> Iterator[Row]:
    """An effect at the margin is ruled out in at most alpha of the experiments, no effect as promised."""
    for size in (SMALL, MIDDLE, LARGE):
        # its drop is .10, the margin; skew makes the error slightly high: STATISTICS 2
        case = Case(follower(0.2), DROP, size)
        name = f"equivalence error at the margin: {size}"
        yield on(name, case, ruled_out, at_most(ALPHA, 0.01))
    for size in (MIDDLE, LARGE):
        case = Case(cast.IGNORES, DROP, size)
        band = near(promised_equivalence(case), closeness(size))
        yield on(f"equivalence power: ignores, {size}", case, ruled_out, band)


def _clusters() -> Iterator[Row]:
    """Tasks that share a source record count as one; counted one by one, they show what is not there."""

    def zero_held(seen: Measured, _: Case) -> Values:
        return (seen.low <= 0) & (seen.high >= 0)

    size = Setting(96, 3)
    for who in (cast.by_record(size.tasks, 12), cast.by_record(size.tasks, 24)):
        case, what = Case(who, DROP, size), f"{who.name}, {size}"
        yield on(f"type I by cluster: {what}", case, shown, at_most(ALPHA))
        yield on(f"coverage by cluster: {what}", case, zero_held, at_least(1 - ALPHA, 0.015))
        alone, name = Case(who, DROP, size, by_task=True), f"counted by task, the error is seen: {what}"
        yield on(name, alone, shown, at_least(2 * ALPHA))


def _startle() -> Iterator[Row]:
    """Who stumbles over garbage has a drop and no content effect; who reads has both."""
    bare, content = (Case(cast.STARTLED, one, LARGE) for one in (DROP, CONTENT))
    name = f"startle passes for content in the bare drop: {LARGE}"
    yield on(name, bare, shown, at_least(0.6))
    yield on(f"type I: startled, content effect, {LARGE}", content, shown, at_most(ALPHA))
    reads = Case(follower(0.5), CONTENT, LARGE)
    yield power(f"power: {reads}", reads)


def _retention() -> Iterator[Row]:
    """Format alone carries nothing; at the border, each side is called at most alpha/2 of the time."""
    for who in (cast.FORMAT_ONLY, cast.HALF_CARRIED):
        case, name = Case(who, cast.ABOVE_HALF, LARGE), f"called carrying: {who.name}, {LARGE}"
        yield on(name, case, above, at_most(ALPHA / 2))
    for who in (follower(0.9), cast.QUARTER_CARRIED):
        case, name = Case(who, cast.BELOW_QUARTER, LARGE), f"called placebo: {who.name}, {LARGE}"
        yield on(name, case, below, at_most(ALPHA / 2))
    block = Case(cast.FORMAT_ONLY, cast.BELOW_QUARTER, LARGE)
    yield power(f"placebo found: format-only, {LARGE}", block)
    reads = Case(follower(0.5), cast.ABOVE_HALF, LARGE)
    yield power(f"power: {reads}", reads)


# -- families, looks, verdicts ------------------------------------------------------------------------------


def _families() -> Iterator[Row]:
    """max-T: at most alpha of the experiments show a false effect anywhere in the family.

    Where the family is one contrast six times over, the error is alpha and not a sixth of it: this tells
    max-T with common signs from signs of each column's own, and from Bonferroni and Holm (1 % there).
    """

    def false(who: Participant, family: tuple[Contrast, ...], nulls: int) -> Callable[[Bench], Values]:
        return lambda bench: anywhere(family_p(bench, who, family)[:, :nulls] <= ALPHA)

    def found(bench: Bench) -> Values:
        return np.asarray((family_p(bench, cast.ONE_ARM_READS, cast.FAMILY)[:, 3:] <= ALPHA).all(axis=1))

    for name, see, band in (
        # sums of thirds are tied: a little of alpha is not used
        ("max-T uses alpha, 6 alike and null", false(cast.GAMBLES, cast.ALIKE, 6), near(ALPHA, 0.005)),
        ("max-T error, all of 6 null", false(cast.NOBODY_READS, cast.FAMILY, 6), at_most(ALPHA)),
        ("max-T error, 3 of 6 null", false(cast.ONE_ARM_READS, cast.FAMILY, 3), at_most(ALPHA)),
        ("max-T finds the others", found, at_least(0.9)),
    ):
        yield Row(f"{name}: {MIDDLE}", see, band)


def _looks() -> Iterator[Row]:
    """O'Brien-Fleming looks and the e-process keep alpha and find effects; unplanned looks do not keep it."""
    from scipy.stats import norm

    boundaries, one_look = obrien_fleming(LOOKS, ALPHA), float(norm.isf(ALPHA / 2))

    def crossed(who: Participant) -> Callable[[Bench], Values]:
        return lambda bench: anywhere(path(bench, who).z >= boundaries)

    def ever(who: Participant) -> Callable[[Bench], Values]:
        return lambda bench: path(bench, who).ever

    for who in (cast.IGNORES, cast.REDISTRIBUTES):
        what = f"{who.name}, {LOOKS} looks, {LOOKED_AT}"
        yield Row(f"O'Brien-Fleming error: {what}", crossed(who), at_most(ALPHA))
        name = f"e-process error at any time: {who.name}, {LOOKED_AT}"
        yield Row(name, ever(who), at_most(ALPHA))
    yield Row(
        f"peeking without a plan is seen: {LOOKED_AT}",
        lambda bench: anywhere(path(bench, cast.IGNORES).z >= one_look),
        at_least(2 * ALPHA),
    )
    # five looks cost about a point of the power of one: STATISTICS 5
    some = Case(follower(0.15), DROP, LOOKED_AT)
    band = near(promised_power(some, grain=0.0), closeness(LOOKED_AT) + 0.02)
    yield Row(f"O'Brien-Fleming power: {some.who.name}, {LOOKED_AT}", crossed(some.who), band)
    name = f"e-process finds a large effect: follows-50, {LOOKED_AT}"
    yield Row(name, ever(follower(0.5)), at_least(0.95))


def _verdicts(who: Participant, beside: bool, rates: dict[str, Band]) -> Iterator[Row]:
    """The whole analysis: a participant earns its word, and no other one is given to it too often."""

    def given(word: str) -> Callable[[Bench], Values]:
        return lambda bench: np.asarray(words(bench, who, beside) == word)

    for word, band in rates.items():
        yield Row(f"verdict {word}: {judged(who, beside)}, {LARGE}", given(word), band)
