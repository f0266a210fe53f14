"""What an evolution sums up: its course along the stream, its banks, its judge, and what is compared."""

import pytest

from memtrial.evolution.stream_parts import average_streams, measure_parts
from memtrial.evolution.stream_rows import TaskRow
from memtrial.views.rows.evolution_rows import EvolutionResults, EvolvedArm
from tests.support.made_evolution import made_evolution

ARMS = (
    EvolvedArm(name="none", mode="vanilla", learn="none", tries=1),
    EvolvedArm(name="bank", mode="bank", learn="both", tries=1),
)


@pytest.fixture(scope="module")
def made() -> EvolutionResults:
    return made_evolution(judge="simulated/examiner")


def row(arm: str, stream: int, position: int, solved: bool | None, items: int = 0) -> TaskRow:
    made = tuple(map(str, range(items)))
    return TaskRow("m", arm, stream, position, "t", "f", solved, None, new_items=made)


def test_a_lift_is_of_the_same_part_of_the_same_stream() -> None:
    rows = [
        row("none", 0, 0, True), row("none", 0, 1, False), row("none", 1, 0, False), row("none", 1, 1, False),
        row("bank", 0, 0, True, 2), row("bank", 0, 1, True, 1), row("bank", 1, 0, False),
        row("bank", 1, 1, None),
    ]  # fmt: skip
    parts = list(measure_parts(rows, ARMS, 2, "none"))
    assert [(part.arm, part.first, part.last) for part in parts] == [
        ("none", 1, 1), ("none", 2, 2), ("bank", 1, 1), ("bank", 2, 2),
    ]  # fmt: skip
    assert all(part.lift is None and part.items is None for part in parts[:2])
    first, second = parts[2:]
    assert (first.success, first.lift, first.streams, first.items) == (0.5, 0.0, 2, 1.0)
    # the second stream has no outcome there, so that nothing of it is lifted either
    assert (second.success, second.lift, second.streams, second.items) == (1.0, 1.0, 1, 1.5)
    assert second.lift_low is None


def test_parts_cover_the_stream_and_share_no_task(made: EvolutionResults) -> None:
    rows = [row("bank", 0, position, True) for position in range(96)]
    parts = list(measure_parts(rows, ARMS, 96, None))
    places = [place for part in parts for place in range(part.first, part.last + 1)]
    assert places == list(range(1, 97))
    assert len(parts) == 8
    assert [part.lift for part in made.parts if part.arm == "vanilla"] == [None] * 8


def test_an_interval_over_streams_is_students() -> None:
    mean, low, high = average_streams([0.2, 0.4, 0.6, None])
    # t(.975, 2 degrees) = 4.302653, sd .2
    assert (mean, low) == (pytest.approx(0.4), 0.0)
    assert high == pytest.approx(0.4 + 4.302652729911275 * 0.2 / 3**0.5)
    assert average_streams([0.2]) == (0.2, None, None)
    assert average_streams([None]) == (None, None, None)


def test_banks_and_consolidations_are_counted_over_all_streams(made: EvolutionResults) -> None:
    assert [growth.arm for growth in made.growth] == ["bank", "parallel-2"]
    bank = made.growth[0]
    assert (bank.streams, bank.made, bank.active, bank.consolidations) == (6, 48, 36, 12)
    assert (bank.links, bank.quarantined, bank.duplicates, bank.promoted, bank.archived) == (18, 6, 6, 6, 0)
    assert (bank.shown_tasks, bank.cited_tasks) == (pytest.approx(7 / 8), pytest.approx(2 / 7))


def test_a_judge_is_held_against_the_world_and_the_world_against_nobody(made: EvolutionResults) -> None:
    vanilla = made.judged[0]
    # odd places fail, the last of them was not readable; the third place is the other way round twice
    assert (vanilla.arm, vanilla.tasks, vanilla.unread) == ("vanilla", 48, 6)
    assert (vanilla.failures, vanilla.false_success) == (20, 6)
    assert (vanilla.successes, vanilla.false_failure) == (22, 0)
    assert made_evolution(1).judged == ()


def test_the_results_are_read_back_whole(made: EvolutionResults) -> None:
    again = EvolutionResults.model_validate_json(made.json_text())
    assert again == made
    single = made_evolution(1)
    assert single.comparisons == ()
    assert EvolutionResults.model_validate_json(single.json_text()) == single
