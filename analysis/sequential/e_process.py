"""The sign-flip e-process: evidence that is valid at any time and after any number of looks."""

import numpy as np

from loadbearing.analysis.arrays import Floats

STAKES = (0.1, 0.2, 0.4, 0.8, 1.6)
"""Sizes of the bets, each with both signs; the e-process is the mean over them."""


def log_e(contrasts: Floats) -> Floats:
    """Natural logarithm of the e-process after each unit, shape (n_units,).

    E_t is the mean over stakes l in +-{.1, .2, .4, .8, 1.6} of the product over s <= t of
    exp(l d_s) / cosh(l d_s). If both signs of each unit are equally likely, given its size and all units
    before it, E_t is a martingale that starts at 1: the chance that it ever reaches 1/alpha is at most
    alpha. It tests the hypothesis of the primary test and needs no bound on the contrasts.

    Args:
        contrasts: one number a unit (task or cluster), in the order of the plan; nothing missing.

    Source: de la Pena 1999; Howard, Ramdas, McAuliffe & Sekhon 2021.
    """
    stakes = np.array([*(-one for one in STAKES), *STAKES])
    bets = stakes[:, None] * np.asarray(contrasts, dtype=np.float64)[None, :]
    # log cosh without overflow
    growth = np.cumsum(bets - (np.logaddexp(bets, -bets) - np.log(2.0)), axis=1)
    return np.asarray(np.logaddexp.reduce(growth, axis=0) - np.log(len(stakes)))


def anytime_p(path: Floats) -> float:
    """A p-value that is valid at any stopping time: 1 over the largest E so far, at most 1."""
    return float(min(1.0, np.exp(-np.max(path, initial=0.0))))
