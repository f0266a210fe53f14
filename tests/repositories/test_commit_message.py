"""A commit's message as a task: what would lead to the solution goes, what says the task stays."""

import pytest

from memtrial.repositories.mining.commit_message import clean_message, is_revert, is_usable
from memtrial.repositories.mining.git_history import parse_commit


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ("Add a lexer (#123)\n", "Add a lexer"),
        ("Add a lexer\n\nSigned-off-by: A <a@b.c>\nCo-authored-by: B <b@b.c>\n", "Add a lexer"),
        ("fix(parser): keep blanks\n\nFixes #12, closes owner/repo#7", "fix(parser): keep blanks"),
        ("Keep blanks, see https://example.org/a/b/pull/3", "Keep blanks, see"),
        ("Keep blanks\n\nhttps://example.org/docs/blanks is the rule", None),
        ("As in 3f2a91c4 keep blanks", "As in … keep blanks"),
        ("Keep 1000000 blanks", None),
        ("Keep blanks, effaced or not", None),
        ("Note: keep blanks\n\n    if x:\n        keep()", None),
        ("Change-Id: I0123456789\nKeep blanks", "Keep blanks"),
        (
            "Keep blanks\n\n(cherry picked from commit 0123456789abcdef0123456789abcdef01234567)",
            "Keep blanks",
        ),
        ("Count from #1 on", "Count from  on"),
    ],
)
def test_what_is_kept(message: str, text: str | None) -> None:
    assert clean_message(message) == (message if text is None else text)


def test_a_long_message_is_cut_at_a_line() -> None:
    text = clean_message("Keep blanks\n" + "and more of them\n" * 5000)
    assert len(text) <= 8000
    assert text.endswith("and more of them")


@pytest.mark.parametrize(
    "text", ["", "wip", "WIP: stuff", "fix typo", "fixup! Keep blanks here", "v1.2", "..."]
)
def test_what_says_nothing(text: str) -> None:
    assert not is_usable(clean_message(text))


@pytest.mark.parametrize("text", ["Keep blanks", "fix: parser drops comments", "Handle empty input"])
def test_what_says_something(text: str) -> None:
    assert is_usable(clean_message(text))


def test_reverts_are_known_by_their_words() -> None:
    assert is_revert('Revert "Keep blanks"')
    assert is_revert("Drop blanks\n\nThis reverts commit 0123456.")
    assert not is_revert("Revertible blanks")


def test_a_commit_in_another_encoding() -> None:
    head = b"tree 00\nparent 11\nparent 22\nauthor A <a> 1 +0000\n"
    assert parse_commit("0", head + b"encoding latin-1\n\ncaf\xe9").message == "café"
    assert parse_commit("0", head + b"encoding nobody-knows\n\ncafe").subject == "cafe"
    assert parse_commit("0", head + b"\n\xff\xfe").parents == ("11", "22")
