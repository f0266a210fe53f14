"""A whole plan of a run, with some keys changed."""

import json
from typing import Any

from memtrial.ledger.run_plan import RunPlan, read_as
from tests.support.verb_ledger import PLAN


def run_plan(**changed: Any) -> RunPlan:
    """The plan of `verb_ledger`."""
    return read_as(RunPlan, json.dumps(PLAN | changed), "plan")
