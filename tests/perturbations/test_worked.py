"""What every kind makes of 120 slots changes only on purpose, and hardly anything fails its check."""

import pytest

from tests.support import worked

MOST_FAILED = 2
"""Of some two hundred texts a page; a run leaves out the slot where a shipped kind fails."""

places = pytest.mark.parametrize(
    ("source", "schema"), [(source, schema) for source in worked.SOURCES for schema in worked.SCHEMAS]
)


@places
def test_the_worked_file_is_what_the_kinds_make(source: str, schema: str) -> None:
    found = worked.page(source, schema)
    kept = (worked.FOLDER / f"{source}.{schema}.txt").read_text(encoding="utf-8")
    assert found == kept, "read what changed, then: python -m tests.support.worked, and git diff"
    assert found.count("\n!!! ") <= MOST_FAILED


@places
def test_there_are_twenty_slots_a_page(source: str, schema: str) -> None:
    assert len(worked.slots(source, schema)) == 20
