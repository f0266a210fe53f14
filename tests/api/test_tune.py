"""Tuning finds an instruction that is known to be right, and its optimiser never sees the kept half."""

import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from memtrial.api.tune import TuneOptions, subject_of, tune
from memtrial.condensers.tuning.subjects import REGISTER
from memtrial.faults import SpecFault
from memtrial.gates.calibration.labelled_items import SHIPPED, read_fixtures
from memtrial.memory.markdown import render
from memtrial.models.client.types import Request
from memtrial.models.scripted.protocol import ScriptedAnswer
from memtrial.models.scripted.scripted_server import Script, serve_script
from memtrial.models.simulated.prompt import answer, given, wanted_fields
from memtrial.prompts.tuned_instruction import load_tuned
from memtrial.runs.setup.model_roles import standings_of
from memtrial.runs.setup.preflight import check_spec
from tests.support.scripted_run import GPT, surroundings

RIGHT = "Say a password aloud before you judge."
GATE = "claim-strength"


@dataclass
class OneRightInstruction:
    """A judge that is right where its instruction is the right one, or where it is shown a worked example of
    a flag; else it passes everything. Asked to reflect, it names the right instruction."""

    flagged: dict[str, bool]
    seen: list[str] = field(default_factory=list)

    async def say(self, request: Request, repeat: int) -> ScriptedAnswer:
        text = "\n".join(message.text for message in request.messages)
        self.seen.append(text)
        if "answer" not in wanted_fields(request.messages):
            return ScriptedAnswer(json.dumps({"new_instruction": RIGHT}))
        item = given(request.messages)["item"]
        knows = RIGHT in request.messages[0].text
        verdict = "warn" if knows and self.flagged[item] else "pass"
        quote = item.split("\n")[0]
        return ScriptedAnswer(
            answer({"answer": verdict, "quote": quote, "where": "item", "reason": "So it is."})
        )


def judge_of(gate: str) -> OneRightInstruction:
    labelled = (one for one in read_fixtures(SHIPPED) if one.gate == gate)
    return OneRightInstruction({render(one.item): bool(one.flag) for one in labelled})


def options(url: str, **more: object) -> TuneOptions:
    return TuneOptions(GPT, most_calls=60, environment=surroundings(url), **more)  # type: ignore[arg-type]


def test_the_right_instruction_is_found_and_the_kept_half_is_only_scored(tmp_path: Path) -> None:
    judge = judge_of(GATE)
    with serve_script(Script(judge)) as server:
        end = tune(GATE, options(server.url), tmp_path / "tuned.json")
    tuned = end.tuned
    assert (tuned.instructions, tuned.scored.after) == (RIGHT, 1.0)
    assert tuned.scored.before < 1
    assert tuned.scored.hit_rate is not None
    assert [rate[0] for rate in tuned.scored.hit_rate] == [0.0, 1.0]
    assert load_tuned(tmp_path / "tuned.json") == tuned
    inputs = {one.id: one.inputs["item"] for one in subject_of(GATE, None).examples}
    assert set(tuned.trained) | set(tuned.kept) == set(inputs)
    assert not set(tuned.trained) & set(tuned.kept)
    shown = judge.seen[: -2 * len(tuned.kept)]
    only_kept = {inputs[one] for one in tuned.kept} - {inputs[one] for one in tuned.trained}
    assert only_kept
    assert not [item for item in only_kept if any(item in text for text in shown)]


def test_worked_examples_come_from_the_training_half(tmp_path: Path) -> None:
    with serve_script(Script(judge_of(GATE))) as server:
        tuned = tune(GATE, options(server.url, method="bootstrap"), tmp_path / "tuned.json").tuned
    inputs = {one.id: one.inputs["item"] for one in subject_of(GATE, None).examples}
    assert tuned.demos
    assert {demo["item"] for demo in tuned.demos} <= {inputs[one] for one in tuned.trained}


def test_a_scored_half_is_refused_a_second_time_and_nothing_is_sent(tmp_path: Path) -> None:
    with serve_script(Script(judge_of(GATE))) as server:
        tune(GATE, options(server.url, method="bootstrap"), tmp_path / "one.json")
    register = (tmp_path / REGISTER).read_text(encoding="utf-8")
    with pytest.raises(SpecFault, match="not used twice"):
        tune(GATE, options("http://127.0.0.1:9", method="bootstrap"), tmp_path / "two.json")
    assert (tmp_path / REGISTER).read_text(encoding="utf-8") == register
    assert not (tmp_path / "two.json").exists()


def test_a_run_asks_with_the_tuned_instruction_and_a_stale_one_is_refused(tmp_path: Path) -> None:
    judge = judge_of(GATE)
    with serve_script(Script(judge)) as server:
        tuned = tune(GATE, options(server.url), tmp_path / "tuned.json").tuned
    from memtrial.api.given_spec import spec_of

    raw = {
        "environment": {"world": "workshop", "train": 8, "test": 4},
        "backbone": ["simulated/reader"],
        "roles": {"condenser": "simulated/scribe"},
        "arms": ["none", "artifact"],
        "conditions": ["filler"],
        "tuned": [str(tmp_path / "tuned.json")],
    }
    experiment = check_spec(spec_of(raw))
    assert [one.instructions for one in experiment.tuned] == [RIGHT]
    assert standings_of(experiment.spec, experiment.control, {GATE})[GATE].blocks is False
    assert standings_of(experiment.spec, experiment.control)[GATE].blocks is True
    assert f"tuned {GATE}" in experiment.digests
    stale = tuned.model_copy(update={"key": "0" * 64})
    (tmp_path / "tuned.json").write_text(stale.model_dump_json(), encoding="utf-8")
    with pytest.raises(SpecFault, match="tune it again"):
        check_spec(spec_of(raw))


@pytest.mark.parametrize(("subject", "needed"), [("nothing", "tune needs one of"), ("draft", "name a file")])
def test_what_cannot_be_tuned_is_said(subject: str, needed: str, tmp_path: Path) -> None:
    with pytest.raises(SpecFault, match=needed):
        tune(subject, TuneOptions("simulated/examiner"), tmp_path / "tuned.json")
