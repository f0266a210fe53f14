"""Options of the library: each of the kind and in the bounds of its field, else a named fault in one line."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import memtrial as lb
from memtrial.api.ablate import SubsetOptions
from memtrial.api.calibrate import calibrate
from memtrial.api.tune import TuneOptions, tune
from memtrial.faults import SpecFault
from memtrial.outcomes.table_options import TableOptions
from memtrial.runs.spec.option_values import option_of

ROWS = [(f"t{number // 2}", "ab"[number % 2], number % 3 == 0) for number in range(24)]
TABLE = pl.DataFrame(ROWS, schema=["task", "agent", "success"], orient="row")
NO_NUMBERS: tuple[Any, ...] = (
    "0.1",
    None,
    True,
    float("nan"),
    float("inf"),
    [1],
    10**400,
    10**5000,
    pl.Series([1]),
)


def refused(call: Callable[[], object]) -> str:
    with pytest.raises(SpecFault) as caught:
        call()
    line = str(caught.value)
    assert line.isprintable()
    assert len(line) < 300
    return line


@pytest.mark.parametrize("field", ["margin", "alpha", "flips", "seed"])
@pytest.mark.parametrize("value", NO_NUMBERS, ids=range(len(NO_NUMBERS)))
def test_a_number_of_an_analysis_is_a_number(field: str, value: Any) -> None:
    options: dict[str, Any] = {field: value}
    refused(lambda: lb.analyze(TABLE, TableOptions(reference="a"), lb.AnalysisOptions(**options)))


@pytest.mark.parametrize(("field", "value"), [("flips", 10**12), ("flips", 0), ("flips", 9.5), ("seed", -1)])
def test_numbers_have_bounds(field: str, value: Any) -> None:
    options: dict[str, Any] = {field: value}
    assert field in refused(lambda: lb.AnalysisOptions(**options))


OTHERS: tuple[tuple[type, Mapping[str, Any]], ...] = (
    (lb.AnalysisOptions, {"pairs": "a:b", "primary": [1], "positive_control": 5, "question": "\ud800"}),
    (lb.PlanOptions, {"effect": "x", "power": None, "budget_usd": "9", "task_usd": [1], "simulate": 1.5}),
    (lb.RunOptions, {"out": 5, "limit": "x", "clean": "no", "base_urls": "http://x", "environment": [1]}),
    (lb.CondenseOptions, {"condenser": TABLE, "model": 5, "gates": "seed", "max_rounds": "2", "control": 5}),
    (SubsetOptions, {"gates": "a,b", "groups": {"x": 5}, "conditions": None}),
)


@pytest.mark.parametrize(
    ("options", "field", "value"),
    [(options, field, value) for options, values in OTHERS for field, value in values.items()],
)
def test_every_option_has_the_kind_of_its_field(options: type, field: str, value: Any) -> None:
    assert refused(lambda: options(**{field: value})).startswith(option_of(field))


@pytest.mark.parametrize(
    "columns", ["task", None, ["task"], {"task": 1}], ids=["a text", "nothing", "a list", "a number"]
)
def test_columns_are_a_mapping_and_a_scale_is_a_number(columns: Any) -> None:
    scale: Any = columns
    refused(lambda: lb.analyze(TABLE, TableOptions(columns=columns, reference="a")))
    refused(lambda: lb.analyze(TABLE, TableOptions(scale=scale, reference="a")))


NOT_MEANT: dict[str, Callable[[Any], object]] = {
    "options of the analysis": lambda given: lb.analyze(TABLE, given),
    "rules of the analysis": lambda given: lb.analyze(TABLE, TableOptions(reference="a"), given),
    "plan": lambda given: lb.plan({}, given),
    "run": lambda given: lb.run({}, given),
    "condense": lambda given: lb.condense((), given),
    "ablate": lambda given: lb.ablate({}, given),
    "options of tune": lambda given: tune("claim-strength", given, Path("o.json")),
    "file of tune": lambda given: tune("claim-strength", TuneOptions("simulated/scribe"), given),
    "subject of tune": lambda given: tune(given, TuneOptions("simulated/scribe"), Path("o.json")),
    "examples of tune": lambda given: TuneOptions("simulated/scribe", examples=given),
    "mutant": lambda given: calibrate(mutant=given),
    "seed of calibrate": lambda given: calibrate(seed=given),
    "kind": lambda given: lb.perturb("# x", given),
    "seed of perturb": lambda given: lb.perturb("# x", "filler", given),
    "actions": lambda given: lb.perturb("# x", "filler", actions=given),
}


@pytest.mark.parametrize("door", NOT_MEANT)
def test_what_is_no_option_is_named_in_one_line(door: str) -> None:
    for given in (3.5, {"margin": 0.1}, [1], TABLE):
        refused(lambda given=given: NOT_MEANT[door](given))  # type: ignore[misc]


def test_numbers_of_numpy_lists_and_texts_for_paths_are_taken(tmp_path: Path) -> None:
    rules = lb.AnalysisOptions(margin=np.float64(0.1), flips=np.int64(199), pairs=["a:b"])  # type: ignore
    assert (rules.margin, rules.flips, rules.pairs) == (0.1, 199, ("a:b",))
    assert type(rules.flips) is int
    assert lb.RunOptions(out=str(tmp_path)).out == tmp_path  # type: ignore[arg-type]
