"""What a judge's confidence is worth: threshold, ROC and reliability on one half of the fixtures.

The other half is kept for the score; scikit-learn does both. Source: Youden (1950) for the threshold;
DeGroot and Fienberg (1983) for the reliability curve.
"""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

LEAST = 2
"""Fixtures of each label in each half."""
BINS = 5


class StatedConfidence(NamedTuple):
    """The confidence that the failure is there, in [0, 1], and whether it is."""

    confidence: float
    flag: bool


class Confidence(BaseModel):
    """The judge's confidence at one gate.

    Args:
        threshold: from this confidence on the gate flags; between two values of the training half, where
            hits less false alarms are largest.
        area, scored_area: under the ROC, on the training half and on the other.
        roc: false-alarm rate and hit rate at each threshold of the training half.
        reliability: by bin of the training half, the mean confidence and the share that is defective.
        brier: mean square error of the confidence on the scored half.
        n_trained, n_scored: fixtures that the judge was asked about.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    threshold: float
    area: float
    scored_area: float
    roc: tuple[tuple[float, float], ...]
    reliability: tuple[tuple[float, float], ...]
    brier: float
    n_trained: int
    n_scored: int


def halves(flags: Mapping[str, bool]) -> tuple[frozenset[str], frozenset[str]]:
    """Names of the training half and of the scored one, label by label; the same for the same names."""
    trained: set[str] = set()
    for label in (True, False):
        alike = [name for name in flags if flags[name] is label]
        trained.update(sorted(alike, key=lambda name: sha256(name.encode()).digest())[::2])
    return frozenset(trained), frozenset(flags) - trained


def fit_threshold(
    trained: Sequence[StatedConfidence], scored: Sequence[StatedConfidence]
) -> Confidence | None:
    """What the confidence is worth; None where a half is too small, or no threshold parts the labels."""
    for half in (trained, scored):
        if min(sum(stated.flag for stated in half), sum(not stated.flag for stated in half)) < LEAST:
            return None
    from sklearn.calibration import calibration_curve
    from sklearn.metrics import brier_score_loss, roc_auc_score, roc_curve

    flags, confidences = [stated.flag for stated in trained], [stated.confidence for stated in trained]
    alarms, hits, cuts = roc_curve(flags, confidences, drop_intermediate=False)
    best = int((hits - alarms).argmax())
    if hits[best] <= alarms[best]:
        return None
    below = [stated for stated in confidences if stated < cuts[best]]
    true, mean = calibration_curve(flags, confidences, n_bins=BINS)
    kept, kept_confidences = [stated.flag for stated in scored], [stated.confidence for stated in scored]
    return Confidence(
        threshold=round((float(cuts[best]) + max(below, default=float(cuts[best]))) / 2, 4),
        area=_short(roc_auc_score(flags, confidences)),
        scored_area=_short(roc_auc_score(kept, kept_confidences)),
        roc=tuple((_short(x), _short(y)) for x, y in zip(alarms, hits, strict=True)),
        reliability=tuple((_short(x), _short(y)) for x, y in zip(mean, true, strict=True)),
        brier=_short(brier_score_loss(kept, kept_confidences)),
        n_trained=len(trained),
        n_scored=len(scored),
    )


def _short(value: float) -> float:
    return round(float(value), 4)
