"""The alarms of a run: rows that were changed after they were written, memory text that did not arrive."""

from collections import Counter
from collections.abc import Iterable

from loadbearing.ledger.audit import Damage
from loadbearing.ledger.rows import TrialRow
from loadbearing.outcomes.count_words import how_many
from loadbearing.reports.base.escape import brief
from loadbearing.reports.model.play import Delivery, UndeliveredTrial, Untrusted, UntrustedBlock

MOST_BLOCKS, MOST_TRIALS = 5, 20
"""So many are named."""


def untrusted(damage: Damage) -> Untrusted:
    """Trials and blocks that are left out, and rows of other tables, by table."""
    return Untrusted(
        trials=sum(damage.blocks.values()),
        blocks=tuple(
            UntrustedBlock(backbone=backbone, task=task, repeat=repeat, trials=count)
            for (backbone, task, repeat), count in damage.blocks.items()
        ),
        rows=dict(damage.rows),
    )


def delivery(trials: Iterable[TrialRow]) -> Delivery:
    """How many requests were to carry memory, how many did not, and the first trials among these."""
    played = tuple(trials)
    lost = [trial for trial in played if trial.undelivered]
    names = UndeliveredTrial.model_fields
    return Delivery(
        carrying=sum(trial.carrying for trial in played),
        undelivered=sum(trial.undelivered for trial in lost),
        trials=tuple(
            UndeliveredTrial(**{name: getattr(trial, name) for name in names}) for trial in lost[:MOST_TRIALS]
        ),
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
    found = (untrusted_alarm(left_out), delivery_alarm(delivered))
    return tuple(alarm for alarm in found if alarm)


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
        said.append(f"Left out of costs and history: rows of {_by_table(found.rows)}.")
    said.append("`loadbearing run SPEC --clean` begins anew.")
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


def _by_table(rows: dict[str, int]) -> str:
    return ", ".join(f"{table} {count:,}" for table, count in rows.items())
