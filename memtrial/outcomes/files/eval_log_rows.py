"""A log of Inspect, named on the command line, becomes rows of samples on standard output, as JSON.

A process of its own, started by `eval_log_process`, with a bound on its memory: a small archive can unfold to
any size.
"""

from __future__ import annotations

import json
import sys
import zipfile
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from memtrial.reader_process import READER_MEMORY, bound_process

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample

MOST_BYTES = 2 << 30
"""Of an archive when it is unfolded."""


def answer(path: str) -> dict[str, object]:
    """The rows of a log and what tells it from others; or a fault in a line."""
    from inspect_ai.log import read_eval_log
    from pydantic import ValidationError

    try:
        if not path.lower().endswith(".json"):
            with zipfile.ZipFile(path) as archive:
                size = sum(entry.file_size for entry in archive.infolist())
            if size > MOST_BYTES:
                return {"fault": f"unfolds to {size >> 20:,} MiB; at most {MOST_BYTES >> 20:,} are read"}
        return rows_of(read_eval_log(path, resolve_attachments=False))
    except ValidationError as fault:
        return {
            "fault": f"is no log of Inspect: {fault.error_count()} fields of it are not as they should be"
        }
    except (zipfile.BadZipFile, OSError, ValueError, KeyError, RecursionError, NotImplementedError) as fault:
        lines = str(fault).strip().splitlines() or [type(fault).__name__]
        return {"fault": f"is no log of Inspect that can be read: {lines[0][:200]}"}
    except MemoryError:
        return {"fault": f"cannot be read in {READER_MEMORY >> 30} GiB of memory"}


def rows_of(log: EvalLog) -> dict[str, object]:
    """Samples of a log: their id and epoch, how each scorer scored them, and errors of the infrastructure."""
    rows = [row_of(sample) for sample in log.samples or ()]
    scorers = {head: None for row in rows for head in row}
    # with one scorer there is one score, whatever it is called
    only = [head for head in scorers if head not in ("sample_id", "epoch", "error")]
    names = {only[0]: "score"} if len(only) == 1 else {}
    columns = {names.get(head, head): [row.get(head, "") for row in rows] for head in scorers}
    if not only:
        columns["score"] = [""] * len(rows)
    columns["model"] = [log.eval.model] * len(rows)
    if log.eval.model.startswith("mockllm/"):
        columns["simulated"] = ["true"] * len(rows)
    epochs, samples = log.eval.config.epochs or 1, log.eval.dataset.sample_ids
    return {
        "columns": columns,
        "made_by": {
            "task": log.eval.task,
            "task_args": _short(log.eval.task_args),
            "solver": " + ".join(_step(step.solver, step.params) for step in log.plan.steps),
            "tags": " ".join(log.eval.tags or ()),
        },
        "planned": len(samples) * epochs if samples else None,
        "status": log.status,
    }


def row_of(sample: EvalSample) -> dict[str, str]:
    """One sample as texts by column; a scorer that gives several values has a column for each."""
    row = {"sample_id": str(sample.id), "epoch": str(sample.epoch)}
    for scorer, score in (sample.scores or {}).items():
        if isinstance(score.value, Mapping):
            row |= {f"{scorer}.{key}": _text(value) for key, value in score.value.items()}
        elif not isinstance(score.value, list | tuple):
            row[scorer] = _text(score.value)
    return row | {"error": sample.error.message if sample.error is not None else ""}


def _text(value: object) -> str:
    return "" if value is None or value != value else str(value)


def _step(solver: str, params: Mapping[str, Any]) -> str:
    return f"{solver}({_short(params)})" if params else solver


def _short(values: Mapping[str, Any]) -> str:
    return " ".join(f"{key}={value}" for key, value in sorted(values.items()))[:200]


if __name__ == "__main__":
    bound_process()
    answered = answer(sys.argv[1])
    # on a line of its own: a library may have printed before
    sys.stdout.write("\n" + json.dumps(answered) + "\n")
