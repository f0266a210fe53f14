"""The design a spec asks for, and that a run shows what the design says."""

import json
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrial.agents.traces import trace_from_json
from memtrial.agents.trajectory_views import recount
from memtrial.faults import SpecFault
from memtrial.ledger.rows import EpisodeRow, TrialRow
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.memory.item import item_from_json
from memtrial.memory.markdown import parse_all
from memtrial.perturbations.kinds import ALL
from memtrial.prompts.templates import cue_line
from memtrial.runs.setup.design import Design, design_of
from memtrial.runs.spec.read_spec import load_spec
from tests.support.carried_out import play_spec
from tests.support.small import write_spec

OWN = Path(__file__).parents[1] / "own"
NOTEBOOK, BABBLE = f"{OWN / 'notebook.py'}:Notebook", f"{OWN / 'babble.py'}:babble"
OF_TRAJECTORIES = ("shuffle", "empty", "irrelevant_swap")
CUE = "Of these memory items, discuss each item before you act: does it count today?"
RUN = """
name: design
seed: 6
environment: {world: workshop, train: 12, test: 6, families: 8}
backbone: simulated/reader
roles: {condenser: simulated/scribe, gate: simulated/examiner}
traces: {source: play, player: simulated/ignorer, attempts: 3}
retrieval: {profile: paper}
cue: upstream
control: {source: SOURCE, cue_source: CUE_FILE}
arms: [none, raw, control, artifact, activation, oracle]
conditions: [shuffle, corrupt_mask, irrelevant_swap]
repeats: 1
"""


def designed(place: Path, *settings: str) -> Design:
    return design_of(load_spec(write_spec(place), settings))


def names(design: Design) -> dict[str, list[str]]:
    return {arm: [kind.name for kind in kinds] for arm, kinds in design.damages.items()}


KINDS = [kind.name for kind in ALL if kind.name not in ("without", "shuffle")]


@given(chosen=st.lists(st.sampled_from(KINDS), unique=True, min_size=1), shuffle=st.booleans())
def test_raw_has_conditions_of_its_own_and_the_others_those_of_the_spec(
    tmp_path_factory: pytest.TempPathFactory, chosen: list[str], shuffle: bool
) -> None:
    asked = [*chosen, *(["shuffle"] if shuffle else [])]
    primary = f"analysis.primary=[{chosen[0]}]"
    found = designed(
        tmp_path_factory.getbasetemp(), "arms=[none, raw, control, oracle]", f"conditions={asked}", primary
    )
    assert names(found) == {"raw": list(OF_TRAJECTORIES), "control": chosen, "oracle": chosen}
    assert set(found.conditions) == {*OF_TRAJECTORIES, *chosen}
    assert found.memories == ("raw", "native")
    assert Counter(found.cells).most_common(1)[0][1] == 1
    assert len(found.cells) == 1 + 4 + 2 * (1 + len(chosen))
    assert found.primary == (chosen[0],)


def test_any_arm_with_raw_trajectories_is_one_whatever_its_name(tmp_path: Path) -> None:
    found = designed(
        tmp_path, "arms=[none, {name: paper, condenser: plain}]", "condensers={plain: {kind: raw}}"
    )
    assert names(found) == {"paper": list(OF_TRAJECTORIES)}


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (["conditions=[shuffle]"], "shuffle.*arm raw"),
        (["arms=[none]"], "at least one arm"),
        (["arms=[none, {name: x, condenser: native, injection: trigger}]"], "holds no Trigger"),
        (["arms=[none, {name: x, condenser: oracle, injection: trigger}]"], "holds no Trigger"),
        (["arms=[none, {name: x, condenser: other}]"], "needs condenser 'other'"),
        (["analysis.pairs=[[control, control]]"], "two different arms"),
        (["analysis.pairs=[[artifact, control], [artifact, control]]"], "each pair once"),
        (["analysis.pairs=[[artifact, raw]]"], "two different arms"),
        ([f"conditions=[{BABBLE}, {OWN / '..' / 'own' / 'babble.py'}:babble]"], "a name of its own"),
    ],
)
def test_what_does_not_fit_is_said_before_anything(tmp_path: Path, settings: list[str], said: str) -> None:
    with pytest.raises(SpecFault, match=said):
        designed(tmp_path, *settings)


def test_two_injections_of_one_memory_are_compared_by_default_beside_the_hypotheses(tmp_path: Path) -> None:
    standard = "arms=[none, control, artifact, activation, planted-theory, planted-activation]"
    found = designed(tmp_path, standard)
    assert found.pairs == (("artifact", "control"), ("activation", "control"))
    assert found.channel_pairs == (("activation", "artifact"), ("planted-activation", "planted-theory"))
    assert designed(tmp_path, "arms=[none, control, activation]").channel_pairs == ()
    named = designed(tmp_path, standard, "analysis.pairs=[[activation, artifact]]")
    assert (named.pairs, named.channel_pairs) == ((("activation", "artifact"),), ())


def test_a_memory_system_is_an_arm_without_a_bank(tmp_path: Path) -> None:
    arms = (
        f"arms=[none, control, {{name: notes, memory: '{NOTEBOOK}'}}, {{name: more, memory: '{NOTEBOOK}'}}]"
    )
    found = designed(tmp_path, arms)
    assert found.systems == (NOTEBOOK,)
    assert found.memories == ("native",)
    assert {name for name, _ in found.cells} == {"none", "control", "notes", "more"}
    assert names(found)["notes"] == names(found)["control"]


def test_damage_of_ones_own_goes_by_its_name_and_can_be_the_hypothesis(tmp_path: Path) -> None:
    settings = (f"conditions=[filler, '{BABBLE}']", f"analysis.primary=['{BABBLE}']",
                "arms=[none, control, artifact]", "environment={world: workshop, train: 8, test: 4}",
                "repeats=1", "backbone=simulated/reader")  # fmt: skip
    found = designed(tmp_path, *settings)
    assert names(found)["control"] == ["filler", "babble"]
    assert found.primary == ("babble",)
    spec = load_spec(write_spec(tmp_path), settings)
    assert play_spec(spec, tmp_path / "out") == 0
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    assert {(one["treatment"], one["condition"]) for one in results["hypotheses"]} == {("artifact", "babble")}


@dataclass(frozen=True)
class Read:
    """A run, read: its trials, what was said, slot texts, recounts of traces and items by condenser."""

    trials: list[TrialRow]
    episodes: dict[str, EpisodeRow]
    texts: dict[str, str]
    recounts: dict[str, str]
    items: dict[tuple[str, str], list[Any]]
    plan: dict[str, Any]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Read:
    place = tmp_path_factory.mktemp("design")
    source = place / "checkout" / "prompts" / "memory_instruction.py"
    source.parent.mkdir(parents=True)
    source.write_text('SUCCESSFUL_SI = "write memory items"\nFAILED_SI = "write other memory items"\n')
    (cue := source.with_name("cue.txt")).write_text(CUE)
    spec = load_spec(write_spec(place, RUN.replace("SOURCE", str(source)).replace("CUE_FILE", str(cue))))
    assert play_spec(spec, place / "out", told=False) == 0
    ledger = SqliteLedger.open_read_only(place / "out" / "ledger.sqlite")
    trials = list(ledger.trials())
    said = {trial.key: ledger.episode(trial.key) for trial in trials}
    traces = {task: trace_from_json(raw) for task, raw in ledger.traces("simulated/reader").items()}
    items = {(row.condenser, row.task): [item_from_json(raw) for raw in row.body["items"]]
             for row in ledger.condensations()}  # fmt: skip
    found = Read(
        trials,
        {key: one for key, one in said.items() if one is not None},
        dict(ledger.slots()),
        {task: recount(trace, "full") for task, trace in traces.items()},
        items,
        ledger.fact("plan"),
    )
    ledger.close()
    return found


def test_the_cells_are_the_designs(run: Read) -> None:
    played = defaultdict(set)
    for trial in run.trials:
        played[trial.arm].add(trial.condition)
    assert played["none"] == {"without"}
    # a foreign trajectory with as many steps is not always there
    assert {"intact", "shuffle", "empty"} <= played["raw"] <= {"intact", *OF_TRAJECTORIES}
    for arm in ("control", "artifact", "activation", "oracle"):
        assert played[arm] <= {"intact", "corrupt_mask", "irrelevant_swap"}
        assert {"intact", "corrupt_mask"} <= played[arm]
    assert run.plan["arm_conditions"]["raw"] == ["intact", *OF_TRAJECTORIES]


def intact(run: Read, arm: str) -> dict[str, TrialRow]:
    return {trial.task: trial for trial in run.trials if (trial.arm, trial.condition) == (arm, "intact")}


def test_the_paper_profile_shows_three_items_of_the_same_records_in_every_arm(run: Read) -> None:
    seen = 0
    for task, raw in intact(run, "raw").items():
        text = run.texts[raw.slot]
        sources = [source for source, told in run.recounts.items() if told in text]
        # a trajectory is the whole record: three records, each shown as it was
        assert len(sources) == 3
        assert raw.record in sources
        assert task not in sources
        for arm, condenser in (("control", "native"), ("artifact", "theory"), ("activation", "theory")):
            trial = intact(run, arm)[task]
            assert trial.record == raw.record
            there = [item for source in sources for item in run.items[condenser, source]]
            shown = parse_all(run.texts[trial.slot])
            assert len(shown) == min(3, len(there)), arm
            assert all(item in there for item in shown)
            assert trial.empty_slot == (not there)
            seen += len(shown)
    assert seen > 30


def test_the_cue_of_the_checkout_stands_above_every_slot_and_in_every_prompt(run: Read) -> None:
    assert run.plan["cue"].startswith("cue: upstream, unverified")
    shown = 0
    for trial in run.trials:
        said = "\n".join(one["content"] for one in run.episodes[trial.key].conversation)
        assert cue_line() not in said
        text = run.texts[trial.slot]
        assert text.startswith(CUE) == bool(text)
        assert trial.undelivered == 0
        if trial.arm == "activation":
            assert said.count(CUE) == bool(trial.carrying) or trial.carrying > 1
        else:
            assert said.count(CUE) == (not trial.empty_slot and trial.arm != "none")
            shown += said.count(CUE)
    assert shown > 50


def test_no_arm_stands_still_where_the_cue_is_not_ours(run: Read) -> None:
    """The simulated reader finds the items below a cue it does not know: the lesson helps it."""
    scores = {arm: [t.score or 0 for t in run.trials if (t.arm, t.condition) == (arm, condition)]
              for arm, condition in (("none", "without"), ("oracle", "intact"))}  # fmt: skip
    assert sum(scores["oracle"]) > sum(scores["none"])
