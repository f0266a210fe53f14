"""A p-value at the least that its draws can show is printed as a bound; JSON keeps the number."""

import numpy as np
import polars as pl
import pytest

from memtrial.analysis.analysis_plan import AnalysisPlan
from memtrial.analysis.behaviour.cancellation import cancellation
from memtrial.analysis.behaviour.course_distance import parting_distances
from memtrial.analysis.behaviour.energy_distance import (
    Divergence,
    beyond,
    measure,
    permute_labels,
    pool_episodes,
)
from memtrial.analysis.sensitivity.method_panel import BOOTSTRAP
from memtrial.analysis_rules import AnalysisRules
from memtrial.api.analyze import AnalysisOptions, analyze
from memtrial.outcomes.table_options import TableOptions
from memtrial.reports.sections import computed_tables, row_tables
from memtrial.reports.text.text_table import LEAST, TextTable
from memtrial.views import numbers
from memtrial.views.rows.evidence_rows import DivergenceRow
from memtrial.views.rows.results import Results
from tests.support.report_example import full

FLIPS = 199


@pytest.mark.parametrize(
    ("p", "draws", "cell", "sentence"),
    [
        (0.0001, 9_999, "≤ 0.0001", "p ≤ 0.0001 (the least that 9,999 draws can show)"),
        (0.01, 99, "≤ 0.0100", "p ≤ 0.01 (the least that 99 draws can show)"),
        (2 / 10_000, 9_999, "0.0002", "p = 0.0002"),
        (0.5, 1, "≤ 0.5000", "p ≤ 0.5 (the least that 1 draw can show)"),
        (1e-5, 99_999, "≤ 0.0001", "p ≤ 0.00001 (the least that 99,999 draws can show)"),
        (1 / 700, 699, "≤ 0.0015", "p ≤ 0.00143 (the least that 699 draws can show)"),
        (1.0, 99, "1.0000", "p = 1"),
        (0.00004, 0, "< 0.0001", "p < 0.0001"),
        (0.0371, 0, "0.0371", "p = 0.0371"),
        (None, 99, "n/a", "p = n/a"),
    ],
)
def test_one_way_to_print_it(p: float | None, draws: int, cell: str, sentence: str) -> None:
    assert numbers.probability(p, 1 / (draws + 1) if draws else None) == cell
    assert numbers.equation(p, draws) == sentence


def analysed(effect: float) -> Results:
    """40 tasks whose differences are no multiples of a step, so that signs are drawn."""
    rng = np.random.default_rng(3)
    score = np.clip(rng.normal(0.4, 0.1, (2, 40)) + np.array([[0.0], [effect]]), 0, 1)
    rows = [
        {"arm": arm, "task": str(task), "score": float(score[at, task])}
        for at, arm in enumerate(("off", "on"))
        for task in range(40)
    ]
    return analyze(pl.DataFrame(rows), TableOptions(reference="off"), AnalysisOptions(flips=FLIPS))


def cells_of(table: TextTable, head: str) -> list[str]:
    place = [column.head for column in table.columns].index(head)
    return [row[place] for row in table.rows]


def test_sign_flips_and_bootstrap_of_a_table_of_ones_own() -> None:
    results, weak = analysed(0.3), analysed(0.02)
    (row,) = results.estimates
    assert row.p_mid == row.p_mid_least == 0.5 / (FLIPS + 1)
    table = computed_tables.estimates(results, "utility")
    assert cells_of(table, "sign flip, mid-p") == ["≤ 0.0025"]
    assert LEAST in table.caption
    assert cells_of(table, "p") == ["< 0.0001"]  # Student's t rests on no draw
    (boot,) = (one for one in results.sensitivity if one.method == BOOTSTRAP)
    assert boot.p == boot.least_p == 2 / 10_000
    table = computed_tables.sensitivity(results)
    shown = dict(zip(cells_of(table, "method"), cells_of(table, "p"), strict=True))
    assert [name for name, p in shown.items() if p.startswith("≤")] == [BOOTSTRAP]
    assert LEAST in table.caption
    for made in (computed_tables.estimates(weak, "utility"), computed_tables.sensitivity(weak)):
        assert not [cell for row in made.rows for cell in row if "≤" in cell]


def test_the_divergence_of_behaviour() -> None:
    place = {"backbone": "b", "arm": "a", "condition": "filler"}
    least, rest = 1 / (FLIPS + 1), (0.3, 0.4, 0.1)
    bound = Divergence(
        30, *rest, least, least, 0.1, least, "above A/A", "", 2.0, 3.0, least, 0.1, 0.04, least, least
    )
    known = Divergence(
        30, *rest, 0.5, 0.6, 0.1, least, "above A/A", "", 2.0, 3.0, 0.7, 0.1, 0.04, least, None
    )
    rows = tuple(
        DivergenceRow(**{name: getattr(one, name) for name in one.__slots__}, **place)
        for one in (bound, known)
    )
    table = row_tables.divergence(full().model_copy(update={"backbones": ("b",), "divergence": rows}))
    assert LEAST in table.caption
    assert cells_of(table, "p adjusted") == ["≤ 0.0050", "0.6000"]
    assert cells_of(table, "p beyond placebo") == ["≤ 0.0050", "0.0050"]
    assert [sum(cell == "≤ 0.0050" for cell in row) for row in table.rows] == [3, 0]


@pytest.mark.parametrize(("n", "drawn"), [(10, False), (30, True)])
def test_a_placebo_that_is_held_against_all_signs_has_no_least(n: int, drawn: bool) -> None:
    apart, same = (("a",), ("a",)), (("b",), ("b",))
    rng = np.random.default_rng(1)
    places = [{str(at): (apart, side) for at in range(n)} for side in (same, apart)]
    moved, still = measure(pool_episodes(places), parting_distances, rng)
    found = beyond(moved, still, {str(at): at for at in range(n)}, FLIPS, rng)
    assert found is not None
    assert found[1:] == ((1 / (FLIPS + 1),) * 2 if drawn else (2 / 2**n, None))
    assert permute_labels([moved], FLIPS, rng)[0][0] == 1 / (FLIPS + 1)


def test_effects_that_cancel() -> None:
    rng = np.random.default_rng(2)
    gains = np.where(np.arange(60) % 2, 0.9, 0.1)[:, None]
    scores = [(rng.random((60, 4)) < share).astype(float) for share in (gains, 1 - gains)]
    plan = AnalysisPlan(("a",), ("c",), rules=AnalysisRules(flips=FLIPS))
    found = cancellation([(1.0, scores[0]), (-1.0, scores[1])], np.arange(60), plan, rng)
    assert found.p == 1 / (FLIPS + 1)
    assert f"p ≤ 0.005 (the least that {FLIPS} draws can show)" in found.reason
