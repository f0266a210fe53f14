"""What a task passes through, in which order, to the end."""

import asyncio
from dataclasses import replace
from pathlib import Path

from memtrial.evolution.evolve_spec import EvolveArm
from memtrial.evolution.stream_rows import ConsolidationCount
from tests.support.evolving import TASKS, WALK, loop_of, scripted


def test_a_task_is_ranked_played_judged_used_distilled_kept_and_consolidated(tmp_path: Path) -> None:
    loop = loop_of(scripted(lambda *_: WALK), EvolveArm(), tmp_path)
    assert loop.memory is not None
    bank = loop.memory.bank
    bank.settings = replace(bank.settings, consolidate=2)

    async def go() -> None:
        for position, task in enumerate(TASKS[:2]):
            await loop.run_task(task, position)

    asyncio.run(go())
    spans = [span.span for span in loop.spans]
    each = ["retrieve", "play", "judge", "use", "distil", "keep"]
    # the second item makes it due, and it is the first one's copy
    assert spans == [*each, *each, "consolidate"]
    assert bank.log.read("SELECT standing FROM items ORDER BY standing") == [("active",), ("duplicate",)]
    assert loop.consolidations == [ConsolidationCount(1, 1, 0, 1, 0, 0)]
    assert bank.log.read("SELECT duplicates FROM consolidations") == [(1,)]
