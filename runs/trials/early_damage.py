"""Damage that a model writes for the slots of some arms, while the memories of others are still being made.

Only the answers are kept: once all memories are there the same is asked, and frozen.
"""

import asyncio
from collections.abc import Iterable
from dataclasses import replace

from memtrial.arms.arm import Arm
from memtrial.faults import StoreFault
from memtrial.ledger.review_facts import written_texts
from memtrial.models.client.transport import HaltFault
from memtrial.models.client.types import ModelFault
from memtrial.perturbations.written.claims import ODD_INVERSION
from memtrial.perturbations.written.draft_book import Key
from memtrial.perturbations.written.written_slot import plan_writing, write_slot
from memtrial.runs.preparation.arm_slots import ArmSlots
from memtrial.runs.setup.context import RunContext
from memtrial.runs.spec.damage_writers import damage_writers
from memtrial.runs.trials.slot_damage import known_to
from memtrial.runs.trials.written_damage import callers_of, jobs_of


async def write_early(run: RunContext, arms: Iterable[Arm], drawn: tuple[ArmSlots, ...]) -> None:
    """Have the damage of these arms written, where models write and nothing is frozen yet.

    What its provider fails breaks again where the text is needed, and is retried there.
    """
    writers = damage_writers(run.spec)
    if writers.model is None or written_texts(run.ledger) is not None:
        return
    design = replace(run.design, arms=tuple(arms))
    known, jobs = known_to(design, run.world, run.tasks), jobs_of(design, run.tasks, {"": drawn})
    writer, judge = callers_of(run, writers)
    texts: dict[Key, tuple[str, ...]] = {}
    # an oddity is asked for with what its inversion became
    for odd in (False, True):
        some = [job for job in jobs if (job.kind == ODD_INVERSION) is odd]
        asked = (write_slot(plan_writing(job.kind, job.slot, known, texts), writer, judge) for job in some)
        made = await asyncio.gather(*asked, return_exceptions=True)
        for job, done in zip(some, made, strict=True):
            if isinstance(done, (ModelFault, HaltFault, StoreFault)):
                return
            if isinstance(done, BaseException):
                raise done
            if done.items:
                texts[job.key] = done.items
