"""`import traces`: logs of other programs as trajectories that condensers read."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import JsonValue

from memtrial.agents.trajectory import Trajectory
from memtrial.api.foreign_logs.outcome_judge import JudgedRuns, judge_runs, pick_judged
from memtrial.api.foreign_logs.outcome_list import read_outcome_list
from memtrial.api.foreign_logs.settled_runs import NOT_STATED, SettledRuns, settle_runs, take_verdicts
from memtrial.console.display import Display
from memtrial.faults import SpecFault, refused
from memtrial.outcomes.count_words import how_many, list_names
from memtrial.outcomes.given_path import path_of
from memtrial.transcripts.joined_runs import join_batches, join_parts
from memtrial.transcripts.log_formats import FORMATS, SCHEMA, FormatName, LogFormat, Recognised, recognise
from memtrial.transcripts.log_question import LogQuestion
from memtrial.transcripts.log_walk import list_logs
from memtrial.transcripts.logged_run import LogFault, LoggedRun, LogReading


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """How logs are read.

    Args:
        format: of all logs; `auto` looks at each.
        outcomes: a file that states outcomes by trace or task; it wins over the logs.
        outcome_field: the field of each record, or the scorer, that states the outcome.
        success_from: the score at which success begins, where scores are not 0 or 1.
        judge: a model that is asked where nothing states an outcome; never unless it is named.
        judgements: the file that keeps its answers.
        base_urls: where a provider's requests go, URL or PROVIDER=URL.
    """

    format: FormatName = "auto"
    outcomes: Path | None = None
    outcome_field: str = ""
    success_from: float | None = None
    judge: str | None = None
    judgements: Path | None = None
    base_urls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadLog:
    """What one log was taken for, and what it held."""

    path: str
    format: str
    records: int
    runs: int
    steps: int


@dataclass(frozen=True, slots=True)
class ImportedTraces:
    """Trajectories, and an account of what they were made of.

    Args:
        traces: those with an outcome.
        waiting: those without one; a person or a file has to state it.
        outcomes: how many by what stated them.
        left_out: parts of logs that are in no trajectory, by why.
        passed: files that are no log, with what they look like.
        unread: logs that could not be read, with the reason.
        joined: parts, as of sub-agents, that were joined to the run that started them.
        hints: fields that look like an outcome and were not taken for one.
        unused: names of the file of outcomes that no trajectory has.
        judged: what a judge said, where one was named.
    """

    traces: tuple[Trajectory, ...]
    waiting: tuple[Trajectory, ...]
    logs: tuple[ReadLog, ...]
    outcomes: dict[str, int]
    left_out: dict[str, int]
    passed: tuple[tuple[str, str], ...] = ()
    unread: tuple[str, ...] = ()
    joined: int = 0
    hints: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    judged: JudgedRuns | None = None

    def summary(self) -> tuple[str, ...]:
        """Lines that say what was taken for what, and what was left out."""
        lines = []
        for name in dict.fromkeys(log.format for log in self.logs):
            logs = [log for log in self.logs if log.format == name]
            counts = (how_many(len(logs), "log"), how_many(sum(log.records for log in logs), "record"))
            runs = how_many(sum(log.runs for log in logs), "run")
            lines.append(
                f"{name}: {', '.join(counts)}, {runs}, {how_many(sum(log.steps for log in logs), 'step')}"
            )
        whole = [*self.traces, *self.waiting]
        steps = how_many(sum(len(trace.steps) for trace in whole), "step")
        many = "1 trajectory" if len(whole) == 1 else f"{len(whole):,} trajectories"
        parts = f"; {how_many(self.joined, 'part')} of sub-agents joined" if self.joined else ""
        lines.append(f"in all: {many}, {steps}{parts}")
        verdicts = Counter(trace.outcome for trace in self.traces)
        lines.append(f"outcomes: {verdicts['success']:,} success, {verdicts['failure']:,} failure")
        lines += [f"  {many:,} by {source}" for source, many in self.outcomes.items() if source != NOT_STATED]
        if self.waiting:
            lines.append(f"  {len(self.waiting):,} not stated")
        lines += () if self.judged is None else self.judged.lines()
        lines += [f"left out: {many:,} {why}" for why, many in sorted(self.left_out.items())]
        lines += [f"passed over: {path}: {what}" for path, what in self.passed[:SHOWN]]
        if len(self.passed) > SHOWN:
            lines.append(f"passed over: {len(self.passed) - SHOWN:,} more")
        lines += [f"not read: {line}" for line in self.unread[:SHOWN]]
        if len(self.unread) > SHOWN:
            lines.append(f"not read: {len(self.unread) - SHOWN:,} more")
        if self.unused:
            lines.append(f"in the file of outcomes, but in no log: {list_names(self.unused)}")
        return tuple(lines)

    def advice(self) -> str:
        """What to do for the trajectories without an outcome; empty where all have one."""
        if not self.waiting:
            return ""
        fields = [hint for hint in self.hints if " (" not in hint]
        named = f"--outcome-field {fields[0]} takes that field, if it is one; " if fields else ""
        other = [hint for hint in self.hints if " (" in hint]
        notes = f" ({'; '.join(other)})" if other else ""
        return (
            f"{len(self.waiting):,} of {len(self.traces) + len(self.waiting):,} trajectories state no outcome"
            f"{notes}: {named}--outcomes FILE takes a table with trace_id and outcome,"
            " --label-file FILE writes it to be filled in, --judge MODEL asks a model"
        )

    def to_json(self) -> dict[str, JsonValue]:
        """The account as an object."""
        return {
            "logs": [
                {
                    "path": log.path,
                    "format": log.format,
                    "records": log.records,
                    "runs": log.runs,
                    "steps": log.steps,
                }
                for log in self.logs
            ],
            "trajectories": len(self.traces) + len(self.waiting),
            "steps": sum(len(trace.steps) for trace in (*self.traces, *self.waiting)),
            "traces": len(self.traces),
            "success": sum(trace.outcome == "success" for trace in self.traces),
            "outcomes": dict(self.outcomes),
            "joined_parts": self.joined,
            "left_out": dict(self.left_out),
            "passed_over": [{"path": path, "looks_like": what} for path, what in self.passed],
            "not_read": list(self.unread),
            "hints": list(self.hints),
            "outcomes_of_no_log": list(self.unused),
            "judge": None if self.judged is None else self.judged.to_json(),
        }


SHOWN = 8


def import_traces(
    paths: Iterable[str | Path], options: ImportOptions = ImportOptions(), display: Display | None = None
) -> ImportedTraces:
    """Read logs and folders of logs.

    Raises:
        SpecFault: nothing could be read; the message says what the files look like.
    """
    listed = None if options.outcomes is None else read_outcome_list(options.outcomes, options.success_from)
    with refused(LogFault):
        given = [path_of(path, "a log or a folder of logs", SpecFault) for path in paths]
        places = list(dict.fromkeys(place for path in given for place in list_logs(path)))
    shown = display if display and len(places) > SHOWN else Display("none")
    asked = LogQuestion(options.outcome_field, options.success_from, listed is not None)
    logs, runs, passed, unread, left = (
        list[ReadLog](),
        list[LoggedRun](),
        list[tuple[str, str]](),
        list[str](),
        Counter[str](),
    )
    with shown.phase("read logs", len(places)) as tick:
        for place in places:
            try:
                seen, reading = _read(place, options.format, asked)
            except LogFault as fault:
                unread.append(str(fault))
            else:
                if reading is None or seen.log_format is None:
                    passed.append((str(place), seen.what))
                else:
                    steps = sum(1 for _ in reading.steps())
                    logs.append(
                        ReadLog(str(place), seen.log_format.name, reading.records, reading.whole, steps)
                    )
                    left += reading.left_out
                    runs += reading.runs
            tick()
    if not logs:
        raise SpecFault(_nothing(given, passed, unread))
    matched, unmatched = join_batches(runs)
    left += unmatched
    whole, joined, alone = join_parts(matched)
    if alone:
        left["sub-agents whose session is not there, each a run of its own"] += alone
    settled = settle_runs(whole, listed)
    left += settled.left_out
    judged = None
    if options.judge is not None:
        settled, judged = _ask_judge(settled, options.judge, options, display)
    return ImportedTraces(
        settled.traces, settled.waiting, tuple(logs), dict(settled.outcomes), dict(left), tuple(passed),
        tuple(unread), joined, settled.hints, () if listed is None else listed.unused(), judged,
    )  # fmt: skip


def _ask_judge(
    settled: SettledRuns, model: str, options: ImportOptions, display: Display | None
) -> tuple[SettledRuns, JudgedRuns]:
    if options.judgements is None:
        raise SpecFault("a judge's answers are paid for once: name the file that keeps them, judgements=…")
    runs = pick_judged(settled.traces, settled.waiting)
    stated = frozenset(trace.trace_id for trace in settled.traces)
    judged = judge_runs(model, runs, stated, options.judgements, options.base_urls, display)
    return take_verdicts(settled, judged), judged


def _read(place: Path, wanted: FormatName, asked: LogQuestion) -> tuple[Recognised, LogReading | None]:
    """What a log looks like, and what it holds where it is of the format that is wanted."""
    seen = recognise(place)
    if seen.log_format is None:
        return seen, None
    if wanted not in ("auto", seen.log_format.name) and not _both_chats(wanted, seen.log_format):
        return Recognised(seen.log_format, f"{seen.what}, and not of --format {wanted}"), None
    log_format = next((known for known in FORMATS if known.name == wanted), seen.log_format)
    try:
        return replace(seen, log_format=log_format), log_format.read(place, asked)
    except RecursionError:
        raise LogFault(f"{place}: nested too deep") from None
    except OSError as fault:
        raise LogFault(f"{place} cannot be read: {fault.strerror}") from fault


def _both_chats(wanted: str, seen: LogFormat) -> bool:
    """Plain messages are of both."""
    return {wanted, seen.name} <= {"openai", "anthropic"}


def _nothing(given: list[Path], passed: list[tuple[str, str]], unread: list[str]) -> str:
    if unread:
        return f"{unread[0]}; for the shape that is needed see {SCHEMA}"
    if passed:
        path, what = passed[0]
        more = f" ({len(passed) - 1:,} more files are passed over)" if len(passed) > 1 else ""
        return f"{path} looks like {what}{more}; no log was read. The shape that is needed: {SCHEMA}"
    names = list_names([str(path) for path in given])
    return f"{names}: no log is in it; for the shape that is needed see {SCHEMA}"
