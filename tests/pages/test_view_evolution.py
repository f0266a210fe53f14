"""Evolutions on the shelf of runs: listed with their answers, shown on a page, and taken for no run."""

import os
from contextlib import closing
from pathlib import Path

import pytest

from memtrial.faults import SpecFault
from memtrial.ledger.open_ledger import open_ledger
from memtrial.pages.view.run_shelf import MOST_RUNS, RunShelf
from memtrial.runs.run_folder.folder import EVOLUTION, EVOLUTION_RESULTS, find_ledger, find_run
from tests.pages.test_review_page import is_guarded
from tests.support.made_evolution import made_evolution
from tests.support.viewed_run import plain_run, read_page, viewed


def evolution_in(folder: Path, summed_up: bool = True) -> Path:
    """A folder as `evolve` leaves it, as far as its shelf reads it."""
    folder.mkdir()
    open_ledger(folder / "ledger.sqlite").close()
    (folder / EVOLUTION).write_text("{}", encoding="utf-8")
    if summed_up:
        text = made_evolution(3, question="<script>alert(1)</script>").json_text()
        (folder / EVOLUTION_RESULTS).write_text(text, encoding="utf-8")
    return folder


def test_it_is_listed_with_what_it_answers_and_has_a_page_of_its_own(tmp_path: Path) -> None:
    evolution_in(tmp_path / "grown")
    evolution_in(tmp_path / "begun", summed_up=False)
    plain_run(tmp_path / "plain")
    with viewed(tmp_path) as address:
        _, shelf = read_page(address, "")
        answer, page = read_page(address, "run/grown/")
        assert "evolution, finished, 3 of 3 streams" in shelf.text
        assert "gains by bank" in shelf.text
        assert "evolution, stopped before it was summed up" in shelf.text
        assert "memtrial evolve" in shelf.text
        assert is_guarded(answer)
        assert "<script" not in answer.text
        for text in ("Simulated participants", "parallel-2", "report.html", "Streams: 3, each of 8 tasks"):
            assert text in page.text
        assert "nothing is summed up" in read_page(address, "run/begun/")[1].text
        # it has no trials to look at, and stands beside no run
        for path in ("run/grown/items", "run/grown/course", "compare?first=grown&second=plain"):
            assert read_page(address, path)[0].status == 404
        assert "grown" not in read_page(address, "compare?first=plain")[1].text
    with viewed(tmp_path / "grown") as address:
        assert "gains by bank" in read_page(address, "run/grown/")[1].text


def test_what_needs_a_run_says_in_a_line_that_it_is_none(tmp_path: Path) -> None:
    folder = evolution_in(tmp_path / "grown")
    assert find_ledger(folder) == folder
    with pytest.raises(SpecFault, match=r"is an evolution: its report is .*report\.html") as raised:
        find_run(folder)
    assert "\n" not in str(raised.value)


def test_of_many_runs_the_latest_are_listed_and_all_can_be_opened(tmp_path: Path) -> None:
    for number in range(MOST_RUNS + 2):
        path = tmp_path / f"run-{number:04}" / "ledger.sqlite"
        path.parent.mkdir()
        path.write_bytes(b"no database")
        os.utime(path, (number, number))
    with closing(RunShelf(tmp_path)) as shelf:
        names = [row.name for row in shelf.rows()]
        assert len(names) == MOST_RUNS
        assert names[0] == f"run-{MOST_RUNS + 1:04}"
        assert names[-1] == "run-0002"
        assert "run-0000" in shelf.folders()
