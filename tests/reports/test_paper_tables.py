"""Tables and the paragraph on methods for a paper: they compile, and say what was measured and no more."""

import shutil
import subprocess
from pathlib import Path

import pytest

from memtrial.reports.render.latex import OTHER_ENGINE, latex_table
from memtrial.reports.sections.paper_tables import MOST_ROWS, paper_tables
from memtrial.reports.text.methods_text import PlayRecord, methods_paragraph
from memtrial.reports.text.reading import SIMULATED
from memtrial.reports.text.text_table import Column, TextTable
from memtrial.views.rows.results import Results
from tests.support.paper_example import ARMS, BACKBONES, CJK, CONDITIONS, HARD, paper_example

RECORD = PlayRecord(("0.1.9", "0.2.0"), "2026-11-01", "2026-11-03", 9_999, 0.7)


def _tex(results: Results) -> str:
    return "\n".join(latex_table(table, f"tab:{name}") for name, table in paper_tables(results))


@pytest.mark.parametrize(
    ("engine", "arms"), [("pdflatex", HARD), ("xelatex", CJK), ("xelatex", HARD), ("lualatex", CJK)]
)
def test_tables_compile_with_names_that_latex_would_obey(
    engine: str, arms: tuple[str, ...], tmp_path: Path
) -> None:
    # of a single backbone the rows begin with the names of the arms
    text = _tex(paper_example(arms).model_copy(update={"backbones": BACKBONES[:1]}))
    assert (OTHER_ENGINE in text) == (arms is CJK)
    _compile(engine, text, tmp_path)


@pytest.mark.parametrize("engine", ["pdflatex", "xelatex", "lualatex"])
def test_any_name_of_anything_compiles(engine: str, tmp_path: Path) -> None:
    signs = "".join(chr(n) for n in range(0x20, 0x100))
    latin = "".join(sign for sign in signs if not latex_table(_named(sign), "tab:a").startswith(OTHER_ENGINE))
    assert set(latin) > set("_%&#$~^\\{}[]*\"'`<>|@é")
    names = (
        "",
        " ",
        "[",
        "[a] b",
        "*",
        "*b",
        "% a",
        "\\input{x}",
        "--a--",
        "\\\\[1em]",
        "\\end{tabular}",
        latin,
    )
    _compile(engine, "\n".join(latex_table(_named(name), "tab:a") for name in names), tmp_path)


def _named(name: str) -> TextTable:
    """A table in which everything has this name."""
    columns = Column(name, "name", str), Column("p", "number", str), Column(name, "text", str)
    return TextTable(name, columns, ((name, name, ""), ("", name, name), ("", "", "")))


def _compile(engine: str, text: str, folder: Path) -> None:
    """Typeset tables, where the engine is installed."""
    if shutil.which(engine) is None:
        pytest.skip(f"{engine} is not installed")
    whole = "\\documentclass[twocolumn]{article}\n\\usepackage{booktabs}\n\\begin{document}\n"
    (folder / "a.tex").write_text(f"{whole}{text}\n\\end{{document}}\n", encoding="utf-8")
    command = [engine, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "a.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]
    assert (folder / "a.pdf").stat().st_size > 5_000


def test_the_verdicts_stand_arm_by_condition() -> None:
    tables = dict(paper_tables(paper_example()))
    table = tables["verdicts"]
    heads = [column.head for column in table.columns]
    assert heads == ["backbone", "arm", "utility", "filler", "corrupt_invert", "irrelevant_swap"]
    assert len(table.rows) == 2 * len(ARMS)
    assert table.rows[1][1:4] == ("artifact", "helps +0.100", "load-bearing +0.100")
    assert all(entry.caption.count(SIMULATED) == 1 for entry in tables.values())
    assert {"utility", "drop", "contrast", "ablation", "ablation-modes", "failures"} <= tables.keys()


def test_a_long_table_comes_in_parts() -> None:
    parts = [table for name, table in paper_tables(paper_example()) if name.startswith("retention-")]
    assert [len(table.rows) for table in parts] == [
        MOST_ROWS,
        2 * len(ARMS) * len(CONDITIONS) * 3 - MOST_ROWS,
    ]
    assert "(Part 1 of 2.)" in parts[0].caption


def test_the_methods_say_what_was_recorded() -> None:
    text = methods_paragraph(paper_example(), RECORD, "0.2.0")
    assert text.startswith(f"{SIMULATED} Scripted participants (")
    for part in (
        "60 tasks of workshop, 3 times each",
        "3 arms (control, artifact and activation)",
        "(filler, corrupt_invert, irrelevant_swap)",
        "The unit of inference was the record.",
        "95 % intervals",
        "at most 9,999 random flips",
        "within ±0.1 points of score",
        "The analysis is exploratory: no plan was locked",
        "Of 360 trials, 2 errors were lost",
        "simulated/skimmer (which answered as simulated/skimmer-2026) for 1,234 calls",
        "; temperature 0.7 in play.",
        "Played from 2026-11-01 to 2026-11-03.",
        "Played by memtrial 0.1.9 and 0.2.0, analysed by memtrial 0.2.0.",
        "The 2 digests",
    ):
        assert part in text, part


def test_the_methods_say_nothing_of_what_nobody_recorded() -> None:
    bare = paper_example().model_copy(
        update={"simulated": False, "attrition": {}, "models": (), "digests": {}, "control": "", "world": ""}
    )
    text = methods_paragraph(bare, PlayRecord((), "", "", 0, None), "0.2.0")
    assert text.startswith("Language-model agents (")
    for word in (
        "flips",
        "flip;",
        "Models:",
        "trials",
        "Played from",
        "Played on",
        "digests",
        "temperature",
        "None",
    ):
        assert word not in text.replace("sign flips", ""), word
    assert "in a version that was not recorded" in text
