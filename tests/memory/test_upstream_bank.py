"""Banks of ReasoningBank's, as its versions wrote them and as they go wrong: nothing is lost in silence."""

import json
from pathlib import Path
from typing import Any

import pytest

from memtrial.api.interchange.bank_import import report_lines
from memtrial.faults import SpecFault
from memtrial.memory.interchange.bank_file import bank_line, read_bank_file, record_lines
from memtrial.memory.interchange.bank_report import BankReport
from memtrial.memory.interchange.upstream_bank import UpstreamBank, read_upstream_bank
from memtrial.memory.interchange.upstream_record import UpstreamRecord
from memtrial.memory.item import NativeItem, ProseItem

ITEM = "# Memory Item {n}\n## Title Sort\n## Description Lists.\n## Content Sort it first."
TWO = "\n\n".join(ITEM.format(n=n) for n in (1, 2))
Row = dict[str, Any]


def webarena(task: object = "47", **other: object) -> Row:
    return {
        "task_id": task,
        "query": f"Which is the top of list {task}?",
        "think_list": ["I look.", "I am done."],
        "action_list": ["click('a1')", "send_msg_to_user('soap')"],
        "status": "fail",
        "memory_items": TWO.split("\n\n"),
        "template_id": 12,
        **other,
    }


def swe(task: str = "django__django-1", **other: object) -> Row:
    items = TWO.split("\n\n")
    return {"task_id": task, "query": "Mend\nit.", "memory_items": items, "status": "success", **other}


def read(folder: Path, rows: list[Row] | str, cache: list[Row] | None = None) -> UpstreamBank:
    path = folder / "shopping.jsonl"
    text = rows if isinstance(rows, str) else "".join(json.dumps(row) + "\n" for row in rows)
    path.write_text(text, "utf-8")
    if cache is not None:
        lines = "\n\n".join(json.dumps(row) for row in cache)
        (folder / "shopping_embeddings.jsonl").write_text(lines, "utf-8")
    return read_upstream_bank(path)


def vector(task: object, *numbers: float) -> Row:
    return {"id": task, "text": f"text of {task}", "embedding": list(numbers)}


def test_a_record_is_written_as_upstream_writes_it() -> None:
    reply = f"\n\n  {TWO}\n\n\n"
    made = UpstreamRecord("47", "Wo ist „Tee“?", reply, "failure", ["I look."], ["look()"], 12)
    items = ["", "  " + TWO.split("\n\n")[0], TWO.split("\n\n")[1], "\n"]
    record = webarena(
        query="Wo ist „Tee“?", think_list=["I look."], action_list=["look()"], memory_items=items
    )
    assert made.line("webarena") == json.dumps(record) + "\n"
    short = {"task_id": "47", "query": "Wo ist „Tee“?", "memory_items": items, "status": "fail"}
    assert made.line("swe") == json.dumps(short) + "\n"


@pytest.mark.parametrize("row", [webarena(), swe(), webarena(memory_items=[""], author="me")])
def test_a_bank_comes_back_byte_for_byte(row: Row, tmp_path: Path) -> None:
    bank = read(tmp_path, [row])
    ours = tmp_path / "bank.jsonl"
    ours.write_text("".join(bank_line(entry, "webarena") for entry in bank.entries), "utf-8")
    held = read_bank_file(ours)
    assert "".join(record_lines(held)) == (tmp_path / "shopping.jsonl").read_text("utf-8")
    (record,) = held.bank.records
    assert (record.task_id, record.query, record.reply) == (
        row["task_id"],
        row["query"],
        "\n\n".join(row["memory_items"]),
    )


def test_turns_items_and_outcome_are_read(tmp_path: Path) -> None:
    bank = read(tmp_path, [webarena(), webarena("48", memory_items=["Sort first."])])
    first, second = (entry.trajectory for entry in bank.entries)
    assert first is not None
    assert second is not None
    assert [(step.thought, step.action) for step in first.steps] == [
        ("I look.", "click('a1')"),
        ("I am done.", "send_msg_to_user('soap')"),
    ]
    assert first.outcome == "failure"
    ours = tmp_path / "bank.jsonl"
    ours.write_text("".join(bank_line(entry, "webarena") for entry in bank.entries), "utf-8")
    one, two = read_bank_file(ours).bank.records
    assert one.items == (NativeItem("Sort", "Lists.", "Sort it first."),) * 2
    assert two.items == (ProseItem("Sort first."),)
    assert one.template == "12"


def test_each_oddity_is_named(tmp_path: Path) -> None:
    rows = [
        webarena("1"),
        webarena("1", query="later"),
        webarena(2),
        webarena("3", memory_items=TWO),
        webarena("4", memory_items=[TWO, {"id": "chatcmpl"}]),
        webarena("5", memory_items=["", ""]),
        {"task_id": "6", "query": "q", "memory_items": ["Sort."], "template_id": 1},
        {"task_id": "7", "memory_items": ["Sort."], "status": "success", "author": "me"},
    ]
    text = "\n\n".join(json.dumps(row) for row in rows) + "\n"
    cache = [vector(name, 0.5, 0.25) for name in ("1", "9", "7", "9")] + [vector("3", 1.0)]
    bank = read(tmp_path, text, cache)
    assert bank.report == BankReport(
        form="webarena",
        n_records=7,
        n_items=2 * 4 + 2,
        n_traces=5,
        duplicates=("1",),
        number_ids=("2",),
        string_items=("3",),
        first_of_several=("4",),
        blank=("5",),
        no_outcome=("6",),
        no_query=("7",),
        orphans=("9",),
        unsearched=("2", "4", "5", "6"),
        n_vectors=5,
        lengths=(1, 2),
        blank_lines=7,
        unused=("author",),
    )
    by_task = {entry.task_id: entry for entry in bank.entries}
    assert by_task["1"].query == "Which is the top of list 1?"
    assert by_task["7"].query == "text of 7"
    assert by_task["3"].reply == by_task["4"].reply == TWO
    assert by_task["2"].record["task_id"] == "2"
    assert by_task["3"].record["memory_items"] == TWO.split("\n\n")
    shown = "\n".join(report_lines(bank.report))
    for said in ("'9'", "'author'", "7 blank lines", "of 1 and 2 numbers", "several lengths"):
        assert said in shown


def test_a_bank_without_a_cache_and_one_of_an_older_writer(tmp_path: Path) -> None:
    bank = read(tmp_path, [webarena(action_list=[["a", "b"], ["c"]], think_list=[None, "t"])])
    assert bank.report.n_vectors is None
    assert "finds nothing" in list(report_lines(bank.report))[-1]
    (entry,) = bank.entries
    assert entry.trajectory is not None
    assert [(step.thought, step.action) for step in entry.trajectory.steps] == [("", "a\nb"), ("t", "c")]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds none"),
        ("[1]\n", "line 1"),
        ('{"task_id": "1"}\n', "has task_id"),
        ('{"memory_items": ["a"]}\n', "has memory_items"),
        (json.dumps(webarena()) + "\n{broken", "line 2"),
        (json.dumps(webarena(memory_items=[1, 2, 3])), "list of texts"),
        (json.dumps(webarena(memory_items=None)), "list of texts"),
        (json.dumps(webarena(action_list=["a"])), "same length"),
        ("[" * 100_000, "line 1"),
    ],
)
def test_what_is_no_bank_is_one_line(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(SpecFault) as fault:
        read(tmp_path, text)
    assert said in str(fault.value)
    assert "\n" not in str(fault.value)


def test_a_broken_cache_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(SpecFault, match="line 1"):
        read(tmp_path, [webarena()], [{"id": "47"}])


@pytest.mark.parametrize("line", ["", '{"task_id": "1"}', "nothing", "[" * 100_000])
def test_what_is_no_bank_of_ours_is_one_line(line: str, tmp_path: Path) -> None:
    (tmp_path / "bank.jsonl").write_text(line, "utf-8")
    with pytest.raises(SpecFault, match="import bank"):
        read_bank_file(tmp_path / "bank.jsonl")
