"""The reports in a real browser: light and dark, at a desk and on a phone, by keyboard."""

from collections.abc import Iterator
from typing import Any

import pytest

from memtrial.reports.render.evolution_report import render_evolution_html
from memtrial.reports.render.html_report import render_html
from memtrial.reports.render.probe_report import render_probe_html
from memtrial.reports.render.section_report import render_section_html
from tests.support.agent_packages import AXE_SCRIPT
from tests.support.browser import chromium
from tests.support.made_evolution import made_evolution
from tests.support.made_probe import made_probe
from tests.support.report_example import past
from tests.support.report_shown import demo
from tests.support.tried_sections import made_results

PHONE, DESK = {"width": 390, "height": 844}, {"width": 1280, "height": 800}
LOOKS = pytest.mark.parametrize(("size", "scheme"), [(DESK, "light"), (PHONE, "dark")])
KINDS = pytest.mark.parametrize("kind", ["run", "sections", "probe", "evolution"])
CONTRASTS = """() => {
  const light = (colour) => {
    const parts = colour.match(/[\\d.]+/g).slice(0, 3).map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  const paper = light(getComputedStyle(document.body).backgroundColor);
  return [...document.querySelectorAll("svg text")].map((text) => {
    const ink = light(getComputedStyle(text).fill);
    return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
  });
}"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The address of a page of each kind."""
    folder = tmp_path_factory.mktemp("reports")
    sources = {
        "run": render_html(demo(1), past()),
        "sections": render_section_html(
            made_results(("helps", "can go", "not settled", "harms"), simulated=True)
        ),
        "probe": render_probe_html(made_probe()),
        "evolution": render_evolution_html(made_evolution(judge="simulated/examiner")),
    }
    for kind, source in sources.items():
        (folder / f"{kind}.html").write_text(source, encoding="utf-8")
    return {kind: (folder / f"{kind}.html").as_uri() for kind in sources}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        yield opened


def open_page(browser: Any, address: str, size: dict[str, int], scheme: str) -> Any:
    """The page with all its folds open."""
    page = browser.new_context(viewport=size, color_scheme=scheme, bypass_csp=True).new_page()
    page.goto(address)
    page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true })")
    return page


@LOOKS
@KINDS
def test_no_page_is_wider_than_its_screen_and_texts_of_figures_stand_out(
    browser: Any, pages: dict[str, str], kind: str, size: dict[str, int], scheme: str
) -> None:
    page = open_page(browser, pages[kind], size, scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    contrasts = page.evaluate(CONTRASTS)
    assert len(contrasts) > 3
    assert min(contrasts) >= 4.5
    page.context.close()


@pytest.mark.skipif(not AXE_SCRIPT.is_file(), reason="`make agents` installs axe-core")
@LOOKS
@KINDS
def test_axe_sees_no_violation(
    browser: Any, pages: dict[str, str], kind: str, size: dict[str, int], scheme: str
) -> None:
    page = open_page(browser, pages[kind], size, scheme)
    page.evaluate(AXE_SCRIPT.read_text(encoding="utf-8"))
    faults = page.evaluate(
        "axe.run({exclude: [['svg > *']]}).then(r => r.violations.map(v => [v.id, v.nodes[0].html]))"
    )
    assert not faults
    page.context.close()


def test_by_keyboard_one_skips_to_the_verdicts_and_opens_a_fold(browser: Any, pages: dict[str, str]) -> None:
    page = browser.new_page(viewport=DESK)
    page.goto(pages["run"])
    page.keyboard.press("Tab")
    skip = page.locator(".skip")
    assert skip.bounding_box()["x"] >= 0
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    assert page.url.endswith("#verdicts")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Verdict matrix"
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.tagName") == "SUMMARY":
            break
    assert not page.evaluate("document.activeElement.parentElement.open")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.parentElement.open")
    page.close()
