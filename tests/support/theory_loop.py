"""The treatment's condenser, as a run makes it."""

from memtrial.condensers.draft_calls import TheoryDrafting
from memtrial.condensers.loop import Loop
from memtrial.models.client.structured import Structured


def theory_loop(caller, gates, max_rounds=2, view="full"):
    return Loop(TheoryDrafting(Structured(caller), view), gates, max_rounds, "theory")
