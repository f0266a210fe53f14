"""The view in a real browser: by keyboard, on a phone, and with texts that would like to run."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.browser import chromium
from tests.support.verb_ledger import DAMAGED
from tests.support.viewed_run import plain_run, viewed, walk_pages, wicked_run

PHONE, DESK = {"width": 390, "height": 844}, {"width": 1280, "height": 800}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        yield opened


def test_from_a_verdict_to_a_damaged_prompt_by_keyboard(browser: Any, tmp_path: Path) -> None:
    page = browser.new_page(viewport=DESK)
    with viewed(plain_run(tmp_path / "run")) as address:
        page.goto(address)
        page.locator("#matrix").wait_for()
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        page.keyboard.press("Enter")
        for part, ending in (
            ("?", "condition=filler#tasks"),
            ("/task?", "condition=filler"),
            ("/trial/", ""),
        ):
            for _ in range(200):
                page.keyboard.press("Tab")
                href = page.evaluate("document.activeElement.getAttribute('href') || ''")
                if part in href and href.endswith(ending):
                    break
            page.keyboard.press("Enter")
            page.wait_for_url(lambda url, part=part, ending=ending: part in url and url.endswith(ending))
        assert page.locator("mark").first.inner_text() == DAMAGED
        copied = page.url
        page.goto("about:blank")
        page.goto(copied)
        assert page.locator("mark").first.inner_text() == DAMAGED
    page.close()


def test_hostile_texts_run_nothing_and_no_page_is_wider_than_a_phone(browser: Any, tmp_path: Path) -> None:
    wicked_run(tmp_path / "run")
    page = browser.new_page(viewport=PHONE, color_scheme="dark")
    said: list[str] = []
    page.on("dialog", lambda dialog: said.append(dialog.message))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda fault: said.append(str(fault)))
    page.on("request", lambda request: request.url.startswith(address) or said.append(request.url))
    with viewed(tmp_path) as address:
        kinds = ("/task?", "/trial/", "/items/", "/items", "/course", "/run/run/", "/compare?")
        paths = walk_pages(address, 40)
        for kind in kinds:
            page.goto(address.rstrip("/").rpartition("/")[0] + next(path for path in paths if kind in path))
            page.mouse.move(200, 400)
            assert page.evaluate("document.documentElement.scrollWidth") <= 390, kind
    page.close()
    assert not said
