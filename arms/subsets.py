"""Which subsets of factors are played, so that the effect of each can be told (fork B).

A design is a tuple of runs; a run is the factors that are on, in the order of the factors.
"""

from itertools import combinations
from typing import Literal

Subset = tuple[str, ...]
Kind = Literal["full", "half", "screening"]
MOST_FULL, HALVED = 4, 5
SIZES = (8, 12, 20, 24)
"""Runs of a screening design: multiples of four, one more than a prime."""
MOST_FACTORS = SIZES[-1] - 1


def kind_of(n_factors: int) -> Kind:
    """All subsets of at most four factors, half of those of five, and a screening of more."""
    if n_factors <= MOST_FULL:
        return "full"
    return "half" if n_factors == HALVED else "screening"


def subsets(factors: Subset) -> tuple[Subset, ...]:
    """The runs of a design, those with fewer factors first; ValueError for no factor, one twice, too many."""
    if not 1 <= len(factors) <= MOST_FACTORS or len(set(factors)) < len(factors):
        raise ValueError(f"a design takes 1 to {MOST_FACTORS} factors, each once; got {list(factors)}")
    kind = kind_of(len(factors))
    found = full(factors) if kind == "full" else half(factors) if kind == "half" else screening(factors)
    place = {name: at for at, name in enumerate(factors)}
    return tuple(sorted(found, key=lambda run: (len(run), [place[name] for name in run])))


def full(factors: Subset) -> tuple[Subset, ...]:
    """Every subset: all main effects and interactions can be told apart."""
    sizes = range(len(factors) + 1)
    return tuple(chosen for size in sizes for chosen in combinations(factors, size))


def half(factors: Subset) -> tuple[Subset, ...]:
    """The half in which the last factor is the product of the others, in the coding of -1 and +1.

    Of five factors: resolution V, so that main effects and interactions of two can be told apart. Source:
    Box, Hunter & Hunter 2005, chapter 6.
    """
    *others, last = factors
    return tuple((*run, last) if (len(others) - len(run)) % 2 == 0 else run for run in full(tuple(others)))


def screening(factors: Subset) -> tuple[Subset, ...]:
    """A Plackett-Burman design: main effects that are orthogonal to each other, not to interactions.

    The rows are shifts of signs by quadratic residues, and one run has every factor on. Source: Plackett &
    Burman 1946; Paley 1933.
    """
    prime = next(size - 1 for size in SIZES if size > len(factors))
    squares = {n * n % prime for n in range(1, prime)}
    shifted = [
        tuple(name for at, name in enumerate(factors) if (at + shift) % prime in squares)
        for shift in range(prime)
    ]
    return (*shifted, factors)
