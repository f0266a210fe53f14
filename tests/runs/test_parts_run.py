"""The shipped spec of the parts of the treatment, in small: wording, schema, steps and gates, and filler."""

import json
from pathlib import Path
from typing import Any

import pytest

from memtrial.gates.suite import gates_of_native
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.runs.spec.read_spec import load_spec
from tests.support.carried_out import play_spec

SPEC = Path(__file__).resolve().parents[2] / "runs" / "specs" / "parts.yaml"
HEEDING = "roles.condenser=simulated/scribe?defects=0.6&heeds=1"
SMALLER = (
    "environment.train=8",
    "environment.test=3",
    "roles.condenser=simulated/scribe?defects=0.6&heeds=1",
)


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("parts") / "out"
    assert play_spec(load_spec(SPEC, SMALLER), place) == 0
    return place


@pytest.fixture(scope="module")
def results(out: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((out / "results.json").read_text())
    return loaded


def test_each_part_makes_items_of_its_own_schema(out: Path) -> None:
    schemas: dict[str, set[str]] = {}
    markdown: dict[str, str] = {}
    for row in SqliteLedger.open_read_only(out / "ledger.sqlite").condensations():
        assert not row.body["faults"]
        schemas.setdefault(row.condenser, set()).update(item["schema"] for item in row.body["items"])
        texts = (item["markdown"] for item in row.body["items"])
        markdown[row.condenser] = markdown.get(row.condenser, "") + "".join(texts)
    assert schemas == {
        "native": {"native"},
        "wording": {"native"},
        "steps": {"prose"},
        "schema": {"theory"},
        "additive": {"additive"},
        "theory": {"theory"},
    }
    # this stand-in heeds what its prompt warns of: the warning reached it, and only where it was given
    assert "When you begin" in markdown["native"]
    assert "When you begin" not in markdown["wording"]


def test_the_make_up_of_each_arm_is_stated(results: dict[str, Any]) -> None:
    memories = {row["arm"]: row["memory"] for row in results["making"]}
    assert "no longer that" in memories["wording"]
    assert f"prompt warns of {', '.join(gates_of_native('seed'))}" in memories["wording"]
    assert "no longer" not in memories["control"]
    assert memories["additive"].startswith("native and theory schema in one item")
    assert memories["steps"].startswith("its steps, as they were recorded")
    assert memories["steps"].endswith("drop, nothing is revised")
    calls = {row["arm"]: (row["calls"], row["gate_calls"]) for row in results["making"]}
    assert calls["wording"] == calls["control"] == (8, 0)
    assert calls["steps"][0] == 0 < calls["steps"][1]


def test_filler_is_played_and_strains_are_named(results: dict[str, Any]) -> None:
    played = {cell["arm"] for cell in results["cells"] if cell["condition"] == "filler"}
    assert {"control", "wording", "schema", "additive", "artifact"} <= played
    steps = {cell["condition"] for cell in results["cells"] if cell["arm"] == "steps"}
    assert "shuffle" in steps, "recorded steps are damaged as a raw run is"
    assert "filler" not in steps
    named = {(row["condenser"], row["gates"]): row["named"] for row in results["strains"]}
    assert named["steps", "trigger-presence"] == "register"
