"""The lock: what is fixed before the first trial (STATISTICS 10), written once; amendments are added."""

import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from memtrial.analysis.hypothesis_families import SERIAL
from memtrial.faults import RunFault
from memtrial.ledger.row_text import now
from memtrial.ledger.rows import Json
from memtrial.ledger.run_plan import (
    Amendment,
    Lock,
    RunPlan,
    add_numbered,
    count_played,
    frozen_in_force,
    identity_in_force,
    read_lock,
    read_numbered,
    state_plan,
    stated_plan,
)
from memtrial.private_file import read_private, write_whole
from memtrial.protocol.lock_check import lock_file
from memtrial.protocol.lock_contents import as_json, digest_of, flat, frozen_in, keys_of, list_changes
from memtrial.protocol.monitoring import clusters_in_order, hypotheses_of, looks_of
from memtrial.protocols import LedgerStore
from memtrial.runs.engine.session import stated_identity
from memtrial.runs.run_folder.code_digest import code_digests, made_with
from memtrial.runs.run_folder.lock_surroundings import LOCK_FILE
from memtrial.runs.setup.preflight import Experiment
from memtrial.runs.trials.trials import Block
from memtrial.views.results.run_results import UNADJUSTED

RULES = {
    "primary test": "two-sided Student's t of task contrasts with the bias-reduced error (CR2) of clusters;"
    " adjusted over the family by the step-down max-T of sign flips, as mid-p; interval: the same t, with two"
    " pseudo tasks where they widen it, within the possible range",
    "verdicts": "as analysis/verdicts/rules.py and the files beside it decide; their sha256 stands under"
    " code",
    "missing data": "an error of the infrastructure has no score; a cell's mean is over the repeats that"
    " have one; a task without a score in one of a contrast's cells is left out of that contrast alone;"
    " errors are counted by arm, with worst-case bounds. What the agent fails at (format, refusal, step"
    " limit) is a failure",
    "re-runs": "a request is sent again within engine.attempts; a trial that ended as an error is played"
    " again only on --retry-errors; its last attempt counts; no other trial is ever played again",
    "exclusions": "none after the lock: every task of the test split and every record stays in, empty slots"
    " among them (intention to treat); cells whose damage does not apply to a slot are not played",
    "label protocol": "no human labels enter the primary family; the outcome is the world's own evaluator",
}
EXPLORATORY = (
    *UNADJUSTED,
    "every family outside the serial order (reported as secondary, adjusted within the family)",
    "means over all backbones",
)


def freeze(experiment: Experiment, ledger: LedgerStore, blocks: Sequence[Block], plan: RunPlan) -> None:
    """State plan and lock; `blocks` are in the order of playing. RunFault where no looks are possible."""
    made = _of_the_plan(experiment, blocks, plan)
    state_plan(ledger, plan)
    fixed = {"rules": RULES, "exploratory analyses": EXPLORATORY}
    sources = {"code": code_digests(), "made with": made_with()}
    frozen = frozen_in(ledger, plan, identity_in_force(ledger) or {}) | as_json(made | fixed | sources)
    lock = Lock(made=now(), trials=count_played(ledger), digest=digest_of(frozen), frozen=frozen)
    ledger.state("lock", lock.facts)


def amend(
    experiment: Experiment, ledger: LedgerStore, blocks: Sequence[Block], plan: RunPlan, reason: str
) -> None:
    """State what is to hold from now on in the place of what was frozen, key by key, and why."""
    before, stated = frozen_in_force(ledger), identity_in_force(ledger) or {}
    identity = as_json(stated_identity(experiment))
    made = as_json(_of_the_plan(experiment, blocks, plan) | {"code": code_digests()})
    after = before | made | frozen_in(ledger, plan, identity)
    amendment = Amendment(
        made=now(),
        reason=reason,
        trials=count_played(ledger),
        changes=dict(sorted(list_changes(flat(before), flat(after)).items())),
        frozen=_new(before, after),
        identity=_new(stated, identity),
        plan=_new(stated_plan(ledger).facts, plan.facts),
    )
    add_numbered(ledger, amendment)


def _new(before: Json, after: Json) -> Json:
    """The keys that are new or differ, with what they are."""
    return {key: after[key] for key in list_changes(before, after) if key in after}


def write_lock(folder: Path, ledger: LedgerStore) -> bool:
    """Write lock.json where there is none, or with the latest amendments; whether anything was written."""
    lock = read_lock(ledger)
    if lock is None:
        return False
    body = lock_file(lock, read_numbered(ledger, Amendment))
    text = json.dumps(body, ensure_ascii=False, indent=1) + "\n"
    path = folder / LOCK_FILE
    with suppress(FileNotFoundError):
        if read_private(path) == text.encode():
            return False
    write_whole(path, text)
    return True


def _of_the_plan(experiment: Experiment, blocks: Sequence[Block], plan: RunPlan) -> dict[str, object]:
    """What the ledger's rows do not tell by themselves: order, trials, primary family, looks, size."""
    from memtrial.runs.forecast.power_table import PlanOptions
    from memtrial.runs.forecast.spec_forecast import forecast_of

    looks = _looks(plan)
    forecast = forecast_of(experiment, wanted=PlanOptions(simulate=0))
    order: list[list[str]] = []
    trials: list[tuple[str, str, str, str]] = []
    for block in blocks:
        order.append([trial.key for trial in block.trials])
        trials += [(trial.backbone, trial.arm.name, trial.condition, trial.key) for trial in block.trials]
    hypotheses = [
        f"{contrast.arm} - {contrast.versus}, {contrast.condition} ({backbone})"
        for backbone, contrast in hypotheses_of(plan)
    ]
    return {
        "order": {"tasks": plan.task_order, "seed": plan.seed, "blocks": digest_of(order)},
        "trials": keys_of(trials),
        "primary family": {"hypotheses": hypotheses, "order of families": SERIAL},
        "looks": looks,
        "size": {
            "tasks": plan.tasks,
            "clusters": len(clusters_in_order(plan)),
            "repeats": plan.repeats,
            "trials": plan.trials,
            "detectable": forecast.as_json()["detectable"],
            "detectable is": forecast.detectable_is,
        },
    }


def _looks(plan: RunPlan) -> dict[str, object]:
    """Counts, boundaries and rule of the looks; the end alone where one is planned."""
    try:
        looks = looks_of(plan)
    except ValueError as fault:
        raise RunFault(f"analysis.looks: {fault}; ask for fewer, or for more tasks") from fault
    if looks is None:
        return {"counts": [plan.tasks], "rule": "the end alone"}
    return {
        "counts": looks.counts,
        "boundaries of |z|": list(looks.boundaries),
        "levels of p adjusted": looks.levels,
        "rule": f"stop at the look at which {plan.stop} hypotheses are decided",
    }
