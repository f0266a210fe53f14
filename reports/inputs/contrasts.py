"""The contrasts that a report shows beyond their estimate, and how a row names one."""

from __future__ import annotations

from collections.abc import Iterator

from loadbearing.analysis.estimands.contrast import Contrast
from loadbearing.analysis.families import Family, families_of
from loadbearing.analysis.plan import AnalysisPlan
from loadbearing.reports.model.rows import OfContrast

_SHOWN = ("utility", "drop", "contrast")


def shown_contrasts(plan: AnalysisPlan, backbones: tuple[str, ...]) -> Iterator[tuple[Family, str, Contrast]]:
    """Every utility, drop and contrast of each named backbone with its family, in the families' order."""
    for family in families_of(plan, backbones):
        for backbone, contrast in family.members:
            if backbone in backbones and contrast.estimand in _SHOWN:
                yield family, backbone, contrast


def named(contrast: Contrast, backbone: str = "") -> OfContrast:
    """Whose a row of the results is; without a backbone where it is of all."""
    return OfContrast(
        estimand=contrast.estimand,
        backbone=backbone,
        arm=contrast.arm,
        versus=contrast.versus,
        condition=contrast.condition,
    )
