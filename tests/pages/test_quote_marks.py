"""What is marked on the review page: the quotes of findings that flag something, each where it stands."""

import re
from html import unescape
from pathlib import Path

import pytest

from memtrial.condensers.schema_form import SCHEMA_FORM
from memtrial.gates.gate import evidence
from memtrial.gates.suite import ALL
from memtrial.ledger.review_facts import GateFinding
from memtrial.memory.item import Item, NativeItem, TheoryItem
from memtrial.memory.markdown import render
from memtrial.pages.draft_desk import DraftDesk
from memtrial.pages.finding_groups import LACKS_FORM, OWN, WHOLE, ReadFindings, read_findings
from memtrial.pages.page_server import serve_page
from memtrial.pages.quote_marks import Quote, mark_quotes
from tests.support.review_desk import ITEM, ask, desk_with, draft_of

FIELDS = {"claim": ITEM.claim, "trigger": ITEM.trigger, "mechanism": ITEM.mechanism, "scope": ITEM.scope}


def finding(gate: str, word: str, quote: str | None, where: str = "item", reason: str = "No.") -> GateFinding:
    return GateFinding(gate=gate, finding=word, quote=quote, where=where, reason=reason)


def read(*findings: GateFinding, run: tuple[str, ...] = ("It runs.",)) -> ReadFindings:
    return read_findings(findings, ITEM, FIELDS, run)


def page_of(folder: Path, item: Item, *findings: GateFinding) -> str:
    draft = draft_of(item, findings=findings)
    with serve_page(desk_with(folder, draft)) as address:
        return ask(address, draft.id).text


def marks(page: str) -> list[str]:
    return [unescape(text) for text in re.findall(r"<mark>(.*?)</mark>", page, re.DOTALL)]


def test_what_a_finding_quotes_is_marked_where_it_stands(tmp_path: Path) -> None:
    found = finding("refuter", "FAIL", "runs", "trace"), finding("claim-strength", "WARN", "the lever")
    page = page_of(tmp_path, ITEM, *found)
    assert "It <mark>runs</mark><sup>1</sup>." in page
    assert "pull <mark>the lever</mark><sup>2</sup>." in page
    with serve_page(DraftDesk(tmp_path, True)) as address:
        assert "<mark>" not in ask(address, draft_of(ITEM, findings=found).id).text


def test_the_quote_of_a_gate_that_passed_marks_nothing_and_hides_no_other(tmp_path: Path) -> None:
    page = page_of(
        tmp_path,
        ITEM,
        finding("refuter", "PASS", ITEM.claim),
        finding("title-as-claim", "PASS", "mill"),
        finding("explanatory-reach", "NOT_APPLICABLE", None),
        finding("claim-strength", "WARN", "the lever"),
    )
    assert marks(page) == ["the lever"]
    assert "3 without a flag" in page


@pytest.mark.parametrize(
    "quote",
    [ITEM.claim, f"## Claim {ITEM.claim}", f"  {ITEM.claim.rstrip('.')} ", "## Claim"],
    ids=["the claim", "with its heading", "without its stop", "the heading"],
)
def test_a_finding_of_absence_marks_nothing_and_says_what_is_missing(tmp_path: Path, quote: str) -> None:
    lacking = TheoryItem(ITEM.claim, "", ITEM.mechanism, ITEM.scope, ITEM.form)
    found = finding("trigger-presence", "FAIL", quote, reason="there is no Trigger")
    page = page_of(tmp_path, lacking, found, finding("claim-strength", "WARN", "the lever"))
    assert marks(page) == ["the lever"]
    assert "there is no Trigger" in page
    assert "Nothing is marked: it is about the whole claim, or about what is missing beside it." in page


def test_the_whole_content_of_a_native_item_is_not_marked(tmp_path: Path) -> None:
    item = NativeItem("Pull", "For mills.", "In a mill, pull the lever.")
    assert marks(page_of(tmp_path, item, finding("refuter", "FAIL", item.content))) == []


def test_findings_with_one_quote_are_one(tmp_path: Path) -> None:
    found = [finding(kind.name, "WARN", "the lever", reason=f"{kind.name} says no") for kind in ALL[:3]]
    page = page_of(tmp_path, ITEM, *found, finding(ALL[3].name, "FAIL", "the  lever"))
    assert marks(page) == []  # of the first quote, which has two spaces and stands nowhere
    page = page_of(tmp_path / "other", ITEM, *found)
    assert marks(page) == ["the lever"]
    assert page.count("<blockquote>") == 1
    assert all(f"{kind.name} says no" in page for kind in ALL[:3])


def test_a_quote_with_headings_is_marked_in_its_fields_alone() -> None:
    quote = f"# Memory Item 1\n## Trigger {ITEM.trigger}\n## Mechanism It starts."
    found = read(finding("refuter", "FAIL", quote))
    assert found.quotes_of("trigger") == (Quote(1, ITEM.trigger),)
    assert found.quotes_of("mechanism") == (Quote(1, "It starts."),)
    assert found.quotes_of("claim") == ()


def test_a_guarded_line_is_found_as_it_is_shown(tmp_path: Path) -> None:
    item = TheoryItem("Do it.\n## Scope is a word.", "", "It starts.", "Mills.", "heuristic")
    assert "\\## Scope is a word." in render(item)
    page = page_of(tmp_path, item, finding("refuter", "FAIL", "\\## Scope is a word."))
    assert marks(page) == ["## Scope is a word."]


def test_the_line_that_stands_for_a_claim_of_several_is_the_whole_of_it() -> None:
    item = TheoryItem("Do it.\n## Scope is a word.", "", "It starts.", "Mills.", "heuristic")
    found = read_findings([finding("refuter", "FAIL", evidence(item))], item, {"claim": item.claim}, ())
    assert (found.flagged[0].note, found.quotes_of("claim")) == (WHOLE, ())


def test_a_quote_that_is_not_shown_is_said_and_takes_no_number() -> None:
    nowhere, there = finding("refuter", "FAIL", "a wheel"), finding("duplicate", "WARN", "mill")
    found = read(finding("form-check", "FAIL", "a wheel", "trace"), nowhere, there)
    assert [(one.number, bool(one.note)) for one in found.flagged] == [(0, True), (0, True), (1, False)]


def test_the_criterion_of_each_gate_is_on_the_page_and_the_keyboard_reaches_it(tmp_path: Path) -> None:
    found = [
        finding(kind.name, word, "mill") for kind, word in zip(ALL, ("FAIL", "PASS") * len(ALL), strict=False)
    ]
    found += [finding("mine", "WARN", "mill"), finding(SCHEMA_FORM, "FAIL", "mill")]
    page = unescape(page_of(tmp_path, ITEM, *found))
    for kind in ALL:
        assert f"<summary>what {kind.name} looks for</summary>\n<p>{kind.failure}</p>" in page
        assert kind.question is None or kind.question.render() in page
    assert f"<summary>what mine looks for</summary>\n<p>{OWN}</p>" in page
    assert f"<summary>what {SCHEMA_FORM} looks for</summary>\n<p>{LACKS_FORM}</p>" in page


@pytest.mark.parametrize(
    ("text", "quotes", "shown"),
    [
        ("a <b> a", ("a", "<b>"), "<mark>a</mark>1 <mark>&lt;b&gt;</mark>2 <mark>a</mark>1"),
        ("abcd", ("abc", "bcd"), "<mark>abc1d</mark>2"),
        ("abc", ("b", "abc"), "<mark>ab1c</mark>2"),
        ("abc", ("ab", "c"), "<mark>ab</mark>1<mark>c</mark>2"),
        ("abc", ("bc", "abc"), "<mark>abc</mark>1, 2"),
        ("abc", ("x",), "abc"),
        ("", ("x",), ""),
        ("a\x00b", ("a\x00",), "<mark>a\ufffd</mark>1b"),
        ("a" * 200, ("a",), "<mark>a</mark>1" * 100 + "a" * 100),
    ],
)
def test_marks_are_put_around_escaped_text(text: str, quotes: tuple[str, ...], shown: str) -> None:
    found = str(mark_quotes(text, [Quote(number, quote) for number, quote in enumerate(quotes, 1)]))
    assert re.sub("</?sup>", "", found) == shown
