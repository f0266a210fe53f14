"""What is read, and what people filled in, is not written over by the verb that reads or made it."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Call
from tests.support.refusing import Warm, refused

STEP = {"thought": "t", "action": "a", "observation": "o"}
TRACE = {"trace_id": "1", "task_id": "1", "query": "q", "outcome": "success", "steps": [STEP]}
ITEM = {"schema": "native", "title": "Open", "description": "It.", "content": "Open it.", "markdown": "x"}
ITEMS = {"trace_id": "1", "condenser": "native", "items": [ITEM]}
RECORD = {
    "task_id": "webarena.1",
    "query": "q",
    "think_list": ["t"],
    "action_list": ["a"],
    "status": "success",
    "memory_items": ["# Memory Item 1\n## Title T\n## Description D.\n## Content Do it."],
    "template_id": 1,
}


def chat(task: str, **more: object) -> str:
    messages = [{"role": "user", "content": task}, {"role": "assistant", "content": "It is 2."}]
    return json.dumps({"messages": messages, **more}) + "\n"


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "a.jsonl").write_text(chat("Add.", success=True))
    (tmp_path / "logs" / "b.jsonl").write_text(chat("Add it."))
    return tmp_path


IMPORT = ("import", "traces", "logs", "--outcome-field", "success")


@pytest.mark.parametrize("out", ["logs/a.jsonl", "logs/../logs/b.jsonl", "link/a.jsonl"])
def test_a_log_of_a_folder_is_not_replaced_by_traces(warm: Warm, logs: Path, out: str) -> None:
    (logs / "link").symlink_to("logs")
    assert "would overwrite what is read" in refused(warm, logs, *IMPORT, "--out", out)


def test_traces_in_a_folder_of_logs_are_written_anew(warm: Warm, logs: Path) -> None:
    for _ in range(2):
        assert warm.call(*IMPORT, "--out", "logs/traces.jsonl", cwd=logs).code == 0
    assert "another file than --out" in refused(
        warm, logs, *IMPORT, "--out", "t.csv", "--label-file", "t.csv"
    )


def test_outcomes_that_people_filled_in_are_not_lost_when_the_file_is_asked_for_again(
    warm: Warm, logs: Path
) -> None:
    ask = (*IMPORT, "--label-file", "labels.csv")
    (logs / "labels.csv").touch()
    assert warm.call(*ask, cwd=logs).code == 0
    (logs / "labels.csv").write_text((logs / "labels.csv").read_text().rstrip("\n") + "success\n")
    assert "labels.csv is there" in refused(warm, logs, *ask)


def test_labels_of_failures_are_not_lost_and_no_table_replaces_a_ledger(
    warm: Warm, call: Call, there: Path
) -> None:
    ask = ("failures", "tiny_s0", "--label-file", "cases.jsonl")
    assert call(*ask, cwd=there).code == 0
    (there / "cases.jsonl").write_text('{"case": "1", "mode": "other", "rater": "me"}\n')
    assert "cases.jsonl is there" in refused(warm, there, *ask)
    for option in ("--latex", "--label-file"):
        said = refused(warm, there, "failures", "tiny_s0", option, "logs/tiny_s0/ledger.sqlite")
        assert "would overwrite what is read" in said
    said = refused(warm, there, "failures", "tiny_s0", "--human", "cases.jsonl", "--latex", "cases.jsonl")
    assert "would overwrite what is read" in said


def test_labelled_fixtures_are_not_lost(warm: Warm, tmp_path: Path) -> None:
    (tmp_path / "items.jsonl").write_text(json.dumps(ITEMS) + "\n")
    (tmp_path / "traces.jsonl").write_text(json.dumps(TRACE) + "\n")
    words = ("gates", "label", "items.jsonl", "--trace", "traces.jsonl", "--gates", "duplicate")
    assert "traces.jsonl is there" in refused(warm, tmp_path, *words, "--out", "traces.jsonl")
    assert warm.call(*words, "--out", "own/label.jsonl", cwd=tmp_path).code == 2
    (tmp_path / "own").mkdir()
    assert warm.call(*words, "--out", "own/label.jsonl", cwd=tmp_path).code == 0
    assert "label.jsonl is there" in refused(warm, tmp_path, *words, "--out", "own/label.jsonl")
    for option in ("--fixtures", "--held-out"):
        ask = ("gates", "regress", option, "own", "--out", "own/label.jsonl")
        assert "would overwrite what is read" in refused(warm, tmp_path, *ask)
    ask = ("tune", "refuter", "--model", "simulated/examiner", "--examples", "own", "--out")
    assert "would overwrite what is read" in refused(warm, tmp_path, *ask, "own/label.jsonl")


@pytest.mark.parametrize("option", ["--gate-calibration", "--control"])
def test_items_replace_nothing_that_condense_reads(warm: Warm, tmp_path: Path, option: str) -> None:
    (tmp_path / "traces.jsonl").write_text(json.dumps(TRACE) + "\n")
    (tmp_path / "kept").write_text("kept")
    ask = ("condense", "traces.jsonl", "--model", "simulated/scribe", option, "kept", "--out")
    assert "would overwrite what is read" in refused(warm, tmp_path, *ask, "kept")


def test_a_bank_is_replaced_by_no_other_and_by_itself(warm: Warm, tmp_path: Path) -> None:
    (tmp_path / "shopping.jsonl").write_text(json.dumps(RECORD) + "\n")
    (tmp_path / "ours").mkdir()
    (tmp_path / "ours" / "traces.jsonl").write_text("mine\n")
    take = ("import", "bank", "shopping.jsonl", "--out", "ours")
    assert "ours/traces.jsonl is there" in refused(warm, tmp_path, *take)
    (tmp_path / "ours" / "traces.jsonl").unlink()
    give = ("export", "ours/bank.jsonl", "--format", "webarena", "--site", "shopping", "--bank")
    for _ in range(2):
        assert warm.call(*take, cwd=tmp_path).code == 0
        assert warm.call(*give, "out", cwd=tmp_path).code == 0
    cache = tmp_path / "out" / "shopping_embeddings.jsonl"
    cache.write_text("vectors that were paid for\n")
    assert "shopping_embeddings.jsonl is there" in refused(warm, tmp_path, *give, "out")
    (tmp_path / "shopping.jsonl").write_text(json.dumps(RECORD | {"query": "another"}) + "\n")
    assert "shopping.jsonl is there" in refused(warm, tmp_path, *give, ".")
