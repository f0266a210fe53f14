"""An evolution whose rows are made by rule, summed up by the product: nothing is played."""

from pathlib import Path

from memtrial.api.streams.evolve import sum_up
from memtrial.evolution.evolve_run import EvolveEnd
from memtrial.evolution.evolve_spec import EvolveSpec
from memtrial.evolution.stream_rows import ConsolidationCount, StreamEnd, TaskRow
from memtrial.runs.engine.schedule import Ending
from memtrial.views.rows.evolution_rows import EvolutionResults

TASKS = 8
ARMS = {
    "vanilla": {"mode": "vanilla"},
    "bank": {},
    "best-of-2": {"mode": "parallel", "k": 2, "learn": "none"},
    "parallel-2": {"mode": "parallel", "k": 2},
}


def made_evolution(
    streams: int = 6, judge: str = "oracle", ending: str = "done", question: str = "", **more: object
) -> EvolutionResults:
    """Without memory every other task is solved; with a bank all of the later half; two tries solve one more.

    One stream in three has a task the other way round, so that intervals have a width. A model as the judge
    calls the first failure of a stream a success, and cannot be read at the last task.
    """
    spec = EvolveSpec.model_validate(
        {
            "name": "made", "environment": {"world": "workshop"}, "backbone": "simulated/reader",
            "roles": {"writer": "simulated/scribe", "judge": judge}, "streams": max(1, streams),
            "arms": ARMS, "bank": {"consolidate": 4}, **({"question": question} if question else {}), **more,
        }
    )  # fmt: skip
    ends = [_made_stream(arm, stream, judge != "oracle") for stream in range(streams) for arm in ARMS]
    end = EvolveEnd(Path("made"), Ending(ending), tuple(ends), TASKS)  # type: ignore[arg-type]
    return sum_up(spec, end, simulated=True)


def _made_stream(arm: str, stream: int, judged: bool) -> StreamEnd:
    learns = arm in ("bank", "parallel-2")
    rows = []
    for position in range(TASKS):
        solved = position % 2 == 0 or (learns and position >= TASKS // 2)
        solved = solved or (arm in ("best-of-2", "parallel-2") and position == 1)
        if stream % 3 == 0 and position == 2:
            solved = not solved
        label = "success" if solved else "failure"
        if judged and position == 3:
            label = "success"
        if judged and position == TASKS - 1:
            label = ""
        rows.append(
            TaskRow(
                "simulated/reader", arm, stream, position, f"task-{position}", "family",
                solved, float(solved), judged=label, tries=1, solved_tries=int(solved), n_steps=3,
                calls=8 if "-2" in arm else 4,
                writer_calls=int(learns), usd=0.25, shown=("a",) if learns and position else (),
                cited=("a",) if learns and position > 5 else (),
                new_items=(f"{stream}-{position}",) if learns else (),
            )  # type: ignore[arg-type]
        )  # fmt: skip
    steps = (ConsolidationCount(3, 3, 0, 1, 0, 0), ConsolidationCount(7, 0, 1, 0, 1, 0)) if learns else ()
    return StreamEnd(tuple(rows), (), 6 if learns else 0, steps)
