"""How a run came about: its sessions and what went over the network. No part of results.json."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from loadbearing.ledger.calls import Sending, sending
from loadbearing.ledger.rows import SessionRow
from loadbearing.ledger.store import Ledger
from loadbearing.outcomes.count_words import how_many
from loadbearing.reports.model.history import History, Requests, SessionLine


def history(ledger: Ledger) -> History:
    """Sessions and requests of a run, with a sentence on each."""
    sessions, requests = ledger.sessions(), sending(ledger.connection)
    return History(
        sessions=tuple(
            SessionLine(number=one.number, begun=one.begun, ended=one.ended, how=_how(one, sessions))
            for one in sessions
        ),
        requests=Requests(**asdict(requests)),
        sentences=(*(_session(one, sessions) for one in sessions), *_requests(requests, sessions)),
    )


def _how(session: SessionRow, sessions: Sequence[SessionRow]) -> str:
    if session.ended:
        return session.how
    return "running or killed" if session is sessions[-1] else "killed"


def _session(session: SessionRow, sessions: Sequence[SessionRow]) -> str:
    began = f"Session {session.number} began {session.begun}"
    if session.ended:
        return f"{began} and ended {session.ended}: {session.how}."
    if session is sessions[-1]:
        return f"{began} and has no end: it is still running, or its process was killed."
    return f"{began} and has no end: its process was killed."


def _requests(requests: Sending, sessions: Sequence[SessionRow]) -> list[str]:
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
