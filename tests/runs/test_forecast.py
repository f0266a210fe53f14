"""Forecasts of cost: nothing is free that has no price, more costs no less, and a real run lies between."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrial.models.client.prices import Price, PriceTable
from memtrial.models.client.types import Reply
from memtrial.models.scripted.scripted_server import serve_script
from memtrial.runs.forecast.cost_forecast import (
    CACHEABLE,
    NOTHING,
    UNKNOWN,
    conversation,
    from_pilot,
    of_calls,
    of_episode,
    read_pilot,
)
from memtrial.runs.forecast.power_table import PlanOptions
from memtrial.runs.forecast.spec_forecast import forecast_of
from memtrial.runs.setup.preflight import check_spec
from memtrial.runs.spec.read_spec import load_spec
from tests.support.carried_out import play_spec
from tests.support.scripted_run import CLAUDE, GPT, script, surroundings
from tests.support.small import write_spec

TABLE = PriceTable(
    "2026-11",
    "made up",
    {
        "anthropic/cached": Price(1.0, 5.0, 0.1, 1.25),
        "openai/plain": Price(1.0, 5.0, 0.1, None),
    },
)
CACHED, PLAIN, UNPRICED, FREE = "anthropic/cached", "openai/plain", "openai/unheard-of", "simulated/reader"
UNSIMULATED = PlanOptions(simulate=0)
tokens = st.floats(0, 3000)
turns = st.floats(0, 60)
triples = st.tuples(tokens, tokens, tokens).map(lambda found: np.array(sorted(found)))
calls = st.tuples(turns, turns, turns).map(lambda found: np.array(sorted(found)))
shapes = st.tuples(triples, tokens, triples, calls)
PROMPT, REPLY = np.full(3, 1000.0), np.full(3, 100.0)


@given(shape=shapes, calls=calls)
def test_without_a_price_the_cost_is_unknown_and_simulated_it_is_nothing(shape, calls) -> None:
    unknown = of_episode(UNPRICED, TABLE, *shape)
    assert unknown == of_calls(UNPRICED, TABLE, PROMPT, REPLY, calls) == UNKNOWN
    assert of_episode(FREE, TABLE, *shape) == NOTHING
    assert of_calls(FREE, TABLE, PROMPT, REPLY, calls) == NOTHING
    known = of_episode(PLAIN, TABLE, *shape)
    assert known + unknown == unknown + known == unknown.times(3) == unknown


@pytest.mark.parametrize("model", [CACHED, PLAIN])
@given(shape=shapes)
def test_low_likely_and_high_are_in_order(model, shape) -> None:
    cost = of_episode(model, TABLE, *shape)
    assert cost.low <= cost.likely <= cost.high


@pytest.mark.parametrize("model", [CACHED, PLAIN])
@given(system=tokens, turn=tokens, reply=tokens, few=st.integers(0, 40), more=st.integers(0, 40))
def test_more_turns_cost_no_less(model, system, turn, reply, few, more) -> None:
    def usd(n: float) -> float:
        return TABLE.usd(model, conversation(model, system, turn, reply, n))

    # tokens are whole, and each kind is rounded
    assert usd(few) <= usd(few + more) + 5e-6


@given(system=tokens, turn=tokens, reply=tokens, more=tokens, n=st.integers(1, 40))
def test_where_nothing_is_cached_longer_texts_cost_no_less(system, turn, reply, more, n) -> None:
    base = TABLE.usd(PLAIN, conversation(PLAIN, system, turn, reply, n))
    for sizes in ((system + more, turn, reply), (system, turn + more, reply), (system, turn, reply + more)):
        assert TABLE.usd(PLAIN, conversation(PLAIN, *sizes, n)) >= base - 1e-9


@given(known=st.integers(0, 50), calls=calls, n=st.floats(0, 100))
def test_calls_and_repetitions_add_up(known, calls, n) -> None:
    one = of_calls(PLAIN, TABLE, PROMPT, REPLY, np.full(3, known))
    assert one.likely == pytest.approx(known * (1000 * 1.0 + 100 * 5.0) / 1e6)
    some = of_calls(PLAIN, TABLE, PROMPT, REPLY, calls)
    assert some.low <= some.likely <= some.high
    assert some.times(n).high == pytest.approx(some.high * n)


@given(system=tokens, turn=tokens, reply=tokens, n=st.integers(1, 40))
def test_the_cache_is_anthropics_and_begins_at_its_length(system, turn, reply, n) -> None:
    plain = conversation(PLAIN, system, turn, reply, n)
    assert plain.cache_read_tokens == plain.cache_write_tokens == 0
    cached = conversation(CACHED, system, turn, reply, n)
    whole = cached.input_tokens + cached.cache_read_tokens + cached.cache_write_tokens
    assert whole == pytest.approx(plain.input_tokens, abs=2)
    assert cached.output_tokens == plain.output_tokens
    prompts = [system + i * (turn + reply) + turn for i in range(n)]
    short = [prompt for prompt in prompts if prompt < CACHEABLE]
    assert cached.input_tokens == pytest.approx(sum(short), abs=1)
    # each long prompt reads what the one before it left there, and that one must have been long itself
    read = sum(before for before in prompts[: n - 1] if before >= CACHEABLE)
    assert cached.cache_read_tokens == pytest.approx(read, abs=1)


replies = st.builds(lambda i, o: Reply("", i, o, "m"), st.integers(0, 10**6), st.integers(0, 10**5))


@given(measured=st.lists(replies, min_size=1, max_size=12), n=st.integers(0, 1000))
def test_from_a_pilot_likely_is_the_mean(measured, n) -> None:
    cost = from_pilot(measured, PLAIN, TABLE)
    mean = sum(TABLE.usd(PLAIN, one) for one in measured) / len(measured)
    assert cost.times(n).likely == pytest.approx(mean * n)
    assert 0 <= cost.low <= cost.likely <= cost.high
    assert from_pilot(measured, UNPRICED, TABLE) == UNKNOWN
    assert from_pilot(measured, FREE, TABLE) == NOTHING
    assert from_pilot([], PLAIN, TABLE) is None


PAID = """
name: paid
seed: 3
environment: {world: workshop, train: 6, test: 5, families: 8}
backbone: MODEL
traces: {source: play}
condensers: {native: {kind: native}, theory: {kind: theory, gates: [trigger-presence, claim-strength]}}
arms: [none, control, artifact, activation, oracle]
conditions: [filler]
repeats: 1
engine: {workers: 8}
"""


@pytest.mark.parametrize("model", [GPT, CLAUDE])
def test_a_real_run_costs_what_was_forecast_and_the_pilot_says_it_again(tmp_path: Path, model: str) -> None:
    spec = load_spec(write_spec(tmp_path, PAID.replace("MODEL", model)))
    with serve_script(script()) as server:
        surrounded = surroundings(server.url)
        experiment = check_spec(spec, surrounded)
        plan = forecast_of(experiment, wanted=UNSIMULATED)
        assert server.counts()["requests"] == 0
        assert play_spec(spec, tmp_path / "out", environment=surrounded) == 0
        asked = server.counts()["requests"]
        again = forecast_of(experiment, read_pilot(tmp_path / "out"), UNSIMULATED)
        assert server.counts()["requests"] == asked
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    paid = {arm: one["usd"] for arm, one in results["cost"].items()}
    before = sum(row["usd"] for row in results["preparation"])
    for arm, figures in plan.cost_usd.items():
        assert figures.low <= paid[arm] <= figures.high, arm
        assert again.cost_usd[arm].likely == pytest.approx(paid[arm], abs=1e-4, rel=0.2)
    assert plan.preparation_usd.low <= before <= plan.preparation_usd.high
    assert again.preparation_usd == plan.preparation_usd


def test_a_pilot_of_simulated_models_is_priced_for_the_spec_it_is_asked_for(tmp_path: Path) -> None:
    text = PAID.replace("traces: {source: play}", "roles: ROLES")
    simulated = text.replace("MODEL", "simulated/reader").replace(
        "ROLES", "{condenser: simulated/scribe, gate: simulated/examiner}"
    )
    free = load_spec(write_spec(tmp_path, simulated))
    assert play_spec(free, tmp_path / "out", told=False) == 0
    pilot = read_pilot(tmp_path / "out")
    assert forecast_of(check_spec(free), pilot, UNSIMULATED).total_usd == NOTHING
    surrounded = surroundings("http://127.0.0.1:9")
    paid = load_spec(write_spec(tmp_path, text.replace("MODEL", GPT).replace("ROLES", "{}")))
    plan = forecast_of(check_spec(paid, surrounded), pilot, UNSIMULATED)
    assert plan.preparation_usd.likely > 0
    assert all(one.likely > 0 for one in plan.cost_usd.values())
    unknown = paid.model_copy(update={"backbone": (UNPRICED,)})
    assert forecast_of(check_spec(unknown, surrounded), pilot, UNSIMULATED).total_usd == UNKNOWN
