"""Wide tables: what the names of columns say, and what stays as it is."""

import polars as pl
import pytest

from memtrial.outcomes.files.table_files import read_sheet
from memtrial.outcomes.outcome_table import shape, shape_or_ask
from memtrial.outcomes.sheet import sheet_of
from memtrial.outcomes.table_fault import TableFault
from memtrial.outcomes.table_options import TableOptions
from memtrial.outcomes.wide_columns import as_long

SCORES = ["1", "0", "1"]
TASKS = {"task": ["a", "b", "c"]}

NAMES = {
    "plain": (("baseline", "mem"), {"baseline", "mem"}, set()),
    "runs": (("base_run1", "base_run2", "mem_run1", "mem_run2"), {"base", "mem"}, {"1", "2"}),
    "runs in front": (("run1_base", "run2_base", "run1_mem", "run2_mem"), {"base", "mem"}, {"1", "2"}),
    "seeds": (("b (seed 0)", "b (seed 7)", "mem (seed 0)", "mem (seed 7)"), {"b", "mem"}, {"0", "7"}),
    "numbers": (("base_1", "base_2", "mem_1", "mem_2"), {"base", "mem"}, {"1", "2"}),
    "pandas": (("base", "base.1", "mem", "mem.1"), {"base", "mem"}, {"", "1"}),
    "versions of one": (("gpt-4", "gpt-5"), {"gpt-4", "gpt-5"}, set()),
    "versions of two": (
        ("gpt-4", "gpt-5", "claude-3", "claude-4"),
        {"gpt-4", "gpt-5", "claude-3", "claude-4"},
        set(),
    ),
    "versions beside another": (("v_1", "v_2", "base"), {"v_1", "v_2", "base"}, set()),
    "versions behind another": (("base", "v_1", "v_2"), {"v_1", "v_2", "base"}, set()),
    "metrics behind": (("base_acc", "mem_acc"), {"base", "mem"}, set()),
    "metrics in front": (("success/base", "success/mem"), {"base", "mem"}, set()),
    "metric and run": (("b_run1_acc", "b_run2_acc", "m_run1_acc", "m_run2_acc"), {"b", "m"}, {"1", "2"}),
    "a number alone": (("1", "2"), {"1", "2"}, set()),
}  # fmt: skip


@pytest.mark.parametrize(("heads", "arms", "repeats"), NAMES.values(), ids=NAMES)
def test_names_of_columns(heads: tuple[str, ...], arms: set[str], repeats: set[str]) -> None:
    sheet, made = as_long(sheet_of(TASKS | dict.fromkeys(heads, SCORES)), {}, ())
    assert sheet.frame.height == 3 * len(heads)
    assert set(sheet.frame[made["arm"]]) == arms
    assert (set(sheet.frame[made["repeat"]]) if repeats else set()) == repeats
    assert ("repeat" in made) == bool(repeats)


def test_a_long_table_stays_as_it_is() -> None:
    for more in (
        {"arm": ["x", "y", "x"], "score": SCORES, "easy": SCORES},
        {"arm": ["x", "y", "x"], "easy": SCORES, "hard": SCORES},
        {"score": SCORES, "memory": SCORES},
        {"baseline": SCORES, "steps": ["4", "9", "2"]},
        {"baseline": SCORES, "note": ["good", "bad", ""]},
    ):
        sheet = sheet_of(TASKS | more)
        assert as_long(sheet, {}, ()) == (sheet, {})


def test_two_metrics_are_asked_for() -> None:
    heads = ("base_acc", "base_f1", "mem_acc", "mem_f1")
    sheet = sheet_of(TASKS | dict.fromkeys(heads, SCORES) | {"mem_f1": ["0.5", "0.5", "0.5"]})
    with pytest.raises(TableFault, match=r"'acc', 'f1'.*score-column"):
        shape(sheet, TableOptions(reference="base"))
    options = TableOptions({"score": "f1"}, reference="base")
    assert shape(sheet, options).outcomes.cells("model").mean(("mem", "intact")).tolist() == [0.5] * 3


def test_a_mean_in_the_middle_is_a_task_and_one_at_the_end_is_none() -> None:
    rows = {
        "task": ["mean", "b", "Average", "Total"],
        "base": ["1", "0", "1", "1"],
        "mem": ["1", "1", "1", "1"],
    }
    sheet, _ = as_long(sheet_of(rows), {}, ())
    assert set(sheet.frame["task"]) == {"mean", "b"}
    assert any("'Total', 'Average'" in note for note in sheet.notes)


def test_a_column_that_is_called_score_of_the_table_is_not_lost() -> None:
    sheet, made = as_long(sheet_of(TASKS | {"repeat": ["1"] * 3, "base": SCORES, "mem": SCORES}), {}, ())
    assert "repeat" not in made
    assert sheet.frame["repeat"].to_list() == ["1"] * 6


def test_in_python_the_options_that_answer_are_named() -> None:
    frame = pl.DataFrame(TASKS | {"it's": [5, 1, 3], "other": [1, 2, 3]})
    with pytest.raises(TableFault) as caught:
        shape_or_ask(read_sheet(frame), TableOptions())
    text = str(caught.value).partition("likeliest answers: options=")[2]
    options = eval(text, {"TableOptions": TableOptions})
    assert options == TableOptions(reference="it's", range="1,5")
    assert shape(read_sheet(frame), options).reference == "it's"
