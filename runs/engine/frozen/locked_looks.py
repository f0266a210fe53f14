"""Play up to each interim look that was locked, which is taken, and may end the run."""

from collections.abc import Awaitable, Callable
from functools import partial

from memtrial.analysis.sequential.look_schedule import Looks
from memtrial.ledger.row_text import now
from memtrial.ledger.run_plan import (
    Amendment,
    RunPlan,
    TakenLook,
    add_numbered,
    read_lock,
    read_numbered,
    stated_plan,
)
from memtrial.ledger.shared_work import SharedWork
from memtrial.outcomes.count_words import how_many
from memtrial.protocol.monitoring import clusters_in_order, look_now, looks_of
from memtrial.protocol.run_cells import read_played
from memtrial.protocols import LedgerStore
from memtrial.runs.engine.schedule import Ending
from memtrial.runs.trials.planned.planned_blocks import PlannedBlocks

Play = Callable[[PlannedBlocks], Awaitable[Ending]]


async def play_to_looks(
    ledger: LedgerStore,
    chosen: PlannedBlocks | None,
    play: Play,
    say: Callable[[str], None],
    shared: SharedWork | None = None,
) -> Ending:
    """Play the chosen blocks, if any, in the order of the run; `say` gets a line for every look.

    Where looks were locked, no block beyond a look is begun before it was taken.
    """
    plan = stated_plan(ledger)
    looks = looks_in_force(ledger, plan)
    if looks is None:
        return Ending() if chosen is None else await play(chosen)
    tasks = [task for cluster in clusters_in_order(plan) for task in cluster]
    for number, count in enumerate(looks.counts, 1):
        if ending := stopping_look(ledger, plan):
            return ending
        upto = frozenset(tasks[:count])
        if chosen is not None:
            is_due = [place.task.id in upto for place in chosen.places]
            due, chosen = chosen.choose(is_due), chosen.choose(not each for each in is_due)
            ending = await play(due) if due else Ending()
            if ending.how != "done":
                return ending
        take = partial(_take_look, ledger, plan, looks)
        # of workers that come to it together one takes it
        look, taken = take() if shared is None else shared.decide_alone(take)
        if look is not None:
            decided = sum(hypothesis.crossed for hypothesis in look.seen)
            done = how_many(look.tasks, "task")
            say(f"look {look.number}, {done}: {decided} of {len(look.seen)} hypotheses decided")
        elif chosen and taken < number:
            why = f"look {number} waits for blocks that cannot be trusted: begin anew with --clean"
            return Ending("halted", why)
    return stopping_look(ledger, plan) or Ending()


def _take_look(ledger: LedgerStore, plan: RunPlan, looks: Looks) -> tuple[TakenLook | None, int]:
    """The look that is due and was not taken yet, which is noted, and how many were taken before."""
    taken = read_numbered(ledger, TakenLook)
    look = look_now(read_played(ledger, plan), plan, looks, taken)
    if look is None:
        return None, len(taken)
    noted = TakenLook.model_validate(dict(look) | {"made": now()})
    add_numbered(ledger, noted)
    return noted, len(taken)


def looks_in_force(ledger: LedgerStore, plan: RunPlan) -> Looks | None:
    """The looks in force: those that were locked, unless something was amended since."""
    in_force = read_lock(ledger) is not None and not read_numbered(ledger, Amendment)
    return looks_of(plan) if in_force else None


def stopping_look(ledger: LedgerStore, plan: RunPlan) -> Ending | None:
    """How the run ended, where a look ended it before its last task."""
    last = next((look for look in read_numbered(ledger, TakenLook) if look.stop), None)
    if last is None or last.tasks >= plan.tasks:
        return None
    why = f"stopped at look {last.number}, after {last.tasks} of {plan.tasks} tasks, as it was locked"
    return Ending("boundary", why)
