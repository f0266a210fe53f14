"""The audit: are the rows of a ledger those that were written? What cannot be trusted is not seen after it.

A seal is the digest of a row, written with it. A block (all trials of one backbone, task and repeat) in
which the two do not agree is left out as a whole. This guards against damage and edits, not against forgery;
for that there is `lock.json`, whose digest can be published.
"""

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from memtrial.ledger.row_text import LedgerFault, parse_json
from memtrial.ledger.sqlite.row_seals import ENDING, FIRST, compare_rows, tables_of
from memtrial.ledger.sqlite.tables import ALL, LATER, TABLES, select_all, select_none

Item = tuple[str, int]
"""A table and the rowid of a row in it; a seal is a row of the table `seals`."""
Place = tuple[str, str, int]
"""Backbone, task and repeat of a block."""

PLAYED = ("trials", "episodes")
TOLD = ("sessions", "session_ends")


@dataclass(frozen=True, slots=True)
class Damage:
    """Rows that were changed, added or taken away after they were written.

    Args:
        blocks: how many trials each block has in which a row is such a one; `keys` are how the keys of these
            trials end.
        rows: such rows of other tables, by table.
        version: of the database that was compared; another one where another connection wrote since.
    """

    blocks: Mapping[Place, int] = field(default_factory=dict)
    keys: frozenset[str] = frozenset()
    rows: Mapping[str, int] = field(default_factory=dict)
    version: int = field(default=0, compare=False)

    def __bool__(self) -> bool:
        return bool(self.blocks or self.rows)

    def touches(self, place: Place, keys: Iterable[str]) -> bool:
        """A block is such a one, or holds a trial under whose key somebody wrote."""
        return place in self.blocks or not self.keys.isdisjoint(key[-ENDING:] for key in keys)


@dataclass(frozen=True, slots=True)
class SeenRows:
    """The rows that a connection sees, so that another one, in whatever process, sees the same.

    Args:
        last: number of the last row of each table; rows are only added.
        unseen: of those before it, the ones that do not count.
    """

    last: Mapping[str, int]
    unseen: frozenset[Item]


def list_seen(connection: sqlite3.Connection) -> SeenRows:
    """What this connection sees now, after its rows were compared."""
    unseen = connection.execute("SELECT of_table, of_row FROM temp.unseen").fetchall()
    return SeenRows(_last_rows(connection), frozenset(unseen))


def _last_rows(connection: sqlite3.Connection) -> dict[str, int]:
    return {
        table: connection.execute(f'SELECT coalesce(max(rowid), 0) FROM main."{table}"').fetchone()[0]
        for table in tables_of(connection)
    }


def audit(connection: sqlite3.Connection) -> Damage:
    """Compare every row with its seal; tables are then seen without the rows that do not count.

    Raises:
        sqlite3.Error, LedgerFault: the file cannot be read to its end, or lost seals.
    """
    before, begun = connection.text_factory, not connection.in_transaction
    if begun:
        connection.execute("BEGIN")
    try:
        version = version_of(connection)
        (verdict,) = connection.execute("PRAGMA main.integrity_check(1)").fetchone()
        if verdict != "ok":
            raise LedgerFault(f"an intact ledger is needed; the file is damaged: {verdict}")
        try:
            damage, unseen = _damage(connection)
        except sqlite3.OperationalError:
            # bytes that are no UTF-8 are compared like any others
            connection.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
            damage, unseen = _damage(connection)
        _hide_items(connection, unseen)
    finally:
        connection.text_factory = before
        if begun:
            connection.commit()
    return replace(damage, version=version)


def version_of(connection: sqlite3.Connection) -> int:
    """Another number than before where another connection wrote into the database meanwhile."""
    return int(connection.execute("PRAGMA main.data_version").fetchone()[0])


def see_all(connection: sqlite3.Connection) -> Damage:
    """Let all rows be seen, which are known to agree with their seals."""
    _hide_items(connection, set())
    return Damage()


def see_rows(connection: sqlite3.Connection, seen: SeenRows) -> Damage:
    """Let these rows alone be seen, which another connection has compared."""
    last = _last_rows(connection)
    newer = {table: seen.last.get(table, 0) for table in last if last[table] != seen.last.get(table)}
    _hide_items(connection, seen.unseen, newer)
    return Damage()


def refuse_damaged(damage: Damage) -> None:
    """Raises LedgerFault: what the trials rest on was changed."""
    rests_on = [name for name in damage.rows if name in TABLES and name not in (*PLAYED, *TOLD)]
    if rests_on:
        raise LedgerFault(
            f"an intact ledger is needed; rows of {', '.join(rests_on)} were changed after they were written,"
            " and its trials rest on them: restore a copy of the file, or begin anew with --clean"
        )


def _damage(connection: sqlite3.Connection) -> tuple[Damage, set[Item]]:
    """What cannot be trusted, and all rows and seals that do not count because of it."""
    unseen: set[Item] = set()
    suspects: set[Item] = set()
    rows: Counter[str] = Counter()
    for table, alone, lost in compare_rows(connection):
        items = {(table, row) for row in alone} | {("seals", number) for number in lost}
        unseen |= items
        suspects |= items if table in PLAYED else set()
        rows[table] = max(len(alone), len(lost))
    blocks, keys, more = _blocks(connection, suspects) if suspects else ({}, set(), set())
    unseen |= more
    if blocks:
        rows["trials"] = rows["episodes"] = 0
    by_table = {table: count for table, count in sorted(rows.items()) if count}
    return Damage(dict(sorted(blocks.items())), frozenset(keys), by_table), unseen


def _blocks(
    connection: sqlite3.Connection, suspects: Set[Item]
) -> tuple[dict[Place, int], set[str], set[Item]]:
    """Blocks in which a row or a seal stands alone: their trials, and all their rows and seals."""
    items = list(_items(connection))
    # where a trial belongs its seal says; only a stranger's key has to be believed
    sealed = {key: place for item, key, place in items if item[0] == "seals" and place is not None}
    foreign = {key: place for item, key, place in items if item in suspects and place is not None}
    belongs, known = foreign | sealed, set(sealed.values())
    members: dict[Place, set[str]] = defaultdict(set)
    for key, place in belongs.items():
        if key in sealed or place not in known:
            members[place].add(key)
    hit = {key for item, key, _ in items if item in suspects}
    blocks = {belongs[key] for key in hit if key in belongs}
    keys = hit.union(*(members[place] for place in blocks))
    unseen = {item for item, key, place in items if key in keys or (item[0] == "trials" and place in blocks)}
    return {place: len(members[place]) for place in blocks}, keys, unseen


def _items(connection: sqlite3.Connection) -> Iterator[tuple[Item, str, Place | None]]:
    """Rows of trials and episodes and their seals, each with the end of its key, and its place where it tells
    one."""
    query = "SELECT number, name FROM main.seals WHERE of_table IN ('trials', 'episodes')"
    for number, name in connection.execute(query):
        try:
            *where, key = parse_json(name)
        except (LedgerFault, TypeError, ValueError):
            continue  # somebody wrote into the seals: its row tells
        yield ("seals", number), _ending(key), _place(where)
    for row, key, *where in connection.execute("SELECT rowid, key, backbone, task, repeat FROM main.trials"):
        yield ("trials", row), _ending(key), _place(where)
    for row, key in connection.execute("SELECT rowid, key FROM main.episodes"):
        yield ("episodes", row), _ending(key), None


def _place(values: list[Any]) -> Place | None:
    if len(values) != 3 or not isinstance(values[2], int):
        return None
    return _text(values[0]), _text(values[1]), values[2]


def _ending(key: object) -> str:
    return _text(key)[-ENDING:]


def _text(value: object) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _hide_items(
    connection: sqlite3.Connection, hidden: Set[Item], last: Mapping[str, int] = MappingProxyType({})
) -> None:
    """Lay views over the tables, of this connection alone, in which the rows that count are seen, with all
    columns of this version; of some tables up to their `last` row."""
    for (view,) in connection.execute("SELECT name FROM temp.sqlite_master WHERE type = 'view'").fetchall():
        connection.execute(f'DROP VIEW temp."{view}"')
    connection.execute(
        "CREATE TEMP TABLE IF NOT EXISTS unseen"
        " (of_table TEXT, of_row INTEGER, PRIMARY KEY (of_table, of_row))"
    )
    connection.execute("DELETE FROM temp.unseen")
    connection.executemany("INSERT INTO temp.unseen VALUES (?, ?)", hidden)
    tables = tables_of(connection)
    for table in (name for name in LATER if name not in tables):
        connection.execute(f'CREATE TEMP VIEW "{table}" AS {select_none(table)}')
    lacking = {name for name in FIRST if not set(ALL[name].later_names) <= set(tables[name])}
    for table in sorted((({name for name, _ in hidden} | last.keys()) & tables.keys()) | lacking):
        columns = select_all(connection, table)
        connection.execute(
            f'CREATE TEMP VIEW "{table}" AS SELECT {columns}, rowid AS rowid FROM main."{table}" AS t'
            f" WHERE NOT EXISTS (SELECT 1 FROM temp.unseen WHERE of_table = '{table}' AND of_row = t.rowid)"
            + (f" AND t.rowid <= {last[table]}" if table in last else "")
        )
