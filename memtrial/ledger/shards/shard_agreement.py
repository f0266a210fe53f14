"""Whether shards are those of one run, all of them, prepared alike and finished; else one line that says."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise

from memtrial.ledger.fact_names import CODED
from memtrial.ledger.row_text import LedgerFault, parse_json
from memtrial.ledger.run_plan import UnmaskedLook, stated_plan
from memtrial.ledger.shards.shard_copy import digest_of_seals
from memtrial.ledger.shards.shard_facts import (
    ShardBlocks,
    ShardMark,
    read_shard,
    read_shard_blocks,
)
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger

PREPARED = ("traces", "condensations", "checks", "decisions", "recollections")
"""Tables that are full before the first trial."""
OWN = (ShardMark.NAME, ShardBlocks.NAME)
ALONE = (f"{UnmaskedLook.NAME} ", CODED)
"""How facts begin that each shard may have alone."""
MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class OpenShard:
    """A shard's ledger, opened to be read; `where` is its folder, for messages."""

    where: str
    ledger: SqliteLedger
    mark: ShardMark
    part: ShardBlocks


def read_open_shard(where: str, ledger: SqliteLedger) -> OpenShard:
    """The shard of this ledger; LedgerFault where it is none, or was not prepared yet."""
    mark, part = read_shard(ledger), read_shard_blocks(ledger)
    if mark is None:
        raise LedgerFault(
            f"a shard is needed; {where} is none: `memtrial run SPEC --shard 1/4` makes the first of four"
        )
    if part is None:
        raise LedgerFault(f"{where} has not come as far as its first trial; run shard {mark.name} to its end")
    if digest_of_seals(ledger, mark.seals) != mark.digest:
        raise LedgerFault(f"{where} was changed: its first {mark.seals:,} rows are others than it states")
    return OpenShard(where, ledger, mark, part)


def refuse_apart(shards: Sequence[OpenShard]) -> None:
    """All shards of one run, each once and finished. LedgerFault where they are not."""
    for first, other in pairwise(shards):
        if first.mark.of != other.mark.of:
            raise LedgerFault(
                f"shards of one cut are needed; {first.where} is shard {first.mark.name},"
                f" {other.where} is shard {other.mark.name}"
            )
    by_number: dict[int, OpenShard] = {}
    for shard in shards:
        if (there := by_number.setdefault(shard.mark.number, shard)) is not shard:
            raise LedgerFault(
                f"each shard is needed once; {there.where} and {shard.where} are both shard {shard.mark.name}"
            )
    for shard in shards[1:]:
        _refuse_unlike(shards[0], shard)
    n = shards[0].mark.of
    if absent := [f"{number}/{n}" for number in range(1, n + 1) if number not in by_number]:
        raise LedgerFault(f"all {n} shards are needed; missing: {_name_few(absent)}")
    for shard in shards:
        _refuse_unfinished(shard)
    planned = stated_plan(shards[0].ledger).trials
    blocks = Counter(block for shard in shards for block in shard.part.blocks)
    if max(blocks.values(), default=1) > 1 or sum(shard.part.trials for shard in shards) != planned:
        raise LedgerFault(f"the shards must hold each of {planned:,} planned trials once, and do not")


def facts_in(shard: OpenShard, alone: bool) -> Mapping[str, object]:
    """Facts by name: those that a shard may have alone, or those that all have alike."""
    return {
        name: parse_json(body)
        for name, body in shard.ledger.facts_with("").items()
        if name not in OWN and name.startswith(ALONE) is alone
    }


def _refuse_unlike(first: OpenShard, other: OpenShard) -> None:
    both, facts = f"{first.where} and {other.where}", (facts_in(first, False), facts_in(other, False))
    if apart := list(_list_apart(facts[0].get("identity"), facts[1].get("identity"))):
        raise LedgerFault(f"shards of one spec are needed; {both} differ in {_name_few(apart)}")
    if (first.mark.seals, first.mark.digest) != (other.mark.seals, other.mark.digest):
        raise LedgerFault(
            f"{both} were not begun from the same: give all shards one folder by --prepared, or none"
        )
    apart = []
    if first.part.order != other.part.order:
        apart.append("what their trials are")
    apart += _list_apart(*facts)
    apart += [name for name in PREPARED if _seals_of(first, name) != _seals_of(other, name)]
    if apart:
        raise LedgerFault(
            f"{both} prepared otherwise, and differ in {_name_few(apart)}; prepare once, by"
            " `memtrial run SPEC --prepare --out BASE`, and begin each shard with --prepared BASE"
        )


def _refuse_unfinished(shard: OpenShard) -> None:
    places = set(shard.part.blocks)
    there = Counter((row.backbone, row.task, row.repeat) in places for row in shard.ledger.scores())
    if there[False]:
        raise LedgerFault(f"{shard.where} holds trials of other blocks than those of shard {shard.mark.name}")
    if there[True] != shard.part.trials:
        raise LedgerFault(
            f"finished shards are needed; {shard.where} holds {there[True]:,} of {shard.part.trials:,}"
            f" trials: the same `memtrial run` with --shard {shard.mark.name} goes on"
        )


def _list_apart(first: object, other: object) -> Iterator[str]:
    """The names under which two mappings differ, sorted."""
    here = first if isinstance(first, dict) else {"": first}
    there = other if isinstance(other, dict) else {"": other}
    missing = object()
    for name in sorted({*here, *there}):
        if here.get(name, missing) != there.get(name, missing):
            yield str(name)


def _seals_of(shard: OpenShard, table: str) -> str:
    """Sha256 of the rows of a table, in whatever order they were added."""
    total = sha256()
    query = "SELECT digest FROM main.seals WHERE of_table = ? ORDER BY digest"
    for (digest,) in shard.ledger.connection.execute(query, (table,)):
        total.update(digest)
    return total.hexdigest()


def _name_few(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(names[:MOST_NAMED]) + more
