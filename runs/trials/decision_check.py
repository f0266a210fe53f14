"""The decision check: a blinded judge is asked what a sample of slots advises, intact and damaged.

The lexical check (perturbations/manipulation_check.py) sees which words changed, this one what that amounts
to.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from memtrial.arms.arm import NONE
from memtrial.call_purpose import Purpose
from memtrial.judges.closed_question import AdvisedDecision, ModelReader
from memtrial.ledger.random_streams import Stream, generator
from memtrial.ledger.rows import DecisionRow
from memtrial.models.client.client import Caller
from memtrial.outcomes.reserved_names import INTACT, WITHOUT
from memtrial.perturbations.composite import JOINT
from memtrial.perturbations.instructed import Instructed
from memtrial.runs.preparation.retry_once import two_rounds
from memtrial.runs.setup.context import RunContext
from memtrial.runs.spec.sampling import sampling_of
from memtrial.runs.trials.situation import first_situation
from memtrial.runs.trials.trials import Block, Trial
from memtrial.worlds.world import Task

PURPOSE = Purpose("decision check")
ATTEMPTS = 2
"""Times one question is asked where the answer cannot be read or quotes what is not there."""
Question = tuple[str, str, int]
"""Task, digest of the text, and which reading of it: asked once, however many cells show it."""


async def check_decisions(run: RunContext, blocks: Iterable[Block]) -> None:
    """Ask what has not been asked yet, and save the answers. Nothing where no judge is named."""
    spec, ledger = run.spec, run.ledger
    if spec.roles.judge is None:
        return
    done = {_place(row) for row in ledger.decisions()}
    waiting: dict[Question, list[DecisionRow]] = defaultdict(list)
    texts: dict[str, str] = {}
    tasks: dict[str, Task] = {}
    for trial in sample_trials(blocks, spec.decision.slots, spec.seed):
        place = (trial.backbone, trial.arm.name, trial.condition, trial.task.id, trial.repeat)
        # an intact slot is asked about twice, to know the judge's own noise
        for nth in range(2 if trial.condition == INTACT else 1):
            row = DecisionRow(*place, nth, trial.shown.digest, "", "", "")
            if _place(row) not in done:
                waiting[row.task, row.slot, nth].append(row)
                texts[row.slot], tasks[row.task] = trial.shown.text, trial.task
    questions = sorted(waiting)
    # the order of the questions would tell the judge something
    order = generator(spec.seed, Stream.ADVICE_CHECK, 1).permutation(len(questions))
    with run.display.phase("ask what slots advise", len(questions)) as tick:
        situations = {name: await first_situation(run.world, task) for name, task in tasks.items()}
        ledger.add_slots(texts)

        def keep(question: Question, decision: AdvisedDecision) -> None:
            run.model_client.cache.flush()
            ledger.add_decisions(
                [
                    replace(row, action=decision.action, quote=decision.quote, fault=decision.fault)
                    for row in waiting[question]
                ]
            )
            tick()

        async def ask(question: Question) -> None:
            task, slot, nth = question
            keep(question, await read_slot(run, situations[task], texts[slot], nth))

        shuffled = [questions[place] for place in order]
        most_lost = int(len(questions) * spec.engine.max_error_share)
        lost = await two_rounds(shuffled, ask, run.at_once, most_lost, run.model_client.forgive)
        for question, fault in lost.items():
            keep(question, AdvisedDecision("", "", f"ProviderFault ({fault.kind}): {fault}"))


async def read_slot(
    run: RunContext, situation: str, text: str, nth: int, purpose: Purpose = PURPOSE
) -> AdvisedDecision:
    """What the judge says that a text advises; `nth` readings of one text share no answer."""
    decision = AdvisedDecision("", "", "not asked")
    for attempt in range(ATTEMPTS):
        repeat = nth * ATTEMPTS + attempt
        drawn = sampling_of(run.spec.sampling.judge, "judge")
        judge = str(run.spec.roles.judge)
        caller = Caller(run.model_client, judge, drawn.temperature, repeat, drawn.max_tokens, purpose)
        decision = await ModelReader(caller)(run.world.rules, situation, text)
        if not decision.fault:
            break
    return decision


def sample_trials(blocks: Iterable[Block], slots: int, seed: int) -> tuple[Trial, ...]:
    """Damaged trials whose slots are read, and the intact ones they belong to, sorted by place.

    For each backbone, arm and damage the first `slots` tasks of one random order, so that cells share intact
    slots. Of a task the first repeat counts. Slots without an item, or with the text of the intact one, are
    left out: there is nothing to ask.
    """
    cells: dict[tuple[str, str, str], dict[str, Trial]] = defaultdict(dict)
    intact: dict[tuple[str, str, str, int], Trial] = {}
    for trial in (trial for block in blocks for trial in block.trials):
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
    order = generator(seed, Stream.ADVICE_CHECK).permutation(len(names))
    chosen: dict[tuple[str, str, str, str, int], Trial] = {}
    for (backbone, arm, condition), of_cell in cells.items():
        for trial in [of_cell[names[place]] for place in order if names[place] in of_cell][:slots]:
            task, repeat = trial.task.id, trial.repeat
            chosen[backbone, arm, condition, task, repeat] = trial
            if whole := intact.get((backbone, arm, task, repeat)):
                chosen[backbone, arm, INTACT, task, repeat] = whole
    return tuple(chosen[place] for place in sorted(chosen))


def is_composed(condition: str) -> bool:
    """Not one damage to the arm's own memory, but something done to it first, or nothing at all."""
    return JOINT in condition or condition in (WITHOUT, Instructed().name)


def _place(row: DecisionRow) -> tuple[str, str, str, str, int, int]:
    return row.backbone, row.arm, row.condition, row.task, row.repeat, row.nth
