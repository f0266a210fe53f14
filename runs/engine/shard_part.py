"""The part of a run that a shard plays: every n-th block, and its part of the budget."""

from collections import Counter
from dataclasses import replace
from hashlib import sha256

from memtrial.ledger.shards.shard_facts import ShardBlocks, ShardMark, read_shard
from memtrial.protocols import LedgerStore
from memtrial.runs.setup.preflight import Experiment
from memtrial.runs.spec.sections import BudgetSpec
from memtrial.runs.trials.planned.planned_blocks import PlannedBlocks


def take_part(ledger: LedgerStore, blocks: PlannedBlocks) -> PlannedBlocks:
    """The blocks that this ledger is to hold, in their order: of a shard its own, which it states.

    Args:
        blocks: of the whole run, in the order of playing.
    """
    shard = read_shard(ledger)
    if shard is None:
        return blocks
    own = blocks[shard.number - 1 :: shard.of]
    stated = ShardBlocks(
        order=_digest_order(blocks),
        blocks=tuple((place.backbone, place.task.id, place.repeat) for place in own.places),
        planned=dict(Counter(trial.arm.name for block in own for trial in block.trials)),
    )
    ledger.state(ShardBlocks.NAME, stated.facts)
    return own


def share_budget(experiment: Experiment, ledger: LedgerStore) -> Experiment:
    """The experiment with the dollars and requests that this ledger's sessions may use: of a shard its part.

    What the shared preparation took is taken off first. Hours pass for all shards at once and are not shared.
    """
    shard = read_shard(ledger)
    if shard is None:
        return experiment
    spec = experiment.spec
    return replace(experiment, spec=spec.model_copy(update={"budget": part_of_budget(spec.budget, shard)}))


def part_of_budget(budget: BudgetSpec, shard: ShardMark) -> BudgetSpec:
    """A shard's part: what the preparation took, and one n-th of what that left."""
    usd, calls = budget.max_cost_usd, budget.max_calls
    changed = {
        "max_cost_usd": usd if usd is None else shard.usd + max(usd - shard.usd, 0.0) / shard.of,
        "max_calls": calls if calls is None else shard.sends + max(calls - shard.sends, 0) // shard.of,
    }
    return budget.model_copy(update=changed)


def _digest_order(blocks: PlannedBlocks) -> str:
    """Sha256 of all trials of a run in the order of playing."""
    total = sha256()
    for keys in blocks.keys:
        total.update("".join(f"{key}\n" for key in keys).encode() + b"\n")
    return total.hexdigest()
