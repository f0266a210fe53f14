"""Text-level participants through a real run: the whole path gives each the verdict it must earn."""

import asyncio
from dataclasses import replace

import pytest

from memtrial.api.planted_runs import (
    CONDENSED,
    NOT_CONTENT,
    PATH,
    SERVED,
    TRUE_LESSON,
    ByName,
    PathRun,
    promises_kept,
    results_of_run,
    served_path,
)
from memtrial.console.display import Display
from memtrial.models.client.types import Message, Request
from memtrial.models.scripted.protocol import Refused
from memtrial.models.simulated.open_simulated import PARTS
from memtrial.models.simulated.participants import FAILING
from tests.support.estimate_rows import estimate


def only(run: PathRun, *names: str) -> PathRun:
    """The run with fewer participants."""
    backbones = {f"{run.provider}/{name}" for name in names}
    return replace(
        run, promises=tuple(one for one in run.promises if one.backbone(run.provider) in backbones)
    )


def test_who_reads_nothing_who_stumbles_who_does_the_contrary_and_who_does_all_it_is_told() -> None:
    # who stumbles loses little, which takes more trials to show
    played = 0
    for names, test, repeats in (
        (("talker", "unreadable", "rejecter", "skimmer", "gullible"), 24, 1),
        (("startled",), 36, 2),
    ):
        run = only(TRUE_LESSON, *names)
        spec = run.spec(seed=0, test=test, repeats=repeats)
        results = results_of_run(spec, Display("none"))
        checks = promises_kept(run, results.estimates, spec.analysis.alpha)
        assert not [check for check in checks if not check.holds]
        assert results.simulated is True
        played += len(checks)
    assert played == 17


def test_a_promise_on_rows_that_are_not_there_is_not_kept() -> None:
    checks = promises_kept(CONDENSED, (), 0.05)
    assert checks
    assert not any(check.holds for check in checks)


def test_a_word_too_much_breaks_a_promise() -> None:
    run = only(TRUE_LESSON, "ignorer")
    row = estimate(backbone="simulated/ignorer", value=0.0, p=1.0)
    rows = [
        replace(row, estimand="utility", condition="without", verdict="none"),
        replace(row, estimand="drop", condition="counter", verdict="untestable"),
        replace(row, estimand="drop", condition="irrelevant_swap", verdict="inconclusive"),
    ]
    assert all(check.holds for check in promises_kept(run, rows, 0.05))
    rows[1] = replace(rows[1], verdict="inert")
    assert [check.holds for check in promises_kept(run, rows, 0.05)] == [True, False, True]


def test_every_disposition_of_the_issue_is_on_the_path() -> None:
    names = {one.removeprefix("simulated/").partition("?")[0] for run in PATH for one in run.backbones}
    playing = {name for name, part in PARTS.items() if part == "play"}
    # those are for the coder of failures, for checks that are executed, and for arms of two schemas, which
    # have no one word
    assert names == playing - FAILING.keys() - {"forgetter", "trigger-reader"}


def test_a_floor_is_no_way_out_for_one_who_does_the_contrary() -> None:
    run = only(TRUE_LESSON, "rejecter")
    row = estimate(backbone="simulated/rejecter", value=-0.9, p=0.0001)
    rows = [
        replace(row, estimand="utility", condition="without", verdict="harms"),
        replace(row, estimand="drop", condition="corrupt_invert", verdict="untestable"),
    ]
    assert [check.holds for check in promises_kept(run, rows, 0.01)] == [True, False]


def test_over_http_nobody_who_reads_nothing_is_said_to_read() -> None:
    run = replace(only(SERVED, "reader", "unreadable-by-words"), arms=("planted-native",), pairs=None)
    checks = served_path(
        Display("none"), 0, replace(run, conditions=("counter", "corrupt_mask", "oddity+corrupt_mask")), 24
    )
    kept = {check.name.removeprefix("whole path, served: "): check.observed for check in checks}
    assert kept["unreadable?by=words, corrupt_mask: shown above zero"] == 1.0
    assert kept[f"unreadable?by=words, corrupt_mask: {' or '.join(NOT_CONTENT)}"] == 1.0
    assert kept["reader, corrupt_mask: load-bearing"] == 1.0
    assert not any(kept[name] for name in kept if "swap" in name)  # it was not played


def test_nobody_answers_for_a_name_that_is_not_served() -> None:
    request = Request("somebody-else", (Message("user", "?"),))
    with pytest.raises(Refused, match="no participant is served as 'somebody-else'"):
        asyncio.run(ByName({}).say(request, 0))
