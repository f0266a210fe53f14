"""The alarms of a run: changed rows, memory text that did not arrive, memory that knew test tasks."""

from collections import Counter
from collections.abc import Iterable

from memtrial.console.escape import brief
from memtrial.ledger.rows import CondensationRow, TrialRow
from memtrial.ledger.run_plan import LeakCount, RunPlan
from memtrial.ledger.sqlite.audit import Damage
from memtrial.outcomes.count_words import how_many
from memtrial.outcomes.reserved_names import INTACT
from memtrial.views.rows.play_rows import Delivery, UndeliveredTrial, Untrusted, UntrustedBlock

MOST_BLOCKS, MOST_TRIALS = 5, 20
"""So many are named."""


def untrusted(damage: Damage) -> Untrusted:
    """Trials and blocks that are left out, and rows of other tables, by table."""
    blocks = tuple(
        UntrustedBlock(backbone=backbone, task=task, repeat=repeat, trials=count)
        for (backbone, task, repeat), count in damage.blocks.items()
    )
    return Untrusted(trials=sum(damage.blocks.values()), blocks=blocks, rows=dict(damage.rows))


def delivery(trials: Iterable[TrialRow]) -> Delivery:
    """How many requests were to carry memory, how many did not, and the first trials among these."""
    played = tuple(trials)
    lost = [trial for trial in played if trial.undelivered]
    names = UndeliveredTrial.model_fields
    first = ({name: getattr(trial, name) for name in names} for trial in lost[:MOST_TRIALS])
    return Delivery(
        carrying=sum(trial.carrying for trial in played),
        undelivered=sum(trial.undelivered for trial in lost),
        trials=tuple(UndeliveredTrial(**one) for one in first),
    )


def lost_requests(trials: Iterable[TrialRow]) -> dict[tuple[str, str], int]:
    """Requests without the memory text they were to carry, by backbone and arm, where there are any."""
    lost: Counter[tuple[str, str]] = Counter()
    for trial in trials:
        if trial.undelivered:
            lost[trial.backbone, trial.arm] += trial.undelivered
    return lost


def alarms(left_out: Untrusted | None, delivered: Delivery | None) -> tuple[str, ...]:
    """What stands above all else in a report, and ends a command with exit code 1."""
    return tuple(filter(None, (untrusted_alarm(left_out), delivery_alarm(delivered))))


def untrusted_alarm(found: Untrusted | None) -> str:
    """What to say first where rows were changed; empty where all agree with their seals."""
    if found is None or not (found.blocks or found.rows):
        return ""
    said = ["ROWS WERE CHANGED AFTER THEY WERE WRITTEN."]
    if found.blocks:
        said.append(
            f"{how_many(found.trials, 'trial')} of {how_many(len(found.blocks), 'block')} cannot be"
            " trusted and are left out."
        )
    if found.rows:
        by_table = ", ".join(f"{table} {count:,}" for table, count in found.rows.items())
        said.append(f"Left out of costs and history: rows of {by_table}.")
    said.append("`memtrial run SPEC --clean` begins anew.")
    if found.blocks:
        named = [
            f"{brief(one.backbone, 60)}, task {brief(one.task, 60)}, repeat {one.repeat}"
            for one in found.blocks[:MOST_BLOCKS]
        ]
        more = f"; and {len(found.blocks) - MOST_BLOCKS} more" if len(found.blocks) > MOST_BLOCKS else ""
        said.append(f"Blocks: {'; '.join(named)}{more}.")
    return " ".join(said)


def delivery_alarm(found: Delivery | None) -> str:
    """What to say first where memory text was missing; empty where all is well or nothing is recorded."""
    if found is None or not found.undelivered:
        return ""
    said = (
        f"MEMORY TEXT DID NOT REACH THE PROMPT: in {found.undelivered:,} of {found.carrying:,} "
        "requests that were to carry memory it did not stand verbatim. The arms concerned are not judged."
    )
    first = [
        f"{one.backbone}, {one.arm}, {one.condition}, task {brief(one.task, 60)}, "
        f"repeat {one.repeat} (trial {one.key[:12]})"
        for one in found.trials[:3]
    ]
    return f"{said} First trials: {'; '.join(first)}." if first else said


def delivery_sentence(found: Delivery | None) -> str:
    """The line where every request carried its text; empty otherwise."""
    if found is None or found.undelivered:
        return ""
    if not found.carrying:
        return "No request was to carry memory."
    return f"In all {found.carrying:,} requests that were to carry memory it stood verbatim."


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
