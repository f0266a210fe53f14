"""The house: rooms, contracts, sizes, manners. What the README draws is what stands here."""

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.conftest import LONG

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PACKAGE = ROOT / "memtrial"
LINKED = tuple(sorted(path.name for path in PACKAGE.iterdir() if path.is_symlink()))
"""The experiment's own rooms, at the top of the repository."""
ROOMS = tuple(sorted(path.name for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()))
ASKED_FOR = ("condensers", "gates", "arms", "perturbations", "analysis", "prompts", "runs", "tests")
SOURCES = sorted(
    path
    for folder in (PACKAGE, *(ROOT / room for room in LINKED))
    for path in folder.rglob("*.py")
    if path.is_relative_to(folder)
)
TESTS = sorted([*(ROOT / "tests").rglob("*.py"), *(ROOT / "bench").rglob("*.py")])


def test_the_folders_that_were_asked_for_are_there() -> None:
    assert all((ROOT / name).is_dir() for name in ASKED_FOR)
    assert (ROOT / "pyproject.toml").is_file()
    assert (ROOT / "README.md").is_file()


def test_the_files_that_the_suite_begins_first_are_there() -> None:
    assert not [name for name in LONG if not (ROOT / "tests" / f"{name}.py").is_file()]


def test_the_readme_tree_is_the_tree() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    drawn = re.search(r"<!-- tree -->\n(.*?)<!-- /tree -->", text, re.DOTALL)
    assert drawn is not None
    lines = [re.match(r"    (\w+)/ +(\S.*)$", line) for line in drawn[1].splitlines()]
    named = [match[1] for match in lines if match]
    assert len(named) == len(lines), "every line is a folder and its purpose"
    made = {"logs", "build", "dist"}
    there = {path.name for path in ROOT.iterdir() if path.is_dir() and path.name[0] not in "._"} - made
    assert named == sorted(there)
    assert set(named) == {*LINKED, "bench", "docs", "memtrial", "tests"}
    assert set(LINKED) == set(ASKED_FOR) - {"tests"}


@pytest.mark.parametrize("room", LINKED)
def test_each_room_is_a_link_to_the_folder_of_its_name(room: str) -> None:
    link = ROOT / "memtrial" / room
    assert link.readlink() == Path("..") / room
    spec = find_spec(f"memtrial.{room}")
    assert spec is not None
    assert spec.origin is not None
    assert Path(spec.origin).resolve() == ROOT / room / "__init__.py"


def test_no_file_is_long() -> None:
    lines = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCES + TESTS}
    longest = {path: 400 if path in TESTS else 300 for path in lines}
    assert not {str(path.relative_to(ROOT)): n for path, n in lines.items() if n > longest[path]}


def test_no_folder_is_crowded() -> None:
    counts = Counter(path.parent for path in SOURCES if path.name != "__init__.py")
    assert not {str(folder.relative_to(ROOT)): n for folder, n in counts.items() if n > 16}


def test_manners() -> None:
    found = [f"{path.relative_to(ROOT)}: {fault}" for path in SOURCES for fault in _bad_manners(path)]
    assert not found, "\n".join(found)


def _bad_manners(path: Path) -> Iterator[str]:
    """What a reader of this file would trip over."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    if not ast.get_docstring(tree):
        yield "no docstring"
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler):
            caught = ast.unparse(node.type) if node.type else "everything"
            if re.search(r"\b(Exception|BaseException|everything)\b", caught):
                yield f"catches {caught}, line {node.lineno}"
        if isinstance(node, ast.Global):
            yield f"global state, line {node.lineno}"
        if isinstance(node, ast.arguments) and node.kwarg is not None:
            annotation = ast.unparse(node.kwarg.annotation) if node.kwarg.annotation else ""
            if not annotation.endswith(".kwargs"):
                yield f"**{node.kwarg.arg}, line {node.kwarg.lineno}"
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = (
                [node.module or ""] if isinstance(node, ast.ImportFrom) else [one.name for one in node.names]
            )
            bare = [name for name in names if name.split(".")[0] in ROOMS]
            if bare:
                yield f"imports {bare[0]} without memtrial, line {node.lineno}"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("import os\n", "no docstring"),
        ('"""A."""\ntry:\n    pass\nexcept Exception:\n    pass\n', "catches Exception, line 4"),
        ('"""A."""\ntry:\n    pass\nexcept:\n    pass\n', "catches everything, line 4"),
        ('"""A."""\ndef f():\n    global x\n', "global state, line 3"),
        ('"""A."""\ndef f(**more: int):\n    pass\n', "**more, line 2"),
        ('"""A."""\nfrom gates.gate import Finding\n', "imports gates.gate without memtrial, line 2"),
    ],
)
def test_bad_manners_are_seen(tmp_path: Path, text: str, fault: str) -> None:
    (tmp_path / "one.py").write_text(text)
    assert list(_bad_manners(tmp_path / "one.py")) == [fault]


def test_only_models_builds_a_language_model_or_talks_to_a_provider() -> None:
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        if path.relative_to(ROOT).parts[:2] != ("memtrial", "models"):
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


BREACHES = (
    ("memtrial/agents/react.py", "memtrial.arms.arm", "rooms"),
    ("memtrial/worlds/world.py", "memtrial.models.client.types", "rooms"),
    ("memtrial/models/client/client.py", "memtrial.analysis.analysis_plan", "blinding"),
    ("analysis/analysis_plan.py", "memtrial.runs.spec.spec", "re-analysis"),
    ("memtrial/reports/render/html_report.py", "memtrial.memory.item", "re-analysis"),
    ("memtrial/judges/closed_question.py", "anthropic", "network"),
    ("memtrial/ledger/rows.py", "memtrial.agents.slot", "ledger"),
    ("perturbations/counter.py", "memtrial.ledger.rows", "what makes"),
    ("perturbations/counter.py", "memtrial.perturbations.filler", "kinds"),
    ("memtrial/views/numbers.py", "memtrial.views.results.run_results", "views"),
    ("runs/spec/read_spec.py", "memtrial.runs.engine.session", "runs"),
    ("memtrial/views/numbers.py", "memtrial.reports.render.html_report", "reports"),
    ("analysis/inference/interval.py", "memtrial.analysis.verdicts.rules", "analysis"),
    ("memtrial/models/client/types.py", "memtrial.models.providers.open", "models"),
    ("memtrial/api/run.py", "starlette", "pages"),
    ("memtrial/proxy/exchange.py", "memtrial.proxy.request_passage", "proxy"),
    ("memtrial/commands/trial_folder.py", "memtrial.commands.command_trial", "commands"),
    ("memtrial/repositories/file_kinds.py", "memtrial.repositories.workspace", "repositories"),
    ("perturbations/language/word_spans.py", "memtrial.perturbations.kinds", "perturbations"),
)
"""A file, what it must not import, and the contract that says so."""


def test_contracts_break_where_they_are_broken_on_purpose(tmp_path: Path) -> None:
    for name in (*LINKED, "memtrial"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, tmp_path / name, symlinks=True, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for file, imported, _ in BREACHES:
        with (tmp_path / file).open("a") as text:
            text.write(f"\n\ndef _broken() -> None:\n    import {imported}  # noqa\n")
    told = _lint(tmp_path).stdout.partition("Broken contracts")[2]
    sections = re.split(r"\n(?=[^\n]+\n-{3,}\n)", told)
    for file, imported, contract in BREACHES:
        importer = "memtrial." + file.removeprefix("memtrial/").removesuffix(".py").replace("/", ".")
        said = "".join(one for one in sections if re.match(rf"[^\n]*{contract}", one))
        assert re.search(rf"{re.escape(importer)} -> {re.escape(imported)}\b", said), (file, told)


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
    wanted = [*PROJECT["project"]["dependencies"], *extras["dev"], *extras["scienceworld"], *extras["docs"]]
    wanted += [
        *extras["mem0"],
        *extras["langmem"],
        *extras["ace"],
        *extras["local"],
        *extras["qdrant"],
        *extras["pgvector"],
        *extras["postgres"],
        *extras["maths"],
    ]
    names = {re.split(r"[<>=\[]", one)[0].lower() for one in wanted}
    assert names <= pinned


def _lint(where: Path) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    environment = {"PYTHONPATH": str(where), "PATH": "/usr/bin:/bin", "COLUMNS": "200"}
    return subprocess.run(command, cwd=where, env=environment, capture_output=True, text=True, check=False)
