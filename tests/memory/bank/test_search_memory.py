"""A bank in a folder, searched by people and programs."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from memtrial.api.bank.search_memory import SearchChoice, search_memory
from memtrial.faults import SpecFault
from memtrial.memory.bank.bank_item import BankItem, ItemUses
from memtrial.memory.bank.events.bank_events import ItemAdded, StandingSet
from memtrial.memory.bank.events.bank_log import FILE, BankLog
from memtrial.memory.bank.index.embedded_texts import KeyText, embed_texts
from memtrial.memory.bank.ranking.item_key import key_text
from memtrial.models.embeddings.embedding import HashingEmbedder
from tests.support.event_bank import CAUSE
from tests.support.ranked import bank_item

PROJECT = "org/team/shop"


def items() -> list[BankItem]:
    texts = {"soap": 0.9, "tea": 0.65, "books": 0.8, "fences": 0.72}
    made = [bank_item(f"rm_{word}", 0, sure, text=f"Buy {word}.") for word, sure in texts.items()]
    return [replace(item, origin=replace(item.origin, project=PROJECT, tags=("go",))) for item in made]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    log = BankLog(tmp_path / FILE, str)
    texts = [KeyText(item.id, "item", key_text(item, "item")) for item in items()]
    vectors = asyncio.run(embed_texts(log, HashingEmbedder(128), texts, CAUSE))
    log.append([*(ItemAdded(item) for item in items()), *vectors, StandingSet("rm_books", "archived")], CAUSE)
    log.close()
    return tmp_path


def events_of(folder: Path) -> list[object]:
    log = BankLog(folder / FILE, str)
    rows = list(log.rows())
    log.close()
    return rows


def test_a_search_shows_and_explains(folder: Path) -> None:
    before = events_of(folder)
    answer = search_memory(folder, "About rm_soap.", SearchChoice(profile="seed001", project=PROJECT))
    plain, explained = list(answer.lines()), list(answer.lines(explain=True))
    assert plain[0] == "profile seed001, project org/team/shop: 2 shown"
    assert [(line.split()[0], line.split()[2]) for line in plain[1:3]] == [
        ("1", "rm_soap"),
        ("2", "rm_fences"),
    ]
    assert {line.split()[0] for line in plain[3:-1]} == {"-"}
    texts = "\n".join(plain)
    assert "rm_tea  Title rm_tea, withheld: its confidence is 0.650, above 0.7 is needed" in texts
    assert "rm_books  Title rm_books, withheld: it is archived" in texts
    assert (
        plain[-1] == f"{answer.ranking.tokens} tokens are shown; fewer than 500 tokens (cl100k_base) may be"
    )
    assert len(explained) == len(plain) + 2 * 4
    assert any(line.strip().startswith(f"{answer.ranking.hits[0].score:.3f} = 1.00 × ") for line in explained)
    assert events_of(folder) == before, "a search writes nothing"


def test_a_program_gets_all_of_it(folder: Path) -> None:
    answer = search_memory(folder, "Buy tea.", SearchChoice(project=PROJECT, most=2))
    body = json.loads(json.dumps(answer.body()))
    assert body["profile"]["weights"] == {"similarity": 0.65, "recency": 0.15, "confidence": 0.2}
    assert body["shown"][0]["id"] == "rm_tea"
    for hit in body["shown"]:
        assert hit["score"] == pytest.approx(sum(part["points"] for part in hit["parts"]), abs=1e-12)
    assert body["block"].startswith(
        "Strategy memories you can optionally use.\n1) [Title] Title rm_tea\nSteps: Buy"
    )
    assert len(body["found"]) == 2
    assert (body["reason"], body["tokens"]) == (None, None)


def test_what_was_passed_over_is_said(folder: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text("{base: paper, budget: {tokens: 30, tokenizer: words}, preamble: strategies, key: item}")
    answer = search_memory(folder, "Buy soap.", SearchChoice(profile=str(mine), project=PROJECT))
    lines = list(answer.lines())
    assert "1 shown" in lines[0]
    assert any(", does not fit: 31 tokens with it" in line for line in lines)
    tight = tmp_path / "tight.yaml"
    tight.write_text("{base: paper, budget: {tokens: 3, tokenizer: words}}")
    answer = search_memory(folder, "Buy soap.", SearchChoice(profile=str(tight), project=PROJECT))
    assert list(answer.lines())[1] == "nothing is shown: no item fits into at most 3 tokens (words)"
    assert answer.body()["reason"] == {
        "code": "too_long",
        "words": "no item fits into at most 3 tokens (words)",
    }


def test_another_project_sees_nothing(folder: Path) -> None:
    for choice in (
        SearchChoice(),
        SearchChoice(project="org/team/other"),
        SearchChoice(project=PROJECT, tags=("py",)),
    ):
        answer = search_memory(folder, "Buy soap.", choice)
        assert (answer.hits, answer.ranking.abstention.code) == ((), "empty")
        assert list(answer.lines())[1].endswith("; --project says whose") == (not choice.project)


@pytest.mark.parametrize(
    ("query", "choice", "line"),
    [
        ("  ", SearchChoice(), "a query is needed"),
        (
            "x",
            SearchChoice(profile="seed005"),
            "--profile is upstream, paper, seed000, seed001, seed003, or a YAML",
        ),
        ("x", SearchChoice(project="a/../b"), "a project is a path"),
        ("x", SearchChoice(most=-1), "0 or more"),
        ("x", SearchChoice(embedder="nobody/model", project=PROJECT), "nobody"),
    ],
)
def test_a_fault_is_one_line(folder: Path, query: str, choice: SearchChoice, line: str) -> None:
    with pytest.raises(SpecFault, match=line) as caught:
        search_memory(folder, query, choice)
    assert "\n" not in str(caught.value)


def test_a_folder_without_a_bank_stays_without(tmp_path: Path) -> None:
    with pytest.raises(SpecFault, match="a bank"):
        search_memory(tmp_path, "x")
    assert list(tmp_path.iterdir()) == []


def test_wins_and_losses_stand_beside_a_score(tmp_path: Path) -> None:
    log = BankLog(tmp_path / FILE, str)
    log.append([ItemAdded(bank_item("a", uses=ItemUses(cited=15, wins=12, losses=3)))], CAUSE)
    log.close()
    lines = list(search_memory(tmp_path, "Do", SearchChoice(profile="seed000")).lines(explain=True))
    assert "cited 15: 12 won, 3 lost (log-odds 1.179)" in lines[3]
    assert "+ 0.30 × 0.765 confidence" in lines[2]
