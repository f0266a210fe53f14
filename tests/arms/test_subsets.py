"""Subset designs: which factors are on in which run, so that effects can be told apart."""

from itertools import combinations

import numpy as np
import pytest

from memtrial.analysis.estimands.subset_effects import SubsetCells
from memtrial.api.ablate import MOST_FACTORS, MOST_FULL, kind_of, subsets

EVERY = range(1, MOST_FACTORS + 1)


def factors(n: int) -> tuple[str, ...]:
    return tuple(f"f{number:02d}" for number in range(n))


def cells(n: int) -> SubsetCells:
    return SubsetCells(factors(n), {str(at): run for at, run in enumerate(subsets(factors(n)))})


@pytest.mark.parametrize("n", EVERY)
def test_main_effects_are_orthogonal_to_each_other_and_to_the_mean(n):
    design = cells(n)
    columns = np.stack([design.signs(()), *(design.signs((name,)) for name in factors(n))])
    assert np.array_equal(columns @ columns.T, len(design.on) * np.eye(n + 1))
    assert len(set(design.on.values())) == len(design.on), "no run twice"
    assert factors(n) in design.on.values(), "the run with every factor on is played"


@pytest.mark.parametrize("n", EVERY)
def test_sizes_and_what_is_told_are_those_of_the_design(n):
    design, kind = cells(n), kind_of(n)
    told = {"full": "all", "half": "two-way", "screening": "main"}[kind]
    assert (design.told, kind == "full") == (told, n <= MOST_FULL)
    assert len(design.on) == {"full": 2**n, "half": 16}.get(kind, len(design.on)) <= 24
    assert len(design.on) > n, "more runs than effects"


def test_the_half_tells_every_interaction_of_two_from_all_other_mains_and_interactions_of_two():
    design = cells(5)
    terms = [(), *((name,) for name in factors(5)), *combinations(factors(5), 2)]
    columns = np.stack([design.signs(term) for term in terms])
    assert np.array_equal(columns @ columns.T, 16 * np.eye(16))
    # E = ABCD: a main effect and the interaction of the four others are one column
    assert np.array_equal(design.signs(factors(5)[4:]), design.signs(factors(5)[:4]))


@pytest.mark.parametrize("wrong", [(), ("a", "a"), factors(MOST_FACTORS + 1)], ids=["none", "twice", "many"])
def test_a_design_that_cannot_be_made_is_refused(wrong):
    with pytest.raises(ValueError, match="1 to 23 factors, each once"):
        subsets(wrong)
