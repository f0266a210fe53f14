"""The house: rooms, contracts, sizes, manners. What the README draws is what stands here."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from importlib.util import find_spec
from pathlib import Path

import pytest

from runs.cli import VERBS

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
ROOMS = tuple(PROJECT["tool"]["uv"]["build-backend"]["module-name"])
ASKED_FOR = ("condensers", "gates", "arms", "perturbations", "analysis", "prompts", "runs", "tests")
SOURCES = sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))


def test_the_folders_that_were_asked_for_are_there() -> None:
    assert all((ROOT / name).is_dir() for name in ASKED_FOR)
    assert (ROOT / "pyproject.toml").is_file()
    assert (ROOT / "README.md").is_file()


def test_the_readme_tree_is_the_tree() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    drawn = re.search(r"<!-- tree -->\n(.*?)<!-- /tree -->", text, re.DOTALL)
    assert drawn is not None
    lines = [re.match(r"    (\w+)/ +(\S.*)$", line) for line in drawn[1].splitlines()]
    named = [match[1] for match in lines if match]
    assert len(named) == len(lines), "every line is a folder and its purpose"
    there = {path.name for path in ROOT.iterdir() if path.is_dir() and (path / "__init__.py").exists()}
    there.add("tests")
    assert named == sorted(there)
    assert set(named) == {*ROOMS, "tests"}


def test_what_the_readme_names_is_there() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    verbs = {verb.__name__.replace("_", "-") for verb in VERBS}
    named = set(re.findall(r"^    loadbearing ([\w-]+)", text, re.MULTILINE))
    assert named
    assert named <= verbs
    targets = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"(?:`|^    )make (\w+)", text, re.MULTILINE)):
        assert re.search(rf"^{target}:", targets, re.MULTILINE), target
    for named in re.findall(r"`((?:\w+/)+\w+\.\w+)`", text):
        assert (ROOT / named).is_file() or named.startswith("logs/"), named


@pytest.mark.parametrize("room", ROOMS)
def test_each_room_is_ours_and_no_other_distribution_installs_its_name(room: str) -> None:
    spec = find_spec(room)
    assert spec is not None
    assert spec.origin == str(ROOT / room / "__init__.py")
    assert set(packages_distributions().get(room, ["loadbearing"])) == {"loadbearing"}


@pytest.mark.parametrize("path", SOURCES + TESTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_file_is_long(path: Path) -> None:
    longest = 400 if path in TESTS else 300
    assert len(path.read_text(encoding="utf-8").splitlines()) <= longest


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_manners(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert ast.get_docstring(tree), "a file says what it is"
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler):
            caught = ast.unparse(node.type) if node.type else "everything"
            assert not re.search(r"\b(Exception|BaseException|everything)\b", caught), f"line {node.lineno}"
        assert not isinstance(node, ast.Global), f"global state, line {node.lineno}"
        if isinstance(node, ast.arguments) and node.kwarg is not None:
            annotation = ast.unparse(node.kwarg.annotation) if node.kwarg.annotation else ""
            assert annotation.endswith(".kwargs"), "no **kwargs soup"


def test_only_models_builds_a_language_model_or_talks_to_a_provider() -> None:
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        if path.relative_to(ROOT).parts[0] != "models":
            assert "dspy.LM" not in text, path
            assert not re.search(
                r"^\s*(?:import|from) (?:anthropic|openai|litellm|httpx|socket)\b", text, re.M
            )


def test_members_are_found_where_a_stranger_would_look() -> None:
    for room, marker in (("gates", 'class .*:\n    """'), ("perturbations", "@dataclass")):
        assert len(list((ROOT / room).glob("*.py"))) > 4
        assert any(re.search(marker, path.read_text()) for path in (ROOT / room).glob("*.py"))


def test_the_import_contracts_hold() -> None:
    done = _lint(ROOT)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("file", "line", "contract"),
    [
        ("episodes/react.py", "import arms.arm", "rooms"),
        ("environments/world.py", "import models.call", "rooms"),
        ("models/door.py", "import analysis.plan", "blinding"),
        ("analysis/plan.py", "import runs.spec", "re-analysis"),
        ("reports/html.py", "import memory.item", "re-analysis"),
        ("judges/question.py", "import anthropic", "network"),
        ("ledger/rows.py", "import episodes.slot", "ledger"),
    ],
)
def test_a_contract_breaks_when_it_is_broken_on_purpose(
    tmp_path: Path, file: str, line: str, contract: str
) -> None:
    for room in ROOMS:
        shutil.copytree(ROOT / room, tmp_path / room, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    path = tmp_path / file
    path.write_text(f"{path.read_text()}\n\ndef _broken() -> None:\n    {line}  # noqa\n")
    done = _lint(tmp_path)
    assert done.returncode != 0
    assert re.search(rf"{contract}[^\n]*BROKEN", done.stdout), done.stdout


def test_nothing_names_this_machine_or_a_package_host() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    for name in listed.stdout.split():
        path = ROOT / name
        if path.suffix in (".py", ".toml", ".txt", ".yaml", ".md", ".cff", "") and path.is_file():
            text = path.read_text(encoding="utf-8")
            assert str(ROOT) not in text or len(str(ROOT)) < 3, name
            assert not re.search(r"https?://[^\s)\"]*/(?:simple|packages)/", text), name


def test_constraints_pin_every_direct_dependency() -> None:
    pinned = {
        re.split(r"==", line)[0].lower().replace("_", "-")
        for line in (ROOT / "constraints.txt").read_text().splitlines()
        if line
    }
    extras = PROJECT["project"]["optional-dependencies"]
    wanted = [*PROJECT["project"]["dependencies"], *extras["dev"], *extras["scienceworld"]]
    names = {re.split(r"[<>=\[]", one)[0].lower() for one in wanted}
    assert names <= pinned


def _lint(where: Path) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    environment = {"PYTHONPATH": str(where), "PATH": "/usr/bin:/bin", "COLUMNS": "200"}
    return subprocess.run(command, cwd=where, env=environment, capture_output=True, text=True, check=False)
