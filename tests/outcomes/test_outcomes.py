"""The outcome table: what it refuses, and how trials become cell means."""

from dataclasses import fields, replace

import numpy as np
import polars as pl
import pytest

from memtrial.outcomes.outcomes import OutcomeRow, Outcomes
from tests.support.drawn import TREATED, play

ROW = OutcomeRow("m", "control", "intact", "t", "", 0, 1.0)


@pytest.mark.parametrize(
    "change",
    [{"score": 1.2}, {"score": -0.1}, {"score": float("nan")}, {"arm": "none"}, {"condition": "without"}],
)
def test_a_row_that_cannot_be_is_refused(change):
    with pytest.raises(ValueError, match="task 't'"):
        Outcomes((replace(ROW, **change),))


def test_a_trial_stands_once_and_a_task_has_one_cluster():
    with pytest.raises(ValueError, match="2 rows"):
        Outcomes((ROW, ROW))
    with pytest.raises(ValueError, match="one cluster"):
        Outcomes((replace(ROW, cluster="a"), replace(ROW, cluster="b", repeat=1)))


def test_cells_average_scores_and_count_errors():
    rows = (
        ROW,
        replace(ROW, repeat=1, score=0.0),
        replace(ROW, repeat=2, score=None),
        replace(ROW, task="u", cluster="c", score=None, empty_slot=True),
        replace(ROW, backbone="n", task="v"),
        replace(ROW, condition="filler", empty_slot=True),
    )
    outcomes = Outcomes(rows)
    table = outcomes.cells("m")
    assert table.tasks == ("t", "u", "v")
    assert table.clusters == ("t", "c", "v")
    np.testing.assert_array_equal(table.mean(("control", "intact")), [0.5, np.nan, np.nan])
    assert table.repeats == 3
    assert table.played.tolist() == [True, True, False]
    low, high = table.bounds(("control", "intact"))
    np.testing.assert_allclose(low, [1 / 3, 0, np.nan])
    np.testing.assert_allclose(high, [2 / 3, 1, np.nan])
    assert outcomes.errors() == {"control": 2}
    assert outcomes.empty_slots() == {"control": 1 / 5}


def columns_of(rows, **change):
    names = [one.name for one in fields(OutcomeRow)]
    return pl.DataFrame({name: [getattr(row, name) for row in rows] for name in names} | change)


def some_rows(seed):
    rng = np.random.default_rng(seed)
    rows = [row for row in play(TREATED, n=9) + play({}, n=7, backbone="n") if rng.random() < 0.8]
    rows = [
        replace(
            row,
            cluster=f"c{int(row.task[1:]) // 3}" if int(row.task[1:]) % 2 else "",
            score=None if rng.random() < 0.2 else row.score,
            slot=str(rng.choice(["", "x", "y"])),
            empty_slot=bool(rng.random() < 0.3),
            # repeats need neither begin at zero nor be small
            repeat=row.repeat * 10**12 - 5,
        )
        for row in rows
    ]
    rng.shuffle(rows)
    return tuple(rows)


@pytest.mark.parametrize("seed", range(5))
def test_columns_and_rows_say_the_same(seed):
    rows = some_rows(seed)
    by_row, by_column = Outcomes(rows), Outcomes(columns_of(rows))
    assert by_column.backbones == by_row.backbones == tuple(dict.fromkeys(row.backbone for row in rows))
    assert by_column.tasks == by_row.tasks == tuple(sorted({row.task for row in rows}))
    assert by_column.clusters == by_row.clusters
    assert by_column.errors() == by_row.errors()
    assert by_column.empty_slots() == by_row.empty_slots()
    assert sum(by_row.errors().values()) == sum(row.score is None for row in rows)
    for backbone in by_row.backbones:
        one, other = by_row.cells(backbone), by_column.cells(backbone)
        assert one.cells == other.cells
        for cell in one.cells:
            np.testing.assert_array_equal(one.mean(cell), other.mean(cell))
            assert by_row.slots(backbone, cell) == by_column.slots(backbone, cell)


@pytest.mark.parametrize("seed", range(5))
def test_trial_scores_stand_by_repeat(seed):
    rows = some_rows(seed)
    for backbone in ("m", "n"):
        table = Outcomes(rows).cells(backbone)
        for cell in table.cells:
            scores = table.scores(cell)
            assert scores.shape == (len(table.tasks), table.repeats)
            for place, task in enumerate(table.tasks):
                mine = {
                    row.repeat: np.nan if row.score is None else row.score
                    for row in rows
                    if (row.backbone, row.task, (row.arm, row.condition)) == (backbone, task, cell)
                }
                numbers = sorted({row.repeat for row in rows if row.backbone == backbone})
                if len(numbers) > table.repeats:  # numbered anew in every cell
                    expected = [mine[repeat] for repeat in sorted(mine)]
                    expected += [np.nan] * (table.repeats - len(mine))
                else:
                    expected = [mine.get(repeat, np.nan) for repeat in numbers]
                    expected += [np.nan] * (table.repeats - len(numbers))
                np.testing.assert_array_equal(scores[place], expected)
    assert np.isnan(table.scores(("nobody", "intact"))).all()


def test_trial_scores_are_not_those_of_a_mean_over_backbones():
    table = Outcomes(some_rows(0)).cells("m")
    with pytest.raises(ValueError, match="several backbones"):
        replace(table, trials=table.trials * 2).scores(("control", "intact"))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"score": np.array([0.5, 1.5, -1.0])}, r"task 'u'.* got 1.5"),
        ({"score": np.array([0.5, np.inf, 1.0])}, r"task 'u'.* got inf"),
        ({"arm": ["control", "none", "none"]}, r"task 'u'.*one shared cell"),
        ({"condition": ["intact", "intact", "without"]}, r"task 'v'.*one shared cell"),
        ({"task": ["t", "t", "t"]}, r"'t', 0\) has 3 rows"),
        ({"task": ["t", "t", "u"], "cluster": ["a", "b", "a"], "repeat": [0, 1, 2]}, r"'t' .*'a', 'b'"),
    ],
)
def test_columns_that_cannot_be_are_refused_by_their_first_row(change, says):
    rows = (ROW, replace(ROW, task="u"), replace(ROW, task="v"))
    with pytest.raises(ValueError, match=says) as caught:
        Outcomes(columns_of(rows, **change))
    assert "\n" not in str(caught.value)


def test_doubled_trials_are_counted():
    rows = (ROW, replace(ROW, task="u"), ROW, replace(ROW, task="u"), replace(ROW, task="u"))
    with pytest.raises(ValueError, match=r"'t', 0\) has 2 rows, and 1 more have several"):
        Outcomes(rows)


def test_an_empty_table():
    assert Outcomes(()).tasks == Outcomes(()).backbones == ()
