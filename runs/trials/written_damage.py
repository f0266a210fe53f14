"""Damage written by a model for the slots of a run: drafted, proven, read blind, and frozen.

All is drawn once before the first trial and stated in the ledger, with what the judge read.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from memtrial.agents.slot import Slot
from memtrial.call_purpose import Purpose
from memtrial.faults import RunFault
from memtrial.judges.advice_comparison import AdviceComparison
from memtrial.ledger.review_facts import FACT, WrittenText, WrittenTexts, written_texts
from memtrial.ledger.run_plan import frozen_in_force, read_lock
from memtrial.models.client.client import Caller
from memtrial.perturbations.advice.known_actions import Repertoire
from memtrial.perturbations.composite import JOINT
from memtrial.perturbations.damage_contract import items_digest
from memtrial.perturbations.instructed import Instructed
from memtrial.perturbations.written.claims import CLAIMS, ODD_INVERSION
from memtrial.perturbations.written.draft_book import DraftBook, Key
from memtrial.perturbations.written.written_slot import (
    WrittenSlot,
    plan_writing,
    write_slot,
)
from memtrial.runs.preparation.arm_slots import ArmSlots
from memtrial.runs.preparation.retry_once import two_rounds
from memtrial.runs.setup.context import RunContext
from memtrial.runs.setup.design import Design
from memtrial.runs.spec.damage_writers import DamageWriters, damage_writers
from memtrial.runs.spec.sampling import sampling_of
from memtrial.worlds.world import Task

PURPOSE, READING = Purpose("damage"), Purpose("damage check")
READ_TOKENS = 4096
"""Most that an answer of the judge may have, unless the spec allows more."""
Arms = Mapping[str, tuple[ArmSlots, ...]]


@dataclass(frozen=True, slots=True)
class DamageJob:
    """One intact slot under one kind: written once, in however many arms, tasks and repeats it is shown."""

    kind: str
    slot: Slot

    @property
    def key(self) -> Key:
        return self.kind, items_digest(self.slot)


async def write_damage(run: RunContext, arm_slots: Arms, known: Repertoire) -> DraftBook:
    """What came of every slot, nothing where rules write; RunFault where the texts are not those that were
    locked."""
    writers = damage_writers(run.spec)
    if writers.model is None:
        return DraftBook()
    stated = written_texts(run.ledger)
    if stated is None:
        jobs = jobs_of(run.design, run.tasks, arm_slots)
        slots = await _write_jobs(run, writers, jobs, known)
        texts = tuple(_state(job, slots[job.key]) for job in jobs)
        stated = WrittenTexts(model=writers.model, judge=str(writers.judge), texts=texts)
        run.ledger.state(FACT, stated.facts)
    elif read_lock(run.ledger) is not None and frozen_in_force(run.ledger).get(FACT) != stated.digests:
        raise RunFault(
            f"{FACT}: the texts in the ledger are not those that were locked; restore a copy of it"
        )
    book = read_book(stated)
    kept, not_shown = book.n_by_model, len(book.refusals)
    run.display.say(
        f"{FACT}: {kept} of {len(book.slots)} texts by {book.model}, {not_shown} not applicable,"
        f" {len(book.slots) - kept - not_shown} by the rules"
    )
    return book


def read_book(stated: WrittenTexts) -> DraftBook:
    """What the ledger states, as damage is shown and checked by."""
    slots = {
        (text.kind, text.before): WrittenSlot(
            items=text.items,
            tries=text.tries,
            why=text.why,
            readings=tuple(map(AdviceComparison.model_validate, text.readings)),
            by_rules=text.by_rules,
        )
        for text in stated.texts
    }
    return DraftBook(stated.model, stated.judge, slots)


def _state(job: DamageJob, done: WrittenSlot) -> WrittenText:
    kind, before = job.key
    return WrittenText(
        kind=kind,
        before=before,
        items=done.items,
        tries=done.tries,
        why=done.why,
        readings=tuple(reading.model_dump(mode="json") for reading in done.readings),
        intact=job.slot.items if done.items else (),
        by_rules=done.by_rules,
    )


def jobs_of(design: Design, tasks: tuple[Task, ...], arm_slots: Arms) -> tuple[DamageJob, ...]:
    """What there is to write, each once, in the order of arms and tasks; an oddity behind all others."""
    jobs: dict[Key, DamageJob] = {}
    for slots in (slots for drawn in arm_slots.values() for slots in drawn):
        for arm in design.arms:
            for kind in written_kinds(kind.name for kind in design.damages[arm.name]):
                for task in tasks:
                    slot = slots.of(arm, task).source
                    if not slot.blank:
                        job = DamageJob(kind, slot)
                        jobs.setdefault(job.key, job)
    return tuple(sorted(jobs.values(), key=lambda job: job.kind == ODD_INVERSION))


def written_kinds(conditions: Iterable[str]) -> tuple[str, ...]:
    """The kinds that a model can write, done to the arm's own items: alone, or under an instruction."""
    alone = {name.removeprefix(f"{Instructed().name}{JOINT}") for name in conditions}
    return tuple(kind for kind in CLAIMS if kind in alone)


def callers_of(run: RunContext, writers: DamageWriters) -> tuple[Caller, Caller]:
    """Who writes, and who reads blind."""
    drawn = sampling_of(run.spec.sampling.judge, "judge")
    tokens = None if drawn.max_tokens is None else max(drawn.max_tokens, READ_TOKENS)
    return (
        Caller(run.model_client, str(writers.model), purpose=PURPOSE),
        Caller(run.model_client, str(writers.judge), drawn.temperature, 0, tokens, READING),
    )


async def _write_jobs(
    run: RunContext, writers: DamageWriters, jobs: tuple[DamageJob, ...], known: Repertoire
) -> dict[Key, WrittenSlot]:
    """What came of every job; one that its provider failed is left to the rules."""
    done: dict[Key, WrittenSlot] = {}
    texts: dict[Key, tuple[str, ...]] = {}
    writer, judge = callers_of(run, writers)
    with run.display.phase("write damage", len(jobs)) as tick:

        async def write(job: DamageJob) -> None:
            done[job.key] = await write_slot(plan_writing(job.kind, job.slot, known, texts), writer, judge)
            run.model_client.cache.flush()
            tick()

        # an oddity changes as many words as its inversion does, which is written first
        for odd in (False, True):
            texts.update({key: slot.items for key, slot in done.items() if slot.items})
            some = [job for job in jobs if (job.kind == ODD_INVERSION) is odd]
            most_lost = int(len(some) * run.spec.engine.max_error_share)
            lost = await two_rounds(some, write, run.at_once, most_lost, run.model_client.forgive)
            for job, fault in lost.items():
                done[job.key] = WrittenSlot(why=f"no answer: {fault.kind}")
    return {job.key: done[job.key] for job in jobs}
