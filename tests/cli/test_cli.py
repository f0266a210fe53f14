"""The command line as a user meets it: in a process of its own."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import TINY, Call
from tests.support.small import write_spec

TRACES = Path(__file__).resolve().parents[3] / "shared" / "data" / "traces" / "hotpotqa_react.jsonl"


def test_help_needs_no_heavy_library(tmp_path: Path, call: Call) -> None:
    heavy = "dspy langgraph statsmodels scipy sklearn faiss pandas matplotlib numpy anthropic jinja2 pydantic"
    heavy += " starlette uvicorn"
    code = f"import sys, memtrial.cli.app; print([m for m in {heavy.split()!r} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
    shown = call("--help", cwd=tmp_path)
    assert shown.code == 0
    assert all(verb in shown.out for verb in ("run", "report", "plan", "condense", "perturb"))


def test_run_report_and_a_second_run(tmp_path: Path, call: Call) -> None:
    write_spec(tmp_path, TINY)
    first = call("run", "small.yaml", "--display", "none", "--require-decision", cwd=tmp_path)
    assert first.code == 3, first.err
    assert "no evidence" in first.out
    assert "logs/tiny_s0/report.html" in first.out
    ledger = tmp_path / "logs" / "tiny_s0" / "ledger.sqlite"
    assert (tmp_path / "logs" / "latest" / "results.json").is_file()
    before = (ledger.parent / "results.json").read_bytes()
    said = call("report", "logs/latest", "--json", cwd=tmp_path)
    assert json.loads(said.out) == json.loads(before)
    assert (ledger.parent / "results.json").read_bytes() == before
    refused = call("run", "small.yaml", "-S", "repeats=4", cwd=tmp_path)
    assert refused.code == 2
    assert "repeats (1 -> 4)" in refused.err


def test_plan_counts_what_a_run_plays(tmp_path: Path, call: Call) -> None:
    write_spec(tmp_path)
    plan = json.loads(call("plan", "small.yaml", "--json", "--simulate", "0", cwd=tmp_path).out)
    assert len(plan["cells"]) == 2 * (1 + 4 * 6)
    assert plan["episodes"] == len(plan["cells"]) * 8 * 2
    assert plan["control"] == "control: embedded equivalent"
    assert set(plan["cost_usd"]) == {"none", "control", "artifact", "activation", "oracle"}
    assert plan["detectable"]["contrast"] > plan["detectable"]["drop"] > 0
    assert "episodes" in call("plan", "small.yaml", "--simulate", "0", cwd=tmp_path).out
    assert not (tmp_path / "logs").exists()


@pytest.mark.parametrize("condenser", ["native", "theory"])
def test_condense_and_perturb(tmp_path: Path, condenser: str, call: Call) -> None:
    if not TRACES.is_file():
        pytest.skip("the real traces stand beside the project in ../shared/data, which is absent")
    few = TRACES.read_text(encoding="utf-8").splitlines()[:8]
    (tmp_path / "few.jsonl").write_text("\n".join(few) + "\n", encoding="utf-8")
    options = ("--condenser", condenser, "--model", "simulated/scribe", "--out", "items.jsonl")
    done = call("condense", "few.jsonl", *options, cwd=tmp_path)
    assert done.code == 0, done.err
    lines = [json.loads(line) for line in (tmp_path / "items.jsonl").read_text().splitlines()]
    assert [line["trace_id"] for line in lines] == [json.loads(line)["trace_id"] for line in few]
    for kind in ("without", "empty", "filler", "irrelevant_swap", "corrupt_mask", "corrupt_invert"):
        one, other = (
            call("perturb", "items.jsonl", "--kind", kind, "--seed", "5", "--json", cwd=tmp_path)
            for _ in range(2)
        )
        assert one.code == 0, one.err
        assert one.out == other.out
        rows = json.loads(one.out)
        assert len(rows) == sum(bool(line["items"]) for line in lines)
        for row in rows:
            assert row["kind"] == kind
            assert row["passed"] if row["applicable"] else row["reason"]
            assert {"words_changed", "content_words_left", "length_ratio", "structure_kept", "flips"} <= set(
                row["check"]
            )
        if kind != "irrelevant_swap":  # the scribe's lessons from these runs are much alike
            assert sum(row["applicable"] for row in rows) >= len(rows) - 2


def test_a_variable_is_stronger_than_the_file_and_weaker_than_an_option(tmp_path: Path, call: Call) -> None:
    write_spec(tmp_path)
    variables = {"MEMTRIAL_REPEATS": "5", "MEMTRIAL_ENVIRONMENT__TEST": "6"}
    plan = json.loads(call("plan", "small.yaml", "--json", "--simulate", "0", cwd=tmp_path, **variables).out)
    assert (plan["repeats"], plan["tasks"]) == (5, 6)
    plan = json.loads(
        call(
            "plan", "small.yaml", "--json", "--simulate", "0", "-S", "repeats=7", cwd=tmp_path, **variables
        ).out
    )
    assert plan["repeats"] == 7
    wrong = call("plan", "small.yaml", cwd=tmp_path, MEMTRIAL_COLOUR="blue")
    assert wrong.code == 2
    assert "colour" in wrong.err
