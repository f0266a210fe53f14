"""Memory systems named by a word, in whole runs: against a server that speaks the providers' protocols."""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from memtrial.faults import SpecFault
from memtrial.ledger.run_plan import plan_in_force
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.models.scripted.scripted_server import serve_script
from memtrial.runs.setup.design import design_of
from memtrial.runs.setup.world_pool import open_world
from memtrial.runs.spec.read_spec import load_spec
from tests.support.carried_out import play_spec
from tests.support.memory_servers import describe_sdk
from tests.support.scripted_run import GPT, query, refuse_unlawful, script, surroundings
from tests.support.small import write_spec
from tests.support.system_modules import MODULES

THERE = [word for word, module in MODULES.items() if find_spec(module) is not None]
ARMS = ", ".join(
    f"{{name: {word}, memory: {word}{', settings: {file: FILE}' * (word == 'mcp')}}}" for word in THERE
)
SPEC = f"""
name: shipped
seed: 3
environment: {{world: workshop, train: 4, test: 2}}
backbone: simulated/reader
roles: {{condenser: {GPT}}}
traces: {{source: play, player: simulated/ignorer}}
retrieval: {{k: 2, embedder: openai/text-embedding-3-small}}
arms: [none, {ARMS}]
conditions: [corrupt_invert]
repeats: 1
engine: {{attempts: 2, first_wait_s: 0.01, call_timeout_s: 20}}
"""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shipped")
    file = describe_sdk(folder / "server").partition("=")[2]
    spec = load_spec(write_spec(folder, SPEC.replace("FILE", file)))
    with serve_script(script()) as server:
        assert play_spec(spec, folder / "out", None, False, surroundings(server.url), told=False) == 0
        refuse_unlawful(folder, server, 2)
        folder.joinpath("answered").write_text(str(server.answered))
        # a run that is there asks nothing again, also where its memories are opened anew
        assert play_spec(spec, folder / "out", None, False, surroundings(server.url), told=False) == 0
        assert server.answered == int(folder.joinpath("answered").read_text())
    return folder


def test_every_system_is_filled_by_its_own_writer_through_the_runs_client(played: Path) -> None:
    asked = [purpose for (purpose,) in query(played, "SELECT purpose FROM calls")]
    # a server is given the notes that were written for the folder: the same question is paid for once
    asking = [word for word in THERE if word != "mcp"]
    assert all(sum(word in purpose for purpose in asked) >= 4 for word in asking), asked
    assert sum("embed" in purpose for purpose in asked) > 4
    ledger = SqliteLedger.open_read_only(played / "out" / "ledger.sqlite")
    slots = {word: ledger.recollections("simulated/reader", word) for word in THERE}
    plan = plan_in_force(ledger)
    ledger.close()
    assert {word for word, bodies in slots.items() if any(body["items"] for body in bodies.values())} == {
        *THERE
    }
    shown = {word: max(len(body["items"]) for body in bodies.values()) for word, bodies in slots.items()}
    assert all(most <= 2 for word, most in shown.items() if word != "ace")
    assert plan is not None
    # version and configuration stand in the plan
    for word in THERE:
        assert any(re.match(f"memory system {word}(\\?file=[^ ]*)?, ", name) for name in plan.digests), word
        assert plan.levels[word][0].partition("?")[0] == word


@pytest.mark.skipif("mcp" not in THERE, reason="mcp is not installed")
def test_the_content_of_a_memory_server_moves_a_reader_and_no_ignorer(tmp_path: Path) -> None:
    """Damaged by the server's own tool."""
    text = SPEC.replace(ARMS, f"{{name: server, memory: '{describe_sdk(tmp_path / 'server')}'}}")
    asked = [
        "environment={world: workshop, train: 16, test: 12}",
        "backbone=[simulated/reader, simulated/ignorer]",
        "roles={condenser: simulated/scribe}",
        "traces={source: play, player: simulated/ignorer, attempts: 4}",
        "retrieval={k: 3, embedder: hashing}",
    ]
    assert play_spec(load_spec(write_spec(tmp_path, text), asked), tmp_path / "out") == 0
    ledger = SqliteLedger.open_read_only(tmp_path / "out" / "ledger.sqlite")
    solved: dict[tuple[str, str], list[bool]] = {}
    for trial in ledger.trials():
        if trial.arm == "server":
            solved.setdefault((trial.backbone, trial.condition), []).append(trial.status == "success")
    plan = plan_in_force(ledger)
    ledger.close()
    assert plan is not None
    assert any(
        re.match(r"server: damage was done in its store.*; each was what", note) for note in plan.notes
    )
    share = {place: sum(outcomes) / len(outcomes) for place, outcomes in solved.items()}
    drops = [
        share[backbone, "intact"] - share[backbone, "corrupt_invert"]
        for backbone in ("simulated/reader", "simulated/ignorer")
    ]
    assert drops[0] > 0.4, share
    assert abs(drops[1]) < 0.2, share


def test_a_note_that_tells_a_test_tasks_solution_is_named(tmp_path: Path) -> None:
    text = SPEC.replace(ARMS, f"{{name: mine, memory: notes, settings: {{folder: {tmp_path / 'notes'}}}}}")
    spec = load_spec(write_spec(tmp_path, text), ["retrieval.embedder=hashing", "roles={}"])
    world = open_world(spec)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text(
        world.ground_truth(world.tasks("test")[0]).lesson, encoding="utf-8"
    )
    world.close()
    with pytest.raises(SpecFault, match=r"leakage: .*'workshop-test-0', memory notes"):
        play_spec(spec, tmp_path / "out")


@pytest.mark.parametrize(
    ("arm", "said"),
    [
        ("{name: a, memory: mem9}", "or one of mem0, langmem, reasoning-bank, ace, notes, mcp"),
        (
            "{name: a, memory: ace, settings: {turns: 2}}",
            "memory: ace has no setting 'turns'; it has k, rounds",
        ),
    ],
)
def test_an_arm_that_cannot_be_is_named(tmp_path: Path, arm: str, said: str) -> None:
    with pytest.raises(SpecFault, match=said):
        load_spec(write_spec(tmp_path, SPEC.replace(ARMS, arm)))


def test_a_condenser_of_a_systems_name_is_refused(tmp_path: Path) -> None:
    text = SPEC.replace(ARMS, "{name: a, memory: notes}") + "condensers: {notes: {kind: native}}\n"
    with pytest.raises(SpecFault, match="notes is a memory system; the condenser of that name"):
        design_of(load_spec(write_spec(tmp_path, text)))


def test_what_a_memory_asked_before_the_first_trial_counts_in_a_run_that_goes_on(tmp_path: Path) -> None:
    text = SPEC.replace(ARMS, "{name: mine, memory: notes}").replace(GPT, "simulated/scribe")
    spec = load_spec(write_spec(tmp_path, text), ["retrieval.embedder=hashing"])
    assert play_spec(spec, tmp_path / "whole") == 0
    assert play_spec(spec, tmp_path / "stopped", 0) == 0  # prepared alone
    assert play_spec(spec, tmp_path / "stopped") == 0
    whole = (tmp_path / "whole" / "results.json").read_text()
    assert '"memory mine"' in whole
    assert (tmp_path / "stopped" / "results.json").read_text() == whole
