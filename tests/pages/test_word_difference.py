"""Two texts word by word: what is marked, and that the search ends."""

import re
from random import Random

import pytest
from markupsafe import Markup

from memtrial.pages.view.word_difference import MOST_EDITS, mark_difference

TAG = re.compile(r"<(del|ins)>.*?</\1>", re.DOTALL)


def lcs(first: list[str], second: list[str]) -> int:
    """Length of the longest common subsequence, by the table of all pairs."""
    line = [0] * (len(second) + 1)
    for word in first:
        above, line = line, [0] * (len(second) + 1)
        for place, other in enumerate(second, 1):
            line[place] = above[place - 1] + 1 if word == other else max(above[place], line[place - 1])
    return line[-1]


@pytest.mark.parametrize(
    ("first", "second", "marked"),
    [
        ("do press it", "avoid press it", ("<del>do</del> press it", "<ins>avoid</ins> press it")),
        ("a b", "a b", ("a b", "a b")),
        ("", "a b", ("", "<ins>a b</ins>")),
        ("a b", "", ("<del>a b</del>", "")),
        ("<b> & c", "<b> & d", ("&lt;b&gt; &amp; <del>c</del>", "&lt;b&gt; &amp; <ins>d</ins>")),
        ("<b> x", "<i> x", ("<del>&lt;b&gt;</del> x", "<ins>&lt;i&gt;</ins> x")),
        ("x\x1b[31m", "x\x1b[31m y", ("x\ufffd[31m", "x\ufffd[31m<ins> y</ins>")),
    ],
)
def test_what_is_left_out_and_what_is_new(first: str, second: str, marked: tuple[str, str]) -> None:
    assert mark_difference(first, second) == tuple(map(Markup, marked))


def test_what_is_not_marked_is_a_longest_text_that_both_have() -> None:
    rng = Random(7)
    for _ in range(200):
        first, second = ([rng.choice("abc") for _ in range(rng.randint(0, 9))] for _ in range(2))
        # a word and its space: as one, so that spaces between others are none that both have
        shown = mark_difference(*("".join(f"{word}\n" for word in words) for words in (first, second)))
        kept = [re.findall(r"\w", TAG.sub("", text)) for text in shown]
        assert kept[0] == kept[1]
        assert len(kept[0]) >= lcs(first, second) - 2  # a line's end is a word, too
        assert [re.sub("<.*?>", "", text) for text in shown] == [
            "".join(f"{word}\n" for word in words) for words in (first, second)
        ]


def test_texts_that_have_little_in_common_are_shown_whole() -> None:
    first, second = ("start " + " ".join(f"{letter}{n}" for n in range(MOST_EDITS)) for letter in "ab")
    mine, theirs = mark_difference(first, second)
    assert mine.startswith("start <del>a0 ")
    assert theirs.startswith("start <ins>b0 ")
    assert mine.count("<del>") == theirs.count("<ins>") == 1
