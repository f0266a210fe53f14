"""Damage written by a model, where `roles.perturber` names one: drafted, checked, read and frozen.

A draft is accepted where the manipulation check holds and the judge of the decision check, who is shown one
text at a time and not told which, says that the advice changed as the kind claims. Where no draft is, the
rules' text is shown. All is drawn once before the first trial and stated in the ledger.

Source: arXiv 2601.22436, appendix D.2.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import ceil, floor
from typing import Any
from unicodedata import category

from memtrial.agents.slot import Slot
from memtrial.call_purpose import Purpose
from memtrial.faults import RunFault
from memtrial.judges.closed_question import NOTHING, AdvisedDecision
from memtrial.ledger.review_facts import FACT, WrittenText, WrittenTexts, written_texts
from memtrial.ledger.run_plan import frozen_in_force, read_lock
from memtrial.memory.language.roles import spans
from memtrial.models.client.client import Caller
from memtrial.models.client.structured import ReplyFault, Structured, signature_of
from memtrial.models.client.types import ProviderFault
from memtrial.perturbations.advice.known_actions import Repertoire
from memtrial.perturbations.composite import JOINT
from memtrial.perturbations.damage_contract import Items, Texts, items_digest
from memtrial.perturbations.instructed import Instructed
from memtrial.perturbations.kinds import ALL as PERTURBATIONS
from memtrial.perturbations.language.word_spans import n_words
from memtrial.perturbations.manipulation_check import check
from memtrial.perturbations.model_written import CLAIMS, INSTRUCTIONS, Claim
from memtrial.protocols import Perturbation
from memtrial.runs.preparation.arm_slots import ArmSlots
from memtrial.runs.preparation.retry_once import two_rounds
from memtrial.runs.setup.context import RunContext
from memtrial.runs.setup.design import Design
from memtrial.runs.trials.decision_check import read_slot
from memtrial.runs.trials.situation import describe_situation, first_situation
from memtrial.views.evidence.advice_rows import canonical_action
from memtrial.worlds.world import Task

LONGEST = 12_000
"""Characters of a slot that is sent; a longer one is damaged by the rules."""
TOKENS = 8192
"""Most that a draft may have."""
UNREAD = ("large reply", "empty reply", "malformed reply")
"""Faults of a model that answered, but not in a way that can be read."""
GROWTH, ROOM = 2, 200
"""An item of a draft has at most so many times the characters of the intact one, and so many more."""


class DraftFault(ValueError):
    """A draft that cannot be used: a failed try."""


async def draft_texts(caller: Caller, kind: str, items: Items, accepted: Sequence[str]) -> Items:
    """One draft of a model that sees the items, the instruction and, for `counter`, what is `accepted`: no
    arm or task."""
    inputs = {"notes": json.dumps(items, ensure_ascii=False), "lengths": lengths(items)}
    if CLAIMS[kind] == "exchanged":
        inputs["accepted"] = json.dumps(list(accepted), ensure_ascii=False)
    try:
        reply = await Structured(caller).ask(_signature(kind), inputs)
    except (ReplyFault, ProviderFault) as fault:
        if isinstance(fault, ProviderFault) and fault.kind not in UNREAD:
            raise
        raise DraftFault(f"the draft could not be read: {fault}") from fault
    return read_draft(items, reply.rewritten)


def lengths(items: Items) -> str:
    """Fewest and most words of each text, as the manipulation check counts them."""
    return json.dumps([[ceil(0.9 * n_words(item)), floor(1.1 * n_words(item))] for item in items])


def read_draft(items: Items, texts: Sequence[str]) -> Items:
    """The items of a draft; DraftFault where there are more or fewer, or one is too long or unseen."""
    if len(texts) != len(items):
        raise DraftFault(f"the draft has {len(texts)} texts in the place of {len(items)}")
    clean_texts = []
    for number, (item, text) in enumerate(zip(items, texts, strict=True), 1):
        if len(text) > GROWTH * len(item) + ROOM:
            raise DraftFault(f"text {number} has {len(text):,} characters in the place of {len(item):,}")
        clean = text.replace("\r\n", "\n").strip()
        if _unseen_signs(clean) - _unseen_signs(item):
            raise DraftFault(f"text {number} holds signs that cannot be seen")
        clean_texts.append(clean)
    return tuple(clean_texts)


def _unseen_signs(text: str) -> set[str]:
    """The signs that cannot be seen: of control, of direction, halves of a pair, blanks of other kinds."""
    return {sign for sign in {*text} - {"\n", "\t", " "} if category(sign)[0] in "CZ"}


@cache
def _signature(kind: str) -> Any:
    given = {
        "notes": "the texts of the notes, a JSON list",
        "lengths": "fewest and most words of each text, a JSON list of pairs",
    }
    if CLAIMS[kind] == "exchanged":
        given |= {"accepted": "actions that are accepted, a JSON list; empty where they are not known"}
    rewritten = (list[str], "the texts as you wrote them, as many")
    return signature_of(INSTRUCTIONS[kind].render(), given, {"rewritten": rewritten})


PURPOSE, READING = Purpose("damage"), Purpose("damage check")
TRIES = 3
SITUATIONS = 2
"""Tasks at whose start an intact slot is read, until it advises an action in one."""
MOST_ACCEPTED = 60
"""Actions that a model is told of under `counter`."""
NTH = 2
"""Which reading of a text this is: the first two are those of the decision check."""
Arms = Mapping[str, tuple[ArmSlots, ...]]


@dataclass(frozen=True, slots=True)
class DamageJob:
    """One intact slot under one kind: written once, in however many arms, tasks and repeats it is shown."""

    kind: Perturbation
    slot: Slot
    tasks: tuple[Task, ...]

    @property
    def key(self) -> tuple[str, str]:
        return self.kind.name, items_digest(self.slot)


async def write_damage(run: RunContext, arm_slots: Arms, known: Repertoire) -> Texts:
    """Every text that was accepted, none without a perturber; RunFault where they are not those that were
    locked."""
    model, judge = run.spec.roles.perturber, run.spec.roles.judge
    if model is None:
        return {}
    stated = written_texts(run.ledger)
    if stated is None:
        jobs = jobs_of(run.design, run.tasks, arm_slots)
        stated = WrittenTexts(model=model, judge=str(judge), texts=await _write_jobs(run, model, jobs, known))
        run.ledger.state(FACT, stated.facts)
    elif read_lock(run.ledger) is not None and frozen_in_force(run.ledger).get(FACT) != stated.digests:
        raise RunFault(
            f"{FACT}: the texts in the ledger are not those that were locked; restore a copy of it"
        )
    kept = [text for text in stated.texts if text.items]
    run.display.say(f"{FACT}: {len(kept)} of {len(stated.texts)} texts by {model}, the others by the rules")
    return {(text.kind, text.before): text.items for text in kept}


def jobs_of(design: Design, tasks: tuple[Task, ...], arm_slots: Arms) -> tuple[DamageJob, ...]:
    """What there is to write, each once, in the order of arms and tasks."""
    jobs: dict[tuple[str, str], DamageJob] = {}
    for slots in (slots for drawn in arm_slots.values() for slots in drawn):
        for arm in design.arms:
            for kind in written_kinds(kind.name for kind in design.damages[arm.name]):
                for task in tasks:
                    slot = slots.of(arm, task).slot
                    if not slot.blank:
                        job = DamageJob(kind, slot, (task,))
                        before = jobs.get(job.key, DamageJob(kind, slot, ()))
                        if task not in before.tasks:
                            jobs[job.key] = DamageJob(kind, before.slot, (*before.tasks, task))
    return tuple(jobs.values())


def written_kinds(conditions: Iterable[str]) -> tuple[Perturbation, ...]:
    """The kinds that a model can write, done to the arm's own items: alone, or under an instruction."""
    alone = {name.removeprefix(f"{Instructed().name}{JOINT}") for name in conditions}
    return tuple(kind for kind in PERTURBATIONS if kind.name in CLAIMS and kind.name in alone)


async def _write_jobs(
    run: RunContext, model: str, jobs: tuple[DamageJob, ...], known: Repertoire
) -> tuple[WrittenText, ...]:
    """What came of every job; one that its provider failed is left to the rules."""
    done: dict[DamageJob, WrittenText] = {}
    with run.display.phase("write damage", len(jobs)) as tick:
        shown = {task.id: task for job in jobs for task in job.tasks[:SITUATIONS]}
        situations = {name: await first_situation(run.world, task) for name, task in shown.items()}

        async def write(job: DamageJob) -> None:
            done[job] = await _write(run, model, job, known, situations)
            run.model_client.cache.flush()
            tick()

        most_lost = int(len(jobs) * run.spec.engine.max_error_share)
        lost = await two_rounds(jobs, write, run.at_once, most_lost, run.model_client.forgive)
    for job, fault in lost.items():
        kind, before = job.key
        done[job] = WrittenText(kind=kind, before=before, tries=0, why=f"no answer: {fault.kind}")
    return tuple(done[job] for job in jobs)


async def _write(
    run: RunContext, model: str, job: DamageJob, known: Repertoire, situations: Mapping[str, str]
) -> WrittenText:
    """At most `TRIES` drafts of one text."""
    (name, before), claim = job.key, CLAIMS[job.kind.name]
    accepted = accepted_instead(job.slot, known)

    def given_up(tries: int, why: str) -> WrittenText:
        return WrittenText(kind=name, before=before, tries=tries, why=why)

    if len(job.slot.text) > LONGEST:
        return given_up(
            0, f"a slot of at most {LONGEST:,} characters is needed; this has {len(job.slot.text):,}"
        )
    situation, intact = await _intact(run, job, situations)
    if intact.fault:
        return given_up(0, f"the intact text: {intact.fault}")
    if claim == "exchanged" and intact.action == NOTHING:
        return given_up(0, "the judge reads no action that the intact text advises")
    why = ""
    for at in range(TRIES):
        caller = Caller(run.model_client, model, repeat=at, max_tokens=TOKENS, purpose=PURPOSE)
        try:
            items = await draft_texts(caller, name, job.slot.items, accepted)
        except DraftFault as fault:
            why = str(fault)
            continue
        after = Slot(job.slot.cue, items)
        why = check(job.kind, job.slot, after, known).reason
        if not why:
            read = await read_slot(run, situation, after.text, NTH, READING)
            why = read.fault or explain_refusal(claim, intact, read)
        if not why:
            return WrittenText(kind=name, before=before, items=items, tries=at + 1)
    return given_up(TRIES, why)


async def _intact(
    run: RunContext, job: DamageJob, situations: Mapping[str, str]
) -> tuple[str, AdvisedDecision]:
    """Where the intact text is read, and what it advises there.

    The first situation where it advises an action: at the start of a task, or as its conditions have it.
    """
    read: list[tuple[str, AdvisedDecision]] = []
    starts = [situations[task.id] for task in job.tasks[:SITUATIONS]]
    for situation in (*starts, *filter(None, [describe_supposed(job.slot)])):
        read.append((situation, await read_slot(run, situation, job.slot.text, NTH, READING)))
        if not read[-1][1].fault and read[-1][1].action != NOTHING:
            return read[-1]
    return next((reading for reading in read if not reading[1].fault), read[0])


def describe_supposed(slot: Slot) -> str:
    """The situation that the items themselves speak of, for what advises nothing at the start of a task."""
    stated = [item[low:high].strip(" ,.;:") for item in slot.items for low, high in spans(item, "when")]
    observed = ". ".join(filter(None, stated))
    return describe_situation("as the notes have it", observed) if observed else ""


def explain_refusal(claim: Claim, intact: AdvisedDecision, damaged: AdvisedDecision) -> str:
    """Why a reader's answers do not bear out what the kind claims; empty where they do."""
    before, after = canonical_action(intact.action), canonical_action(damaged.action)
    readings = f"the judge read {before!r} before and {after!r} after"
    if claim == "kept":
        return "" if before == after else f"{readings}, where the advice was to stay"
    if claim == "exchanged" and after == NOTHING:
        return f"{readings}, where another action was to be advised"
    return "" if before != after else f"{readings}, where the advice was to change"


def accepted_instead(slot: Slot, known: Repertoire) -> tuple[str, ...]:
    """What the world accepts besides the actions that stand in the slot; its command forms where it lists
    none of these."""
    text = "\n".join(slot.items)
    named = {text[low:high] for low, high in known.within(text, 0, len(text))}
    instead = {action for action in named for action in known.others(action)} - named
    return tuple(sorted(instead)[:MOST_ACCEPTED]) or known.forms[:MOST_ACCEPTED]
