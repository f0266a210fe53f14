"""The review page over a file of fixtures, people with names, the address that stays."""

import json
import socket
import stat
from contextlib import closing
from html import unescape
from pathlib import Path

import pytest

from memtrial.faults import SpecFault
from memtrial.gates.calibration.labelled_items import read_fixtures
from memtrial.gates.suite import NAMES
from memtrial.ledger.review_facts import ReviewDecision, decisions, reviewers
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.memory.item import NativeItem, item_to_json
from memtrial.pages.desk import DeskFault
from memtrial.pages.draft_desk import DraftDesk
from memtrial.pages.label_desk import LabelDesk
from memtrial.pages.page_address import kept_address
from memtrial.pages.page_server import serve_page
from memtrial.private_file import ForeignFault
from memtrial.views.results.preparation import people_rows
from tests.support.review_desk import ITEM, ask, desk_with, draft_of

TRACE = {
    "trace_id": "a",
    "task_id": "a",
    "query": "Start <b>it</b>",
    "outcome": "success",
    "steps": [{"thought": "", "action": "pull", "observation": "It runs."}],
}
NATIVE = NativeItem("Pull", "For mills.", "In a mill, pull the lever, because it starts.")


def drafts_in(folder: Path) -> Path:
    """A file of fixtures that nobody has labelled."""
    rows = [
        {"gate": gate, "name": f"a {at}", "flag": None, "item": item_to_json(item), "trajectory": TRACE}
        for at, (gate, item) in enumerate(
            (("claim-strength", ITEM), ("refuter", ITEM), ("title-as-claim", NATIVE))
        )
    ]
    path = folder / "label.jsonl"
    path.write_text("\ufeff" + "\n\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return drafts_in(tmp_path)


def test_a_file_of_fixtures_is_labelled_on_the_page(file: Path) -> None:
    desk = LabelDesk(file, "Ada")
    first, second, third = (draft.id for draft in desk.queue().drafts)
    with serve_page(desk) as address:
        assert ask(address).headers["Location"].endswith(first)
        page = unescape(ask(address, first).text)
        assert "claim-strength: The claim is a truism" in page
        assert "Start <b>it</b>" in page
        assert "What the gates found" not in page
        assert "accept" not in page.partition("<main")[2].partition("<script")[0].replace(
            'value="accept"', ""
        )
        assert ask(address, first, {"how": "reject"}).headers["Location"].endswith(second)
        assert [one.flag for one in read_fixtures(file, NAMES)] == [True, None, None]  # on the disk by now
        ask(address, second, {"how": "accept"})
        ask(address, third, {"how": "reject", "reason": "It names a place."})
        assert "2 ought to flag" in ask(address, "end").text
        assert ask(address, "end", {}).status == 200
    assert desk.finished.wait(10)
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    assert [(row["flag"], row.get("why"), row["by"]) for row in rows] == [
        (True, None, "Ada"),
        (False, None, "Ada"),
        (True, "It names a place.", "Ada"),
    ]
    assert [row["trajectory"] for row in rows] == [TRACE] * 3
    desk = LabelDesk(file)
    assert desk.queue().left == 0
    desk.decide(ReviewDecision(draft=third, how="accept"))
    assert [one.flag for one in read_fixtures(file, NAMES)] == [True, False, False]
    with pytest.raises(DeskFault, match="no item 'x'"):
        desk.decide(ReviewDecision(draft=first, how="accept"), ReviewDecision(draft="x", how="accept"))
    with pytest.raises(DeskFault, match="accept or reject"):
        desk.decide(ReviewDecision(draft=first, how="edit", markdown="x"))
    assert read_fixtures(file, NAMES)[0].flag is True


def test_a_flag_is_taken_back_by_whom_it_came_from(file: Path) -> None:
    ada, ben = LabelDesk(file, "Ada"), LabelDesk(file, "Ben")
    first = ada.queue().drafts[0].id
    before = [json.loads(line) for line in file.read_text("utf-8-sig").split("\n") if line]
    ada.decide(ReviewDecision(draft=first, how="reject", reason="It names a place."))
    with pytest.raises(DeskFault, match="under your name"):
        ben.undo(first)
    with serve_page(ada) as address:
        assert ask(address, first, {"how": "undo"}).headers["Location"].endswith(first)
        assert ask(address, first, {"how": "undo"}).status == 422
    assert [json.loads(line) for line in file.read_text("utf-8").split("\n") if line] == before
    assert ada.queue().left == 3


def test_a_file_that_holds_no_fixtures_is_refused_in_one_line(tmp_path: Path) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text("{")
    with pytest.raises(SpecFault, match=r"bad\.jsonl, line 1"):
        LabelDesk(bad).queue()


def test_people_with_names_see_all_drafts_and_the_last_word_counts(tmp_path: Path) -> None:
    drafts = tuple(draft_of(ITEM, number) for number in (1, 2))
    desk_with(tmp_path, *drafts)
    first = drafts[0].id
    with serve_page(DraftDesk(tmp_path, False, "Ada")) as address:
        ask(address, first, {"how": "accept"})
    assert DraftDesk(tmp_path, False, "Ben").queue().left == 2
    assert DraftDesk(tmp_path, False, "Ada").queue().left == 1
    assert DraftDesk(tmp_path, False).queue().left == 1
    DraftDesk(tmp_path, False).decide(ReviewDecision(draft=first, how="reject", by="Ben"))
    with closing(SqliteLedger.open_read_only(tmp_path / "ledger.sqlite")) as ledger:
        assert reviewers(ledger) == ("Ada", "Ben")
        assert decisions(ledger)[first].how == "reject"
        assert decisions(ledger, "Ada")[first].how == "accept"
        found = {row.by: (row.accepted, row.rejected, row.drafts) for row in people_rows(ledger)}
    assert found == {"": (0, 1, 2), "Ada": (1, 0, 2), "Ben": (0, 1, 2)}


def test_the_address_stays_while_its_port_is_free(tmp_path: Path) -> None:
    kept = kept_address(tmp_path)
    assert kept_address(tmp_path) == kept
    assert stat.S_IMODE((tmp_path / "review_address").stat().st_mode) == 0o600
    desk = desk_with(tmp_path, draft_of(ITEM))
    with serve_page(desk, kept) as address:
        assert address == str(kept)
        assert ask(address, draft_of(ITEM).id).status == 200
    with socket.create_server(("127.0.0.1", kept.port)):
        other = kept_address(tmp_path)
    assert other.port != kept.port
    assert other.token != kept.token
    (tmp_path / "review_address").write_text("nonsense")
    assert str(kept_address(tmp_path)).startswith("http://127.0.0.1:")
    (tmp_path / "review_address").unlink()
    (tmp_path / "review_address").symlink_to("/etc/passwd")
    with pytest.raises(ForeignFault):
        kept_address(tmp_path)
