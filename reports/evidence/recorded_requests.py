"""The bundle audit of a run: the first requests that were really sent, by pair of arms."""

from collections.abc import Iterator, Sequence

from loadbearing.ledger.calls import settings_of
from loadbearing.ledger.rows import TrialRow
from loadbearing.ledger.run_plan import RunPlan
from loadbearing.ledger.store import Ledger
from loadbearing.outcomes.reserved_names import INTACT, NONE, WITHOUT
from loadbearing.reports.evidence.bundle_audit import Block, Bundle, audit, bundle
from loadbearing.reports.model.audit import AuditRow

MOST_BLOCKS = 8
"""So many blocks are looked at, spread over all: their requests are read whole."""


def audited_pairs(pairs: Sequence[tuple[str, str]], arms: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The pairs whose drops are compared, every other arm beside the same control, and one beside none."""
    yield from pairs
    with_memory = [arm for arm in arms if arm != NONE]
    control = pairs[0][1] if pairs else next(iter(with_memory), NONE)
    compared = {control, *(treatment for treatment, _ in pairs)}
    yield from ((arm, control) for arm in with_memory if arm not in compared)
    yield (control, NONE)


def audit_rows(ledger: Ledger, trials: Sequence[TrialRow], plan: RunPlan) -> tuple[AuditRow, ...]:
    """What the intact trials of two arms were sent, block by block."""
    played = {
        (one.backbone, one.arm, one.task, one.repeat): one
        for one in trials
        if one.status != "error" and one.condition in (INTACT, WITHOUT)
    }
    every = sorted({(task, repeat) for _, _, task, repeat in played})
    blocks = every[:: max(1, -(-len(every) // MOST_BLOCKS))]
    rows: list[AuditRow] = []
    for backbone in plan.backbones:
        read: dict[str, dict[Block, Bundle]] = {}
        for arm in plan.arms:
            own = ((block, played.get((backbone, arm, *block))) for block in blocks)
            found = ((block, _read(ledger, plan, trial)) for block, trial in own if trial is not None)
            read[arm] = {block: one for block, one in found if one is not None}
        for pair in audited_pairs(plan.pairs, [arm for arm in plan.arms if arm != plan.positive_control]):
            rows += audit(backbone, pair, *(read.get(arm, {}) for arm in pair))
    return tuple(rows)


def _read(ledger: Ledger, plan: RunPlan, trial: TrialRow) -> Bundle | None:
    episode = ledger.episode(trial.key)
    if episode is None or not episode.calls:
        return None
    first, waits = episode.calls[0], plan.injections.get(trial.arm, "prepend") != "prepend"
    messages = episode.conversation[: first["messages"]]
    settings = settings_of(ledger.connection, bytes.fromhex(first["key"]))
    return bundle(messages, ledger.slot(trial.slot) or "", waits, settings)
