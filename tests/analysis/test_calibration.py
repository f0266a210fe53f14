"""The instrument on known truth: every band of the fast calibration holds, and mutants break several."""

import json

import numpy as np
import pytest

from memtrial.analysis.calibration.calibration_table import KNOWN, table
from memtrial.analysis.calibration.error_bands import (
    Band,
    PromiseCheck,
    Values,
    at_least,
    at_most,
    near,
    unbiased,
)
from memtrial.analysis.calibration.experiments import (
    BACKBONE,
    MUTANTS,
    REAL,
    Instrument,
    Played,
    measure,
    outcomes,
    play,
    units,
    with_replies,
)
from memtrial.analysis.calibration.known_participants import (
    APART,
    DAMAGED,
    DROP,
    FLOOR,
    HARMFUL,
    INTACT,
    PARTIAL_FOLLOWER,
    REDISTRIBUTES,
    STICKY,
    UTILITY,
    Ease,
    KnownParticipant,
    Line,
    by_record,
    follower,
    mixed_sign,
    truth,
    two_arms,
)
from memtrial.analysis.calibration.known_verdicts import AVOIDS, COUNTERED, GARBLES
from memtrial.analysis.calibration.measured_experiments import (
    FAST,
    FULL,
    MIDDLE,
    SMALL,
    Bench,
    ContrastCase,
    Effort,
    Setting,
    measure_case,
)
from memtrial.analysis.estimands.contrast import content_effect
from memtrial.analysis.inference.contrast_inference import gather
from memtrial.api.calibrate import Calibration, answers, calibrate
from memtrial.api.planted_runs import PATH, promises_kept
from memtrial.console.display import Display
from memtrial.faults import SpecFault

CONTENT = content_effect("memory", "corrupt_invert")
BRIEF = Effort("brief", 2_000, 20, 10, 199, (MIDDLE,))
HARD = Effort("as hard as the mutants", 2_000, 600, 30, 199, (SMALL, MIDDLE))
"""`test_calibration_mutants.py` shows which faults are seen with so many experiments."""
MOST_FORGIVING = 5
"""Bands that each mutant of the estimators has to break, at least."""


def rows_of(effort: Effort):
    """Every row, in order."""
    return [row for asked in table(effort).values() for row in asked]


@pytest.mark.parametrize("question", table(HARD))
def test_every_promise_of_the_instrument_is_kept(question):
    checks = [row.check(Bench(REAL, HARD)) for row in table(HARD)[question]]
    assert not [check for check in checks if not check.holds]


@pytest.mark.parametrize(
    "mutant", [one for one in MUTANTS if one.measure is not REAL.measure], ids=lambda one: one.name
)
def test_a_mutant_breaks_several_bands_and_ends_with_1(mutant: Instrument):
    bench, checks = Bench(mutant, BRIEF), []
    for row in rows_of(BRIEF):
        checks.append(row.check(bench))
        if sum(not check.holds for check in checks) == MOST_FORGIVING:
            break
    assert sum(not check.holds for check in checks) == MOST_FORGIVING
    found = Calibration(bench, tuple(checks))
    assert not found.kept
    body = found.to_json()
    assert body["instrument"] == mutant.name
    assert [check["passed"] for check in body["checks"]] == [check.holds for check in checks]


def test_the_answers_are_the_checks_of_the_table_in_order():
    few = Effort("few", experiments=12, families=4, judged=1, flips=19, settings=(SMALL,))
    checks = answers(Bench(REAL, few), Display("none"))
    assert [check.name for check in checks] == [row.name for row in rows_of(few)]


@pytest.mark.parametrize("effort", [FAST, FULL], ids=lambda one: one.name)
def test_every_check_has_a_name_of_its_own(effort: Effort):
    names = [row.name for row in rows_of(effort)]
    names += [check.name for run in PATH for check in promises_kept(run, (), 0.05)]
    assert not {name for name in names if names.count(name) > 1}


# -- the bulk path -----------------------------------------------------------------------------------

BULK = [
    (follower(0.3), DROP, SMALL),
    (FLOOR, DROP, SMALL),  # few informative tasks: some experiments are enumerated, others drawn
    (PARTIAL_FOLLOWER, DROP, MIDDLE),
    (two_arms(0.1, 0.5), APART, MIDDLE),
    (follower(0.5), CONTENT, SMALL),
    (by_record(96, 12), DROP, Setting(96, 3)),
]


@pytest.mark.parametrize(("who", "contrast", "setting"), BULK, ids=lambda one: getattr(one, "name", None))
def test_the_bulk_path_gives_what_the_analysis_of_a_table_gives(who, contrast, setting):
    cells = tuple(cell for cell, _ in contrast.weights)
    weights = tuple(weight for _, weight in contrast.weights)
    trials = play(who, cells, setting.tasks, setting.repeats, 12, np.random.default_rng(1))
    unit, plan = units(who, setting.tasks), Bench(REAL, FAST, seed=3).plan
    bulk = measure(trials, weights, unit, plan)
    for number, one in enumerate(trials):
        tables = {BACKBONE: outcomes(one, cells, unit).cells(BACKBONE)}
        (seen,) = gather("", [(BACKBONE, contrast)], tables, plan, np.random.default_rng(plan.rules.seed))
        single = (seen.estimate, seen.low, seen.high, seen.p, seen.p_equivalence)
        many = (bulk.estimate, bulk.low, bulk.high, bulk.p, bulk.p_equivalence)
        np.testing.assert_allclose([column[number] for column in many], single, rtol=0, atol=1e-12)


def test_the_same_seed_gives_the_same_and_another_one_something_else():
    case = ContrastCase(HARMFUL, DROP, SMALL)
    one, other = (measure_case(Bench(REAL, BRIEF, seed), case) for seed in (5, 6))
    measure_case.cache_clear()
    again = measure_case(Bench(REAL, BRIEF, 5), case)
    assert (one.p == again.p).all()
    assert (one.estimate != other.estimate).any()


def test_no_question_shifts_the_stream_of_another():
    bench = Bench(REAL, BRIEF)
    first = bench.rng("a", 1).random(3)
    bench.rng("b", 1).random(100)
    assert (bench.rng("a", 1).random(3) == first).all()


# -- participants ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("who", "contrast"), [*KNOWN, (mixed_sign(0.3), UTILITY), (REDISTRIBUTES, CONTENT)], ids=str
)
def test_the_stated_truth_is_the_truth_of_what_is_played(who, contrast):
    true, repeats = truth(who, contrast.weights), 2
    cells, weights = zip(*contrast.weights, strict=True)
    trials = play(who, cells, 20_000, repeats, 1, np.random.default_rng(2))[0]
    single = np.einsum("cnr,c->nr", trials, np.array(weights))
    each = single.mean(axis=1)
    assert abs(each.mean() - true.effect) < 4.5 * each.std() / len(each) ** 0.5
    within = float((single.var(axis=1, ddof=1)).mean())
    assert within == pytest.approx(true.parts.repeat, abs=0.02 * max(1.0, true.parts.repeat))
    assert each.var() - within / repeats == pytest.approx(true.parts.task, abs=0.02)


def test_a_chance_outside_of_0_and_1_is_refused():
    with pytest.raises(ValueError, match=r"a chance lies in \[0, 1\]"):
        Line(0.3, 0.8)
    with pytest.raises(ValueError, match=r"a chance lies in \[0, 1\]"):
        Line(0.1, -0.2)


def test_variance_parts_are_not_stated_where_they_are_not_known():
    with pytest.raises(ValueError, match="independent repeats and tasks"):
        truth(STICKY, DROP.weights)
    with pytest.raises(ValueError, match="independent repeats and tasks"):
        truth(by_record(96, 12), DROP.weights)


def test_ease_has_the_moments_it_states():
    drawn = Ease(2.0, 3.0, 0.25, 0.75)
    sample = 0.25 + 0.5 * np.random.default_rng(3).beta(2.0, 3.0, 200_000)
    assert sample.mean() == pytest.approx(drawn.mean, abs=0.002)
    assert sample.var() == pytest.approx(drawn.variance, abs=0.0005)


def test_copied_repeats_are_copies_and_records_are_shared():
    cells = tuple(cell for cell, _ in DROP.weights)
    copied = play(STICKY, cells, 60, 3, 200, np.random.default_rng(4))
    assert (copied[..., 1] == copied[..., 0]).mean() > 0.9
    who = by_record(96, 12)
    unit = units(who, 96)
    assert np.bincount(unit).tolist() == [8] * 12
    trials = play(who, cells, 96, 3, 400, np.random.default_rng(4))
    drops = (trials[:, 0] - trials[:, 1]).mean(axis=2)
    by_unit = drops.reshape(400, 12, 8)
    together = np.mean([np.corrcoef(by_unit[:, 0, 0], by_unit[:, 0, other])[0, 1] for other in range(1, 8)])
    apart = np.mean([np.corrcoef(by_unit[:, 0, 0], by_unit[:, other, 0])[0, 1] for other in range(1, 12)])
    assert together > apart + 0.1


def test_partial_credit_is_a_share_of_steps():
    who = PARTIAL_FOLLOWER
    trials = play(who, tuple(cell for cell, _ in DROP.weights), 20, 2, 50, np.random.default_rng(5))
    assert set(np.round(np.unique(trials) * who.steps, 9)) == set(range(who.steps + 1))


def test_acts_and_unreadable_replies_are_as_often_as_stated() -> None:
    cells = (INTACT, DAMAGED, COUNTERED)
    scores = play(GARBLES, cells, 2_000, 2, 1, np.random.default_rng(8))[0]
    one = with_replies(GARBLES, Played(cells, units(GARBLES, 2_000), scores), np.random.default_rng(9))
    told, other, obeyed = one.acts
    assert told is not None
    assert other is not None
    assert one.readable is not None
    assert obeyed is told
    assert told.mean(axis=(1, 2)) == pytest.approx([0.7, 0.05, 0.05], abs=0.02)
    assert other.mean(axis=(1, 2)) == pytest.approx([0.05, 0.0, 0.7], abs=0.02)
    avoids = with_replies(AVOIDS, Played(cells, units(AVOIDS, 2_000), scores), np.random.default_rng(9)).acts
    assert avoids[:2] == (None, None)
    assert avoids[2] is not None
    assert avoids[2].mean(axis=(1, 2)) == pytest.approx([0.75, 0.75, 0.0], abs=0.02)
    lost = one.readable - scores
    assert set(np.unique(lost)) == {0.0, 1.0}
    assert lost.sum(axis=(1, 2)).tolist()[::2] == [0, 0]
    assert lost[1].sum() / (1 - scores[1]).sum() == pytest.approx(0.9, abs=0.02)
    plain = with_replies(FLOOR, Played(cells, units(FLOOR, 2_000), scores), np.random.default_rng(9))
    assert (plain.acts, plain.readable) == ((None, None, None), None)


# -- bands -------------------------------------------------------------------------------------------


def holds(values: Values, band: Band) -> bool:
    return PromiseCheck("x", float(values.mean()), *band(values)).holds


def test_bands_hold_what_luck_gives_and_no_more():
    rng = np.random.default_rng(6)
    assert np.mean([holds(rng.random(1_000) < 0.05, at_most(0.05)) for _ in range(500)]) > 0.99
    assert not holds(rng.random(1_000) < 0.10, at_most(0.05))
    assert holds(np.zeros(1_000, dtype=bool), at_most(0.05))
    assert holds(rng.random(1_000) < 0.95, at_least(0.95))
    assert not holds(rng.random(1_000) < 0.90, at_least(0.95))
    assert holds(rng.random(1_000) < 0.50, near(0.50, 0.0))
    assert not holds(rng.random(1_000) < 0.60, near(0.50, 0.0))
    assert holds(rng.random(1_000) < 0.53, near(0.50, 0.05))


def test_a_bias_is_seen_and_its_absence_too():
    errors = np.random.default_rng(7).normal(0.0, 0.1, 4_000)
    assert holds(errors, unbiased)
    assert not holds(errors - 0.01, unbiased)


# -- the command -------------------------------------------------------------------------------------


def test_json_has_the_shape_of_the_design():
    bench = Bench(REAL, BRIEF)
    checks = (PromiseCheck("one", 0.04, 0.0, 0.05), PromiseCheck("two", 0.06, 0.0, 0.05))
    assert not Calibration(bench, checks).kept
    body = json.loads(json.dumps(Calibration(bench, checks).to_json()))
    assert body["simulated"] is True
    assert body["checks"] == [
        {"name": "one", "observed": 0.04, "low": 0.0, "high": 0.05, "passed": True},
        {"name": "two", "observed": 0.06, "low": 0.0, "high": 0.05, "passed": False},
    ]
    assert Calibration(bench, checks[:1]).kept


def test_the_table_says_what_broke_and_that_it_is_simulated():
    checks = (PromiseCheck("one", 0.04, 0.0, 0.05), PromiseCheck("two", 0.06, 0.0, 0.05))
    shown = Calibration(Bench(REAL, BRIEF), checks).lines(80)
    assert "no evidence about any language model" in " ".join(" ".join(shown).split())
    assert "1 of 2 bands hold; 1 is broken" in shown


def test_an_unknown_mutant_is_one_clear_line():
    with pytest.raises(SpecFault, match="repeats-as-tasks, arms-swapped, one-sided-p"):
        calibrate(mutant="nobody")


class Ended(Exception):
    """Ends a calibration at the first line that is shown."""


@pytest.mark.parametrize(
    ("full", "mutant", "first"), [(True, None, "6 minutes"), (True, "one-sided-p", "calibrate: 0/")]
)
def test_how_long_the_whole_of_it_takes_is_said_first(full, mutant, first):
    def end(line: str) -> None:
        raise Ended(line)

    with pytest.raises(Ended, match=first):
        calibrate(full, mutant, display=Display("none", log=end))


def test_every_participant_has_a_name_of_its_own():
    named: dict[str, KnownParticipant] = {}
    for who, _ in KNOWN:
        assert named.setdefault(who.name, who) == who
