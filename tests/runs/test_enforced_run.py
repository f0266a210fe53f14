"""The arm `enforced` through the whole path: what was withheld is counted, shown and reported."""

import json
from pathlib import Path

import pytest

from memtrial.cli.results.show import show_run
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.prompts.templates import Prompt
from memtrial.runs.spec.read_spec import load_spec
from tests.support.carried_out import play_spec
from tests.support.small import write_spec

RUN = """
name: enforced
seed: 3
environment: {world: workshop, train: 40, test: 16, families: 8}
backbone: simulated/forgetter
roles: {condenser: simulated/scribe, gate: simulated/examiner}
traces: {source: expert, expert_share: 1.0}
arms: [none, artifact, activation, enforced, {name: mine, condenser: theory, injection: enforce}]
conditions: [corrupt_mask]
repeats: 1
"""
WITHHELD = Prompt("react_withheld").render({"action": "", "memory": ""}).split('"" ')[1].split(".")[0]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("enforced")
    assert play_spec(load_spec(write_spec(place, RUN)), place / "out") == 0
    return place / "out"


def test_show_tells_them(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ledger = SqliteLedger.open_read_only(folder / "ledger.sqlite")
    row = next(one for one in ledger.trials() if one.arm == "enforced" and one.broken)
    ledger.close()
    show_run(folder, row.key)
    said = "proposed action" if row.broken == 1 else "proposed actions"
    line = f"{row.broken} {said} broke a check; {row.withheld} withheld, {row.changed} of them then replaced"
    assert line in capsys.readouterr().out.splitlines()


def test_every_count_is_the_ledgers_and_every_reason_was_delivered(folder: Path) -> None:
    ledger = SqliteLedger.open_read_only(folder / "ledger.sqlite")
    counted: dict[tuple[str, str], list[int]] = {}
    for row in ledger.trials():
        episode = ledger.episode(row.key)
        assert episode is not None
        notices = [
            one for one in episode.conversation if one["role"] == "user" and WITHHELD in one["content"]
        ]
        assert row.withheld == len(notices)
        assert row.changed <= row.withheld
        assert row.undelivered == 0
        if row.arm in ("none", "artifact"):
            assert row.withheld == 0
        cell = counted.setdefault((row.arm, row.condition), [0, 0, 0])
        for at, count in enumerate((row.broken, row.withheld, row.changed)):
            cell[at] += count
    ledger.close()
    results = json.loads((folder / "results.json").read_text())
    assert {
        (one["arm"], one["condition"]): [one["broken"], one["withheld"], one["changed"]]
        for one in results["firings"]
    } == counted
    # told in time, forgotten, and stopped; elsewhere it is only logged
    for arm in ("enforced", "mine"):
        broken, withheld, changed = counted[arm, "intact"]
        assert withheld >= broken > 0
        assert changed > 0
    assert counted["activation", "intact"][0] > 0
    assert any(note.startswith("Checks of enforced, mine are executed") for note in results["notes"])
    means = {(one["arm"], one["condition"]): one["score"] for one in results["cells"]}
    assert means["enforced", "intact"] == means["mine", "intact"] > means["activation", "intact"]
