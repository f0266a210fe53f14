"""`gates`: what it prints and writes, its exit codes, and one line for what is wrong."""

import json
from pathlib import Path

import pytest

from memtrial.gates.suite import NAMES
from memtrial.runs.setup.model_roles import read_calibration
from tests.support.refusing import Warm, refused

TRACE = {"trace_id": "a", "task_id": "a", "query": "Open it", "outcome": "success", "steps": []}
ITEM = {"schema": "native", "title": "Open", "description": "It.", "content": "Open it.", "markdown": "x"}
ROW = {"trace_id": "a", "condenser": "native", "items": [ITEM]}


def call(warm: Warm, folder: Path, *words: str):
    return warm.call("gates", *words, cwd=folder)


def test_the_suite_is_listed_and_a_gate_is_shown(warm: Warm, tmp_path: Path) -> None:
    listed = json.loads(call(warm, tmp_path, "list", "--json").out)
    assert tuple(row["gate"] for row in listed) == NAMES
    assert all(row["failure"] and row["needs"] and row["rule"] for row in listed)
    (shown,) = json.loads(call(warm, tmp_path, "show", "form_check", "--json").out)
    assert shown["question"].startswith("Failure mode: ")
    text = call(warm, tmp_path, "show", "form-check").out
    assert all(line.strip() in text for line in shown["question"].splitlines()[-1:])


def test_rates_are_printed_written_and_judged(warm: Warm, tmp_path: Path) -> None:
    done = call(warm, tmp_path, "regress", "--json", "--out", "made.json", "--gates", "seed")
    body = json.loads(done.out)
    assert done.code == 0
    assert body["judge"] == "rules"
    keys = {"gate", "hit_rate", "false_alarm_rate", "n_positive", "n_negative", "passed"}
    assert all(keys <= set(row) and row["passed"] for row in body["gates"])
    assert read_calibration(tmp_path / "made.json").model_dump(mode="json") == body
    for judge in ("pass", "warn"):
        done = call(warm, tmp_path, "regress", "--judge", judge, "--gates", "refuter,duplicate")
        assert done.code == 1
        assert done.out.count("FAILED") == 1
    said = call(warm, tmp_path, "regress", "--judge", "simulated/examiner", "--gates", "claim-strength")
    head, first, second, row, *_ = said.out.splitlines()
    assert head == "judge simulated/examiner (simulated)"
    assert first == "in-sample: the shipped fixtures, which the rules are from"
    assert second.startswith("held-out: none given")
    assert row.startswith("passed  claim-strength: in-sample hits ")


def test_items_are_written_to_be_labelled_and_read_again(warm: Warm, tmp_path: Path) -> None:
    (tmp_path / "items.jsonl").write_text(json.dumps(ROW) + "\n")
    (tmp_path / "traces.jsonl").write_text(json.dumps(TRACE) + "\n")
    words = ("label", "items.jsonl", "--trace", "traces.jsonl", "--out", "label.jsonl")
    assert call(warm, tmp_path, *words, "--gates", "refuter,duplicate").code == 0
    lines = [json.loads(line) for line in (tmp_path / "label.jsonl").read_text().splitlines()]
    assert [(one["gate"], one["flag"]) for one in lines] == [("refuter", None), ("duplicate", None)]
    assert "labelled fixtures" in refused(warm, tmp_path, "gates", "regress", "--fixtures", "label.jsonl")
    lines[0] |= {"flag": False}
    (tmp_path / "label.jsonl").write_text("\n".join(map(json.dumps, lines)))
    body = json.loads(call(warm, tmp_path, "regress", "--fixtures", "label.jsonl", "--json").out)
    assert [(row["gate"], row["n_negative"]) for row in body["gates"]] == [("refuter", 1)]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("show nonsense", "no gate is named nonsense"),
        ("show", "no gate is named"),
        ("regress --gates nonsense", "no gate is named nonsense"),
        ("regress --judge nobody", "--judge takes rules, pass, warn or provider/model"),
        ("regress --judge simulated/reader", "simulated/examiner"),
        ("regress --fixtures nowhere", "nowhere"),
        ("regress --fixtures bad.jsonl", "bad.jsonl, line 1: "),
        ("regress --out nowhere/made.json", "--out needs a file"),
        ("label", "--trace with their traces"),
        ("label none.jsonl --trace bad.jsonl --out new.jsonl", "bad.jsonl"),
        ("label none.jsonl --trace traces.jsonl --out new.jsonl", "none.jsonl"),
        ("label traces.jsonl --trace traces.jsonl --out new.jsonl", "the output of condense"),
        ("condemn", "condemn"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(warm: Warm, tmp_path: Path, words: str, said: str) -> None:
    (tmp_path / "bad.jsonl").write_text("{\n")
    (tmp_path / "traces.jsonl").write_text(json.dumps(TRACE) + "\n")
    assert said in refused(warm, tmp_path, "gates", *words.split())


def test_a_calibration_that_a_spec_names_is_read_before_anything_else(warm: Warm, tmp_path: Path) -> None:
    assert warm.call("init", "mine.yaml", cwd=tmp_path).code == 0
    (tmp_path / "bad.json").write_text("{}")
    for place in ("bad.json", "none.json"):
        setting = f"roles.gate_calibration={place}"
        assert place in refused(warm, tmp_path, "plan", "mine.yaml", "--simulate", "0", "-S", setting)
