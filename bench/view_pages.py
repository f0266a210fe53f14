"""Pages of `memtrial view` at the server, on a run of 100,000 trials: time of each, and memory after many.

The peer of each page is the same page of a run with a hundredth of the trials.
"""

import resource
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter, thread_time

from bench.figure import Figure
from bench.ledger import episode, trial
from memtrial.ledger.rows import CheckRow
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.pages.view.grid_query import read_query
from memtrial.pages.view.opened_run import OpenedRun, RunReader
from memtrial.pages.view.run_desks import list_desks
from memtrial.pages.view.run_grid import lay_grid, lay_matrix
from memtrial.pages.view.trial_reading import read_task, read_trial
from memtrial.pages.view.view_pages import PageFacts, render_view

BACKBONES = ("openai/one", "openai/two", "anthropic/three")
ARMS, DAMAGES = (
    ("raw", "control", "artifact", "activation", "oracle"),
    ("filler", "corrupt_invert", "paraphrase"),
)
CELLS = (("none", "without"), *((arm, name) for arm in ARMS for name in ("intact", *DAMAGES)))
TASKS, REPEATS, ROUNDS = 800, 2, 9
FEW_TASKS = 8
TRIALS = len(BACKBONES) * TASKS * REPEATS * len(CELLS)
SLOT = "Do the thing.\n" * 40
QUERIES: Mapping[str, Mapping[str, str]] = {
    "a run's page": {},
    "tasks lost in one cell": {
        "backbone": BACKBONES[1], "arm": "artifact", "condition": "filler", "outcome": "lost", "sort": "lost",
    },
    "tasks of one arm, the last page": {"arm": "control", "page": "8", "sort": "solved"},
}  # fmt: skip


def figures() -> Iterator[Figure]:
    """Each page with the run open; medians."""
    with tempfile.TemporaryDirectory() as place:
        few, many = (fill_run(Path(place) / str(tasks), tasks) for tasks in (FEW_TASKS, TASKS))
        opened, peer = OpenedRun(many), OpenedRun(few)
        with closing(opened), closing(peer):
            begun = perf_counter()
            opened.is_open()
            took = perf_counter() - begun
            yield Figure("view: opening a run, seals compared", f"{took:.1f} s on {TRIALS:,} trials", 1.0)
            ours, theirs = opened.ask(time_pages), peer.ask(time_pages)
            for name, spent in ours.items():
                yield Figure(
                    f"view: {name}", f"{1000 * spent:.0f} ms on {TRIALS:,} trials", spent / theirs[name]
                )
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            for _ in range(10):
                opened.ask(time_pages)
            after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            grown = f"{after / 1024:.0f} MiB at most after 540 pages more"
            yield Figure("view: memory of the process against before", grown, after / before)


def time_pages(reader: RunReader) -> dict[str, float]:
    """Median seconds of the processor for each page, from the look at the ledger to the text."""
    facts = PageFacts("nonce", "/t/", "run", False, reader)
    task = {"backbone": BACKBONES[2], "task": "task-3", "arm": "artifact", "condition": "filler"}
    key = read_task(reader, task).chosen.key

    def run_page(query: Mapping[str, str]) -> str:
        reader.look()
        grid, matrix = lay_grid(reader, read_query(query)), lay_matrix(reader)
        shown = {"matrix": matrix, "grid": grid, "report": reader.report, "answers": ()}
        return render_view("run", facts, shown | {"desks": tuple(list_desks(reader, ""))})

    pages = {name: lambda query=query: run_page(query) for name, query in QUERIES.items()}
    pages["a task, two trials side by side"] = lambda: render_view(
        "task", facts, {"task": read_task(reader.look(), task)}
    )
    pages["a trial"] = lambda: render_view("trial", facts, {"trial": read_trial(reader.look(), key)})
    pages["items"] = lambda: render_view(
        "items", facts, {"rows": reader.look().index.condensed(100), "page": 1, "per_page": 100}
    )
    return {name: median(_seconds(page) for _ in range(ROUNDS)) for name, page in pages.items()}


def _seconds(page: object) -> float:
    assert callable(page)
    begun = thread_time()
    page()
    return thread_time() - begun


def fill_run(folder: Path, tasks: int) -> Path:
    """A run of that many tasks, 42 trials for each on three backbones; one that is there stays."""
    if folder.exists():
        return folder
    folder.mkdir()
    rng, blank = Random(tasks), trial(0)
    with closing(SqliteLedger(folder / "ledger.sqlite")) as ledger:
        ledger.add_slots({"s" * 64: SLOT, "t" * 64: SLOT.replace("Do", "Avoid")})
        for backbone in BACKBONES:
            for task in range(tasks):
                rows, checks = [], []
                for repeat in range(REPEATS):
                    for arm, condition in CELLS:
                        place = (backbone, arm, condition, f"task-{task}", repeat)
                        rows.append(
                            replace(
                                blank, key=f"{rng.getrandbits(256):064x}", backbone=backbone, arm=arm,
                                condition=condition, task=place[3], family=f"family {task % 12}",
                                repeat=repeat, status=rng.choice(("success", "failure")),
                                slot=rng.choice("st") * 64,
                            )
                        )  # fmt: skip
                        if condition in DAMAGES:
                            checks.append(CheckRow(*place, True, True, "", "s" * 64, "t" * 64, {}))
                ledger.add_trials(rows, [episode(row.key, rng) for row in rows])
                ledger.add_checks(checks)
    return folder


if __name__ == "__main__":
    for figure in figures():
        print(figure.line(), flush=True)
