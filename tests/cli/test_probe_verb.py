"""`probe` on the command line: a forecast, a budget, a second session, logs, and what is refused."""

import json
import shutil
from pathlib import Path

import pytest

from memtrial.ledger.open_ledger import open_ledger_to_read
from memtrial.models.scripted.scripted_server import serve_script
from tests.cli.conftest import Call
from tests.support.probed_run import probed_run
from tests.support.scripted_run import CLAUDE, script, surroundings


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Path:
    shutil.copytree(probed_run(tmp_path_factory), tmp_path / "logs" / "probed", symlinks=True)
    return tmp_path


def test_a_forecast_and_what_is_shown_of_a_probe(call: Call, folder: Path) -> None:
    asked = ("probe", "probed", "--arm", "oracle", "--calls", "60")
    said = call(*asked, "--plan", cwd=folder)
    assert said.code == 0
    assert "calls" in said.out
    assert not (folder / "logs" / "probed" / "probe").exists()
    size = json.loads(call(*asked, "--plan", "--json", cwd=folder).out)["sizes"]["drawn"]
    assert 0 < size["calls"] <= 60
    shown = call(*asked, "--display", "plain", cwd=folder)
    assert shown.code == 0
    assert "Simulated participants" in shown.out
    assert "direct effect given the history" in shown.out
    assert "What each memory does:" in shown.out
    assert "ask again: " in shown.err
    results = json.loads(call(*asked, "--json", "--display", "none", cwd=folder).out)
    assert results["calls"] == size["calls"]
    assert results == json.loads((folder / "logs" / "probed" / "probe" / "results.json").read_text())


def test_a_budget_that_is_spent_stops_it_and_a_larger_one_goes_on(call: Call, folder: Path) -> None:
    asked = ("probe", "probed", "--arm", "oracle", "--calls", "40", "--model", CLAUDE, "--display", "none")
    with serve_script(script()) as server:
        around = surroundings(server.url)
        stopped = call(*asked, "--max-cost", "0.002", "--max-connections", "1", cwd=folder, **around)
        assert stopped.code == 1
        assert stopped.err.count("\n") == 1
        assert "the budget of $0.002 is spent" in stopped.err
        sent = server.counts()["requests"]
        assert 0 < sent < 40
        assert not (folder / "logs" / "probed" / "probe" / "results.json").exists()
        done = call(*asked, "--json", "--max-cost", "5", cwd=folder, **around)
        assert done.code == 0, done.err
        results = json.loads(done.out)
        assert server.counts()["requests"] == results["calls"]
        assert results["usd"] > 0.002
        assert not results["simulated"]
        unpriced = ("--model", "anthropic/claude-of-tomorrow", "--max-cost", "1")
        refused = call(*asked[:6], *unpriced, cwd=folder, **around)
        assert refused.code == 2
        assert "none is known" in refused.err


def test_logs_are_asked_again_where_their_memory_stands_in_them(call: Call, folder: Path) -> None:
    ledger = open_ledger_to_read(folder / "logs" / "probed" / "ledger.sqlite")
    items: dict[str, None] = {}
    lines = []
    for row in ledger.trials():
        episode = ledger.episode(row.key)
        if row.arm == "oracle" and row.condition == "intact" and episode is not None:
            lines.append(json.dumps({"task_id": row.task, "messages": list(episode.conversation)}))
            items |= dict.fromkeys(ledger.slot(item) or "" for item in row.items)
    ledger.close()
    (folder / "chats.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    memory = "\n\n".join(f"# Memory Item {n}\n{text}" for n, text in enumerate(items, 1))
    (folder / "memory.md").write_text(memory + "\n", encoding="utf-8")
    model = ("--model", "simulated/reader", "--display", "none")
    done = call("probe", "chats.jsonl", "--memory", "memory.md", *model, "--json", cwd=folder)
    assert done.code == 0, done.err
    results = json.loads(done.out)
    assert [arm["word"] for arm in results["arms"]] == ["follows"]
    assert "stand verbatim" in results["notes"][0]
    assert (folder / "logs" / "probe_chats_memory" / "report.html").is_file()
    (folder / "other.md").write_text("Something else.\n", encoding="utf-8")
    for options, said in (
        (model, "--memory FILE names what stood there"),
        (("--memory", "memory.md"), "--model provider/name"),
        (("--memory", "other.md", *model), "stands verbatim is needed"),
    ):
        refused = call("probe", "chats.jsonl", *options, cwd=folder)
        assert refused.code == 2
        assert refused.err.count("\n") == 1
        assert said in refused.err


def test_a_server_that_gives_shares_is_asked_once_a_cell(
    call: Call, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    run = tmp_path / "logs" / "chosen"
    shutil.copytree(probed_run(tmp_path_factory, "choice"), run, symlinks=True)
    asked = ("probe", "chosen", "--arm", "oracle", "--calls", "16", "--model", "llama.cpp/any")
    with serve_script(script()) as server:
        around = {"LLAMA_CPP_BASE_URL": f"{server.url}/v1"}
        done = call(*asked, "--json", "--display", "none", cwd=tmp_path, **around)
        assert done.code == 0, done.err
        results = json.loads(done.out)
        assert results["exact"]
        assert results["calls"] == 4 * results["n_decisions"] <= 16
        assert server.counts()["requests"] > results["calls"]  # one for each choice, too
        before = server.counts()["requests"]
        again = call(*asked, "--json", "--display", "none", cwd=tmp_path, **around)
        assert json.loads(again.out) == results
        assert server.counts()["requests"] == before
    shift = next(row for row in results["rows"] if (row["outcome"], row["condition"]) == ("shift", "counter"))
    assert 0 < shift["estimate"] <= 1
