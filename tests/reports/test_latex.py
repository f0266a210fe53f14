"""Tables as LaTeX: every letter is shown, none is a command."""

import re

from hypothesis import given
from hypothesis import strategies as st

from loadbearing.reports.render.latex import escaped, latex_table
from loadbearing.reports.text.table import Column, Table


def test_a_table_is_a_booktabs_float_with_numbers_set_right() -> None:
    columns = (Column("gate", "name", str), Column("p", "number", str), Column("note", "remark", str))
    text = latex_table(Table("50 % of a_b", columns, (("x_1", "< 0.01", "long"),)), "tab:a")
    assert r"\begin{tabular}{lr}" in text
    assert r"\caption{50 \% of a\_b}" in text
    assert "x\\_1 & $<$ 0.01 \\\\\n\\bottomrule" in text
    assert text.index(r"\toprule") < text.index(r"gate & p \\") < text.index(r"\midrule")


@given(st.text())
def test_no_text_is_taken_for_a_command(text: str) -> None:
    # what is written for one letter, taken back, is the text, and nothing else is a command
    signs = re.compile(
        r"\\text(?:backslash|asciitilde|asciicircum)\{\}|\$(?:-|<|>|\\times|\\infty|\\pm)\$|\\[&%$#_{}]"
    )
    bare = signs.sub("", escaped(text))
    assert not set(bare) & set("&%$#_{}\\~^\n")
