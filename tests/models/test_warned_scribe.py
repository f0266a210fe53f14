"""The scribe heeds a warning in its prompt: of the defects that were named, and of no other."""

import asyncio
from functools import cache

import pytest

from memtrial.condensers.draft_calls import TheoryDrafting
from memtrial.gates.suite import SEED_SUBSET
from memtrial.memory.item import TheoryItem
from memtrial.models.client.client import Caller
from memtrial.models.client.structured import Structured
from tests.models.test_scribe import kind, runs
from tests.support.scripted import simulated_client

OF_GATE = {
    "trigger-presence": "no trigger",
    "claim-strength": "vague",
    "explanatory-reach": "overreach",
    "grounding-alignment": "ungrounded",
}


@cache
def drafted(model: str, exhort: tuple[str, ...]) -> tuple[tuple[TheoryItem, ...], ...]:
    traces = runs()
    drafting = TheoryDrafting(Structured(Caller(simulated_client(), model)), "full", exhort)

    async def ask() -> tuple[tuple[TheoryItem, ...], ...]:
        return tuple([(await drafting.draft(trace)).items for trace in traces])

    return asyncio.run(ask())


def kinds(model: str, exhort: tuple[str, ...]) -> list[str]:
    clean = drafted("simulated/scribe?defects=0", ())
    return [
        kind(item, one, trace)
        for trace, items, cleans in zip(runs(), drafted(model, exhort), clean, strict=True)
        for item, one in zip(items, cleans, strict=True)
    ]


@pytest.mark.parametrize("gate", SEED_SUBSET)
def test_a_warning_is_heeded_for_its_own_defect_alone(gate: str) -> None:
    heeding = kinds("simulated/scribe?defects=1&heeds=1", (gate,))
    assert set(heeding) == {"", *OF_GATE.values()} - {OF_GATE[gate]}
    ignoring = kinds("simulated/scribe?defects=1&heeds=0", (gate,))
    assert set(ignoring) == set(OF_GATE.values())


def test_half_of_the_warned_drafts_are_sound_by_default() -> None:
    found = kinds("simulated/scribe?defects=1", SEED_SUBSET)
    assert abs(found.count("") / len(found) - 0.5) < 2 / len(found) ** 0.5
    assert "" not in kinds("simulated/scribe?defects=1", ())
