"""Tests print as where nobody says how wide a terminal is: `readline` sets COLUMNS for child processes."""

import os

import pytest
from hypothesis import settings

from tests.support.refusing import Warm

for name in ("COLUMNS", "LINES"):
    os.environ.pop(name, None)

settings.register_profile("repeatable", derandomize=True, database=None, max_examples=50)
settings.register_profile("explore", derandomize=False, print_blob=True)
settings.load_profile(os.environ.get("EXAMPLES", "repeatable"))  # EXAMPLES=explore draws new ones each time

LONG = (
    *("house/test_readme", "house/test_linear", "house/test_demo", "environments/test_scienceworld"),
    *("runs/test_killed", "runs/test_lock", "runs/test_stream", "cli/test_damaged_ledger"),
    *("reports/test_report_html", "house/test_package", "ledger/test_run_files", "runs/test_plan_power"),
    *("runs/test_hangup", "runs/test_interrupted", "runs/test_faulty_provider", "runs/test_experiment"),
)
"""Files that take ten seconds or more, the longest first: else one of them runs alone at the end."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin long files first; within a file the order stays."""

    def place(item: pytest.Item) -> int:
        path = item.nodeid.partition(".py")[0].removeprefix("tests/")
        return LONG.index(path) if path in LONG else len(LONG)

    items.sort(key=place)


@pytest.fixture(scope="session")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Warm:
    """Calls of the command line, each as in a process of its own."""
    return Warm(tmp_path_factory.mktemp("warm"))
