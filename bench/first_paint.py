"""First paint of pages of `memtrial view` in Chromium, on the run of 100,800 trials of `view_pages`.

The browser's own figure (first-contentful-paint), from the click to the paint, the run open; medians. It
stands apart from `make bench`, as it needs a browser: `python -m bench.first_paint [FOLDER]`.
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from statistics import median
from urllib.parse import urlencode

from bench.figure import Figure
from bench.view_pages import BACKBONES, FEW_TASKS, TASKS, TRIALS, fill_run
from memtrial.pages.page_server import serve_app
from memtrial.pages.view.run_shelf import RunShelf
from memtrial.pages.view.view_app import build_view_app
from tests.support.browser import chromium

ROUNDS = 9
TASK = {"backbone": BACKBONES[2], "task": "task-3", "arm": "artifact", "condition": "filler"}
PAGES = {
    "the runs": "",
    "a run's page": "run/{}/",
    "tasks lost in one cell": "run/{}/?"
    + urlencode({"backbone": BACKBONES[1], "arm": "artifact", "condition": "filler", "outcome": "lost"}),
    "a task, two trials side by side": "run/{}/task?" + urlencode(TASK),
    "memory items": "run/{}/items",
}
PAINTED = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"


def figures(place: Path) -> Iterator[Figure]:
    """Each page, and the same page of a run with a hundredth of the trials as its peer."""
    few, many = (fill_run(place / str(tasks), tasks) for tasks in (FEW_TASKS, TASKS))
    shelf = RunShelf(place)
    with (
        closing(shelf),
        serve_app(lambda served: build_view_app(shelf, served)) as address,
        chromium() as browser,
    ):
        for folder in (few, many):
            opened = shelf.run(folder.name)
            assert opened is not None
            opened.is_open()
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        for name, path in PAGES.items():
            ours, theirs = [], []
            for _ in range(ROUNDS):
                for folder, times in ((many, ours), (few, theirs)):
                    page.goto(address + path.format(folder.name))
                    # the page's policy forbids a function that waits for it
                    while (painted := page.evaluate(PAINTED)) is None:
                        page.wait_for_timeout(20)
                    times.append(painted)
            load = os.getloadavg()[0]
            says = f"{median(ours):.0f} ms on {TRIALS:,} trials, load {load:.1f}"
            yield Figure(f"first paint: {name}", says, median(ours) / median(theirs))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        for figure in figures(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(made)):
            print(figure.line(), flush=True)
