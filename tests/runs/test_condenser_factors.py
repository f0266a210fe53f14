"""Nine condensers in one spec, told apart by one factor each; and those that cannot be compared."""

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from memtrial.condensers.baselines import as_long
from memtrial.gates.suite import SEED_SUBSET
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.runs.spec.condenser_factors import CondenserSpec
from memtrial.runs.spec.read_spec import load_spec
from tests.support.carried_out import play_spec
from tests.support.small import write_spec

SPEC = """
name: factors
seed: 3
environment: {world: workshop, train: 10, test: 2}
backbone: simulated/reader
roles: {condenser: "simulated/scribe?defects=0.6&repair=0.2", gate: simulated/examiner}
traces: {source: play, player: simulated/ignorer, attempts: 4}
condensers:
  native: {kind: native}
  older: {kind: native, source: PLACE/memory_instruction.py}
  native_gated: {kind: native, gates: [claim-strength]}
  schema: {kind: theory, gates: []}
  theory: {kind: theory, gates: [trigger-presence, claim-strength]}
  placebo: {kind: theory, placebo_like: theory}
  exhorted: {kind: theory, gates: [], exhort: [trigger-presence, claim-strength]}
  native_long: {kind: native, length_like: theory}
  native_thinned: {kind: native, thin_like: theory}
arms: [none, control, artifact, ARMS]
conditions: [filler]
repeats: 2
analysis: {pairs: [[artifact, placebo], [artifact, schema], [native_gated, control], [artifact, control]]}
"""
OWN = ("older", "native_gated", "schema", "placebo", "exhorted", "native_long", "native_thinned")
GATED = {"kind": "theory", "gates": ["trigger-presence"]}
Bodies = dict[str, dict[tuple[int, str], dict[str, Any]]]


def write(place: Path) -> Path:
    (place / "memory_instruction.py").write_text("SUCCESSFUL_SI = 'v0: well'\nFAILED_SI = 'v0: it failed'\n")
    arms = ", ".join(f"{{name: {name}, condenser: {name}}}" for name in OWN)
    return write_spec(place, SPEC.replace("PLACE", str(place)).replace("ARMS", arms))


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("factors")
    assert play_spec(load_spec(write(place)), place / "out") == 0
    return place / "out"


@pytest.fixture(scope="module")
def made(played: Path) -> Bodies:
    found: Bodies = {}
    for row in SqliteLedger.open_read_only(played / "ledger.sqlite").condensations():
        found.setdefault(row.condenser, {})[row.draw, row.task] = row.body
    return found


def shown(body: dict[str, Any]) -> str:
    return body["reply"] if body["reply"] is not None else "\n".join(one["markdown"] for one in body["items"])


def n_dropped(body: dict[str, Any]) -> int:
    return sum(bool(one["gates"]) for one in body["dropped"])


def test_all_nine_condense_the_same_traces(made: Bodies) -> None:
    assert {len(bodies) for bodies in made.values()} == {20}
    assert set(made) == {"native", "theory", *OWN}
    assert not any(body["faults"] for bodies in made.values() for body in bodies.values())


def test_native_with_gates_shows_items_of_its_schema(made: Bodies) -> None:
    bodies = made["native_gated"].values()
    assert all(body["reply"] is None for body in bodies)
    assert {item["schema"] for body in bodies for item in body["items"]} == {"native"}
    assert {one["gate"] for body in bodies for one in body["findings"]} == {"claim-strength"}
    assert all(body["reply"] and not body["findings"] for body in made["native"].values())


def test_the_placebo_begins_with_the_gated_drafts_and_revises_as_often(made: Bodies) -> None:
    revised = 0
    for place, body in made["placebo"].items():
        gated = made["theory"][place]
        assert body["revisions"] == gated["revisions"]
        assert len(body["items"]) == len(gated["items"]) + n_dropped(gated)
        assert not body["findings"]
        revised += sum(body["revisions"])
        if not sum(body["revisions"]):
            assert body["items"] == gated["items"]
    assert revised > 5


def test_as_many_words_and_as_few_items(made: Bodies) -> None:
    fewer = 0
    for place, gated in made["theory"].items():
        assert len(shown(made["native_long"][place]).split()) == len(shown(gated).split())
        left, all_items = made["native_thinned"][place], made["native"][place]
        assert len(left["items"]) == max(0, len(all_items["items"]) - n_dropped(gated))
        assert {one["content"] for one in left["items"]} <= {one["content"] for one in all_items["items"]}
        fewer += len(all_items["items"]) - len(left["items"])
    assert fewer > 1


@pytest.mark.parametrize("n_words", [0, 1, 4, 8, 100])
def test_a_text_is_cut_at_a_sentence_and_padded(n_words: int) -> None:
    text = "# Memory Item 1\n## Content Look first. Then do not\npull. End"
    found = as_long(text, n_words)
    assert len(found.split()) == n_words
    assert ("Look" in found) == (n_words >= 8)
    assert ("Then do not" in found) == ("pull." in found)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"kind": "raw", "exhort": ["claim-strength"]}, "a condenser that is exhorted is of kind native"),
        ({"kind": "native", "exhort": ["trigger-presence"]}, "reads what a native item has no place for"),
        ({"kind": "steps", "max_rounds": 2}, "kind steps is never revised"),
        ({"kind": "steps", "review": "human"}, "of kind native, theory, additive"),
        ({"kind": "theory", "placebo_like": "theory", "gates": ["claim-strength"]}, "one of gates"),
        ({"kind": "native", "length_like": "theory", "thin_like": "theory"}, "one of gates"),
        ({"kind": "theory", "length_like": "native"}, "takes no length_like"),
        ({"kind": "raw", "thin_like": "theory"}, "takes no thin_like"),
        ({"kind": "nothing", "gates": ["claim-strength"]}, "has no gates"),
    ],
)
def test_what_contradicts_itself_is_refused(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        CondenserSpec(**asked)


def test_gates_and_warnings_that_a_kind_has_unless_others_are_named() -> None:
    assert CondenserSpec(kind="additive").gates == CondenserSpec(kind="theory").gates == SEED_SUBSET
    assert (CondenserSpec(kind="steps").gates, CondenserSpec(kind="steps").max_rounds) == (SEED_SUBSET, 0)
    assert CondenserSpec(kind="steps", gates=[]).gates == ()
    warned = CondenserSpec(kind="native", exhort="seed")
    assert (warned.gates, warned.exhort) == ((), SEED_SUBSET[1:])


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("condensers.placebo={kind: theory, placebo_like: gone}", "names 'gone'"),
        ("condensers.placebo={kind: theory, placebo_like: schema}", "needs one with gates"),
        ("condensers.placebo={kind: native, placebo_like: theory}", "must draft alike"),
        ("condensers.native_thinned={kind: native, thin_like: placebo}", "follows 'theory'"),
        ("mode=stream", "no condenser follows another"),
        ("arms=[none, {name: placebo, condenser: placebo}]", "which no arm shows"),
    ],
)
def test_one_that_follows_what_it_cannot_is_refused(tmp_path: Path, setting: str, said: str) -> None:
    from memtrial.faults import SpecFault
    from memtrial.runs.setup.design import design_of

    with pytest.raises(SpecFault, match=said):
        design_of(load_spec(write(tmp_path), ["analysis.pairs=[]", setting]))


def test_the_results_say_what_each_contrast_can_tell_and_what_each_arm_took(
    played: Path, made: Bodies
) -> None:
    results = json.loads((played / "results.json").read_text())
    said = dict(line.split(": ", 1) for line in results["contrasts_say"])
    assert said["artifact − placebo"].startswith("isolates what the gates say, and the items that they drop")
    assert said["artifact − schema"].startswith("isolates what happens between draft and store")
    assert said["native_gated − control"].startswith("isolates what happens between")
    assert said["artifact − control"].startswith(
        "a bundle of the schema and the prompts of the draft and what"
    )
    rows = {row["arm"]: row for row in results["making"]}
    assert set(rows) == {"control", "artifact", *OWN}
    assert rows["native_gated"]["memory"].startswith("native, embedded equivalent; then our loop: gates")
    assert rows["placebo"]["memory"].endswith("revised as often as theory, without criteria")
    # an unchanged revision is asked for again, and answered from the call cache
    revisions = sum(sum(body["revisions"]) for body in made["theory"].values())
    assert rows["artifact"]["calls"] == 20 + revisions
    assert rows["schema"]["calls"] == rows["native_long"]["calls"] == 20
    assert abs(rows["placebo"]["calls"] - rows["artifact"]["calls"]) <= revisions // 4
    assert rows["native_long"]["words"] == rows["artifact"]["words"]
    assert rows["placebo"]["gate_calls"] == 0 < rows["artifact"]["gate_calls"]
