"""Tests print as where nobody says how wide a terminal is: `readline` sets COLUMNS for child processes."""

import gc
import os

import pytest
from hypothesis import settings

from tests.support.refusing import Warm

for name in ("COLUMNS", "LINES"):
    os.environ.pop(name, None)
os.environ["OMP_NUM_THREADS"] = "1"  # small matrices: a second thread costs more than it does
os.environ["POLARS_MAX_THREADS"] = "1"  # small tables
# a JVM of seconds: to optimise costs more, and so do threads that collect garbage
os.environ["JAVA_TOOL_OPTIONS"] = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"

gc.set_threshold(50_000, 20, 20)  # what is loaded is no garbage

settings.register_profile("repeatable", derandomize=True, database=None, max_examples=50, deadline=None)
settings.register_profile("explore", derandomize=False, print_blob=True, deadline=None)
settings.load_profile(os.environ.get("EXAMPLES", "repeatable"))  # EXAMPLES=explore draws new ones each time

LONG = (
    "house/test_linear",
    "house/test_readme",
    "runs/test_shared_run",
    "house/test_demo",
    "worlds/test_scienceworld",
    "analysis/test_calibration",
    "plugins/test_conformance",
    "house/test_package",
    "api/test_command_agent",
    "cli/test_narrow_terminal",
    "analysis/test_calibration_mutants",
    "coding_trials/test_memory_server",
    "protocol/test_lock",
    "reports/test_report_html",
    "repositories/test_mined_tasks",
    "api/test_harness_slots",
    "cli/test_bad_files",
    "runs/test_failures",
    "cli/test_damaged_ledger",
    "coding_trials/test_try_sections",
    "runs/test_written_damage",
    "ledger/test_run_files",
    "cli/test_try",
    "runs/test_faulty_provider",
    "runs/test_stream",
    "coding_trials/test_marked_try",
    "runs/test_killed",
    "coding_trials/test_try_agent",
    "pages/test_view_browser",
    "api/test_notebook_kernel",
    "cli/test_standard_streams",
    "analysis/test_harm_model",
    "perturbations/test_perturbations",
    "protocol/test_looks",
    "coding_trials/test_known_models",
    "runs/test_plan_power",
    "perturbations/test_corpus",
    "coding_agents/test_real_agents",
    "runs/test_budget",
    "reports/test_report_browser",
    "pages/test_review",
    "analysis/test_cancellation",
    "analysis/test_divergence",
    "runs/test_forecast",
    "analysis/test_planning_simulated",
    "runs/test_experiment",
    "analysis/test_estimators",
)
"""Files that take longest, the longest first: else one of them runs alone at the end."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin long files first; within a file the order stays."""

    def place(item: pytest.Item) -> int:
        path = item.nodeid.partition(".py")[0].removeprefix("tests/")
        return LONG.index(path) if path in LONG else len(LONG)

    items.sort(key=place)


def pytest_collection_finish() -> None:
    """What is loaded stays: nobody need look through it for garbage."""
    gc.freeze()


@pytest.fixture(scope="session")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Warm:
    """Calls of the command line, each as in a process of its own."""
    return Warm(tmp_path_factory.mktemp("warm"))
