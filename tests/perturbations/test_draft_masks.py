"""A model says which words are masked; the marks, one a word and everywhere alike, are the program's."""

import pytest

from memtrial.perturbations.written.draft_masks import mask_items, read_masking

ITEM = (
    "# Memory Item 1\n## Title Sort first\n## Content When the table has pages, sort it by date, "
    "and call Finish[...] then. A table that is sorted shows the date on top."
)


@pytest.mark.parametrize(
    "mark", ["[XXXX]", "[MASK]", "[...]", "[____]", "____", "█████", "[hidden]", "XXXX", "[…]"]
)
def test_marks_of_any_make_become_marks_of_one(mark):
    draft = ITEM.replace("Sort first", f"{mark} first").replace("by date", f"by {mark}")
    (masked,) = mask_items((ITEM,), (draft,))
    assert "sort" not in masked.lower()
    assert "date" not in masked.lower()
    assert masked == mask_items((ITEM,), (draft.replace(mark, "[XXXX]"),))[0]
    # what stands in the intact text and looks like a mark is none, and stays
    assert "call Finish[...] then" in masked


def test_a_mark_may_stand_for_many_words_and_each_gets_its_own():
    draft = ITEM.replace("sort it by date", "[XXXX]").replace("Sort first", "[XXXX]")
    assert read_masking(ITEM, draft).fault == ""
    (masked,) = mask_items((ITEM,), (draft,))
    assert len(masked.split()) == len(ITEM.split())
    assert read_masking(ITEM, masked).keys == read_masking(ITEM, draft).keys


def test_a_word_that_is_masked_in_an_item_is_masked_in_all():
    other = ITEM.replace("Memory Item 1", "Memory Item 2").replace("Sort first", "Dates")
    drafts = (
        ITEM.replace("sort it by date", "[X] it by date").replace("Sort", "[X]"),
        other.replace("by date", "by [X]"),
    )
    masked = mask_items((ITEM, other), drafts)
    for text in masked:
        assert "sort" not in text.lower()
        assert "date" not in text.lower()


@pytest.mark.parametrize(
    ("draft", "fault"),
    [
        (ITEM, "no word that carries content"),
        (ITEM.replace("by date", "[XXXX] date"), "no word that carries content"),
        (ITEM.replace("Sort first", "[XXXX] (order) first"), "other words beside the marks: 'order'"),
        (ITEM.replace("sort it", "order it").replace("date", "[X]"), "other words beside the marks: 'order'"),
        (ITEM.replace("sort it by date, and", "[XXXX], and").replace(" first", ""), "without a mark"),
        (ITEM.replace("pages,", "pages [XXXX],"), "no word that carries content"),
        (f"{ITEM} Please check.", "other words"),
        (ITEM.replace("## Title", "## Claim"), "its headings"),
    ],
)
def test_a_draft_that_does_more_than_mask_is_no_draft(draft, fault):
    assert fault in read_masking(ITEM, draft).fault


def test_a_long_line_is_read_where_each_word_has_a_mark_of_its_own():
    long = "Sort it by date, " * 200
    assert read_masking(long, long.replace("Sort", "[X]")).keys == {"sort"}
    assert "too long to see" in read_masking(long, long.replace("Sort it", "[X]")).fault
