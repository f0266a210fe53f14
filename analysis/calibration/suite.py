"""The suite: every question that an instrument has to answer, in order."""

from __future__ import annotations

from loadbearing.analysis.calibration.bench import Step
from loadbearing.analysis.calibration.checks_content import retained, startle
from loadbearing.analysis.calibration.checks_edges import edges, inside
from loadbearing.analysis.calibration.checks_error import one_contrast, special_cases
from loadbearing.analysis.calibration.checks_path import same_as_one_by_one
from loadbearing.analysis.calibration.checks_power import equivalence, planned_size
from loadbearing.analysis.calibration.checks_sequential import looks
from loadbearing.analysis.calibration.checks_units import clusters, family_error
from loadbearing.analysis.calibration.checks_verdicts import VERDICTS

STEPS: tuple[Step, ...] = (
    ("bulk path", same_as_one_by_one),
    ("one contrast", one_contrast),
    ("special cases", special_cases),
    ("edges", edges),
    ("inside", inside),
    ("planned size", planned_size),
    ("equivalence", equivalence),
    ("families", family_error),
    ("clusters", clusters),
    ("looks", looks),
    ("startle", startle),
    ("retention", retained),
    *((f"verdicts, {one.name}", one) for one in VERDICTS),
)
