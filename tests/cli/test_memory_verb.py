"""`memory`: what a person sees of a bank in a folder."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from memtrial.api.bank.kept_bank import open_bank
from memtrial.memory.bank.bank_item import ItemDetails
from memtrial.memory.bank.confidence.weekly_metrics import measure_weeks
from memtrial.memory.bank.distillation.distilled_items import DistilledItem
from memtrial.memory.bank.events.bank_events import ItemAdded, ItemRevised, MeasureTaken, SignalSeen
from memtrial.memory.bank.labelled_run import LabelledRun
from memtrial.memory.bank.search.bank_search import SHOWN_TOKENS
from memtrial.memory.item import NativeItem, ProseItem
from tests.support.event_bank import CAUSE, fill, make_item, make_trajectory
from tests.support.evolving import bank_in
from tests.support.refusing import Warm

FIRST = make_item(1).id


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    with open_bank(tmp_path / "bank", new=True) as log:
        fill(log, range(6))
        log.append([ItemRevised(FIRST, ProseItem("other\nwords " * 20), ItemDetails())], CAUSE)
        log.append([SignalSeen(FIRST, "cited", "t", "success")], CAUSE)
    return tmp_path


def test_a_bank_is_listed_changed_back_and_audited(warm: Warm, bank: Path) -> None:
    listed = warm.call("memory", "list", "bank", cwd=bank)
    assert (listed.code, listed.err) == (0, "")
    assert listed.out.splitlines()[-1] == "6 items, 6 active"
    assert "1 citations, won 1, lost 0; python" in listed.out
    assert f"{FIRST}  other words other words" in listed.out
    seen = json.loads(warm.call("memory", "list", "bank", "--project", "org/team", "--json", cwd=bank).out)
    assert [item["origin"]["project"] for item in seen] == ["org/team", "org"]
    back = warm.call(
        "memory", "rollback", "bank", f"{FIRST}@1", "--who", "ann", "--why", "worse since", cwd=bank
    )
    assert (back.code, back.out) == (0, f"{FIRST} is of version 3 now, with the words of {FIRST}@1\n")
    audit = json.loads(warm.call("memory", "audit", "bank", FIRST, "--json", cwd=bank).out)
    assert (audit[-1]["who"], audit[-1]["why"]) == ("ann", "worse since")
    assert len(audit) == 5
    last = warm.call("memory", "audit", "bank", cwd=bank, variables={"COLUMNS": "200"}).out.splitlines()[-1]
    assert last.endswith(f"{FIRST} is again as in version 1; ann: worse since")


def test_a_bank_goes_out_and_in(warm: Warm, bank: Path) -> None:
    for ending in ("jsonl", "parquet"):
        out = warm.call("memory", "export", "bank", f"out.{ending}", cwd=bank)
        assert (out.code, out.out) == (0, f"15 events are in out.{ending}\n")
        written = (bank / f"out.{ending}").read_bytes()
        again = warm.call("memory", "export", "bank", f"out.{ending}", cwd=bank)
        assert (again.code, again.err.count("\n")) == (2, 1)
        assert "is there already" in again.err
        assert (bank / f"out.{ending}").read_bytes() == written
        back = warm.call("memory", "import", ending, f"out.{ending}", "--json", cwd=bank)
        assert json.loads(back.out)["events"] == 15
        lists = [warm.call("memory", "list", name, "--json", cwd=bank).out for name in ("bank", ending)]
        assert lists[0] == lists[1]


def test_a_bank_is_searched_with_reasons(warm: Warm, tmp_path: Path) -> None:
    items = [replace(make_item(number), confidence=sure) for number, sure in ((0, 0.9), (6, 0.72), (12, 0.6))]
    with open_bank(tmp_path / "bank", new=True) as log:
        log.append([ItemAdded(item) for item in items], CAUSE)
    asked = (
        "memory",
        "search",
        "bank",
        "title 6 about 6",
        "--project",
        "org/team/one",
        "--profile",
        "seed001",
    )
    told = warm.call(*asked, "--explain", cwd=tmp_path, variables={"COLUMNS": "200"})
    assert (told.code, told.err) == (0, "")
    lines = told.out.splitlines()
    assert lines[0] == "profile seed001, project org/team/one: 2 shown"
    assert lines[1].endswith(f"{items[1].id}  title 6")
    assert lines[2].endswith(" = 1.00 × 1.000 similarity")
    assert "title 12, withheld: its confidence is 0.600, above 0.7 is needed" in told.out
    assert lines[-1].endswith(" tokens are shown; fewer than 500 tokens (cl100k_base) may be")
    body = json.loads(warm.call(*asked, "--json", cwd=tmp_path).out)
    assert [hit["id"] for hit in body["shown"]] == [items[1].id, items[0].id]
    assert body["block"].startswith("Strategy memories")


def test_a_bank_says_how_well_it_serves(warm: Warm, tmp_path: Path) -> None:
    items = [make_item(0), make_item(6)]
    with open_bank(tmp_path / "bank", new=True) as log:
        log.append([ItemAdded(item) for item in items], CAUSE)
        log.append([SignalSeen(item.id, "shown") for item in items], CAUSE)
        rated = SignalSeen(items[0].id, "explicit", outcome="success")
        log.append([rated] * 20, CAUSE)
        log.append([MeasureTaken(SHOWN_TOKENS, 120.0, (items[1].id,))], CAUSE)
    asked = ("memory", "meters", "bank", "--project", "org/team/one")
    told = warm.call(*asked, cwd=tmp_path, variables={"COLUMNS": "200"})
    assert (told.code, told.err) == (0, "")
    assert told.out.splitlines()[0] == (
        "SC-001  PASS: rated items that were shown and helped, above 0.8 is wanted; 1 (0.839 to 1) of n = 20"
    )
    body = json.loads(warm.call(*asked, "--json", cwd=tmp_path).out)
    assert [row["verdict"] for row in body] == ["PASS", *["insufficient n"] * 4]
    # of a single figure the interval is everything
    assert [body[1][name] for name in ("figure", "low", "high", "n")] == [120.0, None, None, 1]
    # nobody else's ratings count
    other = json.loads(warm.call("memory", "meters", "bank", "--json", cwd=tmp_path).out)
    assert {row["n"] for row in other} == {0}


def test_a_bank_is_told_week_by_week(warm: Warm, tmp_path: Path) -> None:
    item = make_item(0)
    with open_bank(tmp_path / "bank", new=True) as log:
        log.append([ItemAdded(item), SignalSeen(item.id, "shown")], CAUSE)
        monday = measure_weeks(log)[0].week.isoformat()
    told = warm.call("memory", "weeks", "bank", cwd=tmp_path, variables={"COLUMNS": "200"})
    assert (told.code, told.err) == (0, "")
    assert told.out.splitlines() == [
        f"{monday}  0 runs, 0 judged",
        f"  1 new items, {int(item.standing == 'active')} active at its end",
    ]
    head, row = warm.call("memory", "weeks", "bank", "--csv", cwd=tmp_path).out.splitlines()
    assert dict(zip(head.split(","), row.split(","), strict=True)) == {
        "week": monday, "runs": "0", "judged": "0", "success": "", "steps_a_success": "",
        "seconds_a_success": "", "new_items": "1", "new_items_a_100": "", "active_items": "1",
        "shown_a_run": "", "cited_a_run": "",
    }  # fmt: skip
    (body,) = json.loads(warm.call("memory", "weeks", "bank", "--json", cwd=tmp_path).out)
    assert (body["week"], body["new_items"], body["success"]) == (monday, 1, None)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("list", "nowhere"), "there is no nowhere/memory.db"),
        (("list", "bank", "more"), "takes FOLDER and nothing more"),
        (("list", "bank", "--project", "a//b"), "a path of at most 3 names"),
        (("audit", "bank", "rm_nothing"), "the id of an item in the bank is needed"),
        (("audit", "bank", "--project", "org"), "option of memory list"),
        (("meters", "bank", "more"), "takes FOLDER and nothing more"),
        (("weeks", "bank", "--project", "a//b"), "a path of at most 3 names"),
        (("meters", "bank", "--csv"), "--csv is an option of memory weeks; not of memory meters"),
        (("meters", "nowhere"), "there is no nowhere/memory.db"),
        (("meters", "bank", "--project", "a//b"), "a path of at most 3 names"),
        (("list", "bank", "--explain"), "--explain is an option of memory search; not of memory list"),
        (("search", "bank"), "takes FOLDER and the QUERY"),
        (("search", "bank", " "), "a query is needed"),
        (("search", "nowhere", "x"), "there is no nowhere/memory.db"),
        (("list", "cut"), "cut/memory.db is empty"),
        (("export", "cut", "out.jsonl"), "cut/memory.db is empty"),
        (("search", "bank", "x", "--profile", "seed9"), "seed003, or a YAML file"),
        (("search", "bank", "x", "--project", "org"), "the bank's embedder is 'test/8'"),
        (("audit", "bank", "--who", "me"), "--who is an option of memory consolidate, of memory rollback"),
        (("list", "bank", "--apply"), "--apply is an option of memory consolidate"),
        (("consolidate", "bank", "--why", "so"), "--why is an option of memory rollback"),
        (("consolidate", "bank"), "the bank's embedder is 'test/8'"),
        (("rate", "bank", FIRST), "takes --helpful or --unhelpful"),
        (("rate", "bank", "rm_nothing", "--helpful"), "the id of an item in the bank is needed"),
        (("rate", "bank", FIRST, "--unhelpful", "--writer", "simulated/reader"), "simulated/scribe"),
        (("list", "bank", "--unhelpful"), "an option of memory rate"),
        (("rollback", "bank"), "takes FOLDER and ID@VERSION"),
        (("rollback", "bank", "rm_1"), "an item and its version are needed"),
        (("rollback", "bank", f"{FIRST}@7"), "from 1 to 2"),
        (("rollback", "bank", "rm_nothing@1"), "nothing was changed"),
        (("export", "bank", "out.csv"), "ends in .jsonl or .parquet"),
        (("import", "bank", "out.jsonl"), "out.jsonl cannot be used"),
        (("import", "new", "bank/memory.db"), "ends in .jsonl or .parquet"),
        (("import", "new", "there.jsonl"), "there.jsonl cannot be used"),
        (("export", "bank", "out.parquet", "--form", "swe"), "ends in .jsonl"),
        (("cache", "bank", "--near", "x"), "takes FOLDER, --near TEXT and --out"),
        (("cache", "bank", "--near", "x", "--out", "new"), "the bank's embedder is 'test/8'"),
        (("queue", "bank"), "takes FOLDER and the FILE of sessions"),
        (("queue", "new", "no.jsonl"), "no.jsonl"),
        (("work", "bank"), "--writer is needed"),
        (("work", "nowhere", "--writer", "simulated/scribe"), "there is no nowhere/memory.db"),
        (("work", "bank", "--writer", "simulated/reader"), "needs a model that drafts"),
        (("rewrite", "bank", "--apply"), "--writer is needed"),
        (("rewrite", "bank", "--project", "a//b"), "a path of at most 3 names"),
        (("consolidate", "bank", "--config", "no.yaml"), "no.yaml"),
        (
            ("search", "bank", "x", "--writer", "a/b"),
            "--writer is an option of memory work, of memory rewrite",
        ),
    ],
)
def test_what_cannot_be_done_is_one_line_and_changes_nothing(
    warm: Warm, bank: Path, words: tuple[str, ...], line: str
) -> None:
    with open_bank(bank / "bank") as log:
        before = log.last()
    cut_short = bank / "cut/memory.db"
    cut_short.parent.mkdir()
    cut_short.touch()
    there = sorted(path.name for path in bank.rglob("*"))
    done = warm.call("memory", *words, cwd=bank)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1), done
    assert line in done.err
    with open_bank(bank / "bank") as log:
        assert log.last() == before
    assert cut_short.stat().st_size == 0
    assert sorted(path.name for path in bank.rglob("*")) == there


def test_an_item_is_rated_and_a_writer_makes_a_guardrail_of_one_that_did_not_help(
    warm: Warm, tmp_path: Path
) -> None:
    bank = bank_in(tmp_path / "bank", dimensions=384)
    run, words = make_trajectory(1), NativeItem("Open the gate", "At the gate.", "Pull the lever.")
    (name,) = bank.keep([DistilledItem(words, "success")], [LabelledRun(run)], "a test")
    bank.log.close()
    rate = ("memory", "rate", "bank", name, "--task", run.task_id)
    helped = warm.call(*rate, "--helpful", "--json", cwd=tmp_path)
    unhelpful = warm.call(*rate, "--unhelpful", cwd=tmp_path)
    assert (unhelpful.code, unhelpful.err) == (0, "")
    assert unhelpful.out.splitlines()[1:] == ["no guardrail: nobody was asked for one"]
    rating = (*rate, "--unhelpful", "--writer", "simulated/scribe", "--why", "It jams.", "--json")
    done = json.loads(warm.call(*rating, cwd=tmp_path).out)
    assert done["confidence"] < json.loads(helped.out)["confidence"]
    with open_bank(tmp_path / "bank") as log:
        made = [log.find(guardrail) for guardrail in done["guardrails"]]
    assert made
    assert all(item.origin.outcome == "failure" and item.details.instead for item in made)
    again = json.loads(warm.call(*rating, cwd=tmp_path).out)
    assert (again["guardrails"], "before" in again["lacking"]) == ([], True)


def test_a_bank_is_consolidated_where_that_is_asked_for(warm: Warm, tmp_path: Path) -> None:
    (tmp_path / "bank").mkdir()
    bank = bank_in(tmp_path / "bank", dimensions=384)
    words = NativeItem("Open the gate", "At the gate.", "Pull the lever before you push.")
    for number in range(2):
        bank.keep([DistilledItem(words, "success")], [LabelledRun(make_trajectory(number))], "a test")
    place = bank.log.last()[0]
    bank.log.close()
    dry = warm.call("memory", "consolidate", "bank", cwd=tmp_path)
    assert (dry.code, dry.err) == (0, "")
    # by its clock of 1970 the other item is old and was never cited
    assert dry.out.splitlines()[-1] == "1 links, 2 items; nothing was changed; --apply does it"
    with open_bank(tmp_path / "bank") as log:
        assert log.last()[0] == place
    done = warm.call("memory", "consolidate", "bank", "--apply", "--who", "ann", "--json", cwd=tmp_path)
    assert [change["after"] for change in json.loads(done.out)["changes"]] == ["duplicate", "archived"]
    listed = warm.call("memory", "list", "bank", cwd=tmp_path)
    assert listed.out.splitlines()[-1] == "2 items, 0 active"
    again = warm.call("memory", "consolidate", "bank", "--apply", cwd=tmp_path)
    assert again.out == "0 links, 0 items; changed\n"
