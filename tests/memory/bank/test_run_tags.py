"""Tags of a run: the languages of its files and the kind of its problem, which a search filters by."""

from dataclasses import replace
from pathlib import Path

import pytest

from memtrial.agents.trajectory import Step, Trajectory
from memtrial.api.bank.search_memory import SearchChoice, search_memory
from memtrial.memory.bank.distillation.distilled_items import DistilledItem
from memtrial.memory.bank.labelled_run import LabelledRun
from memtrial.memory.bank.run_tags import tag_run
from memtrial.memory.item import NativeItem
from tests.support.event_bank import make_trajectory
from tests.support.evolving import bank_in


def run(query: str, action: str = "look", seen: str = "") -> Trajectory:
    return replace(
        make_trajectory(), query=query, start="", steps=(Step("I think of main.rs.", action, seen),)
    )


@pytest.mark.parametrize(
    ("query", "action", "seen", "tags"),
    [
        ("Fix the error handling in the auth service", "edit src/auth/main.go:14", "", ("go", "debugging")),
        ("Rename the exporter", "open a.py, b.py and c.TS", "x.rb", ("python", "typescript", "refactoring")),
        # what the agent only saw counts where it names no file
        ("This is the aim", "ls", "lib/a.rb\nlib/b.erb\nmain.c", ("ruby", "c")),
        ("Migrate it", "run up.sql down.sql x.py y.js z.go", "", ("sql", "go", "javascript", "migration")),
        ("Get the kiln of the east hall to run.", "turn the left dial", "It hums.", ()),
        ("Read example.com, e.g. v1.2 of it", "page.go(1); self.h = 2; notes.py.bak", "", ()),
    ],
)  # fmt: skip
def test_what_a_run_is_about(query: str, action: str, seen: str, tags: tuple[str, ...]) -> None:
    assert tag_run(run(query, action, seen)) == tags


def test_items_of_a_run_have_its_tags_and_are_searched_by_them(tmp_path: Path) -> None:
    bank = bank_in(tmp_path)
    for query in ("Fix the bug in a.py", "Fix the bug in b.go"):
        words = NativeItem(query, "D", "Read the traceback.")
        bank.keep([DistilledItem(words, "success")], [LabelledRun(run(query))], "a test")
    bank.log.close()
    for tags, n in ((("python",), 1), (("debugging",), 2), (("python", "debugging"), 1), (("rust",), 0)):
        answer = search_memory(tmp_path, "the bug", SearchChoice("paper", tags=tags))
        assert len(answer.hits) == n
