"""`mt.try_sections`: from a file with one section that matters to its words, in two stages that resume."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

import memtrial as mt
from memtrial.analysis.screening.part_screening import ScreeningRules
from memtrial.analysis.screening.stage_sizes import StageSizes
from memtrial.api.coding.played_rows import read_rows
from memtrial.api.coding.section_plan import plan_sections
from memtrial.api.coding.try_sections import PreparedSections, SectionsEnd, play_sections, prepare_sections
from memtrial.faults import SpecFault
from memtrial.ledger.rows import TrialRow
from tests.support.tried_sections import write_house


@pytest.fixture
def house(tmp_path: Path) -> Path:
    return write_house(tmp_path, 5, 4)


def prepare(house: Path, **more: object) -> PreparedSections:
    """As it ships; without pages, which would take most of the time."""
    options = mt.TryOptions(**{"out": house / "run", "report": False} | more)
    agent, tasks = f"sh {house / 'worker.sh'}", str(house / "things")
    return prepare_sections(agent, house / "HOUSE.md", tasks, house, options)


def shrink(prepared: PreparedSections) -> PreparedSections:
    """Small enough to be played here: two pairs to screen, two to confirm, of at most two sections."""
    small = replace(prepared.plan, size=StageSizes(1, 2, 2), screening=ScreeningRules(most=2))
    return replace(prepared, plan=small)


def stop_after(prepared: PreparedSections, n_blocks: int) -> SectionsEnd:
    return play_sections(replace(prepared, options=replace(prepared.options, limit=n_blocks)))


def scored(rows: tuple[TrialRow, ...]) -> list[tuple[str, str, float | None]]:
    return sorted((row.arm, row.task, row.score) for row in rows)


def test_the_section_that_matters_comes_out_and_what_was_screened_stays(house: Path) -> None:
    prepared = shrink(prepare(house))
    begun = stop_after(prepared, 1)
    assert (begun.results, begun.run.ending.how) == (None, "limit")
    assert not (house / "run" / "confirmation").exists()
    stopped = stop_after(prepared, 3)  # the end of the screening, and three of the four tasks afterwards
    assert (stopped.results, stopped.run.ending.how) == (None, "limit")
    screening = scored(read_rows(house / "run" / "screening"))
    assert len(screening) == 20
    results = play_sections(prepared).results
    assert scored(read_rows(house / "run" / "screening")) == screening
    assert results is not None
    assert (results.n_screening, results.n_lost, results.kind) == (20, 0, "section")
    assert (results.solved_whole, results.solved_without) == (1.0, 0.0)
    lamp, *others = results.sections
    assert (lamp.name, lamp.stage, lamp.estimate) == ("Lamp", "confirmation", 1.0)
    assert (lamp.word, round(lamp.p, 2)) == ("not settled", 0.12), "four tasks are too few to show it"
    assert all(abs(row.estimate) < 1e-9 for row in others)
    kept = json.loads((house / "run" / "results.json").read_text())
    assert kept["sections"][0]["estimate"] == 1.0
    assert not (house / "run" / "report.html").exists()
    with_pages = replace(prepared, options=replace(prepared.options, report=True))
    assert play_sections(with_pages).results == results
    assert "Lamp" in (house / "run" / "report.html").read_text()
    with pytest.raises(SpecFault, match="another trial of sections; changed: pairs, fresh_pairs, most"):
        prepare(house)


def test_few_sections_are_confirmed_at_once(tmp_path: Path) -> None:
    house = write_house(tmp_path, 2, 2)
    prepared = shrink(prepare(house))
    assert prepared.forecast.screening == 0
    assert list(prepared.plan.fresh_arms((0, 1))) == ["few-1a", "few-1b", "few-2a", "few-2b"]
    results = play_sections(prepared).results
    assert results is not None
    assert (results.n_screening, results.n_confirmation) == (0, 10)
    assert [row.estimate for row in results.sections] == [1.0, 0.0]
    assert not (house / "run" / "screening").exists()


def test_the_halves_of_the_screening_are_texts_of_the_file(house: Path) -> None:
    text = (house / "HOUSE.md").read_text() + "## More\n\nText.\n\n## Again\n\nText.\n"
    plan = plan_sections(text, {f"t{n}": "" for n in range(4)}, seed=0, repeats=1, margin=0.1)
    assert (plan.n_parts, plan.screens, plan.family) == (7, True, 6)
    arms = plan.screening_arms()
    assert len(arms) == 8
    assert len({arm.digest for arm in arms.values()}) == 8


def test_what_cannot_be_told_apart_is_a_line_before_anything_is_written(house: Path) -> None:
    text = "".join(f"## Part {number}\n\nText.\n\n" for number in range(7))
    few_tasks = {"t1": "", "t2": ""}
    with pytest.raises(SpecFault, match="--sections needs 4 tasks for 7 sections, and there are 2"):
        plan_sections(text, few_tasks, 0, 1, 0.1)
    with pytest.raises(SpecFault, match="this one is a single one"):
        plan_sections("Only this.\n", few_tasks, 0, 1, 0.1)
    many = "".join(f"## Part {number}\n\nText.\n\n" for number in range(40))
    with pytest.raises(SpecFault, match="tells 32 sections apart; this file has 40"):
        plan_sections(many, few_tasks, 0, 1, 0.1)
    with pytest.raises(SpecFault, match="plays no damage"):
        prepare(house, conditions=("filler",))
    for named in ("marker:HOUSE.md", "mcp:server.json"):
        with pytest.raises(SpecFault, match="without marker: or mcp: before it"):
            prepare_sections("sh worker.sh", named, str(house / "things"), house)
    with pytest.raises(SpecFault, match="memory is a text file"):
        prepare_sections("sh worker.sh", house / "things", str(house / "things"), house)
    assert not (house / "run").exists()
