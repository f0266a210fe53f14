"""A reply can be damaged item by item, and no character of it is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrial.memory.markdown import item_texts
from tests.support.growth import fastest_growth
from tests.support.upstream_slots import REPLIES, TWO


@given(st.text("# MemoryItl12\n\r", max_size=80))
def test_no_character_is_lost_and_no_piece_is_empty(text: str) -> None:
    pieces = item_texts(text)
    assert "\n\n".join(pieces) == text
    assert all(pieces)


@pytest.mark.parametrize(
    ("text", "n"),
    [
        *((TWO, 2), (f"Preamble.\n\n{TWO}", 2), (REPLIES[14], 5), (REPLIES[13], 2), (REPLIES[12], 2)),
        *((f"```markdown\n{TWO}\n```", 2), (f"Here:\n\n```\n{TWO}\n```\n\nThat is all.", 2)),
        *((TWO.replace("\n## ", "\n\n## "), 2), (TWO.replace("\n\n", "\n"), 1), (REPLIES[15], 1), ("", 0)),
    ],
)
def test_a_piece_holds_one_item(text: str, n: int) -> None:
    assert len(item_texts(text)) == n


def test_reading_takes_time_in_proportion_to_the_reply() -> None:
    texts = [
        lambda size: "\n\n" * (size // 2),
        lambda size: "# Memory Item\n\n" * (size // 15),
        lambda size: "**Memory Item " * (size // 14),
        lambda size: " " * size,
    ]
    assert fastest_growth(item_texts, texts) == ""
