"""Shares of the choices that a simulated participant gives: no chance lies between two prompts."""

import asyncio

from memtrial.models.client.types import Message, Request
from memtrial.models.simulated.open_simulated import open_simulated

ACTIONS = ("pull the brass lever", "turn the iron valve", "pull the iron lever")
TURN = f"Task: start it.\n\nObservation: The lamp glows.\nActions: {' | '.join(ACTIONS)}"


def _shares(system: str) -> tuple[float, ...]:
    talk = (Message("system", system), Message("user", TURN))
    request = Request("simulated/ignorer", talk, choices=ACTIONS, scored=True)
    return asyncio.run(open_simulated("simulated/ignorer").answer(request, 0)).shares


def test_one_that_never_reads_gives_the_same_shares_with_any_memory() -> None:
    shares = _shares("You run machines.")
    assert max(shares) < 1
    assert _shares("You run machines.\n\nWhen the lamp glows, pull the iron lever.") == shares
