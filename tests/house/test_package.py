"""The installed package: one import name, and verbs that no folder of a user's can disturb."""

import os
import pkgutil
import shutil
import subprocess
import sys
import zipfile
from importlib.util import cache_from_source
from pathlib import Path, PurePath

import pytest

from tests.house.test_house import LINKED, PACKAGE, ROOMS, ROOT, SOURCES
from tests.support.small import FEW, write_spec
from tests.support.warm import HEAVY, PRODUCT

FOLDERS = ("models", "memory", "runs", "tests", "gates", "analysis", "cli")
VERBS_IN_FORKS = f"""
import importlib, os, sys, traceback
import {", ".join(HEAVY)}
import {", ".join(f"memtrial.{name}" for name in PRODUCT)}
from memtrial.cli.app import VERBS, main

for place, _ in VERBS.values():
    importlib.import_module("memtrial.cli." + place.partition(":")[0])
for words in [line.split() for line in sys.stdin.read().splitlines()]:
    pid = os.fork()
    if not pid:
        sys.argv = ["memtrial", *words]
        code = 0
        try:
            main()
        except SystemExit as ended:
            code = ended.code or 0
        except BaseException:
            traceback.print_exc()
            code = 1
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)  # to take all libraries down takes a second
    _, status = os.waitpid(pid, 0)
    print("ended", os.waitstatus_to_exitcode(status), *words, flush=True)
print("verbs", *VERBS)
"""
TRACE = '{"trace_id": "a", "task_id": "a", "query": "open the valve", "outcome": "success", "steps": []}\n'
ITEM = "# Memory Item 1\n## Title Valve\n## Description It.\n## Content Open it.\n"
TABLE = "task,arm,success\na,x,1\na,y,0\nb,x,1\nb,y,1\n"
COMMANDS = """
init mine.yaml
plan small.yaml --json --simulate 0
lock small.yaml
run small.yaml --limit 4 --display none --no-report
ablate small.yaml --plan
status small_s3
report small_s3 --json
show small_s3
view --help
compare small_s3 small_s3
failures small_s3
probe small_s3 --calls 20 --display none
export small_s3 --out tables
import --help
analyze table.csv --reference x
condense traces.jsonl --condenser native --model simulated/scribe --out items.jsonl
gates regress --gates seed
gates check items.md
review small_s3
perturb items.md --kind corrupt_mask
tune refuter --model simulated/examiner --method bootstrap --out tuned.json
check babble.py:babble
tasks tasks --display none
try --agent true --memory items.md --tasks tasks --dry-run --display none
calibrate --help
memory --help
evolve --help
worker --help
merge --help
agents
list kinds
completion bash
serve-scripted --help
proxy --help
schema results
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty site-packages with nothing but the wheel in it."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    environment = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    done = subprocess.run(
        [*command, "--wheel-dir", str(folder), str(ROOT)],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as held:
        held.extractall(folder / "site")
    _add_byte_code(folder / "site" / "memtrial")
    return folder / "site"


def _add_byte_code(package: Path) -> None:
    """To compile a thousand modules takes seconds: what is there of the same sources serves here, too."""
    for source in SOURCES:
        copy = package / source.relative_to(PACKAGE if source.is_relative_to(PACKAGE) else ROOT)
        made = Path(cache_from_source(str(source)))
        if copy.is_file() and made.is_file() and copy.read_bytes() == source.read_bytes():
            shutil.copystat(source, copy)  # byte code holds the time of its source
            place = Path(cache_from_source(str(copy)))
            place.parent.mkdir(exist_ok=True)
            shutil.copy(made, place)


def test_the_wheel_installs_one_name(site: Path) -> None:
    assert [module.name for module in pkgutil.iter_modules([str(site)])] == ["memtrial"]
    inside = {module.name for module in pkgutil.iter_modules([str(site / "memtrial")])}
    assert inside == {*ROOMS, *(path.stem for path in PACKAGE.glob("[!_]*.py")), "__main__"}
    in_wheel = {path.relative_to(site / "memtrial") for path in (site / "memtrial").rglob("*.py")}
    here = {PurePath(*path.relative_to(ROOT).parts[path.is_relative_to(PACKAGE) :]) for path in SOURCES}
    assert here <= in_wheel


def test_every_verb_beside_folders_of_the_same_names(tmp_path: Path, site: Path) -> None:
    for name in FOLDERS:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(
            "raise RuntimeError('a folder of the user was imported')\n"
        )
    write_spec(tmp_path, FEW)
    (tmp_path / "traces.jsonl").write_text(TRACE)
    (tmp_path / "table.csv").write_text(TABLE)
    (tmp_path / "items.md").write_text(
        "# Memory Item 1\n## Title Valve\n## Description It.\n## Content Open it.\n"
    )
    (tmp_path / "tasks" / "lamp").mkdir(parents=True)
    (tmp_path / "tasks" / "lamp" / "prompt.md").write_text("Write lamp.txt.\n")
    (tmp_path / "tasks" / "lamp" / "check.sh").write_text("test -f lamp.txt\n")
    (tmp_path / "babble.py").write_text((ROOT / "tests" / "own" / "babble.py").read_text())
    done = subprocess.run(
        [sys.executable, "-c", VERBS_IN_FORKS], input=COMMANDS.strip(), cwd=tmp_path,
        env={"PATH": os.defpath, "HOME": str(tmp_path),  # no coding agents, which would be started
             "PYTHONPATH": f"{tmp_path}{os.pathsep}{site}"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    ended = [line for line in done.stdout.splitlines() if line.startswith("ended ")]
    assert len(ended) == len(COMMANDS.split("\n")) - 2, done.stderr
    assert all(line.startswith("ended 0 ") for line in ended), (ended, done.stderr)
    verbs = done.stdout.splitlines()[-1].split()[1:]
    assert {line.split()[0] for line in COMMANDS.strip().splitlines()} == set(verbs)


def test_version_and_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "memtrial", "--version"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("memtrial 0.")


def test_nothing_is_left_of_the_former_name_but_the_verdict() -> None:
    former = "".join(("load", "bearing"))
    texts = [path for path in ROOT.iterdir() if path.is_file() and path.suffix != ".lock"]
    texts += [path for name in (*LINKED, "memtrial", "tests", "bench") for path in (ROOT / name).rglob("*")]
    kept = [path for path in texts if path.is_file() and "__pycache__" not in path.parts]
    assert len(kept) > 600
    assert [path for path in kept if former in path.read_text("utf-8", errors="replace").lower()] == []
