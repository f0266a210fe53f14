"""Trace files: trajectories as JSON lines.

One line: `{"trace_id", "task_id", "query", "outcome": "success"|"failure", "steps": [{"thought", "action",
"observation"}], …}`; `start`, `family`, `score`, `reason` and a step's `fault` are optional, other keys are
passed over.
"""

import json
from dataclasses import asdict
from pathlib import Path
from reprlib import repr
from typing import Any

from pydantic import TypeAdapter, ValidationError

from memtrial.agents.trajectory import Trajectory
from memtrial.prompts.plain_text import lines_of
from memtrial.transcripts.log_formats import say_foreign

MOST_BYTES = 512 * 1024 * 1024
_ADAPTER = TypeAdapter(Trajectory)


class TraceFault(ValueError):
    """A trace file cannot be read. The message names the line, what was needed and what came."""


def read_traces(path: Path) -> tuple[Trajectory, ...]:
    """All trajectories of a file, in its order.

    Raises:
        TraceFault: no such file, too large, not JSON lines, or a line lacks what a trace needs; of a file in
            which no trace stands the message says what it looks like.
    """
    traces: dict[str, Trajectory] = {}
    try:
        _read_lines(path, traces)
    except TraceFault as fault:
        if traces or not path.exists():
            raise
        raise TraceFault(f"{fault}; {say_foreign(path)}") from fault
    return tuple(traces.values())


def _read_lines(path: Path, traces: dict[str, Trajectory]) -> None:
    """Put each trace of a file under its name."""
    for where, line in lines_of(path, "a trace file of JSON lines is needed", TraceFault, MOST_BYTES):
        trace = _read_trace(line, where)
        if trace.trace_id in traces:
            raise TraceFault(f"{where}: trace_id {trace.trace_id!r} stands twice; each trace needs its own")
        traces[trace.trace_id] = trace
    if not traces:
        raise TraceFault(
            f"{path} holds no trace; a line is a JSON object with trace_id, task_id, query, outcome, steps"
        )


def trace_to_json(trace: Trajectory) -> dict[str, Any]:
    """One trajectory as the object of its line."""
    raw = asdict(trace)
    raw["steps"] = [{key: step[key] for key in step if key != "fault" or step[key]} for step in raw["steps"]]
    return {key: raw[key] for key in raw if key != "reason" or raw[key]}


def trace_from_json(raw: object, where: str = "a trace") -> Trajectory:
    """The trajectory of a line's object. Raises TraceFault: something is missing or of another type."""
    return _read_trace(json.dumps(raw), where)


def _read_trace(line: str, where: str) -> Trajectory:
    try:
        return _ADAPTER.validate_json(line, strict=True)
    except ValidationError as fault:
        first = fault.errors(include_url=False)[0]
        key = ".".join(map(str, first["loc"])) or "a JSON object is needed"
        raise TraceFault(f"{where}: {key}: {first['msg']}; got {repr(first['input'])}") from None
