"""The decision check: a blinded judge is asked what a sample of slots advises, intact and damaged.

The lexical check (perturbations/manipulation.py) sees which words changed, this one what they amount to.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from loadbearing.arms.arm import NONE
from loadbearing.environments.world import Task, World
from loadbearing.episodes.react import TURN
from loadbearing.judges.decision import Decision, ModelReader
from loadbearing.ledger.random_streams import Stream, generator
from loadbearing.ledger.rows import DecisionRow
from loadbearing.models.client.client import Caller
from loadbearing.models.client.types import ProviderFault
from loadbearing.outcomes.reserved_names import INTACT, WITHOUT
from loadbearing.perturbations.composite import JOINT
from loadbearing.perturbations.instructed import Instructed
from loadbearing.runs.prepare.banks import AT_ONCE
from loadbearing.runs.prepare.retry_once import two_rounds
from loadbearing.runs.setup.context import RunContext
from loadbearing.runs.setup.model_client import workers
from loadbearing.runs.trials.trials import Block, Trial

PURPOSE = "decision check"
ATTEMPTS = 2
"""Times one question is asked where the answer cannot be read or quotes what is not there."""


@dataclass(frozen=True, slots=True)
class Question:
    """One reading of one text in one task, however many cells show it."""

    task: str
    slot: str
    nth: int


async def check_decisions(run: RunContext, blocks: Iterable[Block]) -> None:
    """Ask what has not been asked yet, and save the answers. Nothing where no judge is named.

    Raises:
        WorldFault, ModelFault: the infrastructure broke; progress is saved.
        HaltFault, StoreFault: nothing more may be sent.
    """
    spec, ledger = run.spec, run.ledger
    if spec.roles.judge is None:
        return
    chosen = sampled(blocks, spec.decision.slots, spec.seed)
    done = {_place(row) for row in ledger.decisions()}
    waiting: dict[Question, list[DecisionRow]] = defaultdict(list)
    texts: dict[str, str] = {}
    tasks: dict[str, Task] = {}
    for trial in chosen:
        for row in _unanswered(trial):
            if _place(row) not in done:
                waiting[Question(row.task, row.slot, row.nth)].append(row)
                texts[row.slot], tasks[row.task] = trial.shown.text, trial.task
    questions = sorted(waiting, key=lambda one: (one.task, one.slot, one.nth))
    # the order of the questions would tell the judge something
    order = generator(spec.seed, Stream.ADVICE_CHECK, 1).permutation(len(questions))
    shuffled = tuple(questions[at] for at in order)
    with run.display.phase("ask what slots advise", len(shuffled)) as tick:
        shown = {name: await _situation(run.world, task) for name, task in tasks.items()}
        ledger.add_slots(texts)

        def keep(question: Question, said: Decision) -> None:
            run.model_client.cache.flush()
            ledger.add_decisions([_answered(row, said) for row in waiting[question]])
            tick()

        await _ask_all(run, shuffled, shown, texts, keep)


async def _ask_all(
    run: RunContext,
    questions: tuple[Question, ...],
    shown: Mapping[str, str],
    texts: Mapping[str, str],
    keep: Callable[[Question, Decision], None],
) -> None:
    spec = run.spec
    judge = spec.roles.judge
    assert judge is not None

    async def one(question: Question) -> None:
        said = Decision("", "", "not asked")
        for attempt in range(ATTEMPTS):
            # no two readings of a text share an answer
            caller = Caller(
                run.model_client, judge, repeat=question.nth * ATTEMPTS + attempt, purpose=PURPOSE
            )
            said = await ModelReader(caller)(run.world.rules, shown[question.task], texts[question.slot])
            if not said.fault:
                break
        keep(question, said)

    at_once = max(AT_ONCE, workers(run.experiment, False))
    most_lost = int(len(questions) * spec.engine.max_error_share)
    lost: dict[Question, ProviderFault] = await two_rounds(
        questions, one, at_once, most_lost, run.model_client.forgive
    )
    for question, fault in lost.items():
        keep(question, Decision("", "", f"ProviderFault ({fault.kind}): {fault}"))


def sampled(blocks: Iterable[Block], slots: int, seed: int) -> tuple[Trial, ...]:
    """Trials whose slots are read: for each backbone, arm and damage the first tasks of one random order.

    All cells take the tasks in the same order, so that they share intact slots. Of a task the first repeat
    counts. Slots without an item, or with the text of the intact one, are left out: there is nothing to ask.

    Args:
        slots: tasks for each cell at most.

    Returns:
        damaged trials and the intact ones they belong to, each once, sorted by place.
    """
    cells: dict[tuple[str, str, str], dict[str, Trial]] = defaultdict(dict)
    intact: dict[tuple[str, str, str, int], Trial] = {}
    for block in blocks:
        for trial in block.trials:
            if trial.arm.name == NONE or trial.empty_slot or is_composed(trial.condition):
                continue
            if trial.condition == INTACT:
                intact[trial.backbone, trial.arm.name, trial.task.id, trial.repeat] = trial
            elif trial.shown.text != trial.intact.slot.text:
                of_cell = cells[trial.backbone, trial.arm.name, trial.condition]
                kept = of_cell.get(trial.task.id)
                if kept is None or trial.repeat < kept.repeat:
                    of_cell[trial.task.id] = trial
    names = sorted({task for of_cell in cells.values() for task in of_cell})
    rank = {
        names[at]: place
        for place, at in enumerate(generator(seed, Stream.ADVICE_CHECK).permutation(len(names)))
    }
    damaged = [
        of_cell[task]
        for of_cell in cells.values()
        for task in sorted(of_cell, key=lambda task: rank[task])[:slots]
    ]
    whole = {(trial.backbone, trial.arm.name, trial.task.id, trial.repeat): None for trial in damaged}
    found = [*damaged, *(intact[place] for place in whole if place in intact)]
    return tuple(sorted(found, key=lambda t: (t.backbone, t.arm.name, t.condition, t.task.id, t.repeat)))


def is_composed(condition: str) -> bool:
    """Not one damage to the arm's own memory, but something done to it first, or nothing at all."""
    return JOINT in condition or condition in (WITHOUT, Instructed().name)


def _unanswered(trial: Trial) -> tuple[DecisionRow, ...]:
    """The questions about one slot; an intact one is asked about twice, to know the judge's own noise."""
    place = (trial.backbone, trial.arm.name, trial.condition, trial.task.id, trial.repeat)
    times = 2 if trial.condition == INTACT else 1
    return tuple(DecisionRow(*place, nth, trial.shown.digest, "", "", "") for nth in range(times))


def _answered(row: DecisionRow, said: Decision) -> DecisionRow:
    place = (row.backbone, row.arm, row.condition, row.task, row.repeat, row.nth)
    return DecisionRow(*place, row.slot, said.action, said.quote, said.fault)


def _place(row: DecisionRow) -> tuple[str, str, str, str, int, int]:
    return row.backbone, row.arm, row.condition, row.task, row.repeat, row.nth


async def _situation(world: World, task: Task) -> str:
    """The task and the first observation, worded as the agent is shown them, without memory."""
    state = await asyncio.to_thread(world.reset, task) if world.blocking else world.reset(task)
    shown = {"task": task.query, "observation": state.observation, "actions": state.actions or ()}
    return TURN.render(shown | {"memory": ""})
