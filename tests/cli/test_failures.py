"""`failures` on tables: the paper's Table 1, labels, and what is wrong in one line."""

import csv
import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from memtrial.outcomes.failures.failure_columns import read_counts, read_labels
from memtrial.outcomes.files.table_files import UNCHECKED
from memtrial.outcomes.table_fault import TableFault
from memtrial.reports.figures.stacked_shares import stacked_svg
from memtrial.reports.render.latex import latex_table
from memtrial.reports.render.table_lines import table_lines
from memtrial.reports.text.failure_text import lines_of_tests, mode_table, with_percent
from memtrial.views.evidence.failure_modes import HALTON, STUART, table_of_counts, table_of_labels
from tests.support.refusing import Done, Warm

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
PAPER = SHARED / "paper" / "table1_counts.csv"
COUNTS = "backbone,domain,distraction,reliance,premature\nA & B,Map,3,5,8\nA & B,CMS,9,6,7\nC,Map,20,3,4\n"
LABELS = "task,arm,mode,rater\n" + "".join(
    f"t{at},{arm},{mode if rater == 'ann' or at % 5 else 'other'},{rater}\n"
    for at in range(30)
    for arm, mode in (("control", "reliance"), ("artifact", ("premature", "over-reliance", "Other")[at % 3]))
    for rater in ("ann", "bo")
)


@pytest.mark.skipif(not PAPER.exists(), reason="the counts stand beside the project, in ../shared/data")
def test_table_1_of_the_paper() -> None:
    found = table_of_counts(read_counts(PAPER), PAPER.name)
    with PAPER.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(found.rows) == len(rows) == 12
    for row, paper in zip(found.rows, rows, strict=True):
        assert (row.backbone, row.domain, row.n) == (paper["backbone"], paper["domain"], int(paper["n"]))
        for mode in ("distraction", "reliance", "premature"):
            assert float(with_percent(row.counts[mode], row.n)) == float(paper[f"pct_{mode}"])
            assert row.low[mode] == pytest.approx(float(paper[f"goodman_{mode}_lo"]), abs=1e-4)
            assert row.high[mode] == pytest.approx(float(paper[f"goodman_{mode}_hi"]), abs=1e-4)
            low, high = row.sison_glaz[mode]
            assert low == pytest.approx(float(paper[f"sisonglaz_{mode}_lo"]), abs=2e-3)
            assert high == pytest.approx(float(paper[f"sisonglaz_{mode}_hi"]), abs=2e-3)
    within, between = found.tests[:3], found.tests[3]
    p = [one.table.exact_p for one in within if one.table is not None]
    assert p == pytest.approx([0.51, 0.85, 0.13], abs=0.02)
    assert between.table is not None
    assert (between.table.exact_p, between.table.p < 6e-7) == (1e-4, True)


def test_a_p_value_at_the_floor_of_the_draws_is_said_to_be_one(tmp_path: Path) -> None:
    path = tmp_path / "counts.csv"
    for counts, says in (
        ("a,90,3,5\nb,4,80,5\n", "p ≤ 0.0001 (the least that 9,999 draws can show)"),
        ("a,9,3,5\nb,4,8,5\n", "over arm, p = 0."),
    ):
        path.write_text(f"arm,distraction,reliance,premature\n{counts}", "utf-8")
        assert says in " ".join(lines_of_tests(table_of_counts(read_counts(path), path.name)))
    path.write_text("arm,distraction,reliance\na,90,3\nb,4,80\n", "utf-8")  # exact, without draws
    assert "p < 0.0001 (" in " ".join(lines_of_tests(table_of_counts(read_counts(path), path.name)))


def test_any_headings_are_read(tmp_path: Path) -> None:
    path = tmp_path / "counts.csv"
    path.write_text("Agent;Note;Over-reliance;Premature inference\nx;1;2;3\nx;2;4;0.0\ny;1;;1\n", "utf-8")
    counts = read_counts(path)
    assert counts == {
        ("x", "", "", ""): {"reliance": 6, "premature": 3},
        ("y", "", "", ""): {"reliance": 0, "premature": 1},
    }
    path.write_text("distraction,other\n1,2\n", "utf-8")
    assert table_of_counts(read_counts(path), "").tests == ()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a,b\n1,2\n", "columns named 'distraction'"),
        ("backbone,distraction,reliance\nx,45.2,1\n", "whole numbers"),
        ("backbone,distraction,reliance\nx,-1,1\n", "whole numbers"),
        ("backbone,distraction,reliance\nx,99999999999,1\n", "whole numbers"),
        ("backbone,distraction,reliance\nx,²,1\n", "whole numbers"),
        ("backbone,distraction,reliance\n" + "x,1,1\n" * 1001, "at most 200 rows"),
        ("backbone,distraction,reliance\nx,1000000000,1\n", "at most 30,000 failures; .* 1,000,000,001"),
        ("backbone,distraction,reliance\nx,20000,1\ny,9999,1\n", "has 30,001"),
    ],
)
def test_no_counts_are_refused_in_one_line(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "counts.csv"
    path.write_text(text, "utf-8")
    with pytest.raises(TableFault, match=why) as fault:
        read_counts(path)
    assert "\n" not in str(fault.value)


def test_labels_give_shares_tests_and_agreement(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(LABELS, "utf-8")
    found = table_of_labels(read_labels(path), path.name)
    control, artifact = found.rows
    assert (control.arm, control.n, control.counts["reliance"], control.counts["other"]) == (
        "control",
        30,
        27,
        3,
    )
    assert artifact.counts["premature"] == 9
    agreed = found.agreement[0]
    assert (agreed.raters, agreed.cases) == (("ann", "bo"), 60)
    assert agreed.kappa is not None
    assert 0.6 < agreed.kappa[0] < 0.9
    stuart = next(one for one in found.tests if one.test == STUART)
    assert (stuart.arm, stuart.versus) == ("control", "artifact")
    assert stuart.table is not None
    assert stuart.table.p < 1e-4
    assert not [one for one in found.tests if one.test == HALTON and one.versus == "arm" and one.arm]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("case,mode\n1,bad luck\n", "a mode is"),
        ("case,mode\n1,other\n1,reliance\n", "labels a case once"),
        ("case,mode\n1,\n", "no case is labelled yet"),
        ("what,mode\n1,other\n", "need a column case"),
    ],
)
def test_no_labels_are_refused_in_one_line(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(text, "utf-8")
    with pytest.raises(TableFault, match=why):
        read_labels(path)


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize(
    ("read", "meaning", "rivals", "others"),
    [
        (read_labels, "mode", ("mode", "label"), {"case": "1"}),
        (read_labels, "mode", ("Code", "failureMode"), {"case": "1"}),
        (read_labels, "case", ("id", "case_id"), {"mode": "other"}),
        (read_labels, "task", ("task", "Task ID"), {"mode": "other"}),
        (read_labels, "rater", ("rater", "coder"), {"mode": "other", "case": "1"}),
        (read_labels, "arm", ("arm", "method"), {"mode": "other", "case": "1"}),
        (read_counts, "distraction", ("distraction", "Distracted"), {"other": "3"}),
        (read_counts, "arm", ("arm", "memory"), {"other": "3", "premature": "4"}),
        (read_counts, "backbone", ("model", "agent"), {"other": "3", "premature": "4"}),
    ],
)
def test_of_two_columns_with_one_meaning_neither_wins(
    tmp_path: Path,
    read: Callable[..., object],
    meaning: str,
    rivals: tuple[str, str],
    others: dict[str, str],
    order: int,
) -> None:
    path, values = tmp_path / "t.csv", ("reliance", "premature") if meaning == "mode" else ("1", "2")

    def write(*cells: str) -> None:
        row = dict(list((others | dict(zip(rivals, cells, strict=True))).items())[::order])
        path.write_text(f"{','.join(row)}\n{','.join(row.values())}\n", "utf-8")

    write(*values)
    with pytest.raises(TableFault, match=rf"could be the {meaning}, .*--column {meaning}=NAME") as fault:
        read(path)
    assert all(repr(name) in str(fault.value) for name in rivals)
    first, second = (read(path, {meaning: name}) for name in rivals)
    assert first != second
    for same in (values[0], ""):  # they are equal, or one is empty
        write(values[0], same)
        assert read(path) == first


def test_a_column_that_is_named_is_there_and_means_one_thing(warm: Warm, tmp_path: Path) -> None:
    (tmp_path / "l.csv").write_text("case,mode,label\n1,other,reliance\n", "utf-8")
    for options, says in (
        ((), "could be the mode"),
        (("mode=labels",), "has no such column"),
        (("moed=label",), "the meanings here are"),
        (("label",), "needs MEANING=NAME"),
        (("mode=label", "case=label"), "a column of its own"),
    ):
        named = [word for text in options for word in ("--column", text)]
        done = warm.call("failures", "--labels", "l.csv", *named, cwd=tmp_path)
        assert (done.code, done.err.count("\n")) == (2, 1)
        assert says in done.err
    done = warm.call("failures", "--labels", "l.csv", "--column", "mode=label", "--json", cwd=tmp_path)
    assert json.loads(done.out)["rows"][0]["counts"]["reliance"] == 1


def test_latex_and_figure_hold_what_the_table_holds(tmp_path: Path) -> None:
    path = tmp_path / "counts.csv"
    path.write_text(COUNTS, "utf-8")
    found = table_of_counts(read_counts(path), path.name)
    text = latex_table(mode_table(found), "tab:modes")
    # a table this wide says its backbone once, above its rows
    assert r"Map & 16 & 18.8 [5.3, 48.7] & 31.3 [11.9, 60.5] & 50.0 [24.3, 75.7] \\" in text
    assert text.count(r"A \& B") == 1
    figure = stacked_svg(found.rows)
    assert figure == stacked_svg(found.rows)
    assert all(word in figure for word in ("A &amp; B Map (16)", "distraction", "premature"))


def test_a_row_that_is_too_wide_is_a_block(tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text(COUNTS, "utf-8")
    table = mode_table(table_of_counts(read_counts(tmp_path / "c.csv"), "c.csv"))
    assert len(table_lines(table, None)) == len(table_lines(table, 200)) == 4
    narrow = table_lines(table, 60)
    assert all(len(line) <= 60 for line in narrow)
    assert narrow[:3] == ["backbone: A & B", "  domain: Map", "  n: 16"]


def test_a_file_of_cases_is_told_from_other_files(call: Callable[..., Done], there: Path) -> None:
    case = {"case": "c", "task": "t", "items": "i", "solved": "s", "failed": "f", "arm": "control"}
    (there / "cases.jsonl").write_text(json.dumps(case | {"mode": "", "rater": ""}) + "\n", "utf-8")
    shown = call("review", "cases.jsonl", "--by", "ann", "--json", cwd=there)
    assert shown.code == 0, shown
    (row,) = json.loads(shown.out)
    assert {key: row[key] for key in row if key != "draft"} == {
        key: case[key] for key in case if key != "arm"
    }
    (there / "mode.jsonl").write_text(json.dumps(case | {"mode": "bad luck"}) + "\n", "utf-8")
    (there / "other.jsonl").write_text('{"what": 1}\n', "utf-8")
    (there / "none.jsonl").write_text("", "utf-8")
    for arguments, why in (
        (("cases.jsonl",), "--by NAME"),
        (("other.jsonl",), "begins with 'what'"),
        (("none.jsonl",), "begins with nothing"),
        (("mode.jsonl", "--by", "ann"), "line 1: mode"),
    ):
        done = call("review", *arguments, cwd=there)
        assert (done.code, done.out, done.err.count("\n"), why in done.err) == (2, "", 1, True), done


def test_the_verb(call: Callable[..., Done], there: Path) -> None:
    (there / "counts.csv").write_text(COUNTS, "utf-8")
    done = call("failures", "--counts", "counts.csv", "--json", "--latex", "t.tex", cwd=there)
    assert done.code == 0, done
    assert [row["n"] for row in json.loads(done.out)["rows"]] == [16, 22, 27]
    assert (there / "t.tex").read_text("utf-8").startswith(r"\begin{table*}"), "wider than a column"
    refused = call("failures", "--counts", "counts.csv", "--latex", "no/t.tex", cwd=there)
    assert (refused.code, "--latex needs" in refused.err) == (2, True), refused
    assert call("failures", "tiny_s0", "--label-file", "cases.jsonl", cwd=there).code == 0
    for wrong in (
        (),
        ("tiny_s0", "--counts", "counts.csv"),
        ("--counts", "counts.csv", "--coder", "rules"),
        ("--counts", "none.csv"),
        ("no_such_run",),
        ("tiny_s0", "--coder", "simulated/reader"),
        ("tiny_s0", "--human", "counts.csv"),
    ):
        done = call("failures", *wrong, cwd=there)
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1), (wrong, done)


def test_the_first_line_says_how_much_was_coded_and_small_rows_stay_in_json(
    call: Callable[..., Done], there: Path
) -> None:
    (there / "few.csv").write_text("arm,distraction,reliance\nsmall,3,1\nfive,3,2\nlarge,90,30\n", "utf-8")
    done = call("failures", "--counts", "few.csv", "--latex", "few.tex", cwd=there)
    first, *lines = done.out.splitlines()
    assert first == "129 of 129 failures coded, by few.csv."
    why = "1 row with fewer than 5 failures is left out"
    for text in (" ".join(done.out.split()), (there / "few.tex").read_text("utf-8")):
        assert why in text
    assert not [line for line in lines if line.startswith("small")]
    assert [line.split()[:2] for line in lines if line.startswith(("five", "large"))] == [
        ["five", "5"],
        ["large", "120"],
    ]
    shown = json.loads(call("failures", "--counts", "few.csv", "--json", cwd=there).out)
    assert [row["n"] for row in shown["rows"]] == [4, 5, 120]
    (there / "none.csv").write_text("arm,distraction,reliance\na,1,1\nb,0,0\n", "utf-8")
    out = " ".join(call("failures", "--counts", "none.csv", cwd=there).out.split())
    assert out.startswith(
        "2 of 2 failures coded, by none.csv. 2 rows with fewer than 5 failures are left out: shares of so few"
        " say next to nothing (the JSON has them)."
    )


def test_labels_say_who_gave_them_and_which_cases_wait(tmp_path: Path, warm: Warm) -> None:
    rows = [f"c{at},{mode},{rater}" for at, mode in enumerate(["reliance"] * 6) for rater in ("ann", "bo")]
    waits = ["c1,,cy", "c6,,ann", "c6,,bo", "c7,success,bo"]
    (tmp_path / "l.csv").write_text("\n".join(["case,mode,rater", *rows, *waits]) + "\n", "utf-8")
    done = warm.call("failures", "--labels", "l.csv", cwd=tmp_path)
    assert done.out.splitlines()[0] == (
        "6 of 6 failures coded, by 'ann', 'bo' in l.csv; 1 case without a label yet."
    )


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
@pytest.mark.parametrize(("option", "text"), [("--counts", COUNTS), ("--labels", LABELS)])
def test_a_file_without_checksums_is_named_as_such(
    warm: Warm, tmp_path: Path, option: str, text: str, suffix: str
) -> None:
    (tmp_path / "t.csv").write_text(text)
    pl.read_csv(tmp_path / "t.csv").write_parquet(tmp_path / "t.parquet")
    done = warm.call("failures", option, f"t.{suffix}", cwd=tmp_path)
    assert done.code == 0
    assert (UNCHECKED in " ".join(done.out.split())) == (suffix == "parquet")
    notes = json.loads(warm.call("failures", option, f"t.{suffix}", "--json", cwd=tmp_path).out)["notes"]
    assert (UNCHECKED in notes) == (suffix == "parquet")
