"""A run's trials as a log that Inspect opens: a sample a trial, with arm and condition as its metadata."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from memtrial.faults import RunFault, SpecFault
from memtrial.ledger.rows import TrialRow
from memtrial.ledger.run_plan import plan_in_force
from memtrial.outcomes.given_path import path_of
from memtrial.private_file import DRAFT, FILE
from memtrial.protocols import LedgerStore
from memtrial.runs.run_folder.folder import LEDGER, open_for_reading
from memtrial.runs.run_folder.output_file import refuse_unwritable
from memtrial.runs.run_folder.unmasked_look import note_raw

INSTALL = "a log of Inspect is written by its own package: pip install 'memtrial[inspect]'"
FORMS = (".eval", ".json")
IN_METADATA = (
    "backbone", "arm", "condition", "task", "family", "repeat", "cause", "record", "similarity", "boundary",
    "fault", "empty_slot", "followed", "carrying", "undelivered", "usd",
)  # fmt: skip
CORRECT, INCORRECT = "C", "I"


def export_inspect(run: str | Path, out: str | Path) -> int:
    """Write the last attempt of every trial as a sample of one log.

    Its id is `task | arm | condition`, with the backbone behind where there are several; its epoch is the
    repeat, from 1. It has the scores `success`, C or I, and `score`, and the conversation as messages.

    Returns: how many samples there are.

    Raises:
        SpecFault: Inspect is not installed, there is no such run, or the file cannot be written.
        RunFault: writing failed, and nothing stands there.
    """
    path = path_of(out, "a file for Inspect", SpecFault)
    if path.suffix not in FORMS:
        raise SpecFault(f"--inspect needs a file {' or '.join(FORMS)}; got {path}")
    if find_spec("inspect_ai") is None:
        raise SpecFault(INSTALL)
    from inspect_ai.log import write_eval_log

    with open_for_reading(path_of(run, "a run folder", SpecFault)) as (folder, ledger):
        refuse_unwritable(path, folder / LEDGER, option="--inspect")
        note_raw(folder, ledger, "export")
        log = _log_of(folder.name, ledger)
    try:
        with TemporaryDirectory(prefix=DRAFT, dir=path.absolute().parent) as place:
            draft = Path(place) / path.name
            write_eval_log(log, str(draft))
            os.chmod(draft, FILE)
            draft.replace(path)
    except OSError as fault:
        raise RunFault(f"the log cannot be written: {fault}; nothing was written") from fault
    return len(log.samples or ())


def _log_of(name: str, ledger: LedgerStore) -> Any:
    from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalResults, EvalSpec, EvalStats

    rows, plan, sessions = list(ledger.trials()), plan_in_force(ledger), ledger.sessions()
    backbones = sorted({row.backbone for row in rows})
    samples = [_sample_of(row, ledger, several=len(backbones) > 1) for row in rows]
    scored = [row for row in rows if row.score is not None]
    began = sessions[0].begun if sessions else ""
    spec = EvalSpec(
        created=began or "1970-01-01T00:00:00+00:00",
        task=name,
        model=", ".join(backbones) or "none",
        dataset=EvalDataset(name=name, samples=len(samples)),
        config=EvalConfig(epochs=1 + max((row.repeat for row in rows), default=0)),
        metadata={"memtrial": None if plan is None else plan.facts},
    )
    results = EvalResults(
        total_samples=len(rows), completed_samples=len(scored), scores=list(_scores_of(scored))
    )
    stats = EvalStats(started_at=began, completed_at=sessions[-1].ended if sessions else "")
    return EvalLog(status="success", eval=spec, results=results, stats=stats, samples=samples)


def _sample_of(row: TrialRow, ledger: LedgerStore, several: bool) -> Any:
    from inspect_ai.log import EvalError, EvalSample
    from inspect_ai.scorer import Score

    episode = ledger.episode(row.key) or ledger.episode(row.shared)
    said = _messages_of(episode.conversation if episode is not None else ())
    facts = {name: value for name, value in asdict(row).items() if name in IN_METADATA}
    place = " | ".join((row.task, row.arm, row.condition, *([row.backbone] if several else ())))
    sample = EvalSample(
        id=place,
        epoch=row.repeat + 1,
        input=next((message.text for message in said if message.role == "user"), row.task),
        target="",
        messages=said,
        metadata=facts | {"memory": ledger.slot(row.slot) or ""},
    )
    if row.score is None:
        sample.error = EvalError(message=row.cause or "error", traceback="", traceback_ansi="")
    else:
        success = CORRECT if row.status == "success" else INCORRECT
        why = row.cause or None
        sample.scores = {
            "success": Score(value=success, explanation=why),
            "score": Score(value=row.score, explanation=why),
        }
    return sample


def _messages_of(said: Iterable[dict[str, str]]) -> list[Any]:
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser

    kinds = {"system": ChatMessageSystem, "assistant": ChatMessageAssistant}
    return [kinds.get(message["role"], ChatMessageUser)(content=message["content"]) for message in said]


def _scores_of(rows: Iterable[TrialRow]) -> Iterator[Any]:
    """Means over the trials of each arm and condition; estimates and verdicts stand in the run's report."""
    from inspect_ai.log import EvalMetric, EvalScore

    cells: dict[str, list[TrialRow]] = defaultdict(list)
    for row in rows:
        cells[f"{row.arm}, {row.condition}"].append(row)
    for name in ("success", "score"):
        means = {}
        for cell, members in cells.items():
            solved = [row.status == "success" if name == "success" else row.score or 0.0 for row in members]
            means[cell] = EvalMetric(name=cell, value=sum(solved) / len(solved))
        n_scored = sum(map(len, cells.values()))
        yield EvalScore(name=name, scorer=name, scored_samples=n_scored, metrics=means)
