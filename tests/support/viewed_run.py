"""Runs to be looked at, made by hand, and a reader of pages that follows their links."""

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from memtrial.ledger.review_facts import DraftForReview, ask_for_review
from memtrial.ledger.rows import CheckRow, CondensationRow, TraceRow
from memtrial.ledger.run_plan import Lock
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.memory.markdown import render
from memtrial.pages.page_server import serve_app
from memtrial.pages.view.run_shelf import RunShelf
from memtrial.pages.view.view_app import build_view_app
from tests.support.review_desk import ITEM, Answer, ask
from tests.support.verb_ledger import CELLS, DAMAGED, INTACT, PLAN, begun, digest, play, said, trial

WICKED = (
    "<script>alert(1)</script><img src=x onerror=alert(2)>\"' onmouseover='alert(3)' {{ 7*7 }} \x1b[31m\u202e"
)
DIGEST = "5a" * 32
"""Of a lock: it puts `control` under another name."""


def plain_run(folder: Path, tasks: int = 3) -> Path:
    """A finished run of two backbones."""
    with closing(begun(folder)) as ledger:
        play(ledger, tasks)
    return folder


def add_desks(folder: Path) -> Path:
    """Beside what a run has, a draft that waits for review and a file of failures to be coded."""
    draft = DraftForReview(
        backbone="simulated/reader", condenser="theory", draw=0, task="s0", number=1, markdown=render(ITEM, 1)
    )
    with closing(SqliteLedger(folder / "ledger.sqlite")) as ledger:
        ask_for_review(ledger, draft)
    case = {"case": "a", "task": "t0", "items": "Pull it.", "solved": "It looked.", "failed": "It pulled."}
    (folder / "cases.jsonl").write_text(json.dumps(case | {"mode": "", "rater": ""}) + "\n")
    return folder


def locked_run(folder: Path) -> Path:
    """A run whose locked data are not complete."""
    with closing(begun(folder)) as ledger:
        ledger.state("plan", PLAN)
        ledger.state("lock", Lock(made="2026-11-27", trials=0, digest=DIGEST, frozen={}).facts)
        play(ledger, tasks=2)
    return folder


def wicked_run(folder: Path) -> Path:
    """A run in which every text that can come from outside is hostile."""
    backbone, task, family = f"b{WICKED}", f"t/{WICKED}", f"f{WICKED}"
    folder.mkdir()
    with closing(SqliteLedger(folder / "ledger.sqlite")) as ledger:
        plan = PLAN | {"backbones": [backbone], "question": WICKED, "name": WICKED, "trials": 6}
        ledger.state("plan", plan)
        ledger.end_session(ledger.begin_session({}), "halted", WICKED)
        intact, damaged = INTACT + WICKED, DAMAGED + WICKED
        texts = {"without": "", "intact": intact, "filler": damaged}
        ledger.add_slots({digest(text): text for text in texts.values()})
        for repeat in range(2):
            rows = [
                replace(
                    trial(backbone, cell, task, repeat, "error" if (number, repeat) == (1, 1) else "failure"),
                    family=family, slot=digest(texts[cell[1]]), cause=WICKED,
                    firings=({"step": 0, "item": 0, "why": WICKED, "shown": True},),
                )
                for number, cell in enumerate(CELLS)
            ]  # fmt: skip
            episodes = [
                replace(
                    said(row),
                    conversation=({"role": WICKED, "content": f"{WICKED} {texts[row.condition]}"},),
                    steps=({"thought": WICKED, "action": f"{WICKED}{row.arm}", "observation": WICKED},),
                    start=WICKED,
                )
                for row in rows
            ]
            ledger.add_trials(rows, episodes)
            place = (backbone, *CELLS[2], task, repeat)
            check = CheckRow(*place, False, True, WICKED, digest(intact), digest(damaged), {})
            ledger.add_checks([check])
        step = {"thought": WICKED, "action": WICKED, "observation": WICKED}
        trace = {"trace_id": "a", "task_id": task, "query": WICKED, "outcome": "success", "steps": [step]}
        ledger.add_traces([TraceRow(backbone, task, trace)])
        finding = {"gate": WICKED, "item": WICKED, "finding": "FAIL", "quote": WICKED, "reason": WICKED}
        drafts = ({"draft": f"{WICKED} one", "where": "item"}, {"draft": f"{WICKED} two", "where": "trace"})
        body = {
            "items": [{"markdown": WICKED}],
            "findings": [finding | draft | {"round": place} for place, draft in enumerate(drafts)],
            "dropped": [{"markdown": WICKED, "why": WICKED}],
        }
        ledger.add_condensations([CondensationRow(backbone, WICKED, task, body)])
    return folder


@contextmanager
def viewed(place: Path, unmask: bool = False, by: str = "") -> Iterator[str]:
    """The pages of a place, and their address."""
    shelf = RunShelf(place, unmask)
    with closing(shelf), serve_app(lambda served: build_view_app(shelf, served, by)) as address:
        yield address


@dataclass
class PageParts(HTMLParser):
    """What a browser would make of a page: its elements, the links among them, and its text."""

    elements: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)
    text: str = ""
    _open: str | None = None

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag == "a":
            self.links.append((dict(attrs).get("href") or "", ""))
            self._open = tag

    def handle_endtag(self, tag: str) -> None:
        self._open = None if tag == "a" else self._open

    def handle_data(self, data: str) -> None:
        self.text += data
        if self._open:
            href, words = self.links[-1]
            self.links[-1] = href, words + data


def read_page(address: str, path: str) -> tuple[Answer, PageParts]:
    """One page, once the run behind it is open."""
    for _ in range(200):
        answer = ask(address, path)
        if "is being read and compared" not in answer.text:
            break
    parts = PageParts()
    parts.feed(answer.text)
    return answer, parts


def walk_pages(address: str, most: int = 400) -> dict[str, tuple[Answer, PageParts]]:
    """Every page that links lead to, from the first on, by its path."""
    first = urlsplit(address).path
    if (answer := ask(address)).status == 303:
        first = answer.headers["Location"]
    waiting, pages = [first], {}
    while waiting and len(pages) < most:
        path = waiting.pop()
        if path in pages:
            continue
        pages[path] = page = read_page(address, path)
        waiting += [urljoin(path, href.partition("#")[0]) for href, _ in page[1].links]
    return pages
