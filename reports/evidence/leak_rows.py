"""What the leakage guard found, as the plan and the streams of a run recorded it."""

from collections.abc import Iterable

from loadbearing.ledger.rows import CondensationRow, TrialRow
from loadbearing.ledger.run_plan import LeakCount, RunPlan
from loadbearing.outcomes.count_words import how_many
from loadbearing.outcomes.reserved_names import INTACT

ECHO, MATE = "memory echo", "template-mate"


def leak_rows(
    plan: RunPlan, condensations: Iterable[CondensationRow], trials: Iterable[TrialRow]
) -> tuple[LeakCount, ...]:
    """A row a kind; of a run that nobody looked at none. In mode stream, a kind that was found."""
    if plan.mode != "stream":
        return plan.leaks
    found: dict[str, list[LeakCount]] = {}
    for row in condensations:
        for one in row.body.get("leaks", ()):
            found.setdefault(one["kind"], []).append(LeakCount(count=1, **one))
    for trial in trials:
        if trial.echoed and trial.condition == INTACT:
            text = f"{how_many(trial.echoed, 'word')} of its thoughts"
            found.setdefault(ECHO, []).append(
                LeakCount(kind=ECHO, count=1, task=trial.task, memory=trial.arm, source=trial.task, text=text)
            )
    return tuple(rows[0].model_copy(update={"count": len(rows)}) for _, rows in sorted(found.items()))


def leak_notes(plan: RunPlan, rows: Iterable[LeakCount]) -> list[str]:
    """What comes first in a report whose memory knew test tasks: such scores may be too good."""
    told = [row for row in rows if row.count and row.kind not in (ECHO, MATE)]
    if plan.leakage != "count" or not told:
        return []
    each = ", ".join(f"{row.kind} {row.count:,}" for row in told)
    first = f"task {told[0].task}, memory {told[0].memory}: {told[0].text!r}"
    return [f"MEMORY KNEW TEST TASKS, and leakage: count let it pass: {each}. First: {first}."]


def leak_lines(leakage: str, rows: Iterable[LeakCount]) -> tuple[str, ...]:
    """What the guard looked for and found."""
    if not leakage:
        return ()
    found = [row for row in rows if row.count]
    said = [f"Leakage ({leakage}): {', '.join(f'{r.kind} {r.count:,}' for r in found) or 'none found'}."]
    means = {
        MATE: "Records of a task's own template were shown; `retrieval.leave_out: template` leaves them out."
    }
    if leakage == "refuse":
        means[ECHO] = "What thoughts repeated of the memory was cut out before they were condensed."
    return (*said, *(means[row.kind] for row in found if row.kind in means))
