"""Files in a form that is not read, known by their first bytes."""

from __future__ import annotations

import re
from pathlib import Path

from loadbearing.outcomes.table_fault import TableFault

FORMS = "a CSV, Parquet (.parquet) or JSON lines (.jsonl) file"
"""What is read."""

PARQUET, JSON_LINES = (".parquet", ".pq"), (".jsonl", ".ndjson")
_LINES = "write it with one object a line and the ending .jsonl"


def refuse_other_forms(path: Path, head: bytes) -> None:
    """Say of a file in another form what it is, and what to do with it.

    Args:
        head: its first bytes.

    Raises:
        TableFault: it is a workbook, JSON that is no JSON lines, or Parquet under another name.
    """
    name, text = path.name.lower(), head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        what = "an Excel workbook or an archive: save the sheet as CSV"
    elif head.startswith(b"PAR1") and not name.endswith(PARQUET):
        what = "Parquet, the name of which ends in .parquet"
    elif re.match(rb"\[\s*[\[{\]]", text) or (text.startswith(b"[") and name.endswith(".json")):
        what = f"a JSON array: {_LINES}"
    elif re.match(rb"\{\s*[\"}]", text) and not name.endswith(JSON_LINES):
        what = f"JSON: {_LINES}"
    else:
        return
    raise TableFault(f"{FORMS} is needed; {path} is {what}")
