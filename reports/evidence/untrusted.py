"""What a report leaves out because its rows were changed after they were written, and the alarms of a run."""

from __future__ import annotations

from loadbearing.ledger.audit import Damage
from loadbearing.outcomes.count_words import how_many
from loadbearing.reports.base.escape import one_line, shortened
from loadbearing.reports.evidence.delivery import delivery_alarm
from loadbearing.reports.model.play import Delivery, Untrusted, UntrustedBlock

MOST_NAMED = 5


def untrusted(damage: Damage) -> Untrusted:
    """Trials and blocks that are left out, rows of other tables, and rows set aside earlier, by table."""
    return Untrusted(
        trials=sum(damage.blocks.values()),
        blocks=tuple(
            UntrustedBlock(backbone=backbone, task=task, repeat=repeat, trials=count)
            for (backbone, task, repeat), count in damage.blocks.items()
        ),
        rows=dict(damage.rows),
        set_aside=dict(damage.aside),
    )


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
        of = ", ".join(f"{table} {count:,}" for table, count in found.rows.items())
        said.append(f"Left out of costs and history: rows of {of}.")
    again = " and plays them again" if found.blocks else ""
    said.append(f"`loadbearing run SPEC --retry-damaged` sets them aside{again}.")
    if found.blocks:
        named = [
            f"{_short(one.backbone)}, task {_short(one.task)}, repeat {one.repeat}"
            for one in found.blocks[:MOST_NAMED]
        ]
        more = f"; and {len(found.blocks) - MOST_NAMED} more" if len(found.blocks) > MOST_NAMED else ""
        said.append(f"Blocks: {'; '.join(named)}{more}.")
    return " ".join(said)


def set_aside_note(found: Untrusted) -> list[str]:
    """That rows do not count any more, and what was done about it."""
    of = ", ".join(f"{table} {count:,}" for table, count in found.set_aside.items())
    if not of:
        return []
    return [
        f"Rows that had been changed after they were written were set aside: {of}. What could be was done"
        " again; costs and history are without the rest."
    ]


def alarms(left_out: Untrusted | None, delivered: Delivery | None) -> tuple[str, ...]:
    """What stands above all else in a report, and ends a command with exit code 1."""
    found = (untrusted_alarm(left_out), delivery_alarm(delivered))
    return tuple(alarm for alarm in found if alarm)


def _short(text: str) -> str:
    return shortened(one_line(text), 60)
