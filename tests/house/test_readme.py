"""The commands and the code of README and docs run as they stand, in their order, in an empty folder."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from tests.house.test_house import ROOT
from tests.support.made_repository import MadeRepository, step
from tests.support.process import LOOK_S, begin
from tests.support.refusing import Warm

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
TEXT = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)

TRACES = 8
SMALLER = (
    ("train: 48, test: 24", f"train: {TRACES}, test: 7"),
    ("attempts: 4", "attempts: 2"),
    ("irrelevant_swap, counter, paraphrase, oddity+corrupt_invert]", "paraphrase]"),
)
"""What the spec of the tour says, and what it says here: the same commands in a quarter of the time."""


def part(name: str) -> str:
    """What stands between two marks."""
    found = re.search(rf"<!-- {name} -->\n(.*?)<!-- /{name.split()[0]} -->", TEXT, re.DOTALL)
    assert found is not None, name
    return found[1]


def commands(name: str) -> list[list[str]]:
    lines = [line.strip() for line in part(name).splitlines() if line.strip()]
    return [shlex.split(line, comments=True) for line in lines]


def as_script(name: str) -> str:
    """The program that runs a script of the folder, as Python does when it is named."""
    return f"import runpy, sys; sys.path.insert(0, '.'); runpy.run_path({name!r}, run_name='__main__')"


Run = Callable[..., str]


@pytest.fixture(scope="module")
def run(warm: Warm) -> Run:
    """Runs a command of the README in a folder, as in a process of its own; its standard output."""

    def running(folder: Path, words: list[str], extra: Mapping[str, str] | None = None) -> str:
        variables = {"PATH": os.environ["PATH"], **(extra or {})}
        done = warm.call(*words[1:], cwd=folder, variables=variables, within_s=300)
        assert done.code == 0, (words, done.err[-2000:])
        return done.out

    return running


@contextmanager
def serving(
    folder: Path, words: list[str], variables: Mapping[str, str] | None = None
) -> Iterator[list[str]]:
    """A server at a free port; the lines that it said first, its address in front."""
    free = [*words[1 : words.index("--port") + 1], "0", *words[words.index("--port") + 2 :]]
    process = begin(folder, verb=tuple(free), environment=variables)
    try:
        while "\n" not in process.told():
            assert process.poll() is None, process.err.read_text()
            time.sleep(LOOK_S)
        lines = process.told().splitlines()
        assert lines[0].startswith("http://127.0.0.1:")
        yield lines
    finally:
        process.send(signal.SIGTERM)
        assert process.ended(20)[0] == 0


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reader")


@pytest.fixture(scope="module")
def toured(folder: Path, run: Run) -> dict[str, str]:
    """Standard output of each command of the tour; the first one's spec is made smaller for the others."""
    init, *rest = commands("tour")
    told = {" ".join(init[1:]): run(folder, init)}
    spec = folder / init[-1]
    text = spec.read_text(encoding="utf-8")
    for shipped, smaller in SMALLER:
        assert text.count(shipped) == 1
        text = text.replace(shipped, smaller)
    spec.write_text(text, encoding="utf-8")
    return told | {" ".join(words[1:]): run(folder, words) for words in rest}


def test_the_tour(folder: Path, toured: dict[str, str]) -> None:
    assert len(toured) == len(commands("tour"))
    assert "all trials" in toured["status tour_s0"].lower()
    assert (folder / "logs" / "tour_s0" / "report.html").stat().st_size > 10_000
    assert '"verdicts"' in toured["report tour_s0 --json"]
    assert (folder / "tables" / "trials.parquet").is_file()
    assert (folder / "items.jsonl").read_text().count("\n") == TRACES
    assert '"applicable": true' in next(out for words, out in toured.items() if words.startswith("perturb"))


def test_outcomes_of_ones_own(tmp_path: Path, run: Run) -> None:
    lines = [line.strip() for line in part("file outcomes.csv").splitlines()]
    (tmp_path / "outcomes.csv").write_text("\n".join(lines) + "\n")
    told, as_json = (run(tmp_path, words) for words in commands("analyze"))
    assert "better than baseline" in told or "not settled" in told
    assert (tmp_path / "outcomes_analysis" / "report.html").stat().st_size > 10_000
    assert json.loads(as_json)["estimates"][0]["estimate"] == -0.5


def test_other_tables_of_ones_own(tmp_path: Path, run: Run) -> None:
    lines = [line.strip() for line in part("file ratings.csv").splitlines()]
    (tmp_path / "ratings.csv").write_text("\n".join(lines) + "\n")
    run(tmp_path, ["memtrial", "init"])
    rated, paired, planned = (run(tmp_path, words) for words in commands("tables"))
    # the means of the arms are 2.625 and 4.21875, on a range of four
    assert "Difference +0.398" in " ".join(rated.split())
    assert "'baseline', with which the other arms are compared" in " ".join(paired.split())
    assert "from the pilot's table" in " ".join(planned.split())


def test_the_library(folder: Path, toured: dict[str, str], run: Run) -> None:
    assert toured
    outcomes = [line.strip() for line in part("file outcomes.csv").splitlines()]
    (folder / "outcomes.csv").write_text("\n".join(outcomes) + "\n")
    code = [line.removeprefix("    ") for line in part("library").rstrip().splitlines()]
    assert len(code) == 8
    said = run(folder, ["python", "-c", "\n".join(code)])
    assert "inconclusive" in said
    assert " done " in said


def test_the_rehearsal(folder: Path, toured: dict[str, str], run: Run) -> None:
    serve, export, play = commands("rehearsal")
    assert (serve[1], export[0]) == ("serve-scripted", "export")
    name, _, address = export[1].partition("=")
    assert address.rpartition(":")[2] in serve
    with serving(folder, serve) as (really, *_):
        out = run(folder, play, {name: really})
    assert "logs/rehearsal_s0/report.html" in out


def test_the_proxy(tmp_path: Path) -> None:
    serve, proxy = commands("proxy")
    wanted = proxy[proxy.index("--base-url") + 1].removeprefix("anthropic=")
    assert wanted.rpartition(":")[2] in serve
    question = json.dumps(
        {"model": "claude-haiku-4-5", "max_tokens": 50, "messages": [{"role": "user", "content": "Go."}]}
    ).encode()
    with serving(tmp_path, serve) as (really, *_):
        there = [word.replace(wanted, really) for word in proxy]
        with serving(tmp_path, there, {"ANTHROPIC_API_KEY": "own-key-of-the-user"}) as lines:
            url, _, token = (line.rpartition("=")[2] for line in lines[:3])
            asked = Request(f"{url}/v1/messages", question, {"x-api-key": token})
            assert json.loads(urlopen(asked).read())["type"] == "message"
            with pytest.raises(HTTPError, match="400"):
                urlopen(asked)
    kept = [json.loads(line) for line in (tmp_path / "kept" / "exchanges.jsonl").read_text().splitlines()]
    assert [line.get("how") for line in kept] == [None, "answered", None, "refused"]
    assert (tmp_path / "kept" / "bodies" / kept[0]["digest"]).read_bytes() == question


def test_your_agent(folder: Path, toured: dict[str, str], run: Run) -> None:
    code = [line.removeprefix("    ") for line in part("file terse.py").rstrip().splitlines()]
    (folder / "terse.py").write_text("\n".join(code) + "\n")
    laws, _ = (run(folder, words) for words in commands("agent"))
    assert "8 of 8 laws hold" in laws
    results = json.loads((folder / "logs" / "terse_s0" / "results.json").read_text())
    assert all(cell["n_errors"] == 0 for cell in results["cells"])
    (oracle,) = (
        cell for cell in results["cells"] if (cell["arm"], cell["condition"]) == ("oracle", "intact")
    )
    assert oracle["score"] == 1.0


def test_tasks_from_git(tmp_path: Path, run: Run) -> None:
    made = MadeRepository(tmp_path)
    made.add("Begin with a library", {"README.md": b"A library.\n"})
    made.add("Give part 1 its value", step(1))
    made.finish()
    for name in ("prompt.md", "check.sh"):
        path = tmp_path / "lamps" / "lamp" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(part(f"file lamps/lamp/{name}").replace("    ", ""))
    mined, listed = (run(tmp_path, words) for words in commands("tasks"))
    assert mined.startswith("1 task of 2 commits looked at")
    assert listed.startswith("1 task of lamps")


def test_questions_with_one_answer(tmp_path: Path, run: Run) -> None:
    for name in ("offices.yaml", "colours/all.jsonl"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(re.sub("^    ", "", part(f"file {name}"), flags=re.MULTILINE))
    listed, _ = (run(tmp_path, words) for words in commands("questions"))
    assert listed.startswith("3 rows of colours: 2 to train on and 1 to test on, drawn with seed 0")
    results = json.loads((tmp_path / "logs" / "offices_s0" / "results.json").read_text())
    scores = {(cell["arm"], cell["condition"]): cell["score"] for cell in results["cells"]}
    assert scores["oracle", "intact"] == 1.0 > scores["oracle", "corrupt_invert"]
    assert scores["none", "without"] < scores["control", "intact"]
    assert results["simulated"]


def test_five_pieces_of_work(tmp_path: Path, run: Run) -> None:
    for name in ("work.yaml", "attempts.py"):
        (tmp_path / name).write_text(re.sub("^    ", "", part(f"file {name}"), flags=re.MULTILINE))
    (words,) = commands("scenarios")
    run(tmp_path, words)
    results = json.loads((tmp_path / "logs" / "work_s0" / "results.json").read_text())
    scores = {(cell["backbone"], cell["arm"], cell["condition"]): cell["score"] for cell in results["cells"]}
    assert scores["simulated/reader", "oracle", "intact"] == 1.0
    assert scores["simulated/ignorer", "oracle", "intact"] < 0.5
    said = run(tmp_path, ["python", "-c", (tmp_path / "attempts.py").read_text()])
    assert said.splitlines() == [line.strip() for line in part("attempts").splitlines()]


def test_try_your_memory_file(tmp_path: Path, run: Run) -> None:
    things = (f"things/{thing}/{name}" for thing in ("lamp", "bell") for name in ("prompt.md", "check.sh"))
    for name in ("AGENTS.md", "worker.sh", *things):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(re.sub("^    ", "", part(f"file {name}"), flags=re.MULTILINE))
    forecast, played = (run(tmp_path, words) for words in commands("try"))
    assert "Trials: 16: 2 tasks x 8 conditions x 1 repeat." in forecast, forecast
    assert "AGENTS.md: " in played
    results = json.loads((tmp_path / "logs" / "try-worker.sh-AGENTS_s0" / "results.json").read_text())
    scores = {cell["condition"]: cell["score"] for cell in results["cells"]}
    assert (scores["intact"], scores["without"], scores["filler"], scores["corrupt_invert"]) == (1, 0, 0, 0)
    assert results["delivery"]["handed"] == results["delivery"]["carrying"]


def test_banks_go_out_and_come_in(tmp_path: Path, run: Run) -> None:
    init, play, export, bring, perturb, condense, again, back = commands("exchange")
    run(tmp_path, init)
    run(tmp_path, play)
    assert "6 records written to memories/shopping.jsonl" in run(tmp_path, export)
    brought = run(tmp_path, bring)
    assert "6 records (webarena)" in brought
    assert "×" not in brought  # nothing is odd in a bank of ours
    assert "check holds" in run(tmp_path, perturb)
    run(tmp_path, condense)
    assert len((tmp_path / "anew.jsonl").read_text().splitlines()) == 6
    run(tmp_path, again)
    shown = json.loads((tmp_path / "logs" / "theirs_s0" / "results.json").read_text())
    assert shown["delivery"]["carrying"] > 0
    run(tmp_path, back)
    for name in ("shopping.jsonl", "shopping_embeddings.jsonl"):
        assert (tmp_path / "again" / name).read_bytes() == (tmp_path / "memories" / name).read_bytes()


def test_a_harness_of_ones_own(tmp_path: Path, run: Run) -> None:
    for name in ("questions.jsonl", "notebook.md", "elsewhere.yaml", "harness.py"):
        lines = [line.removeprefix("    ") for line in part(f"file {name}").rstrip().splitlines()]
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    lock, export, play, bring = commands("harness")
    run(tmp_path, lock)
    assert "40 slots written" in run(tmp_path, export)
    subprocess.run([sys.executable, *play[1:]], cwd=tmp_path, check=True)
    assert "40 slots played elsewhere, 40 of them new" in run(tmp_path, bring)
    results = json.loads((tmp_path / "logs" / "elsewhere_s0" / "results.json").read_text())
    scores = {cell["condition"]: cell["score"] for cell in results["cells"]}
    assert (scores["intact"], scores["without"], scores["corrupt_invert"], scores["counter"]) == (1, 0, 0, 0)
    assert results["status"] == "confirmatory"


def test_logs_of_ones_own(tmp_path: Path, run: Run) -> None:
    shutil.copytree(ROOT / "tests" / "transcripts" / "samples", tmp_path / "sessions")
    look, ask, bring, condense = commands("logs")
    assert "5 trajectories, 16 steps; 1 part of sub-agents joined" in run(tmp_path, look)
    assert "5 rows written to labels.csv" in run(tmp_path, ask)
    head, *rows = (tmp_path / "labels.csv").read_text().splitlines()
    (tmp_path / "labels.csv").write_text("\n".join([head, *(f"{row}success" for row in rows)]) + "\n")
    assert "5 traces written to traces.jsonl" in run(tmp_path, bring)
    run(tmp_path, condense)
    assert len((tmp_path / "items.jsonl").read_text().splitlines()) == 5
    (judge,) = commands("judged")
    assert "the judge simulated/grader (simulated) on 5 runs without a stated outcome" in run(tmp_path, judge)
    assert len((tmp_path / "judged.judgements.jsonl").read_text().splitlines()) == 5


def test_any_agent(tmp_path: Path, run: Run) -> None:
    told = {}
    for name in ("plain.py", "graph.py", "module.py"):
        code = [line.removeprefix("    ") for line in part(f"file {name}").rstrip().splitlines()]
        (tmp_path / name).write_text("\n".join(code) + "\n")
        told[name] = run(tmp_path, ["python", "-c", as_script(name)])
    for name in ("plain.py", "graph.py", "module.py"):
        assert re.search(r"helps \+[01]\.\d+ +load-bearing[ +.\d]+load-bearing", told[name]), told[name]
        if name == "plain.py":
            continue
        results = json.loads((tmp_path / "logs" / f"{name[:-3]}_s0" / "results.json").read_text())
        assert (results["delivery"]["handed"], results["delivery"]["undelivered"]) == (0, 0), (
            "requests prove it"
        )
        assert results["simulated"]


def test_command_agents(tmp_path: Path, warm: Warm) -> None:
    for name in ("agent.sh", "shell_trial.py", "agent.js", "node_trial.py"):
        lines = [line.removeprefix("    ") for line in part(f"file {name}").rstrip().splitlines()]
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    serve, _ = commands("proxy")
    files = {"shell_trial.py": "agent.sh", "node_trial.py": "agent.js"}
    programs = {"shell_trial.py": "curl", "node_trial.py": "node"}
    with serving(tmp_path, serve) as (url, *_):
        extra = {
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "own-key-of-the-user",
            "PYTHONPATH": str(ROOT),
        }
        for name in [name for name, program in programs.items() if shutil.which(program)]:
            # without a bound: that of a warm process is one on memory, too, and Node takes much of it
            start = (
                f"import runpy, sys; sys.path.insert(0, '.'); runpy.run_path({name!r}, run_name='__main__')"
            )
            variables = {"PATH": os.environ["PATH"], **extra}
            done = warm.call("-c", start, cwd=tmp_path, variables=variables, within_s=0)
            assert done.code == 0, done.err[-2000:]
            assert "own/agent" in done.out
            results = json.loads((tmp_path / "logs" / f"trial-{files[name]}_s0" / "results.json").read_text())
            scores = {cell["condition"]: cell["score"] for cell in results["cells"]}
            assert scores["intact"] == 1.0 > scores["without"]
            assert (results["delivery"]["handed"], results["delivery"]["undelivered"]) == (0, 0)


def test_your_store(folder: Path, toured: dict[str, str], run: Run) -> None:
    for name in ("notebook.py", "shelf.py"):
        code = [line.removeprefix("    ") for line in part(f"file {name}").rstrip().splitlines()]
        (folder / name).write_text("\n".join(code) + "\n")
    _, laws, _ = (run(folder, words) for words in commands("store"))
    assert "7 of 7 laws hold" in laws
    assert "shelf" in (folder / "logs" / "shelf_s0" / "report.md").read_text()


def test_files_by_hand(tmp_path: Path, warm: Warm) -> None:
    notes = [line.removeprefix("    ") for line in part("file CLAUDE.md").rstrip().splitlines()]
    (tmp_path / "CLAUDE.md").write_text("\n".join(notes) + "\n")
    (words,) = commands("check")
    done = warm.call(*words[1:], cwd=tmp_path, variables={"COLUMNS": "200"})
    shown = [line.removeprefix("    ") for line in part("checked").rstrip().splitlines()]
    assert done.code == 1
    assert done.out.splitlines() == shown


def test_your_own(folder: Path, toured: dict[str, str], run: Run) -> None:
    for name in ("notebook.py", "babble.py", "hum.py"):
        code = [line.removeprefix("    ") for line in part(f"file {name}").rstrip().splitlines()]
        assert len(code) < 20
        (folder / name).write_text("\n".join(code) + "\n")
    for words in commands("own"):
        run(folder, words)
    report = (folder / "logs" / "own_s0" / "report.md").read_text()
    assert "notebook" in report
    assert "babble" in report
