"""Runs of logs as trajectories: each with a name of its own, those without an outcome apart."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from hashlib import sha256

from memtrial.agents.trajectory import Step, Trajectory, Verdict
from memtrial.api.foreign_logs.outcome_judge import JudgedRuns
from memtrial.api.foreign_logs.outcome_list import OutcomeList
from memtrial.faults import SpecFault
from memtrial.transcripts.logged_run import LoggedRun

NOT_STATED = "not stated"
LISTED = "the file of outcomes"


@dataclass(frozen=True, slots=True)
class SettledRuns:
    """Trajectories with an outcome, those that wait for one, and what became of the rest."""

    traces: tuple[Trajectory, ...]
    waiting: tuple[Trajectory, ...]
    outcomes: Counter[str]
    left_out: Counter[str]
    hints: tuple[str, ...]


def settle_runs(runs: Iterable[LoggedRun], listed: OutcomeList | None) -> SettledRuns:
    """Give each run its name and its outcome; what a file of the user's says wins.

    Raises:
        SpecFault: the file names a task that several runs have.
    """
    left, sources = Counter[str](), Counter[str]()
    traces, waiting, hints = list[Trajectory](), list[Trajectory](), Counter[str]()
    named = list(_name_apart(runs, left))
    tasks = Counter(key for run in named for key in {run.task, run.query} if key)
    for run in named:
        trace = _trace_of(run)
        stated = None if listed is None else _find(listed, run, trace, tasks)
        if stated is not None:
            if run.outcome and run.outcome != stated[0]:
                left["outcomes of logs that the file of outcomes contradicts"] += 1
            trace = replace(trace, outcome=stated[0], score=stated[1])
            sources[LISTED] += 1
            traces.append(trace)
        elif run.outcome:
            sources[run.source] += 1
            traces.append(trace)
        else:
            sources[NOT_STATED] += 1
            waiting.append(trace)
            hints.update(run.hints)
    usual = tuple(name for name, _ in hints.most_common(4))
    return SettledRuns(tuple(traces), tuple(waiting), sources, left, usual)


def take_verdicts(settled: SettledRuns, judged: JudgedRuns) -> SettledRuns:
    """The runs that wait with the outcome that a judge gave them; without one they wait on."""
    traces, waiting, sources = list(settled.traces), list[Trajectory](), Counter(settled.outcomes)
    for trace in settled.waiting:
        verdict = judged.by_name.get(trace.trace_id)
        if verdict is None or not verdict.verdict:
            waiting.append(trace)
        else:
            reason = f"judged by {judged.judge}: {verdict.reason}".rstrip(": ")
            traces.append(replace(trace, outcome=verdict.verdict, reason=_whole(reason)))
            sources[f"the judge {judged.judge}"] += 1
            sources[NOT_STATED] -= 1
    return replace(settled, traces=tuple(traces), waiting=tuple(waiting), outcomes=+sources)


def _name_apart(runs: Iterable[LoggedRun], left: Counter[str]) -> Iterator[LoggedRun]:
    """Runs with names of their own, without those that stand twice and those without a task."""
    seen = defaultdict[str, set[tuple[object, ...]]](set)
    for run in runs:
        said = run.query, run.turns
        if not run.query.strip():
            left["runs whose task is not stated"] += 1
        elif said in seen[run.name]:
            left["runs that stand twice"] += 1
        else:
            seen[run.name].add(said)
            many = len(seen[run.name])
            yield replace(run, name=f"{run.name}#{many}") if many > 1 else run


def _find(
    listed: OutcomeList, run: LoggedRun, trace: Trajectory, tasks: Counter[str]
) -> tuple[Verdict, float | None] | None:
    for name in (run.name, trace.trace_id, run.task, trace.task_id, run.query):
        if name in listed.rows:
            by_task = name not in (run.name, trace.trace_id)
            if by_task and tasks[name] > 1:
                raise SpecFault(
                    f"the file of outcomes names {name[:60]!r}, of which there are {tasks[name]:,} runs;"
                    " name each by its trace_id (--label-file writes them)"
                )
            listed.used[name] += 1
            return listed.rows[name]
    return None


def _trace_of(run: LoggedRun) -> Trajectory:
    """The trajectory; where nothing states an outcome it is written down as a failure, and waits."""
    steps = tuple(
        Step(_whole(turn.thought), _whole(turn.action), _whole(turn.observation)) for turn in run.turns
    )
    task = run.task or sha256(_whole(run.query).encode()).hexdigest()[:12]
    return Trajectory(
        _whole(run.name), _whole(task), _whole(run.query), run.outcome or "failure", steps, _whole(run.start),
        _whole(run.family), run.score, _whole(run.reason),
    )  # fmt: skip


def _whole(text: str) -> str:
    """The text, with a mark in the place of each half of a surrogate pair, which no UTF-8 can hold."""
    return (
        text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    )
