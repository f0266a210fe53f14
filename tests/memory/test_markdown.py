"""Items survive their markdown, whatever stands in them; replies are read however a model wrote them."""

from dataclasses import astuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtrial.memory.item import (
    AdditiveItem,
    NativeItem,
    TheoryItem,
    field_names,
    item_from_json,
    item_to_json,
    schema_of,
)
from memtrial.memory.markdown import MarkdownFault, parse, parse_all, render, split_items

calm = settings(deadline=None)  # the first call imports, and machines are shared

NASTY = [
    "# Memory Item 2",
    "## **Memory Item**: 7",
    "**Memory Item 3**",
    "# memory item in prose",
    "\\# Memory Item 2",
    "## Title",
    "  ## Title: x",
    "\t\\\\## Form: check",
    "### **Content:** y",
    "- **Claim:** z",
    "## Scope: **bold**",
    "**Trigger**",
    "__Form__: heuristic",
    "# a comment in code",
    "```python",
    "```",
    "~~~",
    "---",
    "\\---",
    "***",
    ": leading colon",
    "\\: leading",
    "\\",
    "** bold **",
    "",
    "  indented",
    "| a | b |",
    "Zeile mit Übermaß, 漢字, \u2028 and \x85 in it",
    "\r",
]
texts = st.one_of(
    st.just(""),
    st.text(max_size=40),
    st.lists(st.one_of(st.sampled_from(NASTY), st.text(max_size=8)), max_size=6).map("\n".join),
)
natives = st.builds(NativeItem, texts, texts, texts)
theories = st.builds(TheoryItem, texts, texts, texts, texts, texts)
additives = st.builds(AdditiveItem, *[texts] * 8)
items = st.one_of(natives, theories, additives)

NATIVE = NativeItem("Use the pager", "Old orders are on later pages.", "Click Next until the button is gone.")
THEORY = TheoryItem(
    "In a paged table, do open the last page",
    'task: first order | state: "Next"',
    "The table is sorted by date.",
    "Paged tables. Does NOT apply when sorting is offered.",
    'check: state: "Next"',
)


@settings(max_examples=400, deadline=None)
@given(item=items, number=st.integers(1, 99))
def test_parse_gives_back_what_render_wrote(item, number):
    assert parse(render(item, number)) == item


@calm
@given(listed=st.lists(items, max_size=4))
def test_a_joined_record_gives_back_each_item_and_splits_into_as_many(listed):
    rendered = [render(item, i + 1) for i, item in enumerate(listed)]
    joined = "\n\n".join(rendered)
    assert parse_all(joined) == tuple(listed)
    parts = split_items(joined)
    assert tuple(parse(part) for part in parts) == tuple(listed)


@calm
@given(item=items)
def test_json_gives_the_item_back(item):
    assert item_from_json(item_to_json(item)) == item


def test_the_format_is_upstreams():
    assert render(NATIVE, 3) == (
        "# Memory Item 3\n## Title Use the pager\n## Description Old orders are on later pages.\n"
        "## Content Click Next until the button is gone."
    )
    assert [line.split()[1] for line in render(THEORY).split("\n")[1:]] == [
        "Claim",
        "Trigger",
        "Mechanism",
        "Scope",
        "Form",
    ]


def test_only_what_would_be_taken_for_markup_is_guarded():
    content = "Run:\n```python\n# a comment\nx = 1\n```\n# Steps\n---\nend"
    assert content in render(NativeItem("t", "d", content))
    guarded = render(NativeItem("t", "d", "say\n## Title of the page"))
    assert "\n\\## Title of the page" in guarded


@calm
@given(text=texts)
def test_items_normalise_their_fields_once(text):
    item = NativeItem(text, text, text)
    assert item.content == item.content.strip()
    assert "\r" not in item.content
    assert NativeItem(*astuple(item)) == item
    assert item == NativeItem(f"\r\n {text}", f"{text}\n\t", item.content.replace("\n", "\r\n"))


def test_schema_names_its_fields():
    assert schema_of(NATIVE) == "native"
    assert schema_of(THEORY) == "theory"
    assert field_names("native") == ("title", "description", "content")
    assert field_names("theory") == ("claim", "trigger", "mechanism", "scope", "form")


BODIES = {
    "same line": "## Title {0}\n## Description {1}\n## Content {2}",
    "colon": "## Title: {0}\n## Description: {1}\n## Content : {2}",
    "below": "## Title\n{0}\n\n## Description\n\n{1}\n## Content\n{2}\n\n",
    "bold": "## **Title** {0}\n## **Description**: {1}\n## **Content:** {2}",
    "bold line": "## **Title: {0}**\n\n## **Description: {1}**\n\n## **Content: {2}**",
    "case": "## TITLE {0}\n## description {1}\n## cOntent {2}",
    "levels": "### Title {0}\n### Description {1}\n### Content {2}",
    "only bold": "**Title:** {0}\n**Description**: {1}\n**Content:**\n{2}",
    "bullets": "- **Title:** {0}\n- **Description:** {1}\n- **Content:** {2}",
    "underscores": "## __Title__ {0}\n## __Description__: {1}\n## __Content:__ {2}",
    "dos": "## Title {0}\r\n## Description {1}\r\n## Content {2}\r\n",
}
WRAPS = {
    "heading": "# Memory Item 1\n{0}\n\n# Memory Item 2\n{1}",
    "bare": "{0}\n{1}",
    "preamble": "It stopped early. Lessons:\n\n# Memory Item 1\n{0}\n# Memory Item 2\n{1}",
    "bold heading": "**Memory Item 1**\n{0}\n\n**Memory Item 2:**\n{1}",
    "placeholder": "# Memory Item i\n{0}\n# Memory Item ii\n{1}",
    "lower level": "# Memory Items\n\n## Memory Item 1:\n{0}\n\n## Memory Item 2:\n{1}",
    "reply fence": "So:\n```markdown\n# Memory Item 1\n{0}\n\n# Memory Item 2\n{1}\n```\nI hope it helps.",
    "bare reply fence": "```\n# Memory Item 1\n{0}\n# Memory Item 2\n{1}\n```",
    "item fences": "```markdown\n# Memory Item 1\n{0}\n```\n\n```markdown\n# Memory Item 2\n{1}\n```\n",
    "bare item fences": "```\n# Memory Item 1\n{0}\n```\n\n```\n# Memory Item 2\n{1}\n```\nDone.",
    "chatter between": "```md\n# Memory Item 1\n{0}\n```\nNext:\n```md\n# Memory Item 2\n{1}\n```\nDone.",
    "rules": "# Memory Item 1\n{0}\n\n---\n\n# Memory Item 2\n{1}\n\n---\n",
    "empty block": "# Memory Item 1\n{0}\n# Memory Item 2\nnothing to say\n# Memory Item 3\n{1}",
}


@pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)
def test_a_reply_is_read_in_every_dress(wrap):
    other = NativeItem("Ask first", "Before paying.", "Read the total:\nit may change.\n# not a heading")
    for name, body in BODIES.items():
        reply = wrap.format(body.format(*astuple(NATIVE)), body.format(*astuple(NATIVE)))
        assert parse_all(reply) == (NATIVE, NATIVE), name
        if name != "bold line":
            mixed = wrap.format(body.format(*astuple(other)), body.format(*astuple(NATIVE)))
            assert parse_all(mixed) == (other, NATIVE), name


@pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)
def test_code_in_a_field_survives_every_dress(wrap):
    code = NativeItem("t", "d", "Do this:\n```python\n# Title\nx = 1\n```\nand stop.")
    reply = wrap.format(render(code).split("\n", 1)[1], render(NATIVE).split("\n", 1)[1])
    assert parse_all(reply) == (code, NATIVE)


def test_theory_fields_are_read_and_missing_ones_are_empty():
    assert parse("# Memory Item 1\n## Form: check: state: x\n## Claim: In x, do y") == TheoryItem(
        "In x, do y", "", "", "", "check: state: x"
    )
    assert parse("**Claim:** do y") == TheoryItem("do y", "", "", "", "")
    assert parse("## Content only this") == NativeItem("", "", "only this")


def test_the_schema_with_more_fields_wins_and_the_rest_is_text():
    mixed = parse("## Title a\n## Description b\n## Content c\n## Form validation comes first")
    assert mixed == NativeItem("a", "b", "c\n## Form validation comes first")
    assert parse("## Title a\n## Claim b\n## Trigger state: c") == TheoryItem("b", "state: c", "", "", "")


def test_a_heading_of_another_level_or_a_second_one_is_text():
    text = "see\n### Title\nof the page\n## Description of it"
    assert parse(f"## Title a\n## Description b\n## Content {text}") == NativeItem("a", "b", text)


def test_a_title_in_the_item_heading_is_kept():
    assert parse("# Memory Item 1: Use the pager\n## Content click").title == "Use the pager"
    assert parse("# Memory Item 1: Label\n## Title Own\n## Content click").title == "Own"


@pytest.mark.parametrize("text", ["", "no heading at all", "# Memory Item 1\nprose", "#Title page\nprose"])
def test_no_item_is_a_fault(text):
    assert parse_all(text) == ()
    with pytest.raises(MarkdownFault, match="found 0") as fault:
        parse(text)
    assert "\n" not in str(fault.value)


def test_two_items_are_a_fault():
    with pytest.raises(MarkdownFault, match="found 2"):
        parse(render(NATIVE) + "\n\n" + render(NATIVE, 2))


def test_split_keeps_what_is_no_item():
    assert split_items("  \n \n") == ()
    assert split_items("one line, no heading") == ("one line, no heading",)
    assert split_items("Cue line:\n\n# Memory Item 1\n## Title a\n\n\n# Memory Item 2\nb\n") == (
        "Cue line:",
        "# Memory Item 1\n## Title a",
        "# Memory Item 2\nb",
    )
    assert split_items("\n# Memory Item 1\nx") == ("# Memory Item 1\nx",)
    assert len(split_items(render(NativeItem("a", "b", "c\n# Memory Item 2\nd")))) == 1


@calm
@given(text=texts)
def test_splitting_loses_nothing_but_blank_ends(text):
    assert "".join("".join(split_items(text)).split()) == "".join(text.split())


@calm
@given(text=st.one_of(texts, st.lists(st.sampled_from(NASTY), max_size=30).map("\n".join)))
def test_reading_any_text_ends_and_what_is_read_survives(text):
    for item in parse_all(text):
        assert parse(render(item)) == item
