"""Tables as LaTeX: every letter is shown, none is a command."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtrial.reports.render.latex import OTHER_ENGINE, escape_latex, latex_table
from memtrial.reports.text.text_table import Column, TextTable


def test_a_table_is_a_booktabs_float_with_numbers_set_right() -> None:
    columns = (Column("gate", "name", str), Column("p", "number", str), Column("note", "remark", str))
    text = latex_table(TextTable("50 % of a_b", columns, (("x_1", "< 0.01", "long"),)), "tab:a")
    assert r"\begin{tabular}{lr}" in text
    assert r"\caption{50 \% of a\_b}" in text
    assert "x\\_1 & $<$ 0.01 \\\\\n\\bottomrule" in text
    assert text.index(r"\toprule") < text.index(r"gate & p \\") < text.index(r"\midrule")


@given(st.text())
def test_no_text_is_taken_for_a_command(text: str) -> None:
    # what is written for one letter, taken back, is the text, and nothing else is a command
    signs = re.compile(
        r"\\text(?:backslash|asciitilde|asciicircum|bar|asciigrave)\{\}|\\ldots\{\}|\{\\ttfamily\\char34\}"
        r"|\$(?:-|<|>|\\times|\\infty|\\pm|\\leq|\\geq|\\neq|\\approx|\\rightarrow)\$|(?<=[-',])\{\}|\\[&%$#_{}]"
    )
    bare = signs.sub("", escape_latex(text))
    assert not set(bare) & set('&%$#_{}\\~^\n|`"')


@pytest.mark.parametrize("begins", ["[a] b", "*star", "[", "*"])
def test_a_row_that_begins_like_an_option_is_a_row(begins: str) -> None:
    columns = (Column("[head]", "name", str), Column("p", "number", str))
    lines = latex_table(TextTable("a", columns, ((begins, "1"), ("b", "2"))), "tab:a").split("\n")
    rows = [line for line in lines if line.endswith("\\\\")]
    assert len(rows) == 3
    assert not any(line.startswith(("[", "*")) for line in rows)
    assert rows[1].removeprefix("{}").startswith(begins)


def test_signs_stay_apart_where_two_would_become_another() -> None:
    assert escape_latex("--max ''a'' ,,b") == "-{}-max '{}'a'{}' ,{},b"
    assert escape_latex("a - b, c's") == "a - b, c's"
    assert escape_latex("a | b") == r"a \textbar{} b"


@pytest.mark.parametrize(("text", "other"), [("先排序", True), ("“é” – ≤ → …", False), ("Łódź", True)])
def test_letters_that_need_another_engine_are_announced(text: str, other: bool) -> None:
    table = latex_table(TextTable("a", (Column("gate", "name", str),), ((text,),)), "tab:a")
    assert table.startswith(OTHER_ENGINE) == other
    assert text[0] in table


def test_a_wide_table_has_small_letters_and_a_backbone_as_a_heading_of_its_rows() -> None:
    """Or it would be wider than both columns of a page."""
    columns = (Column("backbone", "name", str), Column("arm", "name", str), Column("verdict", "text", str))
    rows = (("[m", "a", "w" * 60), ("[m", "*b", "x"), ("n", "a", "y"))
    lines = latex_table(TextTable("Drops", columns, rows), "tab:drop").splitlines()
    start = lines.index(r"\footnotesize\setlength{\tabcolsep}{3pt}")
    assert lines[start + 1] == r"\begin{tabular}{ll}"
    assert lines[start + 3 : -3] == [
        r"arm & verdict \\",
        r"\midrule",
        r"\multicolumn{2}{l}{\itshape [m} \\",
        f"a & {'w' * 60} \\\\",
        r"{}*b & x \\",
        r"\multicolumn{2}{l}{\itshape n} \\",
        r"a & y \\",
    ]
    narrow = latex_table(TextTable("Drops", columns, rows[1:]), "tab:drop")
    assert r"\begin{table}" in narrow
    assert "footnotesize" not in narrow
    assert r"{}[m & *b & x \\" in narrow
