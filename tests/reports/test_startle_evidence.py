"""What a run knows of startle: which damage is fluent, and which trials were lost to unreadable replies."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from memtrial.ledger.rows import CheckRow
from memtrial.ledger.run_plan import stated_plan
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from memtrial.outcomes.reserved_names import UNREADABLE
from memtrial.protocol.run_cells import outcome_table, read_played, readable_table
from memtrial.views.results.preparation import fluent_places
from tests.support.report_ledger import fill_ledger


def check(
    condition: str,
    distance: float | None,
    arm: str = "control",
    applicable: bool = True,
    intact: tuple[str, float] = ("x", 5.0),
) -> CheckRow:
    slot, bits = intact
    measured = {} if distance is None else {"fluency_distance": distance, "intact_bits": bits}
    return CheckRow("m", arm, condition, "t", 0, applicable, True, "", slot, "y", measured)


def test_damage_is_fluent_where_it_reads_no_odder_than_intact_texts_do_among_each_other() -> None:
    checks = [
        *(check("corrupt_invert", 0.8, intact=intact) for intact in (("a", 4.0), ("b", 5.0), ("c", 6.0))),
        # a rewording is no yardstick, and the same slot in many trials is one text
        check("paraphrase", 9.0), check("corrupt_mask", 1.1), check("filler", None),
        *(check("irrelevant_swap", 1.0, intact=("a", 4.0)) for _ in range(9)),
        # one text has no spread
        check("corrupt_invert", 0.06, "artifact"), check("counter", 0.04, "artifact"),
        check("shuffle", 0.0, "raw"), check("irrelevant_swap", 0.3, "raw"),
        check("corrupt_mask", 0.0, applicable=False),
    ]  # fmt: skip
    assert fluent_places(checks) == {
        ("m", "control", "corrupt_invert"),
        ("m", "artifact", "counter"),
        ("m", "raw", "shuffle"),
    }


def test_trials_lost_to_unreadable_replies_count_as_solved_in_a_table_of_their_own(tmp_path: Path) -> None:
    ledger = SqliteLedger(tmp_path / "ledger.sqlite")
    fill_ledger(ledger, n_tasks=4)
    plan = stated_plan(ledger)
    trials = read_played(ledger, plan)
    ledger.close()
    assert readable_table(trials, plan) is None
    failed = [trial for trial in trials if trial.status == "failure"]
    lost = [replace(one, cause=UNREADABLE[at % 2]) for at, one in enumerate(failed[:6])]
    rows = [*lost, *(one for one in trials if one.key not in {gone.key for gone in lost})]
    table, plain = readable_table(rows, plan), outcome_table(rows, plan)
    assert table is not None
    gained = 0.0
    for backbone in table.backbones:
        these, those = table.cells(backbone), plain.cells(backbone)
        assert (these.trials == those.trials).all()
        gained += np.nansum(these.means * these.trials) - np.nansum(those.means * those.trials)
    assert gained == pytest.approx(6)
