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
    write_report(plain_run(tmp_path / "run"))
    context = browser.new_context(viewport=size, color_scheme=scheme, bypass_csp=True)
    page, script = context.new_page(), AXE_SCRIPT.read_text(encoding="utf-8")
    with viewed(tmp_path) as address:
        paths = walk_pages(address, 60)
        for kind in ("/run/run/?", *KINDS, "/run/nothing/"):
            path = next(
                (path for path in paths if kind in path), f"{urlsplit(address).path}{kind.strip('/')}/"
            )
            page.goto(urljoin(address, path))
            page.evaluate(script)
            faults = page.evaluate("axe.run().then(r => r.violations.map(v => [v.id, v.nodes[0].html]))")
            assert not faults, path
    context.close()
