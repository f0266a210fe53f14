"""Cells that no score can decide, told from the design; and that the guards agree."""

from dataclasses import replace

import pytest

from memtrial.analysis.calibration.experiments import REAL
from memtrial.analysis.calibration.known_verdicts import UNTOLD, reads
from memtrial.analysis.calibration.measured_experiments import Bench, Effort, Stage, judge_stage
from memtrial.analysis.verdicts.undecidable import OpenCell, find_open_cells, open_cell_lines

INVERT, MASK, SWAP, COUNTER = "corrupt_invert", "corrupt_mask", "irrelevant_swap", "counter"


def open_of(*names: str, **known) -> list[str]:
    """The open conditions of an arm that is played under these."""
    cells = [("none", "without"), ("a", "intact"), *(("a", name) for name in names)]
    return [cell.condition for cell in find_open_cells(cells, **known)]


@pytest.mark.parametrize(
    ("names", "undecided"),
    [
        # nothing shows what the agent does
        ((MASK, "oddity+corrupt_mask"), [MASK]),
        ((SWAP,), [SWAP]),
        # nothing tells content from startle
        ((INVERT, SWAP), [INVERT, SWAP]),
        # whole items need no placebo; marks do, and an inversion is vouched for
        ((COUNTER, SWAP, INVERT, MASK, "paraphrase", "instructed", "instructed+counter"), [MASK]),
        ((COUNTER, MASK, "oddity+corrupt_mask", "empty"), []),
        ((INVERT, "oddity+corrupt_invert", SWAP), []),
    ],
)
def test_what_a_design_can_never_decide(names: tuple[str, ...], undecided: list[str]) -> None:
    assert open_of(*names, placebo="paraphrase") == undecided


def test_what_reads_as_intact_text_needs_no_placebo_and_what_tells_nothing_has_none() -> None:
    assert open_of(COUNTER, MASK, fluent=[("a", MASK)]) == []
    assert open_of(COUNTER, MASK, "oddity+corrupt_mask", silent=["a"]) == [COUNTER, MASK]
    assert open_of(COUNTER, silent=["another"]) == []


def test_a_contrast_of_inversions_needs_the_placebo_in_both_arms() -> None:
    cells = [(arm, name) for arm in "ab" for name in ("intact", COUNTER, INVERT, SWAP)]
    (cell,) = find_open_cells(cells, [("a", "b")])
    assert (cell.arm, cell.condition) == ("a − b", INVERT)
    assert find_open_cells([*cells, ("a", "oddity+corrupt_invert")], [("a", "b")]) == (cell,)
    assert not find_open_cells([*cells, *((arm, "oddity+corrupt_invert") for arm in "ab")], [("a", "b")])
    assert not find_open_cells(cells, [("a", "b")], fluent=[("a", INVERT), ("b", INVERT)])


def test_a_line_says_why_and_what_would_decide_it() -> None:
    cells = [OpenCell(arm, MASK, "no placebo", ("add one",)) for arm in "ab"]
    other = replace(cells[0], condition=SWAP)
    assert list(open_cell_lines([cells[0], other, cells[1]])) == [
        "corrupt_mask of a, b: no placebo; add one.", "irrelevant_swap of a: no placebo; add one.",
    ]  # fmt: skip


def test_conditions_of_the_same_arms_share_a_line_that_says_what_helps_all_of_them() -> None:
    masks = [OpenCell(arm, MASK, "nothing tells", ("add x", "add y")) for arm in "ab"]
    swaps = [replace(cell, condition=SWAP, remedies=("add x", "add z")) for cell in masks]
    shared = "corrupt_mask, irrelevant_swap of a, b: nothing tells;"
    assert list(open_cell_lines([*masks, *swaps])) == [f"{shared} add x."]
    alone = [replace(cell, remedies=("add z",)) for cell in swaps]
    assert list(open_cell_lines([*masks, *alone])) == [f"{shared} add x, add y, add z."]


def test_a_cell_that_is_said_to_stay_open_does_and_its_remedy_opens_the_way() -> None:
    few = Bench(REAL, Effort("few", experiments=1, families=1, judged=5, flips=99, settings=()))

    def words(names: tuple[str, ...], who=reads("reads", 0.0, 0.7)) -> set[str]:
        (said,) = judge_stage(few, Stage(who, names, known=True))
        return {name for estimand, name, word in said if (estimand, word) == ("drop", "load-bearing")}

    assert words((INVERT, SWAP)) == set()
    assert words((INVERT, COUNTER)) == {INVERT, COUNTER}
    assert words((INVERT, "oddity+corrupt_invert")) == {INVERT}
    # a memory of which nothing is known to be told
    assert words((INVERT, COUNTER, "oddity+corrupt_invert"), UNTOLD) == set()
