"""`analyze` against plain arithmetic, scipy and statsmodels, on a real table and on drawn ones."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from memtrial.api.analyze import FILES, AnalysisOptions
from memtrial.cli.tools.analyze import analyze_table
from memtrial.outcomes.table_options import TableOptions
from tests.outcomes.test_real_outcomes import ALFWORLD
from tests.support.analyzed import analyzed, differences, row_of, student, task_means

FLIPS = 4_999


def drawn(
    seed: int, cells: list[dict[str, str]], n: int = 40, repeats: int = 3, lost: float = 0.1
) -> list[dict[str, Any]]:
    """Rows of a table with missing rows and empty scores; tasks differ in how hard they are."""
    rng = np.random.default_rng(seed)
    rows = []
    for task in range(n):
        ease = rng.uniform(0.2, 0.8)
        for place, cell in enumerate(cells):
            for repeat in range(repeats):
                draw = float(rng.random() < np.clip(ease + 0.15 * (place % 2), 0, 1))
                if rng.random() > lost / 2:
                    score = None if rng.random() < lost else draw
                    rows.append({"task": f"task {task}", **cell, "repeat": repeat, "score": score})
    rng.shuffle(rows)  # type: ignore[arg-type]
    return rows


def text(rows: list[dict[str, Any]]) -> str:
    lines = [",".join(rows[0])]
    lines += [",".join("" if value is None else str(value) for value in row.values()) for row in rows]
    return "\n".join(lines) + "\n"


def near(row: dict[str, Any], d: np.ndarray, repeats: int) -> None:
    assert row["n_tasks"] == len(d)
    assert row["estimate"] == pytest.approx(d.mean(), abs=1e-9)
    assert (row["low"], row["high"], row["p"]) == pytest.approx(student(d, repeats), abs=1e-9)


@pytest.mark.parametrize("trial", [0, 1, 3, 6])
def test_reflexion_on_alfworld(trial: int, tmp_path: Path) -> None:
    if not ALFWORLD.exists():
        pytest.skip("the ALFWorld outcomes are not beside this checkout")
    from scipy.stats import binom
    from statsmodels.stats.contingency_tables import mcnemar

    with ALFWORLD.open() as file:
        rows = [row | {"score": row["success"]} for row in csv.DictReader(file) if row["trial"] == str(trial)]
    results = analyzed(tmp_path, ALFWORLD, AnalysisOptions(flips=FLIPS), at=str(trial))
    row = row_of(results, estimand="utility", arm="reflexion", versus="retry")
    d = differences(task_means(rows, {"arm": "reflexion"}), task_means(rows, {"arm": "retry"}))
    assert len(d) == 134
    near(row, d, 1)
    won, lost = int((d > 0).sum()), int((d < 0).sum())
    p = mcnemar(np.array([[0, won], [lost, 0]]), exact=True).pvalue
    assert row["p_flip"] == pytest.approx(p, abs=1e-9)
    half = binom.pmf(won, won + lost, 0.5) if won + lost else 0.0
    assert row["p_mid"] == pytest.approx(p - half, abs=1e-9)
    assert (row["p_flip_error"], row["p_adjusted_error"]) == (0.0, 0.0)
    assert results["arms"] == ["retry", "reflexion"]
    assert results["errors"] == {"retry": 0, "reflexion": 0}
    assert results["utility"]["model"]["reflexion"] == row["verdict"]
    assert {cell["arm"]: cell["score"] for cell in results["cells"]} == pytest.approx(
        {arm: np.mean([float(r["score"]) for r in rows if r["arm"] == arm]) for arm in results["arms"]}
    )


@pytest.mark.parametrize("seed", range(3))
def test_arms_against_a_reference(seed: int, tmp_path: Path) -> None:
    rows = drawn(seed, [{"arm": arm} for arm in ("plain", "a", "b")])
    results = analyzed(tmp_path, text(rows), reference="plain")
    base = task_means(rows, {"arm": "plain"})
    for arm in "ab":
        row = row_of(results, arm=arm)
        near(row, differences(task_means(rows, {"arm": arm}), base), 3)
        mine = [r for r in rows if r["arm"] in (arm, "plain")]
        assert row["n_errors"] == sum(r["score"] is None for r in mine)
        for end, fill in (("worst_low", (0, 1)), ("worst_high", (1, 0))):
            filled = [r | {"score": fill[r["arm"] == "plain"]} if r["score"] is None else r for r in mine]
            worst = differences(*(task_means(filled, {"arm": name}) for name in (arm, "plain")))
            assert row[end] == pytest.approx(worst.mean(), abs=1e-9)
    assert results["errors"] == {
        arm: sum(r["score"] is None for r in rows if r["arm"] == arm) for arm in results["arms"]
    }


def test_arms_and_conditions(tmp_path: Path) -> None:
    cells = [{"arm": "none", "condition": "without"}]
    cells += [{"arm": a, "condition": c} for a in ("native", "theory") for c in ("intact", "filler", "swap")]
    rows = drawn(7, cells)
    results = analyzed(
        tmp_path, text(rows), AnalysisOptions(flips=999, pairs=("theory:native",), primary=("swap",))
    )
    mean = {(c["arm"], c["condition"]): task_means(rows, c) for c in cells}
    drops = {
        (arm, condition): {
            task: mean[arm, "intact"][task] - mean[arm, condition][task]
            for task in mean[arm, "intact"].keys() & mean[arm, condition].keys()
        }
        for arm in ("native", "theory")
        for condition in ("filler", "swap")
    }
    for (arm, condition), drop in drops.items():
        row = row_of(results, estimand="drop", arm=arm, condition=condition)
        near(row, np.array(list(drop.values())), 3)
        assert results["verdicts"]["model"][arm][condition] == row["verdict"]
    for arm in ("native", "theory"):
        row = row_of(results, estimand="utility", arm=arm)
        near(row, differences(mean[arm, "intact"], mean["none", "without"]), 3)
    apart = row_of(results, estimand="contrast", condition="swap")
    near(apart, differences(drops["theory", "swap"], drops["native", "swap"]), 3)
    assert [one["condition"] for one in results["hypotheses"]] == ["swap"]


def test_clusters_are_the_unit(tmp_path: Path) -> None:
    """With equal clusters the test is that of the cluster means; the pseudo tasks are single tasks."""
    rows = drawn(3, [{"arm": "none"}, {"arm": "a"}], lost=0.0)
    with_family = [row | {"family": f"f{int(row['task'][5:]) // 4}"} for row in rows]
    row = row_of(analyzed(tmp_path, text(with_family)), arm="a")
    d = task_means(rows, {"arm": "a"})
    base = task_means(rows, {"arm": "none"})
    by_task = np.array([d[f"task {i}"] - base[f"task {i}"] for i in range(40)])
    assert row["n_clusters"] == 10
    expected = student(by_task, 3, [i // 4 for i in range(40)])
    assert (row["low"], row["high"], row["p"]) == pytest.approx(expected, abs=1e-9)
    assert row["p"] == pytest.approx(ttest_1samp(by_task.reshape(10, 4).mean(axis=1), 0.0).pvalue)


def test_json_goes_out_alone_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text(drawn(1, [{"arm": "none"}, {"arm": "a"}])))
    analyze_table(path, TableOptions({}), AnalysisOptions(flips=99), None, True)
    said = capsys.readouterr()
    assert json.loads(said.out)["status"] == "exploratory"
    assert "column 'score'" in said.err
    assert [one.name for one in tmp_path.iterdir()] == ["t.csv"]


def test_the_same_table_gives_the_same_bytes_wherever_it_lies(tmp_path: Path) -> None:
    body = text(drawn(1, [{"arm": "none"}, {"arm": "a"}]))
    made = []
    for name in ("here", "there"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "t.csv").write_text(body)
        analyze_table(folder / "t.csv", TableOptions({}), AnalysisOptions(flips=99), folder / "out", False)
        made.append([(folder / "out" / file).read_bytes() for file in FILES])
    assert made[0] == made[1]
    assert all(str(tmp_path).encode() not in body for body in made[0])
