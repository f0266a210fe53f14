"""A desk with drafts that wait, made by hand, and a client of its page that says what it likes."""

import http.client
import socket
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from memtrial.agents.traces import trace_to_json
from memtrial.agents.trajectory import Step, Trajectory
from memtrial.ledger.review_facts import DraftForReview, GateFinding, ask_for_review
from memtrial.ledger.rows import TraceRow
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.memory.item import Item, TheoryItem
from memtrial.memory.markdown import render
from memtrial.pages.draft_desk import DraftDesk

ITEM = TheoryItem("In a mill, pull the lever.", 'state: "mill"', "It starts.", "Mills.", "heuristic")
FOUND = GateFinding(gate="claim-strength", finding="WARN", quote="pull", where="item", reason="A truism.")
TRACE = Trajectory("t0", "t0", "Start the mill.", "success", (Step("I think.", "pull", "It runs."),))


def draft_of(item: Item, number: int = 1, findings: tuple[GateFinding, ...] = (FOUND,)) -> DraftForReview:
    return DraftForReview(
        backbone="b", condenser="theory", draw=0, task="t0", number=number,
        markdown=render(item, number), findings=findings,
    )  # fmt: skip


def desk_with(
    folder: Path, *drafts: DraftForReview, trace: Trajectory = TRACE, blind: bool = False
) -> DraftDesk:
    """A run folder in which these drafts wait."""
    folder.mkdir(exist_ok=True)
    with closing(SqliteLedger(folder / "ledger.sqlite")) as ledger:
        ledger.add_traces([TraceRow("b", trace.task_id, trace_to_json(trace))])
        for draft in drafts:
            ask_for_review(ledger, draft)
    return DraftDesk(folder, blind)


@dataclass(frozen=True)
class Answer:
    status: int
    headers: http.client.HTTPMessage
    text: str


def ask(
    address: str,
    path: str = "",
    form: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
    method: str = "",
) -> Answer:
    """One request to the page under its own address, or to another `path` from the root on; `form` is posted.

    Args:
        headers: in the place of those that a browser on the page would send; an empty one is left out.
    """
    parts = urlsplit(address)
    body = None if form is None else urlencode(form)
    sent = {"Host": parts.netloc, "Origin": f"http://{parts.netloc}"} | dict(headers or {})
    if body is not None:
        sent = {"Content-Length": str(len(body)), "Content-Type": "application/x-www-form-urlencoded"} | sent
    verb = method or ("GET" if body is None else "POST")
    where = path if path.startswith("/") else parts.path + path
    lines = [f"{verb} {where} HTTP/1.1", *(f"{name}: {value}" for name, value in sent.items() if value)]
    with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=10) as connection:
        # at once: a page that refuses the head closes, and what came after it would take its answer along
        connection.sendall("\r\n".join([*lines, "", body or ""]).encode())
        answer = http.client.HTTPResponse(connection, method=verb)
        answer.begin()
        return Answer(answer.status, answer.headers, answer.read().decode("utf-8"))
