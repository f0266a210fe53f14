"""Power of the equivalence test: how likely `inert` is where it is true, and what it takes."""

from __future__ import annotations

import numpy as np

from loadbearing.analysis.planning.effective_tasks import Clustering
from loadbearing.analysis.planning.power import fewest, precision
from loadbearing.analysis.planning.variance import Parts

_NODES = 400


def equivalence_power(
    margin: float,
    n_tasks: int,
    repeats: int,
    parts: Parts,
    truth: float = 0.0,
    alpha: float = 0.05,
    clusters: Clustering | None = None,
    grain: float | None = None,
) -> float:
    """Chance that an effect at or beyond the margin is ruled out on both sides.

    Args:
        margin: half width of the zone of no consequence, in points of score.
        truth: the true effect.
        alpha: of each of the two one-sided tests.
        clusters: as in `power`.
        grain: of the plus-two sample's two pseudo units, 1/R unless named; 0 leaves them out.

    Raises:
        ValueError: a number out of range.

    Source: Schuirmann 1987; Phillips 1990 (the variance integrated out); STATISTICS 2 and 4.
    """
    from scipy.stats import chi2, norm, t

    if not margin > 0:
        raise ValueError(f"a margin is above 0, got {margin!r}")
    found = precision(n_tasks, repeats, parts, clusters)
    step = 1.0 / repeats if grain is None else grain
    units, df = found.units, found.units - 1
    extra = 2.0 if step > 0 else 0.0
    chances = (np.arange(_NODES) + 0.5) / _NODES  # of a spread at most as large, evenly
    seen = found.se**2 * units * chi2.ppf(chances, df)  # sum of squares of the units
    se = np.sqrt((seen + extra * step**2) / ((units + extra - 1) * (units + extra)))
    reach = (margin - t.isf(alpha, units + extra - 1) * se) * (units + extra) / units
    if found.se == 0:
        return float((reach > abs(truth)).mean())
    inside = norm.cdf((reach - truth) / found.se) - norm.cdf((-reach - truth) / found.se)
    return float(np.where(reach > 0, inside, 0.0).mean())


def n_tasks_equivalent(
    margin: float,
    repeats: int,
    parts: Parts,
    wanted: float = 0.80,
    truth: float = 0.0,
    alpha: float = 0.05,
    clusters: Clustering | None = None,
    grain: float | None = None,
) -> int | None:
    """The fewest tasks at which `inert` has the wanted chance; None where no number has it.

    Raises:
        ValueError: a number out of range.
    """
    return fewest(
        lambda n: equivalence_power(margin, n, repeats, parts, truth, alpha, clusters, grain) >= wanted
    )
