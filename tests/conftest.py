"""Tests print as where nobody says how wide a terminal is: `readline` sets COLUMNS for child processes."""

from __future__ import annotations

import os

import pytest

for name in ("COLUMNS", "LINES"):
    os.environ.pop(name, None)

LONG = (
    *("house/test_readme", "house/test_linear", "runs/test_killed", "house/test_demo", "runs/test_stream"),
    *("runs/test_faulty_provider", "house/test_package", "runs/test_experiment", "cli/test_damaged_ledger"),
    *("runs/test_hangup", "reports/test_report_html", "runs/test_lock", "runs/test_interrupted"),
)
"""Files that take ten seconds or more, the longest first: else one of them runs alone at the end."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin long files first; within a file the order stays."""

    def place(item: pytest.Item) -> int:
        path = item.nodeid.partition(".py")[0].removeprefix("tests/")
        return LONG.index(path) if path in LONG else len(LONG)

    items.sort(key=place)
