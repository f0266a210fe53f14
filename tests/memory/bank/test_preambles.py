"""The forms in which items are shown, to the byte; and the count of their tokens."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrial.memory.bank.bank_item import BankItem, ItemDetails, ItemOrigin
from memtrial.memory.bank.preambles.conditioning_fields import ConditioningFields, make_fields
from memtrial.memory.bank.preambles.item_gist import gist_of, join_steps
from memtrial.memory.bank.preambles.shown_block import show_block
from memtrial.memory.bank.preambles.strategy_vector import blend_vectors
from memtrial.memory.bank.ranking.query_vectors import MOST_KEPT, QueryVectors
from memtrial.memory.bank.ranking.tokenizer import count_tokens
from memtrial.memory.item import AdditiveItem, NativeItem, ProseItem, TheoryItem
from memtrial.models.embeddings.embedding import Array, HashingEmbedder
from memtrial.prompts.templates import cue_line

CSRF = NativeItem(
    "Handle login flows with CSRF tokens",
    "Always fetch and include CSRF token before POST.",
    "1) Load page and parse CSRF. 2) Attach token to POST. 3) Retry once if 403 and refresh token.",
)
PAGES = NativeItem(
    "Avoid infinite pagination loops",
    "Stop where pages repeat.",
    "1. Detect repeated DOM states and stop.\n2. Summarize partial results.",
)


def held(words, outcome="success", details=None, id="x", confidence=0.76) -> BankItem:
    origin = ItemOrigin("t", "q", outcome)
    return BankItem(id, 1, words, origin, 0.0, confidence, details or ItemDetails())


TWO = (held(CSRF), held(PAGES))


def test_the_preamble_is_that_of_seeds_003() -> None:
    assert show_block(TWO, "strategies") == (
        "Strategy memories you can optionally use.\n"
        "1) [Title] Handle login flows with CSRF tokens\n"
        "Steps: Load page and parse CSRF. Attach token to POST. Retry once if 403 and refresh token.\n"
        "2) [Title] Avoid infinite pagination loops\n"
        "Steps: Detect repeated DOM states and stop. Summarize partial results."
    )


def test_the_block_is_that_of_seeds_004() -> None:
    assert (
        show_block(TWO, "experiences").encode()
        == (
            "【相关过往经验】:\n"
            "Title: Handle login flows with CSRF tokens\n"
            f"Content: {CSRF.content}\n"
            "Title: Avoid infinite pagination loops\n"
            "Content: 1. Detect repeated DOM states and stop.\n2. Summarize partial results."
        ).encode()
    )


def test_whole_items_stand_under_the_heading_of_the_experiment() -> None:
    assert show_block(TWO, "markdown") == (
        f"{cue_line()}\n\n# Memory Item 1\n## Title {CSRF.title}\n## Description {CSRF.description}\n"
        f"## Content {CSRF.content}\n\n# Memory Item 2\n## Title {PAGES.title}\n"
        f"## Description {PAGES.description}\n## Content\n{PAGES.content}"
    )


@pytest.mark.parametrize("form", ["strategies", "experiences", "markdown", "fields"])
def test_without_items_there_is_no_heading_either(form) -> None:
    assert show_block((), form) == ""


def test_fields_are_constraints_and_hints_as_json() -> None:
    details = ItemDetails("Ask the API first.", ("a form is shown",), ("tokens expire",))
    guard = held(
        NativeItem("Never guess a token", "d", "Guessing locks the account."), "failure", details, "g"
    )
    text = show_block((held(CSRF, id="s"), guard), "fields")
    assert json.loads(text) == {
        "version": 1,
        "constraints": [
            {
                "id": "g",
                "kind": "constraint",
                "title": "Never guess a token",
                "advice": "Guessing locks the account.\nAsk the API first.",
                "when": ["a form is shown"],
                "beware": ["tokens expire"],
                "confidence": 0.76,
            }
        ],
        "subgoal_hints": [
            {
                "id": "s",
                "kind": "subgoal_hint",
                "title": CSRF.title,
                "advice": CSRF.content,
                "when": [],
                "beware": [],
                "confidence": 0.76,
            }
        ],
    }
    assert ConditioningFields.model_validate_json(text) == make_fields((held(CSRF, id="s"), guard))


THEORY = TheoryItem("In a shop, ask first", 'state: "shop"', "Staff know.", "Not online.", "heuristic")


@pytest.mark.parametrize(
    ("words", "title", "content"),
    [
        (CSRF, CSRF.title, CSRF.content),
        (THEORY, "In a shop, ask first", "Staff know.\nNot online."),
        (AdditiveItem("T", "D", "C", "Cl", "Tr", "M", "S", "F"), "T", "C"),
        (ProseItem("First line\nand the rest\nof it"), "First line", "and the rest\nof it"),
        (ProseItem("Only a line"), "Only a line", ""),
        (NativeItem("Two\nlines", "d", ""), "Two lines", ""),
    ],
)
def test_any_schema_has_a_title_and_a_content(words, title: str, content: str) -> None:
    gist = gist_of(held(words))
    assert (gist.title, gist.content) == (title, content)


def test_a_trigger_says_when() -> None:
    (field,) = make_fields((held(THEORY),)).subgoal_hints
    assert field.when == ('state: "shop"',)


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("1. Open it\n2. Close it", "Open it. Close it"),
        ("1) a; 2) b: 3) c", "a; b: c"),
        ("Do: 1. open. 2. close.", "Do: open. close."),
        ("Use version 2. Then wait.", "Use version 2. Then wait."),
        ("See item 1. It is best. 2) x", "See item 1. It is best. 2) x"),
        ("3. Third alone", "3. Third alone"),
        ("Pay 1.5 twice. 1. Go", "Pay 1.5 twice. Go"),
        ("  1. a\n\n   2. b", "a. b"),
        ("        1. a", "a"),
        ("         1. a", "1. a"),
        ("a.        1. b. 2. c", "a. b. c"),
        ("a.         1. b. 2. c", "a. 1. b. 2. c"),
        ("1. 2. a", "2. a"),
        ("          11. 1. a", "11. 1. a"),
        ("", ""),
    ],
)
def test_steps_are_joined_and_other_numbers_stay(content: str, line: str) -> None:
    assert join_steps(content) == line


@given(st.text(alphabet="1234). ;\nab", max_size=60))
def test_joined_steps_are_one_line_that_stays(content: str) -> None:
    line = join_steps(content)
    assert "\n" not in line
    assert [character for character in content if character in "ab"] == [c for c in line if c in "ab"]


def test_a_blend_of_vectors_is_bounded_and_the_same_each_time() -> None:
    vectors = np.array([[3.0, 0.0, 4.0], [0.0, 2.0, 0.0], [0.0, 0.0, 0.0]], dtype=np.float32)
    blend = blend_vectors(vectors, [0.6, 0.2, 0.9])
    assert blend.dtype == np.float32
    assert blend.tolist() == pytest.approx([0.36 / 1.7, 0.2 / 1.7, 0.48 / 1.7], abs=1e-7)
    assert blend.tobytes() == blend_vectors(vectors, [0.6, 0.2, 0.9]).tobytes()
    assert blend_vectors(np.zeros((0, 7), dtype=np.float32), []).tolist() == [0.0] * 7
    assert blend_vectors(vectors, [-1.0, -2.0, 0.0]).tolist() == [0.0] * 3
    for bad in ([0.1], [0.1, np.nan, 0.1]):
        with pytest.raises(ValueError, match=r"needed|finite"):
            blend_vectors(vectors, bad)


@given(st.lists(st.lists(st.floats(-9, 9), min_size=3, max_size=3), min_size=1, max_size=5), st.floats(0, 3))
def test_no_blend_is_longer_than_one(rows, score) -> None:
    vectors = np.array(rows, dtype=np.float32)
    blend = blend_vectors(vectors, [score] * len(rows))
    assert np.linalg.norm(blend.astype(np.float64)) <= 1.0


@pytest.mark.parametrize(
    ("text", "cl100k", "words"),
    [
        ("", 0, 0),
        ("hello world", 2, 2),
        ("Strategy memories you can optionally use.", 7, 7),
        ("<|endoftext|>", 7, 5),
        ("tiktoken is great!", 6, 4),
        ("x\ud800", 2, 2),
    ],
)
def test_tokens_are_counted_by_the_tokenizer_that_is_named(text: str, cl100k: int, words: int) -> None:
    assert (count_tokens(text, "cl100k_base"), count_tokens(text, "words")) == (cl100k, words)


@dataclass
class Counted:
    """Hashed words, and what was asked for."""

    asked: list[str] = field(default_factory=list)
    space: str = "counted"

    async def embed(self, texts: Sequence[str]) -> Array:
        self.asked += texts
        return HashingEmbedder(8).vectors(texts)


def test_a_query_is_embedded_once_while_it_is_kept() -> None:
    embedder, now = Counted(), [0.0]
    queries = QueryVectors(embedder, 10.0, lambda: now[0])

    def ask(query: str) -> list[float]:
        return asyncio.run(queries.vector(query)).tolist()

    first = ask("buy soap")
    now[0] = 9.9
    assert ask("buy soap") == first
    assert embedder.asked == ["buy soap"]
    ask("buy tea")
    now[0] = 10.0
    assert ask("buy soap") == first
    assert embedder.asked == ["buy soap", "buy tea", "buy soap"]
    assert ask("buy tea") == HashingEmbedder(8).vectors(["buy tea"])[0].tolist()
    assert len(embedder.asked) == 3

    async def ask_many() -> None:
        for number in (*range(MOST_KEPT + 1), MOST_KEPT, 0):
            await queries.vector(f"query {number}")

    asyncio.run(ask_many())
    assert embedder.asked[-1] == "query 0"
    assert embedder.asked.count(f"query {MOST_KEPT}") == 1


def test_nothing_is_kept_for_no_time() -> None:
    embedder = Counted()
    queries = QueryVectors(embedder, 0.0, lambda: 5.0)
    asyncio.run(queries.vector("a"))
    asyncio.run(queries.vector("a"))
    assert embedder.asked == ["a", "a"]
