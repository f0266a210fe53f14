"""A PostgreSQL schema moved while its service goes on."""

from memtrial.worlds.scenarios.scenario import Decision, Scenario, Sign

MIGRATION = Scenario(
    name="postgres migration",
    brief="Move the {size} rows of table {place} in PostgreSQL, with its keys and indexes, and no outage.",
    unit="rows",
    sizes=(200_000, 800_000, 5_000_000, 80_000_000),
    places=("orders", "invoices", "bookings", "shipments", "readings", "tickets"),
    decisions=(
        Decision(
            habit="create the index",
            signs=(
                Sign("Writes go on while the index is built", "create the index concurrently",
                     "no write waits for it", "writes waited for the index and timed out", lambda n: n // 9),
                Sign("The tool wraps each step in a transaction", "build the index in a step of its own",
                     "the concurrent build is let through",
                     "create index concurrently cannot run inside a transaction block", lambda n: n),
            ),
            idle="drop the other indexes first",
        ),
        Decision(
            habit="add the foreign key",
            signs=(
                Sign("Old rows point at customers that are gone", "put the orphans right",
                     "every key has its row", "the foreign key is violated by orphans", lambda n: n // 50),
                Sign("The table is too large to be locked", "add the key unchecked and validate it later",
                     "the lock is short", "the check of the key held its lock for half an hour",
                     lambda n: n // 3),
            ),
            idle="leave the key to the application",
        ),
        Decision(
            habit="change the column in place",
            signs=(
                Sign("The new column forbids nulls", "add it nullable and fill it in batches",
                     "no rewrite locks the table", "the table was rewritten under a lock", lambda n: n // 4),
                Sign("The old service still writes the old column", "write both columns for a while",
                     "both agree", "rows written during the change lack the new column", lambda n: n // 20),
            ),
            idle="change the column at night",
        ),
        Decision(
            habit="copy the tables by name",
            signs=(
                Sign("Two tables refer to each other", "defer the constraints to the commit",
                     "either may come first", "the first insert broke a foreign key", lambda n: n),
                Sign("The copied sequence starts from one", "set the sequence behind the highest id",
                     "new rows get new ids", "new rows met ids that are taken", lambda n: n // 100),
            ),
            idle="copy the smaller table first",
        ),
    ),
)  # fmt: skip
