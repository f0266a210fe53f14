"""Several native sources in one spec, each an arm: every one asks and shows as its own code does."""

from hashlib import sha256
from pathlib import Path

import pytest

from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.models.scripted.protocol import ScriptedAnswer
from memtrial.models.scripted.scripted_server import serve_script
from memtrial.prompts.control_prompts import MANNERS, load_control
from memtrial.runs.setup.preflight import check_spec
from memtrial.runs.spec.read_spec import load_spec
from memtrial.runs.spec.sampling import Sampled, SamplingSpec, sampling_of
from tests.support.carried_out import play_spec
from tests.support.said_lines import Line, Lines
from tests.support.scripted_run import CLAUDE, script, surroundings
from tests.support.small import write_spec

SPEC = """
name: sources
environment: {world: workshop, train: 8, test: 4}
backbone: simulated/reader
roles: {condenser: MODEL}
condensers:
  native: {kind: native}
  bank: {kind: native, source: PLACE/memory_instruction.py}
  harness: {kind: native, source: PLACE/succeed_prompt.txt}
sampling: {condenser: {temperature: 0.25, max_tokens: 777}}
arms:
  - none
  - control
  - {name: bank, condenser: bank}
  - {name: harness, condenser: harness}
conditions: [filler]
repeats: 1
engine: {attempts: 2, first_wait_s: 0.01}
"""
PROSE = "In this place patience pays.\n\n\nRead every label twice before you act.\r\nThat is all.  "


def spec_of(place: Path) -> Path:
    (place / "memory_instruction.py").write_text("SUCCESSFUL_SI = 'bank: well'\nFAILED_SI = 'bank: not'\n")
    (place / "succeed_prompt.txt").write_text("harness: well")
    (place / "failed_prompt.txt").write_text("harness: not")
    return write_spec(place, SPEC.replace("PLACE", str(place)).replace("MODEL", CLAUDE))


def test_prose_is_shown_as_it_came_and_no_slot_is_empty(tmp_path: Path) -> None:
    with serve_script(script(answers=Lines((Line("", ScriptedAnswer(PROSE)),)))) as server:
        spec = load_spec(spec_of(tmp_path))
        assert play_spec(spec, tmp_path / "out", None, False, surroundings(server.url)) == 0
    ledger = SqliteLedger.open_read_only(tmp_path / "out" / "ledger.sqlite")
    made = [row.body for row in ledger.condensations()]
    rows = [row for row in ledger.trials() if row.arm != "none" and row.condition == "intact"]
    sent = ledger.accounts.answers_by_model()
    texts = {(row.arm, ledger.slot(row.slot)) for row in rows}
    ledger.close()
    assert [one["reply"] for one in made] == [PROSE] * 24
    assert {len(one["items"]) for one in made} == {1}
    assert len(rows) == 12
    assert {one.asked: one.temperatures for one in sent}[CLAUDE] == (0.25,)
    read = PROSE.replace("\r\n", "\n").strip()
    assert all(text.endswith(PROSE if arm == "harness" else read) for arm, text in texts)


def test_every_source_is_named_and_part_of_the_identity(tmp_path: Path) -> None:
    spec = load_spec(spec_of(tmp_path))
    first = check_spec(spec, surroundings("http://127.0.0.1:9"))
    each = ("native embedded equivalent", "bank unverified", "harness unverified")
    assert all(one in first.control_label for one in each)
    assert [first.control_of(name).layout for name in spec.condensers] == ["webarena", "webarena", "harness"]
    (tmp_path / "failed_prompt.txt").write_text("harness: another")
    again = check_spec(spec, surroundings("http://127.0.0.1:9"))
    changed = {key for key, one in first.digests.items() if again.digests[key] != one}
    assert changed == {f"control of {tmp_path}/succeed_prompt.txt"}


@pytest.mark.parametrize(
    ("role", "wanted"), [("agent", 0.7), ("condenser", 0.7), ("gate", 0.0), ("judge", 0.0)]
)
def test_upstreams_temperatures_hold_beside_upstreams_prompts(tmp_path: Path, role, wanted: float) -> None:
    path = tmp_path / "memory_instruction.py"
    path.write_text("SUCCESSFUL_SI = 'well'\nFAILED_SI = 'not'\n")
    digests = sha256(b"well").hexdigest(), sha256(b"not").hexdigest()
    verified = load_control(path, {digests: "upstream webarena v0"})
    tokens = None if role == "condenser" else 2048
    assert sampling_of(SamplingSpec(), role, verified) == Sampled(wanted, tokens)
    assert sampling_of(SamplingSpec(max_tokens=None), role, verified) == Sampled(wanted, None)
    assert sampling_of(SamplingSpec(), role, load_control(path)) == Sampled(None, 2048)
    assert sampling_of(SamplingSpec(temperature=None), role, verified) == Sampled(None, tokens)
    assert sampling_of(SamplingSpec(temperature=1.5, max_tokens=9), role, verified) == Sampled(1.5, 9)
    assert MANNERS["upstream webarena v1"][1] == 1.0
