"""The view in a real browser: by keyboard, on a phone, and with texts that would like to run."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest

from tests.pages.test_view_pages import KINDS, write_report
from tests.support.agent_packages import AXE_SCRIPT
from tests.support.browser import chromium
from tests.support.verb_ledger import DAMAGED
from tests.support.viewed_run import add_desks, plain_run, viewed, walk_pages, wicked_run

DESKS = tuple(f"/run/run/desk/{name}/" for name in ("drafts", "cases.jsonl", "drafts/end"))
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


def test_from_a_verdict_to_a_damaged_prompt_in_three_clicks_and_by_a_copied_address(
    browser: Any, tmp_path: Path
) -> None:
    write_report(plain_run(tmp_path / "run"))
    page, other = browser.new_page(viewport=DESK), browser.new_context(viewport=DESK)
    with viewed(tmp_path / "run") as address:
        page.goto(address)
        page.locator(".matrix a[href*='condition=filler']", has_text="inconclusive").first.click()
        page.locator(".grid tbody a[href*='condition=filler']").first.click()
        page.locator("a[href*='/trial/']").last.click()
        assert page.locator("mark").first.inner_text() == DAMAGED
        states = [page.url]
        for _ in range(2):
            page.go_back()
            states.append(page.url)
        page.select_option("#outcome", "gained")
        page.locator("form.filter button").click()
        states.append(page.url)
        for state in states:
            page.goto(state)
            again = other.new_page()
            again.goto(state)
            assert again.locator("main").inner_text() == page.locator("main").inner_text()
            for choice in ("#outcome", "#condition"):
                if page.locator(choice).count():
                    assert again.input_value(choice) == page.input_value(choice)
    assert len(set(states)) == 4
    other.close()
    page.close()


def test_a_desk_is_reached_worked_and_left_by_keyboard_on_a_phone(browser: Any, tmp_path: Path) -> None:
    add_desks(plain_run(tmp_path / "run"))
    page = browser.new_page(viewport=PHONE, color_scheme="dark")
    with viewed(tmp_path / "run", by="ann") as address:
        page.goto(address)
        page.locator("a", has_text="drafts").focus()
        page.keyboard.press("Enter")
        page.locator("h1", has_text="Draft 1 of 1").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        page.keyboard.press("a")
        page.locator("text=All is decided and saved.").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        page.locator("li a").press("Enter")
        page.locator("text=Decided:").wait_for()
        page.keyboard.press("u")
        page.locator("text=0 decided, 1 left").wait_for()
        page.keyboard.press("b")
        page.locator("#matrix").wait_for()
        assert "1 draft for review: 0 accepted" in page.locator("main").inner_text()
        page.locator("a", has_text="cases.jsonl").press("Enter")
        page.locator("h1", has_text="Case 1 of 1").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
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
        paths = walk_pages(address, 40)
        for kind in (*KINDS, "/items", "/run/run/"):
            page.goto(address.rstrip("/").rpartition("/")[0] + next(path for path in paths if kind in path))
            page.mouse.move(200, 400)
            assert page.evaluate("document.documentElement.scrollWidth") <= 390, kind
    page.close()
    assert not said


@pytest.mark.skipif(not AXE_SCRIPT.is_file(), reason="`make agents` installs axe-core")
@pytest.mark.parametrize(("size", "scheme"), [(DESK, "light"), (PHONE, "dark")])
def test_axe_sees_no_violation(browser: Any, tmp_path: Path, size: dict[str, int], scheme: str) -> None:
    write_report(add_desks(plain_run(tmp_path / "run")))
    context = browser.new_context(viewport=size, color_scheme=scheme, bypass_csp=True)
    page, script = context.new_page(), AXE_SCRIPT.read_text(encoding="utf-8")
    with viewed(tmp_path, by="ann") as address:
        paths = walk_pages(address, 60)
        for kind in ("/run/run/?", *KINDS, *DESKS, "/run/nothing/"):
            path = next(
                (path for path in paths if kind in path), f"{urlsplit(address).path}{kind.lstrip('/')}"
            )
            page.goto(urljoin(address, path))
            page.evaluate(script)
            faults = page.evaluate("axe.run().then(r => r.violations.map(v => [v.id, v.nodes[0].html]))")
            assert not faults, path
    context.close()
