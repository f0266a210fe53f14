"""The desks of a run in the view: reached from its page, and closed while arms are masked."""

import json
from contextlib import closing
from html import unescape
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from memtrial.ledger.review_facts import ask_for_review, decisions
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.pages.page_server import served_run
from memtrial.runs.run_folder.folder import alone_in
from tests.pages.test_failure_page import cases_in, labels
from tests.pages.test_review_page import decided
from tests.pages.test_view_pages import read_page
from tests.support.review_desk import ITEM, ask, desk_with, draft_of
from tests.support.viewed_run import locked_run, viewed

TWO = tuple(draft_of(ITEM, number) for number in (1, 2))


def test_drafts_that_wait_are_decided_from_the_page_of_their_run(tmp_path: Path) -> None:
    desk = desk_with(tmp_path / "a run", *TWO)
    with viewed(tmp_path) as address:
        _, page = read_page(address, "run/a%20run/")
        (href,) = [href for href, text in page.links if text == "drafts"]
        assert "2 drafts for review: 0 accepted, 0 edited, 0 rejected, 2 left" in page.text
        first = ask(address, href).headers["Location"].rpartition("/")[2]
        answer = ask(address, href + first)
        assert "Draft 1 of 2" in answer.text
        assert 'href="../../"' in answer.text
        assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
        assert ask(address, href + first, {"how": "accept"}, {"Origin": "http://evil.example"}).status == 403
        assert ask(address, href.replace(urlsplit(address).path, "/wrong/") + first).status == 403
        assert not decided(desk)
        assert ask(address, href + first, {"how": "accept"}).headers["Location"].endswith(TWO[1].id)
        assert decided(desk)[first].seconds is not None
        ask(address, href + TWO[1].id, {"how": "reject"})
        end = ask(address, href + "end").text
        assert "All is decided and saved." in end
        assert 'action="end"' not in end


def test_a_run_that_waits_is_decided_beside_its_page_and_finished_there(tmp_path: Path) -> None:
    desk = desk_with(tmp_path / "run", *TWO)
    path = f"run/run/desk/drafts/{TWO[0].id}"
    with alone_in(desk.folder), viewed(tmp_path) as address:
        with served_run(desk) as own:
            for draft in TWO:
                assert ask(address, f"run/run/desk/drafts/{draft.id}", {"how": "accept"}).status == 303
            assert f'href="{own}end"' in ask(address, "run/run/desk/drafts/end").text
        refused = ask(address, path, {"how": "reject"})
        assert refused.status == 422
        assert "another run is going on" in refused.text
    assert {entry.how for entry in decided(desk).values()} == {"accept"}


def test_a_file_of_cases_in_the_folder_is_coded_under_the_name_of_who_views(tmp_path: Path) -> None:
    folder = desk_with(tmp_path / "run").folder
    file = cases_in(folder)
    (folder / "other.jsonl").write_text("{}\n")
    (folder / "link.jsonl").symlink_to(file)
    with viewed(tmp_path) as address:
        _, page = read_page(address, "run/run/")
        assert "cases.jsonl: cases of failure" in " ".join(page.text.split())
        assert "memtrial view --by NAME" in page.text
        assert not [href for href, _ in page.links if "/desk/" in href]
        assert ask(address, "run/run/desk/cases.jsonl/").status == 500
    with viewed(tmp_path, by="ann") as address:
        _, page = read_page(address, "run/run/")
        (href,) = [href for href, _ in page.links if "/desk/" in href]
        first = ask(address, href).headers["Location"].rpartition("/")[2]
        assert "Case 1 of 3" in ask(address, href + first).text
        before = [json.loads(line) for line in file.read_text("utf-8").split("\n") if line]
        ask(address, href + first, {"how": "reliance"})
        assert labels(file) == [("a", "reliance", "ann")]
        assert "1 reliance" in read_page(address, "run/run/")[1].text
        ask(address, href + first, {"how": "undo"})
        assert [json.loads(line) for line in file.read_text("utf-8").split("\n") if line] == before
        for name in ("other.jsonl", "link.jsonl", "..%2f..%2fetc", "ledger.sqlite", "nothing"):
            assert ask(address, f"run/run/desk/{name}/").status in (404, 500), name
        assert "no such desk" in ask(address, "run/run/desk/link.jsonl/").text
        assert ask(address, "run/nothing/desk/drafts/").status == 404


def test_no_desk_opens_while_arms_are_masked(tmp_path: Path) -> None:
    folder = locked_run(tmp_path / "run")
    with closing(SqliteLedger(folder / "ledger.sqlite")) as ledger:
        ask_for_review(ledger, TWO[0])
    cases_in(folder)
    path = f"run/run/desk/drafts/{TWO[0].id}"
    with viewed(tmp_path, by="ann") as address:
        assert "drafts" not in [text for _, text in read_page(address, "run/run/")[1].links]
        for answer in (ask(address, path), ask(address, path, {"how": "accept"})):
            assert answer.status == 404
            assert "theory" not in unescape(answer.text)
        assert ask(address, "run/run/desk/cases.jsonl/").status == 404
    with closing(SqliteLedger.open_read_only(folder / "ledger.sqlite")) as ledger:
        assert not decisions(ledger)


@pytest.mark.parametrize("name", ["drafts", "cases.jsonl"])
def test_a_form_too_large_is_refused_as_at_the_desk_alone(tmp_path: Path, name: str) -> None:
    cases_in(desk_with(tmp_path / "run", *TWO).folder)
    with viewed(tmp_path, by="ann") as address:
        headers = {"Content-Length": str(10**9)}
        assert ask(address, f"run/run/desk/{name}/x", {"how": "accept"}, headers).status == 413
