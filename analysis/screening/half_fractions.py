"""Half fractions: which parts stand in each of two complementary halves, so that no part hides another.

A pair is two texts: in the first stand the parts with +1, in the second all others. The difference of their
scores holds every main effect and, as the second is the mirror of the first, no interaction of two parts.
"""

import numpy as np

from memtrial.analysis.arrays import Bools, Floats, Ints, Rng

PRIMES = (7, 11, 19, 23, 31)
"""A Hadamard matrix of the order above each is Paley's."""
FEWEST_PARTS, MOST_PARTS = 5, PRIMES[-1] + 1
_ONE, _TWO = np.array([[1.0]]), np.array([[1.0, 1.0], [1.0, -1.0]])


def draw_halves(n_tasks: int, n_pairs: int, n_parts: int, rng: Rng) -> Bools:
    """What stands in the first half of each pair; the second half of it is all that does not.

    The pairs of all tasks, one after the other, are rows of Hadamard matrices whose columns are chosen,
    turned and put in order at random: over as many pairs as a matrix has rows, each part stands in as many
    first halves with every other part as without it. No text comes twice in a task. Halves of exactly half of
    the parts would not do: what all parts do together would cancel in each.

    Args:
        n_pairs: of a task, 1, 2 or 4.
        n_parts: 5 to 32; fewer need no screening.

    Returns:
        shape (n_tasks, n_pairs, n_parts).

    Source: Plackett & Burman 1946; Paley 1933 (the matrices); Box & Wilson 1951 (mirrored pairs).
    """
    if not FEWEST_PARTS <= n_parts <= MOST_PARTS or n_pairs not in (1, 2, 4):
        raise ValueError(f"1, 2 or 4 pairs of halves are drawn of {FEWEST_PARTS} to {MOST_PARTS} parts")
    needed, rows = n_tasks * n_pairs, list[Floats]()
    matrix = build_hadamard(next(prime for prime in PRIMES if prime + 1 >= n_parts))
    order = len(matrix)
    while len(rows) < needed:
        columns = rng.permutation(order)[:n_parts]
        turned = matrix[:, columns] * rng.choice((-1.0, 1.0), size=n_parts)
        rows += list(turned[rng.permutation(order)] * rng.choice((-1.0, 1.0), size=(order, 1)))
    first: Bools = np.array(rows[:needed]).reshape(n_tasks, n_pairs, n_parts) > 0
    return first


def tells_apart(halves: Bools) -> bool:
    """Whether these halves, as from `draw_halves`, hold each part's effect apart from all others'."""
    signs = np.where(halves, 1.0, -1.0).reshape(-1, halves.shape[-1])
    return bool(np.linalg.matrix_rank(signs) == signs.shape[1])


def lay_out_few(n_few: int) -> Bools:
    """The pairs in which few parts stand or not, the rest standing always: the same in every task.

    Each part's effect is told from each other's within a task; of one, two and three parts every text is
    there. Shape (1, 2, 4 or 8 pairs, n_few), for 1 to 8 parts; the first text holds all.
    """
    columns = (_ONE, _TWO)[n_few - 1] if n_few <= 2 else build_hadamard(3 if n_few <= 4 else 7)
    first: Bools = columns[:, :n_few] > 0
    return first


def build_hadamard(prime: int) -> Floats:
    """A matrix H of -1 and 1 with H H' = (prime + 1) I, for a prime that leaves 3 when divided by 4."""
    squares = {number * number % prime for number in range(1, prime)}
    character: Ints = np.array([0, *(1 if number in squares else -1 for number in range(1, prime))])
    apart = (np.arange(prime)[:, None] - np.arange(prime)) % prime
    core = np.ones((prime + 1, prime + 1))
    core[1:, 1:] = character[apart] + np.eye(prime)
    core[1:, 0] = -1.0
    return core
