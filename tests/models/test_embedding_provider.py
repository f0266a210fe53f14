"""Vectors of a provider, over a real socket: calls like any others, so asked for once, kept, and retried."""

import asyncio
import json
import sqlite3

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrial.ledger.sqlite.sqlite_calls import SqliteCallStore, open_unsealed
from memtrial.models.client.cache import CallCache
from memtrial.models.client.client import ModelClient
from memtrial.models.client.keys import Keys
from memtrial.models.client.limits import MAX_REPLY_BYTES, RetryPolicy
from memtrial.models.client.transport import HaltFault, Transport
from memtrial.models.client.types import ModelFault, ProviderFault
from memtrial.models.embeddings.embedding import HashingEmbedder
from memtrial.models.embeddings.provider import (
    LONGEST_TEXT,
    check_embedder,
    open_embedder,
    open_provider,
    read_answer,
)
from memtrial.models.scripted.fault_script import ScriptedFault
from memtrial.models.scripted.scripted_answers import answers_from
from memtrial.models.scripted.scripted_server import Script, serve_script
from tests.support.stub_provider import Said, provider

NAME = "openai/text-embedding-3-small"
KEY = "sk-a-secret-of-this-test"
QUICK = RetryPolicy(attempts=4, call_timeout_s=200, first_wait_s=0.01, longest_wait_s=0.05, longest_asked_s=5)


def serve(*faults: ScriptedFault, **script: object):
    return serve_script(Script(answers_from("simulated/reader"), faults, **script))


def keys(url: str) -> Keys:
    return Keys({"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": f"{url}/v1"})


def embedded(url, texts, path=":memory:", name=NAME, retry_policy=QUICK, say=lambda _: None):
    """The vectors of some texts, by one session."""

    async def session():
        cache = CallCache(SqliteCallStore(open_unsealed(path)))
        transport = Transport(retry_policy, say=say)
        client = ModelClient(cache, lambda name: open_provider(name, keys(url), MAX_REPLY_BYTES), transport)
        try:
            return await open_embedder(name, client).embed(texts)
        finally:
            await client.close()

    return asyncio.run(session())


def answer(heard, vector=None, **changed):
    text = heard.body["input"][0]
    data = [{"object": "embedding", "index": 0, "embedding": vector or [float(len(text)), 1.0]}]
    return {"data": data, "model": "m-1", "usage": {"prompt_tokens": 9, "total_tokens": 9}, **changed}


def test_vectors_are_those_of_the_texts_in_their_order_and_a_blank_is_nothing():
    texts = ["buy soap", "", "boil water", "buy soap", " \n", "ünï 日本 \ud800."]
    with serve() as server:
        found = embedded(server.url, texts)
        assert server.counts()["requests"] == 3
    sent = [text.replace("\ud800", "?") if text.strip() else "" for text in texts]
    np.testing.assert_allclose(found, HashingEmbedder().vectors(sent), atol=1e-6)
    assert found.dtype == np.float32


def test_nothing_but_blanks_asks_for_nothing():
    assert embedded("http://127.0.0.1:9", ["", " "]).shape[0] == 2
    assert embedded("http://127.0.0.1:9", []).shape[0] == 0


def test_what_is_sent_is_what_the_provider_reads():
    with provider(lambda heard: Said(answer(heard))) as stub:
        embedded(stub.url, ["x" * (LONGEST_TEXT + 5)])
    (heard,) = stub.heard
    assert (heard.method, heard.path) == ("POST", "/v1/embeddings")
    assert heard.headers["authorization"] == f"Bearer {KEY}"
    assert heard.headers["content-type"] == "application/json"
    assert heard.body == {"model": "text-embedding-3-small", "input": ["x" * LONGEST_TEXT]}


def test_no_text_is_embedded_twice_over_all_sessions_and_its_tokens_are_counted(tmp_path):
    path = tmp_path / "ledger.sqlite"
    texts = [f"text {i}" for i in range(40)]
    with serve() as server:
        first = embedded(server.url, texts + texts[:7], path)
        assert embedded(server.url, texts[::-1], path).tolist() == first[39::-1].tolist()
        assert server.counts()["requests"] == 40
        embedded(server.url, [*texts, "a new one"], path)
        embedded(server.url, texts[:1], path, name="openai/text-embedding-3-large")
        assert server.counts()["requests"] == 42
    # the server is gone: what is kept needs none
    assert embedded(server.url, texts, path).tolist() == first[:40].tolist()
    query = "SELECT purpose, count(*), sum(input_tokens) > 40 FROM calls GROUP BY purpose"
    assert sqlite3.connect(path).execute(query).fetchall() == [("embed", 42, 1)]


@pytest.mark.parametrize("kind", ["429", "500", "reset", "cut-off body", "malformed JSON", "empty content"])
def test_what_heals_is_tried_again(kind):
    said = []
    with serve(ScriptedFault(kind, at=(1, 2))) as server:
        assert embedded(server.url, ["a"], say=said.append).shape == (1, 384)
        assert server.counts()["requests"] == 3
    assert sum("attempt" in line for line in said) == 2


@pytest.mark.parametrize("kind", ["400", "401", "403", "404", "no credit"])
def test_what_cannot_heal_is_given_up_at_once(kind):
    with serve(ScriptedFault(kind)) as server:
        with pytest.raises(ProviderFault) as fault:
            embedded(server.url, ["a"])
        assert server.counts()["requests"] == 1
    assert not fault.value.heals
    assert NAME in str(fault.value)
    assert "\n" not in str(fault.value)


@pytest.mark.parametrize("kind", ["time-out", "slow drip"])
def test_an_answer_that_does_not_come_or_never_ends_is_given_up(kind):
    hasty = RetryPolicy(attempts=1, call_timeout_s=0.3)
    given_up = pytest.raises(ProviderFault, match=r"no answer .* within 0\.3 s")
    with serve(ScriptedFault(kind, lasts_s=60)) as server, given_up as fault:
        embedded(server.url, ["a"], retry_policy=hasty)
    assert fault.value.kind == "time-out"


def test_nobody_listens():
    with pytest.raises(ProviderFault, match="no connection to openai/") as fault:
        embedded("http://127.0.0.1:9", ["a"])
    assert fault.value.kind == "connection"


def test_a_model_that_changes_is_refused_in_a_later_session(tmp_path):
    path = tmp_path / "ledger.sqlite"
    with serve(ScriptedFault("wrong model", at=(2,))) as server:
        embedded(server.url, ["a"], path)
        with pytest.raises(HaltFault, match=r"'some-other-model', before as 'text-embedding-3-small'"):
            embedded(server.url, ["b"], path)
        assert server.counts()["requests"] == 2


def test_vectors_of_several_lengths_are_refused():
    def long(heard):
        return Said(answer(heard, vector=[1.0] * len(heard.body["input"][0])))

    with provider(long) as stub, pytest.raises(ModelFault, match=r"several lengths: \[1, 2\]"):
        embedded(stub.url, ["a", "bb"])


def test_the_key_is_in_no_file_and_no_message(tmp_path):
    path, said = tmp_path / "l.sqlite", []
    with provider(lambda heard: Said({"error": {"message": f"bad key {KEY}"}}, status=401)) as stub:
        with pytest.raises(ProviderFault) as fault:
            embedded(stub.url, ["a"], path, say=said.append)
        made = open_provider(NAME, keys(stub.url), MAX_REPLY_BYTES)
    assert "[key]" in str(fault.value)
    for text in (str(fault.value), *said, repr(made), path.read_bytes().decode("latin-1")):
        assert KEY not in text


BROKEN = {
    "no object": [],
    "no data": {"model": "m"},
    "data of another kind": {"data": {"0": [1]}},
    "none": {"data": []},
    "too many": {"data": [{"embedding": [1.0]}, {"embedding": [1.0]}]},
    "of no length": {"data": [{"embedding": []}]},
    "packed": {"data": [{"embedding": "AAAA"}]},
    "words": {"data": [{"embedding": ["1.0"]}]},
    "nothing": {"data": [{"embedding": [None]}]},
    "no number": {"data": [{"embedding": [float("nan")]}]},
    "endless": {"data": [{"embedding": [float("inf")]}]},
    "too large for float32": {"data": [{"embedding": [1e300]}]},
    "too large for anything": {"data": [{"embedding": [10**400]}]},
}


@pytest.mark.parametrize("body", BROKEN.values(), ids=BROKEN.keys())
def test_an_answer_that_is_not_one_finite_vector_is_refused(body):
    with pytest.raises(ValueError, match=r"\w") as fault:
        read_answer(json.dumps(body).encode(), Keys())
    assert "\n" not in str(fault.value)


@given(st.binary(max_size=200) | st.just(b"[" * 100_000))
def test_no_bytes_bring_more_than_one_clear_fault(raw):
    with pytest.raises(ValueError, match=r"JSON|data"):
        read_answer(raw, Keys())


@pytest.mark.parametrize(
    "usage", [None, {}, [], {"total_tokens": -1}, {"total_tokens": "9"}, {"total_tokens": 2**70}]
)
def test_usage_that_says_nothing_counts_nothing(usage):
    body = {"data": [{"embedding": [1.0]}], "usage": usage}
    assert read_answer(json.dumps(body).encode(), Keys()).input_tokens == 0


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("openai/text-embedding-3-small", "OPENAI_API_KEY"),
        ("mistral/mistral-embed", "MISTRAL_API_KEY"),
        ("nobody/model", "NOBODY_BASE_URL"),
        ("anthropic/claude", "makes no vectors"),
        ("simulated/reader", "makes no vectors"),
        ("vllm/a?dimensions=8", "without settings"),
        ("bm25", "provider/name"),
    ],
)
def test_a_name_that_cannot_be_opened_is_refused_before_anything_is_asked(name, said):
    with pytest.raises(ModelFault, match=said) as fault:
        check_embedder(name, Keys())
    assert "\n" not in str(fault.value)
