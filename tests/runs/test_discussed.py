"""The instruction to discuss each item is a switch of an arm, a factor, and named by the audit."""

from pathlib import Path

import pytest

from memtrial.api.shown.loaded_results import load
from memtrial.faults import SpecFault
from memtrial.prompts.templates import Prompt
from memtrial.runs.spec.read_spec import load_spec
from tests.support.carried_out import play_spec
from tests.support.refusing import Warm
from tests.support.small import write_spec

SPEC = """
name: discussed
seed: 2
environment: {world: workshop, train: 12, test: 6}
backbone: simulated/reader
roles: {condenser: simulated/scribe, gate: simulated/examiner}
traces: {source: play, player: simulated/ignorer, attempts: 4}
arms: [none, control, artifact, {name: told, condenser: native, discuss: true},
  {name: asked, condenser: theory, discuss: true}]
conditions: [irrelevant_swap]
repeats: 1
analysis: {flips: 199, pairs: [[asked, artifact], [asked, control]]}
"""
ASKED = Prompt("discuss").render()


def test_it_is_a_factor_of_its_own(tmp_path: Path, warm: Warm) -> None:
    spec = write_spec(tmp_path, SPEC)
    planned = warm.call("plan", str(spec), "--details", "--simulate", "0", cwd=tmp_path)
    assert "also in: cue line (asked alone, 16 words: Before you act, discuss each note" in " ".join(
        planned.out.split()
    )
    assert play_spec(load_spec(spec), tmp_path / "out") == 0
    results = load(tmp_path / "out")
    lines = " ".join(results.contrasts_say)
    assert "asked − artifact: isolates the instruction to discuss each item." in lines
    assert "asked − control: a bundle of" in lines
    assert any(one.estimand == "factorial" for one in results.estimates)
    texts = _texts(tmp_path / "out")
    assert all((ASKED in text) == (arm in ("told", "asked")) for arm, text in texts if text)
    assert results.delivery is not None
    assert results.delivery.undelivered == 0


def _texts(run: Path) -> list[tuple[str, str]]:
    from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger

    ledger = SqliteLedger.open_read_only(run / "ledger.sqlite")
    found = [(one.arm, ledger.slot(one.slot) or "") for one in ledger.trials() if not one.empty_slot]
    ledger.close()
    return found


@pytest.mark.parametrize(
    ("key", "value", "why"),
    [
        ("cue", "upstream\ncontrol: {source: x.py}", "discuss needs cue: ours"),
        (
            "arms",
            "[none, {name: far, condenser: theory, injection: trigger, reach: bank, discuss: true}]",
            "reach",
        ),
    ],
)
def test_where_it_cannot_be_told_apart_it_is_refused(tmp_path: Path, key: str, value: str, why: str) -> None:
    text = (
        SPEC.replace("repeats: 1\n", f"repeats: 1\n{key}: {value}\n")
        if key == "cue"
        else SPEC.replace(SPEC[SPEC.index("arms:") : SPEC.index("conditions:")], f"arms: {value}\n").replace(
            ", pairs: [[asked, artifact], [asked, control]]", ""
        )
    )
    with pytest.raises(SpecFault, match=why):
        load_spec(write_spec(tmp_path, text))
