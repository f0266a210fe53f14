"""Text-level participants through a real run: the whole path gives each the verdict it must earn."""

from __future__ import annotations

from dataclasses import replace

from loadbearing.models.simulated.members import PARTS
from loadbearing.runs.calibration import CONDENSED, PATH, TRUE_LESSON, PathRun, promises_kept, results_of_run
from loadbearing.runs.progress.display import Display
from tests.support.estimate_rows import estimate


def only(run: PathRun, *names: str) -> PathRun:
    """The run with fewer participants."""
    backbones = {f"simulated/{name}" for name in names}
    return replace(run, promises=tuple(one for one in run.promises if one.backbone in backbones))


def test_who_reads_nothing_who_stumbles_who_does_the_contrary_and_who_does_all_it_is_told() -> None:
    run = only(TRUE_LESSON, "talker", "startled", "rejecter", "skimmer", "gullible")
    spec = run.spec(seed=0, test=36, repeats=2)
    results = results_of_run(spec, Display("none"))
    checks = promises_kept(run, results.estimates, spec.analysis.alpha)
    assert len(checks) == 14
    assert not [check for check in checks if not check.passed]
    assert results.simulated is True


def test_a_promise_on_rows_that_are_not_there_is_not_kept() -> None:
    checks = promises_kept(CONDENSED, (), 0.05)
    assert checks
    assert not any(check.passed for check in checks)


def test_a_word_too_much_breaks_a_promise() -> None:
    run = only(TRUE_LESSON, "ignorer")
    row = estimate(backbone="simulated/ignorer", value=0.0, p=1.0)
    rows = [
        replace(row, estimand="utility", condition="without", verdict="none"),
        replace(row, estimand="drop", condition="corrupt_invert", verdict="untestable"),
        replace(row, estimand="drop", condition="irrelevant_swap", verdict="inconclusive"),
    ]
    assert all(check.passed for check in promises_kept(run, rows, 0.05))
    rows[1] = replace(rows[1], verdict="inert")
    assert [check.passed for check in promises_kept(run, rows, 0.05)] == [True, False, True]


def test_every_disposition_of_the_issue_is_on_the_path() -> None:
    names = {one.removeprefix("simulated/") for run in PATH for one in run.backbones}
    playing = {name for name, part in PARTS.items() if part == "play"}
    assert names == playing


def test_a_floor_is_no_way_out_for_one_who_does_the_contrary() -> None:
    run = only(TRUE_LESSON, "rejecter")
    row = estimate(backbone="simulated/rejecter", value=-0.9, p=0.0001)
    rows = [
        replace(row, estimand="utility", condition="without", verdict="harms"),
        replace(row, estimand="drop", condition="corrupt_invert", verdict="untestable"),
    ]
    assert [check.passed for check in promises_kept(run, rows, 0.01)] == [True, False]
