"""The fact `plan`: what is read is what was stated, and what is no plan of this version is one clear line."""

import json
from pathlib import Path
from typing import Any

import pytest

from memtrial.ledger.row_text import LedgerFault
from memtrial.ledger.run_plan import RunPlan, plan_in_force, read_as, state_plan, stated_plan
from memtrial.ledger.sqlite.sqlite_ledger import SqliteLedger
from tests.support.verb_ledger import PLAN


def plan_from(body: object) -> RunPlan:
    return read_as(RunPlan, json.dumps(body), "plan")


WHOLE: dict[str, Any] = PLAN | {
    "version": 1,
    "words": {"oracle": {"mean": 24.5, "least": 16, "most": 37}},
    "levels": {"control": ["native", "prepend"]},
    "pairs": [["control", "none"]],
}


def test_what_is_stated_is_what_is_read_key_by_key() -> None:
    plan = plan_from(WHOLE)
    assert plan.facts == WHOLE
    assert list(plan.facts) == [name for name in RunPlan.model_fields if name in WHOLE]
    assert plan_from(plan.facts) == plan


def test_a_ledger_from_before_versions_opens_and_goes_on(tmp_path: Path) -> None:
    ledger = SqliteLedger(tmp_path / "l.sqlite")
    old = {key: value for key, value in WHOLE.items() if key != "version"}
    ledger.state("plan", old)
    assert stated_plan(ledger).facts == old  # so that the lock of such a run stands
    state_plan(ledger, plan_from(WHOLE))
    with pytest.raises(LedgerFault, match="in alpha"):
        state_plan(ledger, plan_from(WHOLE | {"alpha": 0.01}))
    ledger.close()


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({key: value for key, value in WHOLE.items() if key not in ("tasks", "alpha")}, "alpha, tasks"),
        (WHOLE | {"alpha": "0.05"}, "alpha"),
        (WHOLE | {"tasks": True}, "tasks"),
        (WHOLE | {"more": 1}, "more"),
        (WHOLE | {"version": 2}, "version"),
        (WHOLE | {"words": {"oracle": {"mean": 1.0}}}, "words"),
        (WHOLE | {"name": "\ud800"}, "all of it"),
        ([], "all of it"),
    ],
)
def test_what_is_no_plan_of_this_version_is_refused_by_its_keys(
    tmp_path: Path, body: object, said: str
) -> None:
    with pytest.raises(LedgerFault, match=f"is needed; .*{said}$"):
        plan_from(body)


def test_before_the_first_trial_there_is_none(tmp_path: Path) -> None:
    ledger = SqliteLedger(tmp_path / "l.sqlite")
    assert plan_in_force(ledger) is None
    with pytest.raises(LedgerFault, match="a ledger with a plan is needed"):
        stated_plan(ledger)
    ledger.close()
