"""How a run came about: its sessions and what went over the network. No part of results.json."""

from __future__ import annotations

from collections.abc import Sequence

from loadbearing.ledger.calls import sending
from loadbearing.ledger.rows import SessionRow
from loadbearing.ledger.store import Ledger
from loadbearing.outcomes.count_words import how_many


def history(ledger: Ledger) -> tuple[str, ...]:
    """A sentence on each session of a run, and on its requests."""
    sessions = ledger.sessions()
    said = []
    for one in sessions:
        end = f"ended {one.ended}: {one.how}"
        if not one.ended:
            running = "it is still running, or " if one is sessions[-1] else ""
            end = f"has no end: {running}its process was killed"
        said.append(f"Session {one.number} began {one.begun} and {end}.")
    return (*said, *_requests(ledger, sessions))


def _requests(ledger: Ledger, sessions: Sequence[SessionRow]) -> list[str]:
    requests = sending(ledger.connection)
    if not requests.sent:
        return ["No request went over a network."]
    lost = sum(requests.faults.values())
    said = [f"{how_many(requests.sent, 'request')} sent, {requests.answered:,} answered."]
    if lost:
        kinds = ", ".join(f"{kind} {count:,}" for kind, count in sorted(requests.faults.items()))
        said.append(f"{lost:,} ended in a fault: {kinds}.")
    if requests.open > 0:
        one = requests.open == 1
        said.append(
            f"{requests.open:,} {'request was' if one else 'requests were'} in flight when a process ended; "
            f"{'it' if one else 'they'} may have been paid without an answer."
        )
    dates = sorted({str(one.settings["price_table"]) for one in sessions if one.settings.get("price_table")})
    return [*said, f"Dollars are by the price table of {', then '.join(dates)}."] if dates else said
