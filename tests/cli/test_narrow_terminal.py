"""Every verb in few columns: no line is wider, no number is cut, and nothing is left out."""

import fcntl
import os
import re
import shutil
import struct
import termios
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from memtrial.analysis.calibration.error_bands import PromiseCheck
from memtrial.analysis.calibration.experiments import REAL
from memtrial.analysis.calibration.measured_experiments import FAST, Bench
from memtrial.api.calibrate import Calibration
from memtrial.cli.app import application
from memtrial.cli.tools.member_list import TOPICS
from memtrial.console.line_width import columns, fold
from tests.cli.conftest import RUN, TINY, WITHIN_S
from tests.support.refusing import Warm
from tests.support.warm import ROOT

REFUSED = ("serve-scripted", "proxy", "import", "view", "memory", "evolve", "worker", "merge")
"""Goes on and on where it is not refused, or takes in outcomes of a run that is none of these."""
VERBS = tuple(typer.main.get_group(application()).commands)
COMMANDS: dict[str, tuple[tuple[str, ...], ...]] = {
    "init": (("init", "a_rather_long_name_of_a_new_experiment.yaml"),),
    "plan": (("plan", "tiny.yaml", "--simulate", "0"),),
    "lock": (("lock", "tiny.yaml", "--display", "plain", "--out", "locked"),),
    "run": (("run", "tiny.yaml", "--display", "plain", "--out", "again", "--clean"),),
    "ablate": (("ablate", "theory.yaml", "--gates", "claim-strength", "--display", "none"),),
    "status": (("status", "tiny_s0"),),
    "report": (("report", "tiny_s0"),),
    "show": (("show", "tiny_s0"), ("show", "tiny_s0", "control/filler/workshop-test-0/0")),
    "view": (("view", "no_such_run"),),
    "compare": (("compare", "tiny_s0", "other"),),
    "failures": (("failures", "tiny_s0"), ("failures", "--counts", "counts.csv")),
    "probe": (("probe", "tiny_s0", "--calls", "12", "--display", "none"),),
    "export": (("export", "tiny_s0", "--outcomes", "outcomes.csv"),),
    "import": (("import", "outcomes", "tiny_s0", "odd.csv"), ("import", "traces", "items.md")),
    "analyze": (("analyze", "odd.csv"),),
    "condense": (("condense", "traces.jsonl", "--model", "simulated/scribe", "--out", "made.jsonl"),),
    "gates": (("gates", "list"), ("gates", "show", "refuter"), ("gates", "check", "items.md"),
              ("gates", "regress", "--gates", "refuter")),
    "tune": (
        ("tune", "refuter", "--model", "simulated/examiner", "--method", "bootstrap", "--out", "t.json"),
    ),
    "review": (("review", "tiny_s0"),),
    "perturb": (("perturb", "items.md", "--kind", "corrupt_invert"),),
    "tasks": (("tasks", "tasks"), ("tasks", "questions:")),
    "try": (("try", "--agent", "true", "--memory", "items.md", "--tasks", "tasks", "--dry-run"),),
    "check": (("check", str(ROOT / "tests" / "own" / "notebook.py") + ":Notebook"),),
    # plays thousands of experiments; what it prints is tried below
    "calibrate": (),
    "memory": (("memory", "list", "no/such/bank"),),
    "evolve": (("evolve", "no/such/spec.yaml"),),
    "worker": (("worker", "--ledger", "no-address"),),
    "merge": (("merge", "tiny_s0", "--out", "whole"),),
    "agents": (("agents",),),
    "list": (("list",), *(("list", topic) for topic in TOPICS)),
    # a script, which no width folds
    "completion": (),
    "serve-scripted": (("serve-scripted", "--answers", "no/such/answers.jsonl"),),
    "proxy": (("proxy", "--base-url", "no-address"),),
    "schema": (("schema",), *(("schema", name) for name in ("results", "trace", "outcomes"))),
}  # fmt: skip
ITEM = (
    '# Memory Item 1\n## Claim In "the 水車 is still", do `press the brass button` before `pull the lever`.\n'
    '## Trigger state: "the 水車 is still"\n## Mechanism It starts.\n## Scope Mills.\n## Form heuristic\n'
)
TRACE = (
    '{"trace_id": "1", "task_id": "1", "query": "q", "outcome": "success", "steps":'
    ' [{"thought": "t", "action": "a", "observation": "o"}]}\n'
)
ARMS = (
    "none",
    "記憶を持つとても長い名前の腕" * 2,
    "a_name_without_any_place_to_break_it_anywhere_at_all",
    "🧠🧠 x",
)
TABLE = "task,arm,condition,score\n" + "".join(
    f"課題{number},{arm},{condition},{(number * 7 + len(arm) + len(condition)) % 3 // 2}\n"
    for number in range(12)
    for arm in ARMS
    for condition in (("without",) if arm == "none" else ("intact", "irrelevant_generic+corrupt_invert"))
)
COUNTS = "model,website,distraction,over-reliance,premature\n" + "".join(
    f"{arm},課題{at},{at + 3},{at % 3},{at}\n" for arm in ARMS for at in (0, 4)
)


@pytest.fixture(scope="module")
def there(warm: Warm, finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two runs, a table, traces and items."""
    folder = tmp_path_factory.mktemp("narrow")
    shutil.copytree(finished, folder, symlinks=True, dirs_exist_ok=True)
    theory = TINY.replace("[none, control]", "[artifact]")
    given = (
        ("odd.csv", TABLE),
        ("counts.csv", COUNTS),
        ("items.md", ITEM),
        ("traces.jsonl", TRACE),
        ("theory.yaml", theory),
    )
    for name, text in given:
        (folder / name).write_text(text, "utf-8")
    lamp = folder / "tasks" / "a_lamp_whose_name_has_no_place_to_break"
    lamp.mkdir(parents=True)
    (lamp / "prompt.md").write_text(
        f"{ARMS[1]} Light the lamp, {ARMS[2]}, and write down that it is lit.\n", "utf-8"
    )
    (lamp / "check.sh").write_text("test -f lamp.txt\n", "utf-8")
    done = warm.call(*RUN, "--out", "other", "-S", "seed=1", cwd=folder, within_s=WITHIN_S)
    assert done.code == 0
    return folder


def clear(there: Path) -> None:
    """Take away what the commands make and would not overwrite."""
    shutil.rmtree(there / "locked", ignore_errors=True)
    for made in there.glob("a_rather_*"):
        made.unlink()


def said(warm: Warm, there: Path, width: object, *arguments: str) -> str:
    """What is printed."""
    clear(there)
    done = warm.call(*arguments, cwd=there, variables={"COLUMNS": str(width)}, within_s=WITHIN_S)
    assert "Traceback" not in done.err, done
    if arguments[0] in REFUSED and "--help" not in arguments:
        # one line for whoever reads errors line by line
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1), done
        return ""
    assert done.code == 0, done
    return done.out + done.err


def test_every_verb_is_tried() -> None:
    assert set(COMMANDS) == set(VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_no_line_is_wider_than_there_are_columns(warm: Warm, there: Path, verb: str) -> None:
    pages = ((width, (verb, "--help")) for width in (40, 60, 80))
    for width, arguments in (*((40, one) for one in COMMANDS[verb]), *pages):
        for line in said(warm, there, width, *arguments).splitlines():
            assert cell_len(line) <= width, (arguments, line)


@pytest.mark.parametrize("verb", ["plan", "status", "compare", "analyze"])
def test_numbers_stay_whole_and_nothing_is_left_out(warm: Warm, there: Path, verb: str) -> None:
    def numbers(text: str) -> list[str]:
        return [one for one in re.findall(r"(?<![\w.])[+−-]?\d[\d,.]*\b", text) if len(one) < 20]

    for arguments in COMMANDS[verb]:
        wide, narrow = (said(warm, there, width, *arguments) for width in ("", 40))
        assert set(numbers(wide)) <= set(numbers(narrow)), arguments
        letters = [sorted(set(re.findall(r"\w", text))) for text in (wide, narrow)]
        assert letters[0] == letters[1]
        assert "…" not in narrow


def test_what_calibrate_prints() -> None:
    name = "error rate of a test with a name that is long enough to need lines of its own"
    checks = PromiseCheck(name, 0.05, 0.0412, 0.0588), PromiseCheck("b", 1.0, 0.0, 0.5)
    lines = list(Calibration(Bench(REAL, FAST, 0), checks).lines(40))
    assert "0.0412" in "\n".join(lines)
    assert max(cell_len(part) for line in lines for part in fold(line, 40)) <= 40


def in_a_terminal(width: int, work: Callable[[str], object]) -> list[str]:
    """The lines that a terminal gets; `work` is told its path."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    seen = bytearray()

    def read() -> None:
        while True:
            try:
                seen.extend(os.read(ours, 4096))
            except OSError:
                return

    reader = threading.Thread(target=read)
    reader.start()
    try:
        work(os.ttyname(theirs))
    finally:
        os.close(theirs)
        reader.join()
        os.close(ours)
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", seen.decode())
    return re.split(r"[\r\n]+", text)


@pytest.mark.parametrize("width", [20])
@pytest.mark.parametrize(
    ("arguments", "code", "has"),
    [
        (("run", "tiny.yaml", "--out", "drawn", "--clean", "--display", "full"), 0, "━"),
        (("status", "tiny_s0", "--watch"), 0, "finished"),
        (("show", "tiny_s0"), 0, "condition:"),
        (("report", "no_run_is_called_like_this_one"), 2, "memtrial:"),
    ],
)
def test_a_terminal_says_itself_how_wide_it_is(
    warm: Warm, there: Path, arguments: tuple[str, ...], code: int, has: str, width: int
) -> None:
    ended: list[int] = []

    def work(path: str) -> None:
        variables = {"COLUMNS": "", "TERM": "xterm"}
        ends = dict.fromkeys(range(3), path)
        ended.append(warm.call(*arguments, cwd=there, variables=variables, ends=ends, within_s=WITHIN_S).code)

    lines = in_a_terminal(width, work)
    assert ended == [code], lines
    assert has in "\n".join(lines)
    for line in lines:
        assert cell_len(line) <= width, line


TEXT = st.text(st.characters(exclude_categories=["Cc", "Cs", "Cf"]), max_size=60)


@settings(deadline=None)
@given(TEXT, st.integers(8, 60))
def test_folding_loses_no_sign_and_keeps_to_the_columns(text: str, width: int) -> None:
    lines = fold(text, width)
    assert all(cell_len(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert fold(text, None) == text.split("\n")


@settings(deadline=None)
@given(st.lists(st.tuples(TEXT, TEXT, TEXT), min_size=2, max_size=5), st.integers(8, 120))
def test_a_table_keeps_every_cell_within_the_columns(rows: list[tuple[str, str, str]], width: int) -> None:
    lines = columns(rows, width, right=(1,))
    assert all(cell_len(line) <= width for line in lines)
    for sign in {sign for row in rows[1:] for cell in row for sign in cell if not sign.isspace()}:
        assert sign in "".join(lines)
