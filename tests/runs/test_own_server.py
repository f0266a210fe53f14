"""A server of one's own: no key, no price. Requests and hours bound a run; a budget in dollars says so."""

import json
from pathlib import Path

import pytest

from memtrial.api.run import RunOptions, plan
from memtrial.api.run import run as carry_out
from memtrial.cli.experiment.init import BACKBONES, Provider, init_spec
from memtrial.faults import SpecFault
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.models.client.keys import Keys
from memtrial.models.client.transport import Bounds, Transport
from memtrial.models.client.types import ModelFault
from memtrial.models.providers.provider_table import is_own_server, reach
from memtrial.models.scripted.scripted_server import MODEL, serve_script
from memtrial.runs.forecast.power_table import PlanOptions
from memtrial.runs.setup.preflight import check_spec
from memtrial.runs.spec.read_spec import load_spec
from memtrial.runs.spec.spec import Spec
from tests.support.scripted_run import GPT, query, script
from tests.support.small import write_spec

OWN: tuple[tuple[Provider, str], ...] = (
    ("vllm", "http://127.0.0.1:8000/v1"),
    ("ollama", "http://127.0.0.1:11434/v1"),
    ("llama.cpp", "http://127.0.0.1:8080/v1"),
)
SMALL = ("environment={train: 8, test: 5}", "arms=[none, control]", "conditions=[filler]")
NOBODY: dict[str, str] = {}
"""An environment without a key."""


@pytest.mark.parametrize(("provider", "address"), OWN)
def test_a_server_of_ones_own_is_reached_where_it_usually_is(provider: Provider, address: str) -> None:
    model, variable = BACKBONES[provider], f"{provider.upper().replace('.', '_')}_BASE_URL"
    assert reach(model, provider, Keys()).address == address
    there = "http://127.0.0.1:9/v1"
    assert reach(model, provider, Keys({variable: there})).address == there
    assert reach(model, provider, Keys(given={provider: there})).address == there
    assert is_own_server(model, Keys())


@pytest.mark.parametrize("model", ["openai/unheard-of", "simulated/reader", "mine/llama"])
def test_others_bill_tokens_or_none_are_sent(model: str) -> None:
    url = "http://127.0.0.1:9/v1"
    # whatever stands at OPENAI_BASE_URL may be a proxy of the provider
    keys = Keys({"OPENAI_BASE_URL": url, "MINE_BASE_URL": url})
    assert is_own_server(model, keys) == (model == "mine/llama")


@pytest.mark.parametrize("provider", [name for name, _ in OWN])
def test_init_plan_and_run_need_no_key(
    tmp_path: Path, provider: Provider, capsys: pytest.CaptureFixture[str]
) -> None:
    with serve_script(script()) as server:
        where = [f"{provider}={server.url}/v1"]
        path = init_spec(tmp_path / "mine.yaml", provider, where)
        assert f"{server.url}/v1 has {MODEL}, which plays" in " ".join(capsys.readouterr().out.split())
        spec = load_spec(path, SMALL)
        assert (spec.backbone, spec.budget.max_hours) == ((f"{provider}/{MODEL}",), 12)
        forecast = plan(spec, PlanOptions(simulate=0), base_urls=where)
        assert forecast.own_servers == forecast.unpriced == spec.backbone
        assert server.counts()["requests"] == 0
        asked = options(tmp_path, *where)
        ended = carry_out(spec, asked)
        assert ended.ending.how == "done"
        assert server.counts()["requests"] == len(query(tmp_path, "SELECT * FROM sends")) > 0


def test_a_server_that_is_not_there_is_said_and_the_spec_stands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = init_spec(tmp_path / "mine.yaml", "vllm", ["http://127.0.0.1:9/v1"])
    assert "write the one that it has in the place of vllm/" in " ".join(capsys.readouterr().out.split())
    assert load_spec(path).backbone == (BACKBONES["vllm"],)
    with pytest.raises(SpecFault, match="--provider"):
        init_spec(tmp_path / "other.yaml", "openai", ["http://127.0.0.1:9/v1"])
    with pytest.raises(SpecFault, match="no address"):
        init_spec(tmp_path / "other.yaml", "vllm", ["localhost:8000"])
    assert not (tmp_path / "other.yaml").exists()


def options(folder: Path, *urls: str) -> RunOptions:
    return RunOptions(folder / "out", base_urls=urls, environment=NOBODY, report=False)


def own(tmp_path: Path, *settings: str) -> Spec:
    """The small spec played by a model of one's own, and condensed by scripts."""
    fixed = ("backbone=vllm/m", "environment={train: 8, test: 5}", "arms=[none, control]")
    more = ("conditions=[filler]", "engine={workers: 1}")
    return load_spec(write_spec(tmp_path), (*fixed, *more, *settings))


def test_requests_end_a_run_at_a_whole_block_and_more_of_them_finish_it(tmp_path: Path) -> None:
    with serve_script(script()) as server:
        asked = options(tmp_path, f"{server.url}/v1")
        ended = carry_out(own(tmp_path, "budget={max_calls: 40}"), asked)
        assert ended.ending.how == "budget"
        assert "budget.max_calls 40" in ended.ending.why
        n_sent = len(query(tmp_path, "SELECT * FROM sends"))
        assert 0 < n_sent <= 40
        per_block = query(tmp_path, "SELECT count(*) FROM trials GROUP BY task, repeat")
        assert 0 < len(per_block) < 10
        assert len(set(per_block)) == 1
        session = json.loads(query(tmp_path, "SELECT body FROM sessions")[0][0])
        assert session["budget"]["max_calls"] == 40
        ended = carry_out(own(tmp_path, "budget={max_calls: 40000, max_hours: 9}"), asked)
        assert ended.ending.how == "done"


def test_hours_end_a_run_and_are_those_of_all_sessions(tmp_path: Path) -> None:
    with serve_script(script()) as server:
        asked = options(tmp_path, f"{server.url}/v1")
        ended = carry_out(own(tmp_path, "budget={max_hours: 1.0e-9}"), asked)
        assert ended.ending.how == "budget"
        assert "budget.max_hours 1e-09 is reached" in ended.ending.why
        assert query(tmp_path, "SELECT * FROM trials") == []
    now = [0.0]
    transport = Transport(bounds=Bounds(max_hours=2, hours_before=1.5), clock=lambda: now[0])
    for minutes, reached in ((0, False), (29, False), (31, True)):
        now[0] = 60.0 * minutes
        assert bool(transport.bounds.bound_reached(0, transport.hours)) == reached


def test_a_session_without_an_end_lasted_to_its_last_request(tmp_path: Path) -> None:
    ledger = SqliteLedger(tmp_path / "ledger.sqlite")
    with ledger.connection as rows:
        for number, hour in enumerate((0, 5, 9), 1):
            rows.execute(
                "INSERT INTO main.sessions VALUES (?, ?, '{}')", (number, f"2026-01-01T{hour:02}:00:00+00:00")
            )
        rows.execute("INSERT INTO main.session_ends VALUES (1, '2026-01-01T02:00:00+00:00', 'done', '')")
        # 2026-01-01T05:30 UTC, within the second session, which was killed
        rows.execute("INSERT INTO main.sends VALUES (1, x'00', 'm', 1767245400.0)")
    assert ledger.accounts.hours_before(3) == pytest.approx(2.5)
    assert ledger.accounts.hours_before(2) == pytest.approx(2)
    assert ledger.accounts.hours_before(1) == 0
    ledger.close()


@pytest.mark.parametrize(
    ("settings", "bound"),
    [
        (("budget={max_cost_usd: 1}",), "budget.max_calls or max_hours bounds them"),
        (("budget={max_cost_usd: 1, max_calls: 9}",), "max_calls 9 bound the run"),
        (("budget={max_calls: 9}",), ""),
        (("retrieval.embedder=vllm/e", "backbone=simulated/reader", "budget={max_cost_usd: 1}"), "vllm/e"),
    ],
)
def test_a_budget_in_dollars_is_neither_refused_nor_silent(
    tmp_path: Path, settings: tuple[str, ...], bound: str
) -> None:
    told = " ".join(check_spec(own(tmp_path, *settings), NOBODY).notices)
    assert bound in told
    assert ("counts no dollars" in told) == bool(bound)
    # a provider that bills is refused as before
    paid = own(tmp_path, *settings, "backbone=openai/x", "budget.max_cost_usd=1")
    with pytest.raises(SpecFault, match="budget needs prices"):
        check_spec(paid, {"OPENAI_API_KEY": "k"})


def test_requests_bound_the_preparation_too(tmp_path: Path) -> None:
    with serve_script(script()) as server:
        asked = options(tmp_path, f"{server.url}/v1")
        ended = carry_out(own(tmp_path, "traces.player=vllm/m", "budget={max_calls: 7}"), asked)
        assert (ended.ending.how, server.counts()["requests"]) == ("budget", 7)
        assert "budget.max_calls 7 is reached (7 requests sent)" in ended.ending.why
        assert query(tmp_path, "SELECT * FROM trials") == []


def test_a_plan_needs_no_key_and_says_that_a_run_does(tmp_path: Path) -> None:
    spec = load_spec(write_spec(tmp_path), (f"backbone={GPT}", "retrieval.embedder=openai/e"))
    lines: list[str] = []
    experiment = check_spec(spec, NOBODY, keys_needed=False)
    lines.extend(experiment.notices)
    assert any("needs a key: set OPENAI_API_KEY" in line for line in lines)
    with pytest.raises(SpecFault, match="needs a key"):
        check_spec(spec, NOBODY)
    with pytest.raises(ModelFault, match="needs a key"):
        reach(GPT, "openai", Keys())
