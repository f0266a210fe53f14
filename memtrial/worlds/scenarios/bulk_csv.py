"""A CSV file of a million rows and more, checked, changed and loaded."""

from memtrial.worlds.scenarios.scenario import Decision, Scenario, Sign

CHUNK = 50_000

BULK_CSV = Scenario(
    name="large csv",
    brief="Check and load the {size} rows of {place}.csv, and lose none that can be read.",
    unit="rows",
    sizes=(1_000_000, 1_200_000, 2_500_000, 4_000_000),
    places=("meters", "clicks", "parcels", "claims", "visits", "trades"),
    decisions=(
        Decision(
            habit="read the file and split its lines",
            signs=(
                Sign("The file is larger than the memory", "read the file in chunks",
                     "the memory suffices", "the process was killed for its memory", lambda n: n),
                Sign("Quoted fields hold line breaks", "read the file by a csv parser",
                     "a row stays whole", "rows with a break in a field fell apart", lambda n: n // 40),
            ),
            idle="sort the file first",
        ),
        Decision(
            habit="stop at the first bad row",
            signs=(
                Sign("A few rows are malformed for good", "put bad rows aside with their reason",
                     "the good ones go on", "the run stopped at its first malformed row",
                     lambda n: n - 10_000),
                Sign("The machine may be taken away at any time", "keep a checkpoint for each chunk",
                     "a restart goes on where it was", "the run began anew after it was cut off",
                     lambda n: n - CHUNK),
            ),
            idle="check a sample of the rows",
        ),
        Decision(
            habit="insert row by row",
            signs=(
                Sign("The target closes a load after an hour", "load in batches by copy",
                     "the load ends in time", "the load was closed before its end", lambda n: n // 2),
                Sign("A second run meets the rows of the first", "upsert by the row's key",
                     "no row stands there twice", "rows of the first run stand there twice",
                     lambda n: n // 8),
            ),
            idle="load into a table without a key",
        ),
    ),
)  # fmt: skip
