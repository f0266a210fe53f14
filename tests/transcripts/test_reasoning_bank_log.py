"""Folders of ReasoningBank: steps are never run, and the environment's word comes before a model's."""

import gzip
import json
import os
import pickle
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from memtrial.transcripts.log_question import LogQuestion
from memtrial.transcripts.logged_run import LogFault
from memtrial.transcripts.packed.pickle_values import read_pickle
from memtrial.transcripts.reasoning_bank_log import read


@dataclass
class AgentInfo(dict):  # type: ignore[type-arg]
    """As the browser's harness has it: fields and a mapping."""

    think: str = ""
    action: str = ""


@dataclass
class StepInfo:
    """As the browser's harness pickles it."""

    step: int
    obs: dict[str, object]
    agent_info: object
    action: str | None = None
    reward: float = 0.0
    profiling: OrderedDict[str, float] = field(default_factory=OrderedDict)


def write_task(
    place: Path, task: int, reward: float | None = 1.0, judged: bool | None = True, model: str = "gemini"
) -> Path:
    folder = place / "results" / f"webarena.{task}"
    folder.mkdir(parents=True)
    for number, (think, action) in enumerate(
        [("I look.", "click('12')"), ("", ""), ("I tell.", "send_msg('7')")]
    ):
        view = {"axtree_txt": f"page {number}", "goal": "How many?", "screenshot": np.zeros((3, 3), np.uint8)}
        step = StepInfo(number, view, {"think": think, "action": action, "stats": {"n": np.float64(1)}})
        (folder / f"step_{number}.pkl.gz").write_bytes(gzip.compress(pickle.dumps(step)))
    if reward is not None:
        (folder / "summary_info.json").write_text(json.dumps({"cum_reward": reward}))
    if judged is not None:
        verdict = [{"idx": task, "gt": reward, "rm": judged, "thoughts": "It is so.", "uid": "u"}]
        (folder / f"{model}_autoeval.json").write_text(json.dumps(verdict))
    configs = place / "config_files"
    configs.mkdir(exist_ok=True)
    (configs / f"{task}.json").write_text(json.dumps({"intent": f"Count {task}.", "intent_template_id": 5}))
    return folder


def test_steps_and_the_task_are_those_of_upstream(tmp_path: Path) -> None:
    found = read(write_task(tmp_path, 47), LogQuestion())
    (run,) = found.runs
    assert (run.task, run.query, run.family, run.start) == ("47", "Count 47.", "template 5", "page 0")
    assert [(turn.thought, turn.action, turn.observation) for turn in run.turns] == [
        ("I look.", "click('12')", "page 2"), ("I tell.", "send_msg('7')", ""),
    ]  # fmt: skip
    assert found.records == 3
    assert found.left_out == {"steps without an action": 1}
    assert (run.outcome, run.source) == ("success", "cum_reward, of the environment")


def test_where_the_two_verdicts_part_it_is_said_and_the_user_chooses(tmp_path: Path) -> None:
    folder = write_task(tmp_path, 1, reward=0.0, judged=True)
    found = read(folder, LogQuestion())
    assert found.runs[0].outcome == "failure"
    assert found.left_out["runs whose cum_reward and autoeval disagree"] == 1
    (judged,) = read(folder, LogQuestion("autoeval")).runs
    assert (judged.outcome, judged.reason) == ("success", "It is so.")
    assert judged.source == "gemini_autoeval.json, a model's judgement"


def test_without_a_verdict_none_is_made_up(tmp_path: Path) -> None:
    (run,) = read(write_task(tmp_path, 2, reward=None, judged=None), LogQuestion()).runs
    assert (run.outcome, run.source) == ("", "")


def test_judgements_of_two_models_need_a_choice(tmp_path: Path) -> None:
    folder = write_task(tmp_path, 3, reward=None)
    (folder / "other_autoeval.json").write_text(json.dumps([{"rm": False, "thoughts": ""}]))
    with pytest.raises(LogFault, match="several models; say whose: --outcome-field gemini"):
        read(folder, LogQuestion())
    assert read(folder, LogQuestion("other")).runs[0].outcome == "failure"


@dataclass
class Hostile:
    """Would write a file where it is unpickled."""

    path: str

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (self.path,)


def test_a_pickle_is_never_run(tmp_path: Path) -> None:
    bad = pickle.dumps({"think": "I look.", "more": Hostile(str(tmp_path / "made"))})
    assert read_pickle(bad, "it") == {"think": "I look.", "more": {}}
    assert not (tmp_path / "made").exists()


DEEP = b"\x80\x04" + b"K\x01" + b"\x85" * 100_000 + b"."
ODD = {
    "deep": DEEP,
    "cut short": pickle.dumps({"a": "b"})[:-4],
    "no pickle": b"hello",
    "empty": b"",
    "a step that no log needs": b"\x80\x05\x97.",
    "from an empty stack": b"\x80\x04\x94.",
}


@pytest.mark.parametrize("name", ODD)
def test_a_damaged_pickle_is_one_line(name: str) -> None:
    with pytest.raises(LogFault, match=r"^it: .+$") as fault:
        read_pickle(ODD[name], "it")
    assert "\n" not in str(fault.value)


def test_a_step_that_packs_more_than_it_may_is_refused(tmp_path: Path) -> None:
    folder = write_task(tmp_path, 4)
    (folder / "step_0.pkl.gz").write_bytes(gzip.compress(bytes(140 << 20), 1))
    with pytest.raises(LogFault, match="packs more than 128 MiB"):
        read(folder, LogQuestion())


def test_records_of_a_bank_are_runs(tmp_path: Path) -> None:
    bank = tmp_path / "shopping.jsonl"
    record = {"task_id": "7", "query": "Count.", "think_list": ["I look."], "action_list": ["click('1')"]}
    bank.write_text(json.dumps({**record, "status": "fail", "memory_items": ["x"], "template_id": 3}) + "\n")
    (run,) = read(bank, LogQuestion()).runs
    assert (run.task, run.outcome, run.turns[0].action) == ("7", "failure", "click('1')")
