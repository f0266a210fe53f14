"""A bank's weeks, read from its log."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

from memtrial.memory.bank.confidence.weekly_metrics import measure_weeks
from memtrial.memory.bank.events.bank_events import (
    EpisodeAdded,
    ItemAdded,
    ItemRolledBack,
    SignalSeen,
    StandingSet,
    VerdictGiven,
)
from memtrial.memory.bank.events.bank_log import BankLog
from memtrial.memory.bank.events.kept_episode import EpisodeSource, KeptEpisode, make_episode
from tests.support.event_bank import CAUSE, hide_secret, make_item, make_trajectory

SUNDAY = datetime(2027, 1, 17, 23, 59, 59, tzinfo=UTC).timestamp()
"""The last second of the week that begins on Monday, the 11th."""


def open_ticking(folder: Path, moments: list[float]) -> BankLog:
    """A bank whose clock shows the last of some moments, to which a test adds."""
    return BankLog(folder / "memory.db", hide_secret, lambda: moments[-1])


def episodes(*numbers: int, project: str = "") -> Iterator[KeptEpisode]:
    return (make_episode(make_trajectory(number), EpisodeSource(project)) for number in numbers)


def test_a_week_counts_its_runs_items_and_uses(tmp_path: Path) -> None:
    moments = [SUNDAY]
    log = open_ticking(tmp_path, moments)
    first, second, third, unjudged = episodes(1, 2, 3, 4)
    timed = replace(first, began=SUNDAY - 40, ended=SUNDAY - 10)
    log.append([EpisodeAdded(timed), EpisodeAdded(second)], CAUSE)
    log.append([VerdictGiven(episode.id, "success", "rules") for episode in (first, second)], CAUSE)
    log.append([ItemAdded(make_item(n)) for n in range(3)], CAUSE)
    log.append([SignalSeen(make_item(0).id, "shown"), SignalSeen(make_item(1).id, "shown")], CAUSE)
    log.append([SignalSeen(make_item(0).id, "cited"), SignalSeen(make_item(0).id, "retrieved")], CAUSE)
    moments.append(SUNDAY + 1)
    log.append([EpisodeAdded(third), EpisodeAdded(unjudged)], CAUSE)
    log.append([VerdictGiven(third.id, "failure", "rules")], CAUSE)
    # a verdict of later counts for the week of its run
    log.append([VerdictGiven(second.id, "failure", "rules")], CAUSE)
    log.append([StandingSet(make_item(n).id, "archived") for n in range(2)], CAUSE)
    log.append([ItemRolledBack(make_item(0).id, 1)], CAUSE)
    one, two = measure_weeks(log)

    assert (one.week, two.week) == (date(2027, 1, 11), date(2027, 1, 18))
    assert (one.runs, one.judged, one.success, one.seconds_a_success) == (2, 2, 0.5, 30.0)
    assert one.steps_a_success == len(make_trajectory(1).steps)
    assert (one.new_items, one.new_items_a_100, one.active_items) == (3, 150.0, 3)
    assert (one.shown_a_run, one.cited_a_run) == (1.0, 0.5)
    assert (two.runs, two.judged, two.success, two.steps_a_success) == (2, 1, 0.0, None)
    assert (two.new_items, two.active_items, two.shown_a_run) == (0, 2, 0.0)


def test_other_projects_do_not_count_where_some_are_named(tmp_path: Path) -> None:
    log = open_ticking(tmp_path, [SUNDAY])
    ours, theirs = "org/team/one", "org/team/two"
    for project, number in ((ours, 1), (theirs, 2)):
        (episode,) = episodes(number, project=project)
        item = make_item(number, project=project)
        log.append([EpisodeAdded(episode), ItemAdded(item), SignalSeen(item.id, "shown")], CAUSE)
    (week,) = measure_weeks(log, (ours,))
    assert (week.runs, week.new_items, week.shown_a_run) == (1, 1, 1.0)
    assert measure_weeks(log)[0].runs == 2
    assert measure_weeks(log, ("org",)) == ()


def test_an_end_that_is_no_time_of_a_calendar_is_the_moment_at_which_the_run_was_kept(tmp_path: Path) -> None:
    log = open_ticking(tmp_path, [SUNDAY])
    for number, ended in enumerate((1e300, -1.0)):
        (episode,) = episodes(number)
        log.append(
            [EpisodeAdded(replace(episode, began=0.0, ended=ended, body='{"note": "by hand"}'))], CAUSE
        )
    (week,) = measure_weeks(log)
    assert (week.week, week.runs, week.success, week.steps_a_success) == (date(2027, 1, 11), 2, None, None)
