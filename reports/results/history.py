"""How a run came about: its sessions and what went over the network. No part of results.json."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from loadbearing.ledger.calls import sending
from loadbearing.ledger.rows import SessionRow
from loadbearing.ledger.store import Ledger
from loadbearing.outcomes.count_words import how_many
from loadbearing.reports.model.play import History


def history(ledger: Ledger) -> History:
    """Sessions and requests of a run, with a sentence on each."""
    sessions = ledger.sessions()
    told, sentences = [], []
    for one in sessions:
        how, end = one.how, f"ended {one.ended}: {one.how}."
        if not one.ended:
            last = one is sessions[-1]
            how = "running or killed" if last else "killed"
            why = "it is still running, or its process was killed" if last else "its process was killed"
            end = f"has no end: {why}."
        told.append(replace(one, how=how))
        sentences.append(f"Session {one.number} began {one.begun} and {end}")
    return History(sessions=tuple(told), sentences=(*sentences, *_requests(ledger, sessions)))


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
