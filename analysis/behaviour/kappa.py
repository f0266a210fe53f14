"""Whether two who sort the same cases agree beyond chance."""

from collections.abc import Sequence


def kappa(pairs: Sequence[tuple[str, str]]) -> tuple[float | None, float | None, float | None]:
    """Cohen's kappa with its asymptotic 95 % interval; all None where one of them said the same of all.

    Args:
        pairs: what each of the two said of a case; cases are taken as independent.

    Source: Cohen 1960; the variance is that of Fleiss, Cohen and Everitt 1969 (statsmodels).
    """
    from statsmodels.stats.inter_rater import cohens_kappa

    if min(len({pair[rater] for pair in pairs}) for rater in (0, 1)) < 2:
        return None, None, None
    labels = sorted({label for pair in pairs for label in pair})
    table = [[sum(pair == (one, other) for pair in pairs) for other in labels] for one in labels]
    found = cohens_kappa(table)
    # the normal approximation knows no bounds
    return float(found.kappa), max(float(found.kappa_low), -1.0), min(float(found.kappa_upp), 1.0)
