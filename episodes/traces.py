"""Trace files: trajectories as JSON lines.

One line: `{"trace_id", "task_id", "query", "outcome": "success"|"failure", "steps": [{"thought", "action",
"observation"}], …}`; `start`, `family`, `score`, `reason` and a step's `fault` are optional, other keys are
passed over.
"""

import json
from pathlib import Path
from reprlib import repr
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from loadbearing.episodes.trajectory import Step, StepFault, Trajectory, Verdict

MOST_BYTES = 512 * 1024 * 1024


class TraceFault(ValueError):
    """A trace file cannot be read. The message names the line, what was needed and what came."""


def _sendable(text: str) -> str:
    # half of a surrogate pair, as a log cut in the middle of a sign leaves it: no prompt can carry it
    text.encode()
    return text


Text = Annotated[str, AfterValidator(_sendable)]


class _Step(BaseModel):
    model_config = ConfigDict(strict=True)

    thought: Text = ""
    action: Text = ""
    observation: Text = ""
    fault: StepFault = ""


class _Trace(BaseModel):
    model_config = ConfigDict(strict=True)

    trace_id: Text
    task_id: Text
    query: Text
    outcome: Verdict
    steps: list[_Step]
    start: Text = ""
    family: Text = ""
    score: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = None
    reason: Text = ""


def read_traces(path: Path) -> tuple[Trajectory, ...]:
    """All trajectories of a file, in its order.

    Raises:
        TraceFault: no such file, too large, not JSON lines, or a line lacks what a trace needs.
    """
    try:
        # a pipe would be waited for, and a device never ends
        if path.exists() and not (path.is_file() and path.stat().st_size <= MOST_BYTES):
            most = MOST_BYTES // 1024**2
            raise TraceFault(f"a plain file of JSON lines is needed, of at most {most} MiB; {path} is none")
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as fault:
        raise TraceFault(f"a trace file of JSON lines is needed; {path} cannot be read: {fault}") from fault
    traces: dict[str, Trajectory] = {}
    # not splitlines(): JSON may hold U+2028 and its like unescaped
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        try:
            raw = json.loads(line)
        except (ValueError, RecursionError) as fault:
            raise TraceFault(f"{where}: a JSON object is needed; {fault}") from fault
        trace = trace_from_json(raw, where)
        if trace.trace_id in traces:
            raise TraceFault(f"{where}: trace_id {trace.trace_id!r} stands twice; each trace needs its own")
        traces[trace.trace_id] = trace
    if not traces:
        raise TraceFault(
            f"{path} holds no trace; a line is a JSON object with trace_id, task_id, query, outcome, steps"
        )
    return tuple(traces.values())


def trace_to_json(trace: Trajectory) -> dict[str, Any]:
    """One trajectory as the object of its line."""
    steps = []
    for step in trace.steps:
        raw = {"thought": step.thought, "action": step.action, "observation": step.observation}
        steps.append(raw | {"fault": step.fault} if step.fault else raw)
    reason = {"reason": trace.reason} if trace.reason else {}
    return reason | {
        "trace_id": trace.trace_id,
        "task_id": trace.task_id,
        "query": trace.query,
        "outcome": trace.outcome,
        "start": trace.start,
        "family": trace.family,
        "score": trace.score,
        "steps": steps,
    }


def trace_from_json(raw: object, where: str = "a trace") -> Trajectory:
    """The trajectory of a line's object.

    Raises:
        TraceFault: something is missing or of another type.
    """
    if not isinstance(raw, dict):
        raise TraceFault(f"{where}: a JSON object is needed; got {type(raw).__name__}")
    try:
        read = _Trace.model_validate(raw)
    except ValidationError as fault:
        first = fault.errors(include_url=False)[0]
        key = ".".join(map(str, first["loc"]))
        raise TraceFault(f"{where}: {key}: {first['msg']}; got {repr(first['input'])}") from None
    steps = tuple(Step(one.thought, one.action, one.observation, one.fault) for one in read.steps)
    return Trajectory(
        read.trace_id,
        read.task_id,
        read.query,
        read.outcome,
        steps,
        read.start,
        read.family,
        read.score,
        read.reason,
    )
