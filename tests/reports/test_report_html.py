import re
from dataclasses import replace
from itertools import pairwise

import pytest

from memtrial.analysis.reasons import Reason
from memtrial.console.escape import printable
from memtrial.reports.render.html_report import render_html
from memtrial.reports.text.backbone_answers import answer_backbones
from memtrial.reports.text.hypothesis_answers import answers, doubts
from memtrial.reports.text.reading import SIMULATED
from memtrial.reports.text.verdict_glossary import printed_word, verdict_word
from memtrial.views import numbers
from memtrial.views.evidence.untrusted import delivery_alarm
from memtrial.views.rows.play_rows import Delivery, UndeliveredTrial
from tests.support.browser import chromium
from tests.support.report_example import HOSTILE, TOKENS, bare, full, past
from tests.support.report_shown import Page, page_of

FIRST = ("answer", "verdicts", "doubts", "compared")
SECTIONS = [
    *(*FIRST, "sentences"),
    *("evidence", "plane", "figures", "hypotheses", "further", "tasks", "cells", "banks", "manipulation"),
    *("delivery", "errors", "cost"),
    *("appendix", "sensitivity", "families", "monitoring", "firings", "condensation", "models", "shared"),
    *("lock", "history", "digests", "glossary", "reproduce"),
]
BARE = ["answer", "verdicts", "sentences", "evidence", "appendix", "glossary", "reproduce"]
NAMELESS = ("appendix", "evidence", "banks", "figures", "tasks", "plane")
"""Headings whose names of the run stand in the parts below them, or behind a fold."""


PLACE = {"backbone": "b", "arm": "artifact", "condition": "filler", "task": "lost task", "repeat": 2}
EVERY = pytest.mark.parametrize("which", ["full", "bare", "hostile"])


@EVERY
def test_every_section_stands_in_its_order_and_says_something(which):
    _, page = page_of(which)
    expected = BARE if which == "bare" else SECTIONS
    assert [section for section in page.texts if section] == expected
    for section in expected:
        assert len(page.text(section)) >= len(section), section


def test_the_answer_is_read_first_and_the_appendix_is_closed():
    source, page = page_of("full")
    order = (*FIRST, "evidence")
    places = [source.index(f'id="{section}"') for section in order]
    assert places == sorted(places)
    assert source.index("<h1>") < places[0] < source.index('class="small"') < places[2]
    for answer in answer_backbones(full()):
        assert answer.sentence in page.text("answer")
    for answer in answers(full()):
        for clause in answer.clauses:
            assert clause.numbers in page.text("compared")
    for line in doubts(full()):
        assert " ".join(line.split()) in page.text("doubts")
    assert [a for tag, a in page.tags if tag == "details" and "open" in a] == []
    closed = source[source.index('<details class="appendix">') :]
    for section in SECTIONS[SECTIONS.index("appendix") + 1 :]:
        assert f'id="{section}"' in closed


@EVERY
def test_tags_close_and_headings_skip_no_level(which):
    _, page = page_of(which)
    assert page.misnested == []
    levels = [int(heading[1]) for heading in page.headings]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(later - earlier <= 1 for earlier, later in pairwise(levels))


@EVERY
def test_nothing_is_loaded_and_nothing_runs(which):
    source, page = page_of(which)
    for tag, attributes in page.tags:
        assert tag not in {"script", "iframe", "object", "embed", "base", "form"}
        for name, value in attributes.items():
            assert not name.startswith("on"), (tag, name)
            if name in {"src", "href", "xlink:href", "action", "srcset", "poster", "data"}:
                assert value.startswith(("#", "data:")), (tag, name, value)
    policies = [a["content"] for _, a in page.tags if a.get("http-equiv") == "Content-Security-Policy"]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'; img-src data:"]
    style = "".join(re.findall(r"<style>(.*?)</style>", source, flags=re.DOTALL))
    assert style
    assert "@import" not in style
    assert "url(" not in style
    assert set(re.findall(r"url\((.)", source)) <= {"#"}


@EVERY
def test_ids_are_unique_and_every_inner_reference_arrives(which):
    _, page = page_of(which)
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    targets = [a[k][1:] for _, a in page.tags for k in ("href", "xlink:href") if a.get(k, "").startswith("#")]
    targets += [
        found for _, a in page.tags for v in a.values() for found in re.findall(r"url\(#([^)]*)\)", v or "")
    ]
    assert set(targets) <= set(ids)
    assert {"verdicts", "evidence", "appendix"} <= set(targets)


PS = ("p_equivalence", "p_equivalence_adjusted")


def test_every_number_reaches_its_section():
    results, (_, page) = full(), page_of("full")
    where = {"drop": "figures", "utility": "figures", "contrast": "hypotheses"}
    absent = {row.estimand for row in results.estimates if row.code is Reason.WITHIN}
    for row in results.estimates:
        kind = row.estimand
        shown = [row.backbone, row.arm]
        shown += [row.versus] if kind == "contrast" else []
        shown += [row.condition] if kind != "utility" else []
        shown += [numbers.share(row.share)] if kind == "retention" else []
        shown += [numbers.interval(row), numbers.ends(row.low_family, row.high_family)]
        shown += [numbers.ends(row.low_equivalence, row.high_equivalence)] if kind in absent else []
        shown += [verdict_word(row.verdict).symbol, printed_word(row.verdict)]
        error = f" ± {row.p_adjusted_error:.4f}" if row.p_adjusted_error else ""
        shown += [numbers.probability(row.p), numbers.probability(row.p_adjusted) + error]
        shown += [numbers.probability(row.p_mid, row.p_mid_least)]
        shown += [numbers.probability(getattr(row, key)) for key in PS]
        shown += [str(getattr(row, key)) for key in ("n_tasks", "n_clusters", "n_missing")]
        shown += [numbers.share(row.same_text)] if kind == "contrast" else []
        assert " ".join([*shown, row.reason]) in page.text(where.get(kind, "further"))
    for cell in results.cells:
        lost = f", {cell.n_errors} error" if cell.n_errors else ")"
        assert f"{cell.score:.3f} ({cell.n_trials}{lost}" in page.text("cells")
    for row in results.manipulation:
        shown = [f"{getattr(row, key)}" for key in ("arm", "condition", "n", "applicable", "passed")]
        shown += [
            numbers.plain(getattr(row, k))
            for k in ("words_changed", "content_words_left", "length_ratio", "flips")
        ]
        assert " ".join(shown) in page.text("manipulation")
        assert row.not_applicable_because[0] in page.text("manipulation")
    for arm, part in results.empty_slots.items():
        assert (
            f"step limit {results.agent_failures[arm]['intact']['step limit']} {100 * part:.1f} %"
            in page.text("errors")
        )
    for row in results.firings:
        line = f"{row.backbone} {row.arm} intact {100 * row.shown:.1f} % {100 * row.shadow:.1f} %"
        line += f" {row.broken} {row.withheld} {row.changed}"
        assert line in page.text("firings")
    for row in results.condensation:
        told = [value for name, value in row if name != "unread_tasks"]  # a doubt names them
        assert " ".join(f"{v:,}" if isinstance(v, int) else v for v in told) in page.text("condensation")
    for arm, one in results.attrition.items():
        planned = "n/a" if one.planned is None else f"{one.planned:,}"
        causes = ", ".join(f"{cause} {count}" for cause, count in one.causes.items())
        lost = f" {100 * one.share:.1f} % {causes}" if one.errors else ""
        line = f"{arm} {one.trials:,} {planned} {one.errors}{lost} step limit"
        assert line in page.text("errors")
    for causes in results.agent_failures.values():
        assert f"step limit {causes['intact']['step limit']}" in page.text("errors")
    for row in results.estimates:
        if row.n_errors:
            bounds = " ".join(
                numbers.with_sign(getattr(row, k)) for k in ("estimate", "worst_low", "worst_high")
            )
            assert f"{row.n_errors} {bounds}" in page.text("errors")
    lines = [(arm, spent) for arm, spent in results.cost.items()]
    lines += [(row.purpose, row) for row in results.preparation]
    for name, spent in lines:
        usd = "unknown" if spent.usd is None else f"${spent.usd:,.4f}"
        counts = " ".join(f"{getattr(spent, key):,}" for key in ("calls", *TOKENS))
        assert f"{name} {counts} {usd}" in page.text("cost")
    for row in results.models:
        counts = f"{row.calls:,} none, 0.7 {row.altered}"
        assert f"{row.asked} {row.answered} {counts}" in page.text("models")
    assert "In all 123,456 requests that were to carry memory it stood verbatim." in page.text("delivery")


def test_an_unknown_price_makes_the_sum_unknown():
    text = page_of("full")[1].text("cost")
    assert "Arms and preparation together: unknown." in text
    cost = full().cost | {"none": full().cost["none"].model_copy(update={"usd": 0.25})}
    priced = bare(cost=cost, preparation=full().preparation)
    total = sum(row.usd for row in (*cost.values(), *priced.preparation))
    assert f"together: ${total:,.4f}." in Page(render_html(priced)).text("cost")


def test_the_past_of_a_run_is_told():
    text = page_of("full")[1].text("history")
    for line in past():
        assert line in text


def test_memory_text_that_did_not_arrive_is_said_first_and_in_red():
    trials = (UndeliveredTrial(**PLACE, undelivered=7, key="ab" * 32),)
    lost = Delivery(carrying=12_345, undelivered=7, trials=trials)
    source = render_html(bare(delivery=lost))
    page = Page(source)
    assert ("p", {"class": "alarm", "role": "alert"}) in page.tags
    alarm = delivery_alarm(lost)
    assert source.index("MEMORY TEXT DID NOT REACH THE PROMPT") < source.index("<h1>")
    for text in (page.text(""), page.text("delivery")):
        assert alarm in text
        assert "in 7 of 12,345 requests" in text
        assert "b, artifact, filler, task lost task, repeat 2 (trial abababababab)" in text
    assert "alarm" not in {a.get("class") for _, a in page_of("full")[1].tags}


def test_every_verdict_stands_in_the_matrix_as_word_symbol_and_tone():
    results, (source, page) = full(), page_of("full")
    text = page.text("verdicts")
    matrix = source[source.index('<table class="matrix') :]
    matrix = matrix[: matrix.index("</table>")]
    shown = re.findall(
        r'<span class="verdict (\w+)">.*?aria-hidden="true">(.)</span> ([\w -]+)</span>', matrix
    )
    expected = [
        word
        for backbone in results.backbones
        for arm, words in results.verdicts[backbone].items()
        for word in (
            results.utility[backbone][arm],
            *(words[c] for c in results.conditions),
        )
    ]
    assert [word for _, _, word in shown] == list(map(printed_word, expected))
    assert len({symbol for _, symbol, _ in shown}) == len({word for _, _, word in shown})
    for row in results.estimates:
        if row.estimand in ("utility", "drop") and row.backbone != "all":
            assert numbers.with_sign(row.estimate) in text


def test_texts_of_the_run_reach_the_page():
    results, (_, page) = full(), page_of("full")
    for section, lines in (
        ("", [results.name]),
        ("doubts", ["embedded equivalent", "exploratory", "workshop"]),
        ("doubts", ["80 tasks × 3 repeats", "seed 20260", "outcome success", "±0.1", "alpha 0.05"]),
        ("doubts", results.backbones),
        ("shared", results.shared_cells),
        ("doubts", results.notes),
        ("digests", [*results.digests, *results.digests.values()]),
        ("reproduce", results.reproduce),
    ):
        for line in lines:
            assert line in page.text(section)


@pytest.mark.parametrize("simulated", [True, False])
def test_the_label_stands_in_title_and_head_of_simulated_runs_only(simulated):
    page = Page(render_html(bare(simulated=simulated)))
    for text in (page.title, page.text("")):
        assert (SIMULATED in text) is simulated
    assert "quickstart" in page.title


def test_hostile_text_is_shown_and_never_obeyed():
    source, page = page_of("hostile")
    assert "<script" not in source
    assert "<b>" not in re.sub("<b>(Rests on|Does not say|Thought|Action|&lt;script[^<]*)</b>", "", source)
    assert "49" not in page.title
    shown = " ".join(printable(HOSTILE).split())
    for section in set(SECTIONS) - {"glossary", "delivery", *NAMELESS}:
        # in prose a text between backticks is code
        assert shown.replace("`", "") in page.text(section).replace("`", ""), section
    assert source.encode()  # a lone surrogate would not encode
    assert "\x1b" not in source
    assert "\u202e" not in source


def test_missing_and_odd_numbers_and_new_words_break_nothing():
    results = full().model_copy(update={"differences": ()})
    some = [row for row in results.estimates if row.estimand in ("drop", "contrast")][:9]
    rows = (replace(row, estimate=None, low=None, high=float("nan")) for row in some)
    first, *others = results.cells
    utility = {**results.utility, "simulated/skimmer": {"control": "a word of tomorrow"}}
    cells = (first.model_copy(update={"score": None}), *others)
    odd = {"estimates": tuple(rows), "cells": cells, "utility": utility}
    page = Page(render_html(results.model_copy(update=odd)))
    assert "a word of tomorrow" in page.text("verdicts")
    assert "no estimate" in page.text("figures")
    assert "nan" not in page.text().lower().split()
    assert "n/a (240)" in page.text("cells")


def test_same_results_same_bytes():
    some = bare(estimates=full().estimates[:9], utility=full().utility, verdicts=full().verdicts)
    assert render_html(some, past()) == render_html(some, past())


def test_a_browser_opens_it_without_a_request_or_a_complaint(tmp_path):
    path = tmp_path / "report.html"
    path.write_text(page_of("full")[0], encoding="utf-8")
    asked: list[str] = []
    said: list[str] = []
    with chromium("--disable-quic", "--disable-background-networking") as browser:
        for width in (390, 1200):
            page = browser.new_page(viewport={"width": width, "height": 900})
            page.on("request", lambda request: asked.append(request.url))
            page.on("console", lambda message: said.append(message.text))
            page.on("pageerror", lambda error: said.append(str(error)))
            page.goto(path.as_uri())
            assert page.title().endswith(SIMULATED)
            sideways = page.evaluate("document.documentElement.scrollWidth")
            assert sideways <= width, "the page itself scrolls sideways"
            page.keyboard.press("Tab")
            assert page.evaluate("document.activeElement.className") == "skip"
            page.close()
    assert [url for url in asked if not url.startswith("data:")] == [path.as_uri()] * 2
    assert said == []
