"""The documents: what they name is there, what is made from the code is fresh, and each room has its page."""

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtrial.cli.app import VERBS
from tests.house.made_pages import exception_tree, protocol_page
from tests.house.test_house import LINKED, PACKAGE, ROOT, SOURCES
from tests.house.test_readme import PAGES, commands

ROOMS_OF_THE_PACKAGE = [room for room in PACKAGE.iterdir() if (room / "__init__.py").is_file()]
FOLDERS = sorted({*(ROOT / name for name in (*LINKED, "bench", "tests")), *ROOMS_OF_THE_PACKAGE})
WITH_A_KEY = (
    "memtrial init mine.yaml --provider anthropic",
    "memtrial plan mine.yaml",
    "memtrial try --agent claude",
)
"""Commands of pages that no test carries out: they need a key; a run in their way is tested elsewhere."""
SHARED = (
    "memtrial run spec.yaml --ledger",
    "memtrial worker --ledger",
    "memtrial status --ledger",
    "memtrial status runs/night",
)
"""Carried out by tests that have a database: shared_run, started_workers, live_status."""
CUT = ("memtrial run spec.yaml --prepare", "memtrial run spec.yaml --shard", "memtrial merge part1")
"""Carried out by tests/runs/test_shards.py."""
GIVEN = ("sign off", "path/to/module.py")


def shown_commands(page: Path) -> Iterator[str]:
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("    memtrial "):
            yield " ".join(shlex.split(line, comments=True))


def test_the_readme_is_read_in_one_sitting() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 150


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_that_a_page_shows_is_carried_out_by_a_test(page: Path) -> None:
    tried = {
        " ".join(words)
        for part in (
            "analyze",
            "tables",
            "tour",
            "own",
            "agent",
            "store",
            "rehearsal",
            "tasks",
            "proxy",
            "check",
            "exchange",
            "try",
            "harness",
            "logs",
            "judged",
            "questions",
            "scenarios",
        )
        for words in commands(part)
    }
    for command in shown_commands(page):
        assert command.split()[1] in VERBS, command
        known = any(line.startswith(command) for line in tried)
        assert known or command.startswith((*WITH_A_KEY, *SHARED, *CUT)) or " mine.yaml " in command, command


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_links_and_names_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", text):
        assert target.startswith("http") or (page.parent / target).exists(), target
    if page.stem not in ("findings", "timings"):  # these tell of files as they were
        for name in re.findall(r"`((?:[\w.]+/)+\w+\.(?:py|md|toml|yaml|jinja))`", text):
            assert (ROOT / name).is_file() or name in GIVEN or name.startswith("logs/"), name
    for target in re.findall(r"(?:`|^    )make (\w+)", text, re.MULTILINE):
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_every_path_of_contributing_is_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for name in re.findall(r"`((?:\w+/)+\w+\.(?:py|md|toml|jinja))(?::[\w.]+)?`", text):
        # parts of a guard's or an estimand's path may be given from its room on
        assert (ROOT / name).is_file() or list((ROOT / "analysis").rglob(name)), name


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_room_says_what_it_is_for(folder: Path) -> None:
    text = (folder / "README.md").read_text(encoding="utf-8")
    assert text.startswith(f"# {folder.name}\n")
    assert 6 <= len(text.splitlines()) <= 20
    for name in re.findall(r"`([\w/]+\.py)`", text):
        here = folder.resolve() / name
        assert here.is_file() or (ROOT / name).is_file() or (PACKAGE / name).is_file(), name


def test_a_run_s_ledger_is_opened_where_the_page_says() -> None:
    opening = {
        str(path.relative_to(ROOT))
        for path in SOURCES
        if re.search(r"SqliteLedger\b.*\(", path.read_text(encoding="utf-8"))
    }
    # the others copy: a run out of a database and into one, and shards out of a run and into one
    copies = {"ledger_copy.py", "shards/shard_copy.py", "shards/merged_ledger.py"}
    assert opening == {f"memtrial/ledger/{name}" for name in ("open_ledger.py", *copies)}


def test_the_page_of_protocols_is_made_from_them() -> None:
    assert (ROOT / "docs" / "protocols.md").read_text(encoding="utf-8") == protocol_page()


def test_the_tree_of_exceptions_is_that_of_the_code() -> None:
    module = ast.parse((PACKAGE / "faults.py").read_text(encoding="utf-8"))
    assert exception_tree() in (ast.get_docstring(module) or "")


def test_every_library_of_the_table_is_used_where_it_says() -> None:
    table = (ROOT / "docs" / "libraries.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| [\w-]+ \| `(\w+)` \| .+? \| (.+?) \|$", table, re.MULTILINE)
    assert {"dspy", "langgraph", "anthropic", "sklearn", "statsmodels", "faiss", "jinja2", "pytest"} <= dict(
        rows
    ).keys()
    for package, places in rows:
        for name in re.findall(r"`([\w/.]+)`", places):
            source = (ROOT / name).read_text(encoding="utf-8")
            assert re.search(rf"^\s*(?:import|from) {package}\b", source, re.MULTILINE), (package, name)
    assert all(path.is_file() for path in SOURCES)
