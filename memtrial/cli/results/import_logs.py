"""`import traces`: logs of other programs as the traces that `condense` reads."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memtrial.cli.options import Mode
from memtrial.console.display import Display
from memtrial.console.standard_output import put, put_either
from memtrial.faults import SpecFault
from memtrial.outcomes.count_words import how_many
from memtrial.private_file import write_whole
from memtrial.runs.run_folder.output_file import refuse_below, refuse_filled, refuse_unwritable

if TYPE_CHECKING:
    from memtrial.agents.trajectory import Trajectory
    from memtrial.api.foreign_logs.import_traces import ImportOptions
    from memtrial.transcripts.log_formats import FormatName

HEADS = ("trace_id", "task_id", "steps", "query", "end", "outcome")
JUDGEMENTS = ".judgements.jsonl"
"""How the name of the file ends that keeps a judge's answers."""
SHOWN = 300
"""Characters of a task and of an end that a person is shown in a table."""


@dataclass(frozen=True, slots=True)
class LogChoice:
    """What the command line asks of `import traces`."""

    format: FormatName
    out: Path | None
    outcomes: Path | None
    outcome_field: str
    success_from: float | None
    label_file: Path | None
    judge: str | None = None
    base_urls: tuple[str, ...] = ()

    def is_default(self) -> bool:
        return self == LogChoice("auto", None, None, "", None, None)

    def options(self) -> ImportOptions:
        """What the library is asked; a judge's answers stand beside the traces."""
        from memtrial.api.foreign_logs.import_traces import ImportOptions

        kept = None if self.out is None else self.out.with_suffix(JUDGEMENTS)
        return ImportOptions(
            self.format, self.outcomes, self.outcome_field, self.success_from, self.judge,
            kept if self.judge is not None else None, self.base_urls,
        )  # fmt: skip


def import_logs(paths: Sequence[Path], choice: LogChoice, as_json: bool, display: Mode) -> None:
    """Read the logs, say what they hold, and write their traces."""
    from memtrial.agents.traces import trace_to_json
    from memtrial.api.foreign_logs.import_traces import import_traces

    if not paths:
        raise SpecFault(
            "import traces needs a log or a folder of logs: memtrial import traces PATH --out traces.jsonl"
        )
    _refuse_outputs(paths, choice)
    if choice.judge is not None and choice.out is None:
        raise SpecFault("--judge needs --out: the judge's answers are paid for, and kept beside the traces")
    brought = import_traces(paths, choice.options(), Display("none" if as_json else display))
    if choice.out is not None and not brought.traces:
        put("\n".join(brought.summary()), sys.stderr)
        if choice.label_file is not None:
            _write_labels(choice.label_file, brought.waiting)
        raise SpecFault(
            f"{brought.advice() or 'no trajectory is in these logs'}; nothing was written to {choice.out}"
        )
    lines = list(brought.summary())
    if choice.out is not None:
        rows = (json.dumps(trace_to_json(trace), ensure_ascii=False) for trace in brought.traces)
        write_whole(choice.out, "".join(f"{row}\n" for row in rows))
        lines.append(f"{how_many(len(brought.traces), 'trace')} written to {choice.out}")
    elif brought.traces:
        lines.append("nothing was written; --out traces.jsonl writes the traces, which condense reads")
    if choice.label_file is not None:
        _write_labels(choice.label_file, brought.waiting)
        lines.append(
            f"{how_many(len(brought.waiting), 'row')} written to {choice.label_file}; fill in outcome"
        )
    if advice := brought.advice():
        lines.append(advice)
    written = {"written_to": None if choice.out is None else str(choice.out)}
    put_either({**brought.to_json(), **written}, lines, as_json)


def _refuse_outputs(paths: Sequence[Path], choice: LogChoice) -> None:
    """SpecFault: what is to be written is read, is filled in by people, or cannot be written."""
    from memtrial.transcripts.log_formats import TRACES, recognise

    for option, path in (("--out", choice.out), ("--label-file", choice.label_file)):
        if path is not None:
            refuse_unwritable(path, *paths, *([choice.outcomes] if choice.outcomes else []), option=option)
    if choice.label_file is not None:
        refuse_filled(choice.label_file, "--label-file")
        if choice.out is not None and choice.out.resolve() == choice.label_file.resolve():
            raise SpecFault(f"--label-file needs another file than --out; got {choice.out} for both")
    # traces of an earlier import are passed over in a folder of logs, and written anew
    if choice.out is not None and choice.out.is_file() and recognise(choice.out).what != TRACES:
        for read in paths:
            refuse_below(choice.out, read)


def _write_labels(path: Path, waiting: Sequence[Trajectory]) -> None:
    """A row for each trajectory without an outcome, for a person to fill in."""
    from memtrial.outcomes.spreadsheet import write_csv

    file = io.StringIO(newline="")
    write_csv(file, HEADS, (_row(trace) for trace in waiting))
    write_whole(path, file.getvalue())


def _row(trace: Trajectory) -> tuple[str | float, ...]:
    last = trace.steps[-1]
    end = last.action or last.thought
    return trace.trace_id, trace.task_id, len(trace.steps), trace.query[:SHOWN], end[-SHOWN:], ""
