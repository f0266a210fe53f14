"""Reviewing, labelling and coding by the keyboard alone, in a real browser: one for all three pages."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memtrial.gates.calibration.labelled_items import read_fixtures
from memtrial.gates.suite import NAMES
from memtrial.judges.failure_coder import MODES
from memtrial.ledger.review_facts import ask_for_review
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.pages.draft_desk import DraftDesk
from memtrial.pages.failure_desk import FailureDesk
from memtrial.pages.label_desk import LabelDesk
from memtrial.pages.page_server import serve_page
from tests.pages.test_failure_page import cases_in, labels
from tests.pages.test_label_page import drafts_in
from tests.pages.test_review_page import EDITED, HOSTILE, THREE, decided, hostile
from tests.support.browser import chromium


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        yield opened


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page of its own: no test sees what another one's browser kept."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.on("pageerror", lambda fault: pytest.fail(str(fault)))
    yield page
    page.close()


def test_the_keyboard_suffices_through_a_restart_and_a_hostile_item(page: Any, tmp_path: Path) -> None:
    desk, wicked = hostile(tmp_path, replace(HOSTILE, mechanism="m" * 10_000))
    with closing(SqliteLedger(tmp_path / "ledger.sqlite")) as ledger:
        for draft in THREE[1:]:
            ask_for_review(ledger, draft)
    with serve_page(desk) as address:
        page.goto(address)
        assert page.title() == "Review 1 of 3"
        assert page.evaluate("document.documentElement.scrollWidth") <= 1280
        page.keyboard.press("w")
        page.keyboard.type("arn: letters are text here")
        page.keyboard.press("Control+Enter")
        page.locator("h1", has_text="Draft 2 of 3").wait_for()
    with serve_page(DraftDesk(tmp_path, False)) as address:  # as after a restart: a new address
        page.goto(address)
        page.locator("h1", has_text="Draft 2 of 3").wait_for()
        page.keyboard.press("e")
        page.keyboard.press("Control+A")
        page.keyboard.type("no item")
        page.keyboard.press("Control+Enter")
        page.locator(".fault").wait_for()
        page.keyboard.press("Control+A")
        page.keyboard.insert_text(EDITED)
        page.keyboard.press("Control+Enter")
        page.locator("h1", has_text="Draft 3 of 3").wait_for()
        # Tab and Enter do without the letters, and open what a gate looks for
        page.get_by_text("what claim-strength looks for").focus()
        page.keyboard.press("Enter")
        page.get_by_text("The claim is a truism").wait_for()
        page.locator("h1").click()
        for _ in range(20):
            page.keyboard.press("Tab")
            if "accept" in page.locator(":focus").inner_text():
                break
        page.keyboard.press("Enter")
        page.locator("p[role=status]", has_text="1 accepted, 1 edited, 1 rejected, none left").wait_for()
        page.keyboard.press("f")
        page.get_by_text("All is decided and saved").wait_for()
    kept = decided(desk)
    assert [kept[one.id].how for one in (wicked, *THREE[1:])] == ["reject", "edit", "accept"]
    assert kept[wicked.id].reason == "arn: letters are text here"


def test_modes_are_given_by_the_keyboard_alone_through_a_hostile_case(page: Any, tmp_path: Path) -> None:
    file = cases_in(tmp_path)
    desk = FailureDesk(file, "ann")
    with serve_page(desk) as address:
        page.goto(address)
        assert page.title() == "Review 1 of 3"
        left, right = (
            page.get_by_label(f"The run {which} notes").bounding_box() for which in ("without", "with")
        )
        assert left["y"] == right["y"]
        assert left["x"] + left["width"] <= right["x"]  # side by side
        assert page.evaluate("document.documentElement.scrollWidth") <= 1280
        keys = dict(zip(page.locator("button kbd").all_inner_texts(), MODES, strict=True))
        assert keys == {"1": "distraction", "2": "reliance", "3": "premature", "4": "other"}
        page.keyboard.press("3")
        page.locator("h1", has_text="Case 2 of 3").wait_for()
        assert page.title() == "Review 2 of 3"
        assert page.evaluate("document.documentElement.scrollWidth") <= 1280
        page.keyboard.press("p")  # previous, no mode
        page.locator("h1", has_text="Case 1 of 3").wait_for()
        page.keyboard.press("2")
        page.locator("h1", has_text="Case 2 of 3").wait_for()
        page.keyboard.press("1")
        page.locator("h1", has_text="Case 3 of 3").wait_for()
        page.keyboard.press("4")
        page.locator("p[role=status]", has_text="1 distraction, 1 reliance, 0 premature, 1 other").wait_for()
        page.keyboard.press("f")
        page.get_by_text("All is decided and saved").wait_for()
    assert [mode for _, mode, _ in labels(file)] == ["reliance", "distraction", "other"]


def test_labels_are_given_by_the_keyboard_alone(page: Any, tmp_path: Path) -> None:
    file = drafts_in(tmp_path)
    desk = LabelDesk(file)
    with serve_page(desk) as address:
        page.goto(address)
        assert page.title() == "Review 1 of 3"
        page.keyboard.press("r")
        page.locator("h1", has_text="Draft 2 of 3").wait_for()
        page.keyboard.press("a")
        page.locator("h1", has_text="Draft 3 of 3").wait_for()
        page.keyboard.press("e")
        page.keyboard.type("It names a place.")
        page.keyboard.press("Control+Enter")
        page.locator("p[role=status]", has_text="1 sound, 2 ought to flag, none left").wait_for()
        page.keyboard.press("f")
        page.get_by_text("All is decided and saved. You can close this page.").wait_for()
    assert [one.flag for one in read_fixtures(file, NAMES)] == [True, False, True]
