"""One ledger of all shards of a run: what they prepared alike once, and trials in the order of playing."""

import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from memtrial.ledger.ledger_copy import (
    Attempt,
    add_attempts,
    attempts_of,
    copy_prepared_rows,
    recalled_in,
)
from memtrial.ledger.postgres.database import cut
from memtrial.ledger.row_text import LedgerFault, parse_json
from memtrial.ledger.rows import SessionRow
from memtrial.ledger.run_plan import UnmaskedLook, add_numbered, attempts, read_numbered
from memtrial.ledger.shards.merged_calls import AskedTwice, merge_calls
from memtrial.ledger.shards.shard_agreement import OpenShard, facts_in
from memtrial.ledger.sqlite.ledger_draft import draft_of, remove_draft
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.protocols import LedgerStore

MERGED = "merged"
"""The fact that a ledger was made of shards."""


def merge_ledgers(shards: Sequence[OpenShard], path: Path) -> AskedTwice:
    """Write the run of these shards, which `refuse_apart` has seen, into a new file; whole, or not at all.

    Raises:
        LedgerFault: rows contradict each other, or the file cannot be written.
        StoreFault: calls cannot be written.
    """
    ordered = sorted(shards, key=lambda shard: shard.mark.number)
    draft = draft_of(path)
    try:
        remove_draft(draft)
        with closing(SqliteLedger(draft)) as target:
            _state_facts(ordered, target)
            copy_prepared_rows(ordered[0].ledger, target)
            for shard in ordered:
                for texts in cut(shard.ledger.slots()):
                    target.add_slots(dict(texts))
            for backbone, arm, task, body in recalled_in(ordered[0].ledger):
                target.add_recollection(backbone, arm, task, parse_json(body))
            asked = merge_calls(ordered, target)
            add_attempts(target, _attempts_in_order(ordered))
            for session in _list_sessions(ordered):
                target.copy_session(session)
        os.replace(draft, path)
    except OSError as fault:
        raise LedgerFault(f"{path} cannot be written: {fault}") from fault
    finally:
        remove_draft(draft)
    return asked


def _state_facts(shards: Sequence[OpenShard], target: LedgerStore) -> None:
    for name, body in facts_in(shards[0], False).items():
        target.state(name, body)
    looks = {look for shard in shards for look in read_numbered(shard.ledger, UnmaskedLook)}
    for look in sorted(looks, key=lambda look: (look.made, look.trials, look.by)):
        add_numbered(target, look)
    for shard in shards:
        for coder, codes in shard.ledger.codes().items():
            target.add_codes(coder, codes)
    target.state(MERGED, {"shards": len(shards)})


def _attempts_in_order(shards: Sequence[OpenShard]) -> Iterator[Attempt]:
    """Every attempt, block by block in the order of playing; of a block all first attempts come first."""
    keys = []
    for shard in shards:
        by_place: dict[tuple[str, str, int], list[str]] = defaultdict(list)
        for row in shard.ledger.scores():
            by_place[row.backbone, row.task, row.repeat].append(row.key)
        keys.append(by_place)
    for turn in range(max(len(shard.part.blocks) for shard in shards)):
        for shard, by_place in zip(shards, keys, strict=True):
            if turn < len(shard.part.blocks):
                own = attempts_of(shard.ledger, by_place[shard.part.blocks[turn]])
                for number in range(max(map(len, own), default=0)):
                    yield from (tries[number] for tries in own if number < len(tries))


def _list_sessions(shards: Sequence[OpenShard]) -> Iterator[SessionRow]:
    """Sessions of the shared preparation, then those of all shards as they were begun, numbered on.

    What a session notes of attempts that were there when it began is counted anew, so that the code of a
    session still stands beside the trials that it played.
    """
    first = shards[0].ledger
    query = "SELECT count(*) FROM main.seals WHERE number <= ? AND of_table = 'sessions'"
    (n_shared,) = first.connection.execute(query, (shards[0].mark.seals,)).fetchone()
    own = []
    for shard in shards:
        sessions = shard.ledger.sessions()
        ends = (*(session.attempts for session in sessions[1:]), attempts(shard.ledger))
        for session, until in list(zip(sessions, ends, strict=True))[n_shared:]:
            own.append((session.begun, shard.mark, session, until - session.attempts))
    yield from first.sessions()[:n_shared]
    there = 0
    ordered = sorted(own, key=lambda entry: (entry[0], entry[1].number, entry[2].number))
    for number, (_, mark, session, added) in enumerate(ordered, n_shared + 1):
        settings = {**session.settings, "attempts": there, "shard": mark.name}
        yield replace(session, number=number, settings=settings)
        there += added
