"""Trace files: trajectories as JSON lines, in and out.

One line: `{"trace_id", "task_id", "query", "outcome": "success"|"failure", "steps": [{"thought", "action",
"observation"}], …}`; `start`, `family`, `score` and a step's `fault` are optional, other keys are passed
over.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from loadbearing.episodes.trajectory import Step, Trajectory

MOST_BYTES = 512 * 1024 * 1024
FAULTS = ("", "format", "refused", "refusal")


class TraceFault(ValueError):
    """A trace file cannot be read. The message names the line, what was needed and what came."""


def read_traces(path: Path) -> tuple[Trajectory, ...]:
    """All trajectories of a file, in its order.

    Raises:
        TraceFault: no such file, too large, not JSON lines, or a line lacks what a trace needs.
    """
    try:
        # a pipe would be waited for, and a device never ends
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise TraceFault(f"a trace file of JSON lines is needed; {path} is no plain file")
        if path.stat().st_size > MOST_BYTES:
            raise TraceFault(f"{path} is larger than {MOST_BYTES // 1024**2} MiB; split it")
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as fault:
        raise TraceFault(f"a trace file of JSON lines is needed; {path} cannot be read: {fault}") from fault
    # not splitlines(): JSON may hold U+2028 and its like unescaped
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    traces: dict[str, Trajectory] = {}
    for number, line in lines:
        trace = _trace(line, f"{path}, line {number}")
        if trace.trace_id in traces:
            raise TraceFault(
                f"{path}, line {number}: trace_id {trace.trace_id!r} stands twice; each trace needs its own"
            )
        traces[trace.trace_id] = trace
    if not traces:
        raise TraceFault(
            f"{path} holds no trace; a line is a JSON object with trace_id, task_id, query, outcome, steps"
        )
    return tuple(traces.values())


def write_traces(path: Path, traces: Iterable[Trajectory]) -> None:
    """Write a file that `read_traces` reads back to the same trajectories."""
    lines = [json.dumps(trace_to_json(trace), ensure_ascii=False) for trace in traces]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def trace_to_json(trace: Trajectory) -> dict[str, Any]:
    """One trajectory as the object of its line."""
    steps = []
    for step in trace.steps:
        raw = {"thought": step.thought, "action": step.action, "observation": step.observation}
        steps.append(raw | {"fault": step.fault} if step.fault else raw)
    return {
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
    outcome = raw.get("outcome")
    if outcome not in ("success", "failure"):
        raise TraceFault(f"{where}: outcome must be 'success' or 'failure'; got {outcome!r}")
    steps = raw.get("steps")
    if not isinstance(steps, list):
        raise TraceFault(f"{where}: steps must be a list; got {type(steps).__name__}")
    score = raw.get("score")
    number = isinstance(score, int | float) and not isinstance(score, bool)
    if score is not None and not (number and 0 <= score <= 1):
        raise TraceFault(f"{where}: score must be a number in [0, 1]; got {score!r}")
    return Trajectory(
        trace_id=_text(raw, "trace_id", where),
        task_id=_text(raw, "task_id", where),
        query=_text(raw, "query", where),
        outcome=outcome,
        steps=tuple(_step(step, f"{where}, step {number}") for number, step in enumerate(steps, 1)),
        start=_text(raw, "start", where, ""),
        family=_text(raw, "family", where, ""),
        score=None if score is None else float(score),
    )


def _trace(line: str, where: str) -> Trajectory:
    try:
        raw = json.loads(line)
    except (ValueError, RecursionError) as fault:
        raise TraceFault(f"{where}: a JSON object is needed; {fault}") from fault
    return trace_from_json(raw, where)


def _step(raw: object, where: str) -> Step:
    if not isinstance(raw, dict):
        raise TraceFault(f"{where}: a JSON object is needed; got {type(raw).__name__}")
    fault = raw.get("fault", "")
    if fault not in FAULTS:
        raise TraceFault(f"{where}: fault must be one of {FAULTS}; got {fault!r}")
    thought, action, observation = (
        _text(raw, key, where, "") for key in ("thought", "action", "observation")
    )
    return Step(thought, action, observation, fault)


def _text(raw: dict[str, Any], key: str, where: str, default: str | None = None) -> str:
    value = raw.get(key, default)
    if not isinstance(value, str):
        got = "nothing" if value is None else type(value).__name__
        raise TraceFault(f"{where}: {key} must be text; got {got}")
    try:
        value.encode()
    except UnicodeEncodeError as fault:
        # half of a surrogate pair, as a log cut in the middle of a sign leaves it: no prompt can carry it
        raise TraceFault(f"{where}: {key} must be text; got half a sign at place {fault.start}") from fault
    return value
