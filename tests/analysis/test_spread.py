"""Whether contrasts of several cells vary between tasks: level and power on drawn scores."""

from __future__ import annotations

import numpy as np
import pytest

from loadbearing.analysis.behaviour.spread import spread

WEIGHTS = (1.0, -1.0, -1.0, 1.0)


def cells(rng, chances, n, repeats):
    return [
        (w, (rng.random((n, repeats)) < np.broadcast_to(p, n)[:, None]).astype(float))
        for w, p in zip(WEIGHTS, chances, strict=True)
    ]


def judged(rng, chances, n=120, repeats=3, **more):
    return spread(cells(rng, chances, n, repeats), np.arange(n), 0.1, 0.05, **more)


@pytest.mark.parametrize("chances", [(0.5, 0.5, 0.5, 0.5), (0.8, 0.4, 0.8, 0.5), (0.95, 0.9, 0.95, 0.9)])
def test_a_common_difference_is_seldom_called_uneven(chances):
    rng = np.random.default_rng(5)
    alarms = np.mean([judged(rng, chances).verdict == "present" for _ in range(400)])
    assert alarms < 0.075


def test_differences_that_cancel_are_found():
    rng = np.random.default_rng(6)
    up = np.where(np.arange(200) % 2, 0.4, -0.4)
    found = [judged(rng, (0.5, 0.5 - up, 0.5, 0.5), n=200) for _ in range(60)]
    assert np.mean([one.verdict == "present" for one in found]) > 0.85
    assert np.mean([one.spread_sd for one in found]) == pytest.approx(0.4, abs=0.05)


def test_repeats_that_share_a_bank_are_compared_by_repeat():
    rng = np.random.default_rng(7)
    luck = rng.random((100, 3)) < 0.5
    shared = [(w, luck.astype(float)) for w in WEIGHTS]
    assert spread(shared, np.arange(100), 0.1, 0.05, paired=True).verdict == "ruled out"


def test_one_repeat_and_one_unit_are_not_measurable():
    rng = np.random.default_rng(8)
    assert judged(rng, (0.5,) * 4, repeats=1).verdict == "not measurable"
    alone = spread(cells(rng, (0.5,) * 4, 20, 2), np.zeros(20, dtype=np.int64), 0.1, 0.05)
    assert alone.verdict == "not measurable"
    holed = [(w, np.where(rng.random(s.shape) < 0.5, np.nan, s)) for w, s in cells(rng, (0.5,) * 4, 30, 3)]
    assert spread(holed, np.arange(30), 0.1, 0.05).verdict in {
        "not above chance",
        "present",
        "not measurable",
    }
