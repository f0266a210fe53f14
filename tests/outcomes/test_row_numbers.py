"""Rows by numbers: equal where all columns are, ordered as the columns are, however large the numbers get."""

import numpy as np
import polars as pl
import pytest

from memtrial.outcomes.grouping import codes_of, constant, count_keys, keys_of, number_keys, rank_keys
from memtrial.outcomes.outcomes import OutcomeRow, Outcomes

SEED = 20_244


def test_texts_are_numbered_as_they_appear_and_integers_by_their_size():
    texts = pl.Series(["b", "a", "b", "", "é"])
    assert codes_of(texts).tolist() == [0, 1, 0, 2, 3]
    assert codes_of(texts.cast(pl.Enum(["a", "b", "", "é"]))).tolist() == [1, 0, 1, 2, 3]
    assert codes_of(pl.Series([7, -2, 7, 0])).tolist() == [9, 0, 9, 2]
    assert constant("a", 3).cast(pl.String).to_list() == ["a"] * 3
    assert codes_of(constant("a", 3)).tolist() == [0, 0, 0]


@pytest.mark.parametrize("largest", [3, 1 << 20, 1 << 40])
def test_keys_tell_rows_apart_as_their_columns_do(largest: int):
    rng = np.random.default_rng(SEED)
    values = rng.integers(0, largest, 4)
    columns = [values[rng.integers(0, 4, 300)] for _ in range(4)]
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    key = keys_of(columns)
    assert key.min() >= 0
    order = sorted(set(rows))
    assert rank_keys(key).tolist() == [order.index(row) for row in rows]
    first = list(dict.fromkeys(rows))
    assert number_keys(key).tolist() == [first.index(row) for row in rows]
    assert count_keys(key) == len(order)


def test_no_row_has_no_number():
    nothing = np.array([], dtype=np.int64)
    assert not len(codes_of(pl.Series([], dtype=pl.String)))
    assert not len(number_keys(keys_of([nothing, nothing])))
    assert count_keys(nothing) == 0


def test_repeats_that_each_task_numbers_apart_stand_in_their_order():
    rows = [
        OutcomeRow("m", "a", "intact", task, "", 10 * n + r, r / 4)
        for n, task in enumerate("xyz")
        for r in (2, 0)
    ]
    rows += [OutcomeRow("m", "none", "without", "y", "", 3, 1.0)]
    table = Outcomes(rows).cells("m")
    assert table.cells == (("a", "intact"), ("none", "without"))
    assert table.scores(("a", "intact")).tolist() == [[0.0, 0.5]] * 3
    assert np.nan_to_num(table.scores(("none", "without")), nan=-1).tolist() == [[-1, -1], [1, -1], [-1, -1]]
