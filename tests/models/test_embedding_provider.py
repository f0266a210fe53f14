"""Vectors of a provider, over a real socket: asked for once, kept, checked, and retried within bounds."""

from __future__ import annotations

import json
import sqlite3

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadbearing.memory.retrieval import Retrieval, SourceKey
from loadbearing.models.client.cache import StoreFault
from loadbearing.models.client.keys import Keys
from loadbearing.models.client.limits import RetryPolicy
from loadbearing.models.client.types import ModelFault, ProviderFault
from loadbearing.models.embeddings.embedders import EXTRA, check_embedder, open_embedder
from loadbearing.models.embeddings.embedding import HashingEmbedder, SpaceFault
from loadbearing.models.embeddings.provider import LONGEST_TEXT, read_answer
from loadbearing.models.embeddings.store import MOST_CHARACTERS, MOST_TEXTS
from loadbearing.models.scripted.answers import answers_from
from loadbearing.models.scripted.faults import Fault
from loadbearing.models.scripted.server import Script, running
from tests.support.stub_provider import Said, provider
from tests.support.vectors import cosine

NAME = "openai/text-embedding-3-small"
KEY = "sk-a-secret-of-this-test"
QUICK = RetryPolicy(attempts=4, call_timeout_s=20, first_wait_s=0.01, longest_wait_s=0.05, longest_asked_s=5)


def serve(*faults: Fault, **script: object):
    return running(Script(answers_from("simulated/reader"), faults, **script))


def keys(url: str) -> Keys:
    return Keys({"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": f"{url}/v1"})


def embedder(
    url: str, path: object = ":memory:", name: str = NAME, retry_policy: RetryPolicy = QUICK, say=None
):
    connection = sqlite3.connect(path)
    return open_embedder(name, keys(url), connection, retry_policy, say or (lambda _: None))


def answer(heard, vectors=None, **changed):
    n = len(heard.body["input"])
    rows = vectors or [[float(len(text)), 1.0] for text in heard.body["input"]]
    data = [{"object": "embedding", "index": at, "embedding": rows[at]} for at in range(n)]
    return {"data": data, "model": "m-1", "usage": {"prompt_tokens": 9, "total_tokens": 9}, **changed}


def test_vectors_are_those_of_the_texts_in_their_order_and_a_blank_is_nothing():
    texts = ["buy soap", "", "boil water", "buy soap", " \n", "ünï 日本 \ud800."]
    with serve() as server:
        vectors = embedder(server.url).embed(texts)
        assert server.counts()["requests"] == 1
    sent = [text.replace("\ud800", "?") if text.strip() else "" for text in texts]
    wanted = HashingEmbedder().embed(sent).array
    np.testing.assert_allclose(vectors.array, wanted, atol=1e-6)
    assert vectors.array.dtype == np.float32


def test_what_is_sent_is_what_the_provider_reads():
    with provider(lambda heard: Said(answer(heard))) as stub:
        embedder(stub.url).embed(["a", "b", "x" * (LONGEST_TEXT + 5)])
    (heard,) = stub.heard
    assert (heard.method, heard.path) == ("POST", "/v1/embeddings")
    assert heard.headers["authorization"] == f"Bearer {KEY}"
    assert heard.headers["content-type"] == "application/json"
    wanted = {"model": "text-embedding-3-small", "input": ["a", "b", "x" * LONGEST_TEXT]}
    assert heard.body == wanted


def test_no_text_is_embedded_twice_over_all_sessions(tmp_path):
    path = tmp_path / "ledger.sqlite"
    texts = [f"text {i}" for i in range(40)]
    with serve() as server:
        first = embedder(server.url, path).embed(texts + texts[:7])
        assert embedder(server.url, path).embed(texts[::-1]).array.tolist() == first.array[39::-1].tolist()
        assert server.counts()["requests"] == 1
        embedder(server.url, path).embed([*texts, "a new one"])
        assert server.counts()["requests"] == 2
        embedder(server.url, path, name="openai/text-embedding-3-large").embed(texts)
        assert server.counts()["requests"] == 3
    # the server is gone: what is kept needs none
    assert embedder(server.url, path).embed(texts).array.tolist() == first.array[:40].tolist()


def test_requests_are_few_and_bounded():
    with provider(lambda heard: Said(answer(heard))) as stub:
        made = embedder(stub.url)
        made.embed([f"text {i}" for i in range(2 * MOST_TEXTS + 1)])
        assert [len(heard.body["input"]) for heard in stub.heard] == [MOST_TEXTS, MOST_TEXTS, 1]
        stub.heard.clear()
        long = ["x" * (MOST_CHARACTERS // 2 - at) for at in range(3)] + ["y" * (2 * MOST_CHARACTERS), "z"]
        made.embed(long)
    assert [len(heard.body["input"]) for heard in stub.heard] == [2, 1, 1, 1]


def test_what_was_answered_before_a_fault_is_kept(tmp_path):
    path = tmp_path / "ledger.sqlite"
    texts = [f"text {i}" for i in range(MOST_TEXTS + 3)]
    with serve(Fault("400", at=(2,))) as server:
        with pytest.raises(ProviderFault):
            embedder(server.url, path).embed(texts)
        assert sqlite3.connect(path).execute("SELECT count(*) FROM embeddings").fetchone() == (MOST_TEXTS,)
        assert len(embedder(server.url, path).embed(texts).array) == len(texts)
        assert server.counts()["requests"] == 3


@pytest.mark.parametrize("kind", ["429", "500", "503", "529", "reset", "cut-off body", "malformed JSON"])
def test_what_heals_is_tried_again(kind):
    said = []
    with serve(Fault(kind, at=(1, 2))) as server:
        assert embedder(server.url, say=said.append).embed(["a"]).array.shape == (1, 384)
        assert server.counts()["requests"] == 3
    assert ["attempt 1 of 4" in said[0], "attempt 2 of 4" in said[1], len(said)] == [True, True, 2]


@pytest.mark.parametrize("kind", ["400", "401", "403", "404", "no credit"])
def test_what_cannot_heal_is_given_up_at_once(kind):
    with serve(Fault(kind)) as server:
        with pytest.raises(ProviderFault) as fault:
            embedder(server.url).embed(["a"])
        assert server.counts()["requests"] == 1
    assert not fault.value.heals
    assert NAME in str(fault.value)
    assert "\n" not in str(fault.value)


@pytest.mark.parametrize("kind", ["500", "empty content"])
def test_attempts_are_bounded(kind):
    with serve(Fault(kind)) as server:
        with pytest.raises(ProviderFault):
            embedder(server.url).embed(["a"])
        assert server.counts()["requests"] == QUICK.attempts


def test_retry_after_is_honoured_and_one_that_is_too_long_is_not_waited_for():
    said = []
    with serve(Fault("429", at=(1,), retry_after_s=0.4)) as server:
        embedder(server.url, say=said.append).embed(["a"])
        assert "again in 0.4 s" in said[0]
    with serve(Fault("429", at=(1,), retry_after_s=60)) as server:
        with pytest.raises(ProviderFault):
            embedder(server.url).embed(["a"])
        assert server.counts()["requests"] == 1


@pytest.mark.parametrize("kind", ["time-out", "slow drip"])
def test_an_answer_that_does_not_come_or_never_ends_is_given_up(kind):
    hasty = RetryPolicy(attempts=1, call_timeout_s=0.3)
    given_up = pytest.raises(ProviderFault, match=r"no answer .* within 0\.3 s")
    with serve(Fault(kind, lasts_s=60)) as server, given_up as fault:
        embedder(server.url, retry_policy=hasty).embed(["a"])
    assert fault.value.kind == "time-out"


def test_nobody_listens():
    with pytest.raises(ProviderFault, match="no connection to openai/") as fault:
        embedder("http://127.0.0.1:9").embed(["a"])
    assert fault.value.kind == "connection"


def test_a_model_that_changes_is_refused_at_once_and_in_a_later_session(tmp_path):
    path = tmp_path / "ledger.sqlite"
    with serve(Fault("wrong model", at=(2,))) as server:
        made = embedder(server.url, path)
        made.embed(["a"])
        with pytest.raises(
            ProviderFault, match=r"'some-other-model'.*before as 'text-embedding-3-small'"
        ) as fault:
            made.embed(["b"])
        assert fault.value.kind == "other model"
        assert server.counts()["requests"] == 2
    refused = pytest.raises(ProviderFault, match=r"2 dimensions, before as .* with 384")
    with provider(lambda heard: Said(answer(heard, model="text-embedding-3-small"))) as stub, refused:
        embedder(stub.url, path).embed(["c"])
    assert sqlite3.connect(path).execute("SELECT count(*) FROM embeddings").fetchone() == (1,)


def test_the_tokens_of_all_requests_add_up_and_rows_stay_as_they_are(tmp_path):
    with provider(lambda heard: Said(answer(heard))) as stub:
        embedder(stub.url, tmp_path / "l.sqlite").embed([f"t {i}" for i in range(MOST_TEXTS + 1)])
    connection = sqlite3.connect(tmp_path / "l.sqlite")
    assert connection.execute("SELECT sum(tokens), count(*) FROM embeddings").fetchone() == (
        18,
        MOST_TEXTS + 1,
    )
    for change in ("UPDATE embeddings SET tokens = 0", "DELETE FROM embeddings"):
        with pytest.raises(sqlite3.IntegrityError, match="a kept vector stays as it is"):
            connection.execute(change)
    connection.execute(
        "INSERT OR REPLACE INTO embeddings SELECT key, 's', 'm', 0, x'00', nth FROM embeddings"
    )
    assert connection.execute("SELECT sum(tokens) FROM embeddings").fetchone() == (18,)


def test_what_cannot_be_kept_is_said(tmp_path):
    path = tmp_path / "l.sqlite"
    with serve() as server:
        made = embedder(server.url, path)
        made.connection.execute("PRAGMA query_only = 1")
        with pytest.raises(StoreFault, match="the vectors cannot be kept"):
            made.embed(["a"])


def test_the_key_is_in_no_file_and_no_message(tmp_path):
    path, said = tmp_path / "l.sqlite", []
    with provider(lambda heard: Said({"error": {"message": f"bad key {KEY}"}}, status=401)) as stub:
        made = embedder(stub.url, path, say=said.append)
        with pytest.raises(ProviderFault) as fault:
            made.embed(["a"])
    assert "[key]" in str(fault.value)
    for text in (str(fault.value), *said, repr(made), path.read_bytes().decode("latin-1")):
        assert KEY not in text


def row(at, *vector, **changed):
    return {"index": at, "embedding": list(vector), **changed}


BROKEN = {
    "no object": [],
    "no data": {"model": "m"},
    "data of another kind": {"data": {"0": [1]}},
    "too few": {"data": [row(0, 1.0)]},
    "too many": {"data": [row(0, 1.0), row(1, 1.0), row(2, 1.0)]},
    "one twice": {"data": [row(0, 1.0), row(0, 1.0)]},
    "a place of another kind": {"data": [row("0", 1.0), row("1", 1.0)]},
    "true for a place": {"data": [row(0, 1.0), row(True, 1.0)]},
    "ragged": {"data": [row(0, 1.0), row(1, 1.0, 2.0)]},
    "of no length": {"data": [row(0), row(1)]},
    "packed": {"data": [row(0, embedding="AAAA"), row(1, embedding="AAAA")]},
    "words": {"data": [row(0, "1.0"), row(1, "1.0")]},
    "nothing": {"data": [row(0, None), row(1, 1.0)]},
    "no number": {"data": [row(0, float("nan")), row(1, 1.0)]},
    "endless": {"data": [row(0, float("inf")), row(1, 1.0)]},
    "too large for float32": {"data": [row(0, 1e300), row(1, 1.0)]},
    "too large for anything": {"data": [row(0, 10**400), row(1, 1.0)]},
}


@pytest.mark.parametrize("body", BROKEN.values(), ids=BROKEN.keys())
def test_an_answer_that_is_not_one_finite_vector_a_text_is_refused(body):
    with pytest.raises(ValueError, match=r"\w") as fault:
        read_answer(json.dumps(body).encode(), 2)
    assert "\n" not in str(fault.value)


@given(st.binary(max_size=200) | st.just(b"[" * 100_000))
def test_no_bytes_bring_more_than_one_clear_fault(raw):
    with pytest.raises(ValueError, match=r"JSON|data"):
        read_answer(raw, 1)


@given(st.permutations(range(5)))
def test_the_index_says_which_text_a_vector_is_of(order):
    body = {"data": [row(at, float(at), 1) for at in order], "model": "m", "usage": {"total_tokens": 4}}
    found = read_answer(json.dumps(body).encode(), 5)
    assert found.array[:, 0].tolist() == [0, 1, 2, 3, 4]
    assert (found.tokens, found.answered) == (4, "m")


@pytest.mark.parametrize(
    "usage", [None, {}, [], {"total_tokens": -1}, {"total_tokens": "9"}, {"total_tokens": 2**70}]
)
def test_usage_that_says_nothing_counts_nothing(usage):
    body = {"data": [row(0, 1.0)], "usage": usage}
    assert read_answer(json.dumps(body).encode(), 1).tokens == 0


def test_retrieval_works_across_sessions_and_refuses_another_space(tmp_path):
    from loadbearing.environments.world import Task

    listed = [SourceKey("a", "boil water", ""), SourceKey("b", "buy soap", "")]
    with serve() as server:
        index = Retrieval(embedder(server.url, tmp_path / "l.sqlite"), 1).index(listed)
        (hit,) = index.nearest(Task("t", "buy some soap", "f", "", "test"))
        assert hit.task_id == "b"
        other = embedder(server.url, tmp_path / "l.sqlite", name="openai/text-embedding-3-large")
        with pytest.raises(SpaceFault):
            cosine(other.embed(["a"]), embedder(server.url, tmp_path / "l.sqlite").embed(["a"]))


def test_names():
    memory = sqlite3.connect(":memory:")
    assert open_embedder("hashing", Keys(), memory) == HashingEmbedder()
    assert memory.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)
    some = Keys({"OPENAI_API_KEY": KEY, "MINE_BASE_URL": "http://127.0.0.1:1/v1", "GEMINI_API_KEY": KEY})
    spaces = [
        open_embedder(name, some, memory).space
        for name in ("openai/a", "openai/b", "gemini/a", "mine/org/a", "vllm/a")
    ]
    assert len(set(spaces)) == 5
    assert all(name in space for name, space in zip(("openai/a", "openai/b"), spaces, strict=False))


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
    for refuse in (
        lambda: check_embedder(name, Keys()),
        lambda: open_embedder(name, Keys(), sqlite3.connect(":memory:")),
    ):
        with pytest.raises(ModelFault, match=said) as fault:
            refuse()
        assert "\n" not in str(fault.value)


def test_the_extra_is_named_where_it_is_missing():
    from importlib.util import find_spec

    if find_spec("sentence_transformers") is not None:
        pytest.skip("sentence-transformers is installed")
    with pytest.raises(ModelFault, match=r"needs an extra that is not here") as fault:
        check_embedder("sentence-transformers/all-MiniLM-L6-v2", Keys())
    assert str(fault.value).endswith(EXTRA)
