"""Tests print as where nobody says how wide a terminal is: `readline` sets COLUMNS for child processes."""

from __future__ import annotations

import os

for name in ("COLUMNS", "LINES"):
    os.environ.pop(name, None)
