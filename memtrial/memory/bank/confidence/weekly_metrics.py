"""Document 003's weekly metrics of a bank, a week a row: success, its price, what was learnt and used.

Source: seeds/003 section 10, REQUIREMENTS F-42. What a bank does not know, as dollars, is an evolution's.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta

from memtrial.memory.bank.bank_item import Standing
from memtrial.memory.bank.events.bank_events import (
    BankEvent,
    EpisodeAdded,
    ItemAdded,
    ItemRevised,
    ItemRolledBack,
    SignalSeen,
    StandingSet,
    VerdictGiven,
)
from memtrial.memory.bank.events.bank_log import BankLog
from memtrial.memory.bank.events.kept_episode import KeptEpisode, read_trajectory
from memtrial.memory.stored_item import MemoryFault

_END = datetime(9999, 12, 1, tzinfo=UTC).timestamp()


@dataclass(frozen=True, slots=True)
class WeekMetrics:
    """One week, from Monday on, UTC; a figure is None where nothing stands behind it.

    Args:
        week: its Monday.
        runs: episodes that ended in it, or were kept in it where their end is not known.
        judged: those with a verdict; the last one counts, whenever it was given.
        success: the share of the judged ones that are successes, in [0, 1].
        steps_a_success, seconds_a_success: means over the successes of which they are known.
        new_items: made in the week; `new_items_a_100` for a hundred runs.
        active_items: how many items are active as it ends.
        shown_a_run, cited_a_run: items in a prompt, and followed or quoted, by run.
    """

    week: date
    runs: int
    judged: int
    success: float | None
    steps_a_success: float | None
    seconds_a_success: float | None
    new_items: int
    new_items_a_100: float | None
    active_items: int
    shown_a_run: float | None
    cited_a_run: float | None


def measure_weeks(log: BankLog, projects: Collection[str] | None = None) -> tuple[WeekMetrics, ...]:
    """The weeks in which anything happened, the first one first; of these projects, or of all.

    Raises:
        MemoryFault: the log cannot be read.
    """
    read = _WeeklyLog(projects)
    for logged in log.history():
        read.take(logged.moment, logged.event)
    return tuple(read.measure())


@dataclass(frozen=True, slots=True)
class _WeekRun:
    episode_id: str
    steps: int | None
    seconds: float | None


@dataclass(slots=True)
class _Week:
    runs: list[_WeekRun] = field(default_factory=list)
    new_items: int = 0
    change: int = 0
    shown: int = 0
    cited: int = 0


@dataclass(slots=True)
class _WeeklyLog:
    """What a log was read for so far.

    Args:
        labels: by episode, the last verdict.
        standings: by item, its standing in each of its versions.
    """

    projects: Collection[str] | None
    weeks: dict[date, _Week] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    standings: dict[str, list[Standing]] = field(default_factory=dict)

    def take(self, moment: float, event: BankEvent) -> None:
        match event:
            case EpisodeAdded(episode) if self._counts(episode.project):
                self._week(_end_of(episode, moment)).runs.append(_week_run(episode))
            case VerdictGiven(episode_id, label):
                self.labels[episode_id] = label
            case ItemAdded(item) if self._counts(item.origin.project):
                week = self._week(moment)
                week.new_items += 1
                week.change += item.standing == "active"
                self.standings[item.id] = [item.standing]
            case ItemRevised(item_id) if item_id in self.standings:
                self._set(moment, item_id, self.standings[item_id][-1])
            case StandingSet(item_id, standing) if item_id in self.standings:
                self._set(moment, item_id, standing)
            case ItemRolledBack(item_id, to_version) if item_id in self.standings:
                self._set(moment, item_id, self.standings[item_id][to_version - 1])
            case SignalSeen(item_id, "shown") if item_id in self.standings:
                self._week(moment).shown += 1
            case SignalSeen(item_id, "cited") if item_id in self.standings:
                self._week(moment).cited += 1

    def measure(self) -> Iterator[WeekMetrics]:
        active = 0
        for monday, week in sorted(self.weeks.items()):
            active += week.change
            n = len(week.runs)
            judged = [run for run in week.runs if run.episode_id in self.labels]
            solved = [run for run in judged if self.labels[run.episode_id] == "success"]
            yield WeekMetrics(
                week=monday,
                runs=n,
                judged=len(judged),
                success=len(solved) / len(judged) if judged else None,
                steps_a_success=_mean([run.steps for run in solved]),
                seconds_a_success=_mean([run.seconds for run in solved]),
                new_items=week.new_items,
                new_items_a_100=100 * week.new_items / n if n else None,
                active_items=active,
                shown_a_run=week.shown / n if n else None,
                cited_a_run=week.cited / n if n else None,
            )

    def _counts(self, project: str) -> bool:
        return self.projects is None or project in self.projects

    def _week(self, moment: float) -> _Week:
        day = datetime.fromtimestamp(moment, UTC).date()
        return self.weeks.setdefault(day - timedelta(days=day.weekday()), _Week())

    def _set(self, moment: float, item_id: str, standing: Standing) -> None:
        versions = self.standings[item_id]
        self._week(moment).change += (standing == "active") - (versions[-1] == "active")
        versions.append(standing)


def _end_of(episode: KeptEpisode, moment: float) -> float:
    """When an episode ended; when it was kept, where its end is not known or is no time of a calendar."""
    return episode.ended if episode.ended is not None and 0 <= episode.ended < _END else moment


def _week_run(episode: KeptEpisode) -> _WeekRun:
    began, ended = episode.began, episode.ended
    seconds = ended - began if began is not None and ended is not None and ended >= began else None
    try:
        steps = len(read_trajectory(episode).steps)
    except MemoryFault:  # somebody's own JSON, by document 003's table
        return _WeekRun(episode.id, None, seconds)
    return _WeekRun(episode.id, steps, seconds)


def _mean(figures: Sequence[float | None]) -> float | None:
    known = [figure for figure in figures if figure is not None]
    return sum(known) / len(known) if known else None
