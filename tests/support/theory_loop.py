"""The treatment's condenser, as a run makes it."""

from loadbearing.condensers.draft_calls import TheoryDrafting
from loadbearing.condensers.loop import Loop
from loadbearing.models.client.structured import Structured


def theory_loop(caller, gates, max_rounds=2, view="full"):
    return Loop(TheoryDrafting(Structured(caller), view), gates, max_rounds, "theory")
