"""Tables as people have them: names, delimiters, encodings, words for success; and what is said of them."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from memtrial.api.analyze import AnalysisOptions
from memtrial.cli.tools.analyze import analyze_table
from memtrial.outcomes.files.table_files import read_sheet
from memtrial.outcomes.table_options import TableOptions
from memtrial.reports.text.verdict_glossary import glossary
from memtrial.views.rows.results import Results
from tests.support.analyzed import analyzed, row_of
from tests.support.odd_tables import ATTEMPTS, DAMAGED, PLAIN, REPEATED


def renamed(text: str, **names: str) -> str:
    header, _, body = text.partition("\n")
    return ",".join(names.get(name, name) for name in header.split(",")) + "\n" + body


def worded(text: str, yes: str, no: str) -> str:
    return re.sub(r",1$", f",{yes}", re.sub(r",0$", f",{no}", text, flags=re.M), flags=re.M)


SAME: dict[str, str | bytes] = {
    "semicolons": PLAIN.replace(",", ";"),
    "tabs": PLAIN.replace(",", "\t"),
    "windows": PLAIN.replace("\n", "\r\n"),
    "byte order mark": b"\xef\xbb\xbf" + PLAIN.encode(),
    "quotes": re.sub(r"^(t\d+)", r'"\1, of old"', PLAIN, flags=re.M),
    "spaces": PLAIN.replace(",", " , "),
    "no last newline": PLAIN.rstrip(),
    "another order": "\n".join([PLAIN.splitlines()[0], *sorted(PLAIN.splitlines()[1:], reverse=True)]),
    "agents": renamed(PLAIN, task="Task ID", arm="Agent", score="Resolved"),
    "camels": renamed(PLAIN, task="taskId", arm="METHOD", score="isCorrect"),
    "items": renamed(PLAIN, task="question", arm="strategy", score="reward"),
    "models": renamed(PLAIN, task="instance_id", arm="model", score="passed"),
    "conditions as arms": renamed(PLAIN, arm="condition"),
    "booleans": worded(PLAIN, "True", "False"),
    "yes and no": worded(PLAIN, "yes", "no"),
    "pass and fail": worded(PLAIN, "PASS", "fail"),
    "status": worded(renamed(PLAIN, score="status"), "success", "failure"),
    "decimals": worded(PLAIN, "1.0", "0.00"),
    "other columns": re.sub(r"$", ",x y,17", PLAIN.strip(), flags=re.M).replace(
        "score,x y,17", "score,note,tokens"
    ),
    "one repeat": re.sub(r"$", ",0", PLAIN.strip(), flags=re.M).replace("score,0", "score,seed"),
    "one status": re.sub(r"$", ",done", PLAIN.strip(), flags=re.M).replace("score,done", "score,status"),
    "score and its like": re.sub(r",(\d)$", r",\1,\1", PLAIN, flags=re.M).replace("score", "score,success"),
}


@pytest.mark.parametrize("name", SAME)
def test_the_same_numbers_from_every_form(name: str, tmp_path: Path) -> None:
    row = row_of(analyzed(tmp_path, SAME[name]), arm="memory")
    plain = row_of(analyzed(tmp_path, PLAIN), arm="memory")
    same = ("n_tasks", "estimate", "low", "high", "p", "p_adjusted", "p_equivalence", "verdict", "versus")
    assert {key: row[key] for key in same} == {key: plain[key] for key in same}
    assert plain["estimate"] == pytest.approx((11 - 5) / 14)


@pytest.mark.parametrize("ending", ["parquet", "jsonl"])
def test_other_files(ending: str, tmp_path: Path) -> None:
    lines = [line.split(",") for line in PLAIN.splitlines()[1:]]
    columns: dict[str, list[Any]] = {
        "task": [int(task[1:]) for task, _, _ in lines],
        "arm": [arm for _, arm, _ in lines],
        "success": [score == "1" for _, _, score in lines],
        "steps": [[1, 2] for _ in lines],
    }
    path = tmp_path / f"table.{ending}"
    if ending == "parquet":
        pl.DataFrame(columns).write_parquet(path)
    else:
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    results = analyzed(tmp_path, path)
    assert row_of(results, arm="memory")["estimate"] == pytest.approx((11 - 5) / 14)
    assert results["name"] == path.name
    assert results["table"]["said"]["ignored"] == "column 'steps'"


def test_a_table_of_many_blocks_is_read_as_it_is(tmp_path: Path) -> None:
    rows = [(f"task number {place // 5}", "ab"[place % 2], str(place % 3 % 2)) for place in range(5_000)]
    path = tmp_path / "long.csv"
    path.write_text("task,arm,score\n" + "".join(f"{','.join(row)}\n" for row in rows))
    # read in groups of a thousand rows, each with texts of its own
    assert read_sheet(path).frame.rows() == rows


Says = Callable[[dict[str, Any]], bool]


def note(words: str) -> Says:
    return lambda results: any(words in one for one in results["notes"])


def said(role: str, words: str) -> Says:
    return lambda results: words in results["table"]["said"].get(role, "")


def word(verdict: str, reason: str = "") -> Says:
    def check(results: dict[str, Any]) -> bool:
        row = results["estimates"][0]
        return row["verdict"] == verdict and reason in row["reason"]

    return check


def plus(name: str, values: Callable[[str, str], str]) -> str:
    """The plain table with one more column, made of the task's number and the arm."""
    head, *rows = PLAIN.splitlines()
    more = [f"{row},{values(row.split(',')[0][1:], row.split(',')[1])}" for row in rows]
    return "\n".join([f"{head},{name}", *more]) + "\n"


ONE_TASK = "task,arm,score\nt,none,0\nt,memory,1\n"
HALF = "\n".join(line for line in PLAIN.splitlines() if line[:2] not in ("t1", "t3") or "none" in line)
ALL = PLAIN.replace(",0\n", ",1\n")
LOST = PLAIN.replace("t3,memory,1", "t3,memory,").replace("t4,none,0", "t4,none,nan")
FLAGGED = plus("error", lambda task, arm: "timeout at the provider" if (task, arm) == ("3", "memory") else "")
ENDED = plus("status", lambda task, arm: {"3": "crashed", "4": "timeout"}.get(task, "done"))
RATES = plus("error", lambda task, arm: f"0.{task}")
SUCCESS = plus("success", lambda task, arm: "1" if task == "1" else "0")
READER = plus("model", lambda task, arm: "simulated/reader")
TWO = plus("backbone", lambda task, arm: "all") + "t1,none,0,other\nt1,memory,1,other\n"
ONLY_A = "".join(f"{x}\n" for x in DAMAGED.splitlines() if ",b," not in x)
ONE_ARM = ONLY_A.replace("arm,", "").replace(",a,", ",").replace(",none,", ",")
SHARED = DAMAGED.replace("none,without", "a,without") + "".join(f"t{i},b,without,0\n" for i in range(14))
BARE = "".join(f"{line}\n" for line in DAMAGED.splitlines() if "none" not in line)
RUNS: dict[str, tuple[str, dict[str, Any], list[Says]]] = {
    "one task": (
        ONE_TASK,
        {},
        [
            word("inconclusive", "no inference: 1 task "),
            lambda r: r["table"]["said"]["task"] == "column 'task': 1 task",
        ],
    ),
    "a row missing": (PLAIN.replace("t3,memory,1\n", ""), {}, [note("(up to 1 task;")]),
    "no backbone": (PLAIN, {}, [said("backbone", "no column names one; all rows stand under 'model'")]),
    "a small full score": (
        PLAIN.replace(",1\n", ",1e-320\n"),
        {"scale": 1e-320},
        [lambda r: r["estimates"][0]["estimate"] == pytest.approx(6 / 14)],
    ),
    "all solved": (ALL, {}, [word("inconclusive", "bound on the share of differing tasks 0.193")]),
    "one differs": (
        ALL.replace("t1,none,1", "t1,none,0"),
        {},
        [word("inconclusive", "only 1 task with a difference: sign flips alone could not show an effect")],
    ),
    "few tasks": (
        "\n".join(PLAIN.splitlines()[:13]),
        {},
        [word("inconclusive", "exploratory only: 6 tasks")],
    ),
    "missing cells": (HALF, {}, [note("up to 6 tasks"), lambda r: r["estimates"][0]["n_missing"] == 6]),
    "empty scores": (
        LOST,
        {},
        [
            said("errors", "2 rows (2 with an empty score)"),
            lambda r: r["errors"] == {"none": 1, "memory": 1},
            lambda r: r["estimates"][0]["n_tasks"] == 12,
        ],
    ),
    "flagged": (
        FLAGGED,
        {},
        [said("errors", "1 row (1 by column 'error')"), note("had a score, which is not used")],
    ),
    "status": (ENDED, {}, [said("errors", "2 rows (2 by column 'status')")]),
    "error rates": (RATES, {}, [note("not taken for errors"), said("errors", "none")]),
    "numbered": (
        REPEATED,
        {"number_repeats": True},
        [said("repeat", "in the order of the file"), lambda r: r["repeats"] == 3],
    ),
    "attempts": (
        ATTEMPTS,
        {"at": "2"},
        [said("rows", "28 of 112"), said("reference", "retry"), lambda r: r["repeats"] == 1],
    ),
    "attempts as numbers": (ATTEMPTS, {"at": "2.0"}, [said("rows", "28 of 112")]),
    "attempts averaged": (
        ATTEMPTS,
        {"columns": {"repeat": "trial"}},
        [said("repeat", "4 values"), lambda r: r["repeats"] == 4],
    ),
    "other reference": (
        PLAIN,
        {"reference": "memory"},
        [
            lambda r: r["estimates"][0]["estimate"] < 0,
            lambda r: r["errors"].keys() == {"memory", "(none)"},
        ],
    ),
    "score over success": (SUCCESS, {}, [note("score is 'score', not 'success'")]),
    "success over score": (
        SUCCESS,
        {"columns": {"score": "success"}},
        [lambda r: r["estimates"][0]["estimate"] == 0],
    ),
    "percentages": (
        worded(PLAIN, "100", "0"),
        {"scale": 100.0},
        [lambda r: r["estimates"][0]["estimate"] == pytest.approx(6 / 14)],
    ),
    "a category": (
        plus("category", lambda task, arm: task[0]),
        {},
        [said("cluster", "none")],
    ),
    "a torn family": (plus("family", lambda task, arm: arm), {}, [note("two clusters")]),
    "simulated": (READER, {}, [lambda r: r["simulated"] is True, said("backbone", "simulated/reader")]),
    "not simulated": (PLAIN, {}, [lambda r: r["simulated"] is False]),
    "one arm, damaged": (ONE_ARM, {}, [lambda r: r["verdicts"]["model"].keys() == {"memory"}]),
    "shared without": (SHARED, {}, [note("one shared cell"), lambda r: r["cells"][0]["n_trials"] == 28]),
    "baseline of damage": (
        DAMAGED.replace("none,without", "baseline,intact"),
        {"reference": "baseline"},
        [said("reference", "baseline"), lambda r: r["utility"]["model"].keys() == {"a", "b"}],
    ),
    "originals": (DAMAGED.replace("intact", "original"), {}, [lambda r: r["conditions"] == ["filler"]]),
    "no reference": (
        BARE,
        {},
        [
            lambda r: r["utility"] == {},
            lambda r: r["verdicts"]["model"].keys() == {"a", "b"},
            note("no row is of an agent without memory"),
        ],
    ),
    "a backbone called all": (TWO, {}, [lambda r: "(all)" in r["backbones"]]),
}


@pytest.mark.parametrize(("content", "asked", "checks"), RUNS.values(), ids=RUNS)
def test_a_clear_result(content: str, asked: dict[str, Any], checks: list[Says], tmp_path: Path) -> None:
    results = analyzed(tmp_path, content, **asked)
    for place, check in enumerate(checks):
        assert check(results), (place, results["notes"], results["table"], results["estimates"][:1])


def reported(folder: Path, content: str, rules: AnalysisOptions, **asked: Any) -> dict[str, Any]:
    """The same with the reports written, in `out`."""
    path = folder / "table.csv"
    path.write_text(content)
    analyze_table(path, TableOptions(**{"columns": {}, **asked}), rules, folder / "out", False)
    results: dict[str, Any] = json.loads((folder / "out" / "results.json").read_text(encoding="utf-8"))
    return results


def test_a_report_on_arms_speaks_of_nothing_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = LOST.replace(",memory,", ",tuned,").replace(",none,", ",plain,")
    rules = AnalysisOptions(flips=99, question="Does tuning help?")
    reported(tmp_path, body, rules, reference="plain")
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    short = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    told = capsys.readouterr().out
    text = re.sub(r"<style>.*?</style>|<[^>]+>", " ", page, flags=re.S)
    for foreign in (
        "memory",
        "bank",
        "delivery",
        "damage",
        "condens",
        "trigger",
        "prompt",
        "Utilit",
        "drop",
        "gate",
    ):
        for shown in (text, short, told):
            assert foreign.lower() not in shown.lower(), foreign
    for shown in (text, short, told):
        assert "either a difference between tuned and plain nor" in " ".join(shown.split())
    assert "Does tuning help?" in text
    assert "nothing was recorded" not in text.lower()


def test_a_report_on_damage_is_that_of_a_run(tmp_path: Path) -> None:
    results = reported(tmp_path, DAMAGED, AnalysisOptions(flips=99, pairs=("a:b",)))
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert 'id="plane"' in page
    assert 'id="hypotheses"' in page
    assert not re.search(
        r'id="(delivery|manipulation|firings|condensation|cost|models|history|shared)"', page
    )
    assert results["estimates"][0]["versus"] == "none"
    judged = {row["verdict"] for row in results["estimates"]}
    explained = {entry.word for entry in glossary(Results.model_validate(results))}
    assert judged <= explained <= judged | {"inert"}, "a note speaks of `inert`"
    assert {
        "simulated",
        "status",
        "control",
        "verdicts",
        "utility",
        "hypotheses",
        "errors",
        "empty_slots",
        "cost",
        "digests",
    } <= results.keys()


def test_one_is_no_plural(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reported(tmp_path, ONE_TASK, AnalysisOptions(flips=99))
    shown = [capsys.readouterr().out]
    shown += [(tmp_path / "out" / name).read_text(encoding="utf-8") for name in ("report.html", "report.md")]
    for text in shown:
        assert "1 task" in text
        assert not re.search(r"\b1 (tasks|repeats|clusters|rows)\b", text)


def test_the_p_of_equivalence_is_not_taken_for_the_margin(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = reported(tmp_path, PLAIN, AnalysisOptions(flips=99, margin=0.2))["estimates"][0]
    told = " ".join(capsys.readouterr().out.split())
    p = f"{row['p_equivalence']:.4f}, adjusted {row['p_equivalence_adjusted']:.4f}"
    assert f"; p of equivalence within ±0.20 (two one-sided tests) {p}; 14 tasks" in told
