"""A Parquet file on standard input becomes the texts of its cells on standard output, as JSON.

A process of its own, started by `parquet_process`: the library that reads such files ends its process at some
damaged ones, which nothing in it can catch.
"""

import json
import sys

import polars as pl
from polars.exceptions import PanicException, PolarsError

from memtrial.outcomes.files.parquet_claims import DamageFault, claims_of, hold_against
from memtrial.outcomes.sheet import sheet_of_frame
from memtrial.outcomes.table_fault import TableFault
from memtrial.reader_process import READER_MEMORY, bound_process


def answer(held: bytes) -> dict[str, object]:
    """The texts by column, what was not read, and whether checksums vouch for them; or a fault in a line."""
    try:
        claims = claims_of(held)
        frame = pl.read_parquet(held)
        hold_against(frame, claims)
        sheet = sheet_of_frame(frame)
    except DamageFault as fault:
        return {"fault": str(fault)}
    except (PolarsError, PanicException, TableFault, OSError, ValueError, OverflowError) as fault:
        lines = str(fault).strip().splitlines() or [type(fault).__name__]
        return {"fault": f"cannot be read: {lines[0]}"}
    except MemoryError:
        return {"fault": f"cannot be read in {READER_MEMORY >> 30} GiB of memory"}
    texts = sheet.frame.to_dict(as_series=False)
    return {"columns": texts, "unread": sheet.unread, "checked": claims.is_checked}


if __name__ == "__main__":
    bound_process()
    json.dump(answer(sys.stdin.buffer.read()), sys.stdout)
