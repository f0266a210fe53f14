"""A table as LaTeX (booktabs), to be put into a paper."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from memtrial.reports.text.text_table import TextTable

_SIGNS = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "−": "$-$",
    "×": r"$\times$",
    "∞": r"$\infty$",
    "±": r"$\pm$",
    "<": "$<$",
    ">": "$>$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "≠": r"$\neq$",
    "≈": r"$\approx$",
    "→": r"$\rightarrow$",
    "…": r"\ldots{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    '"': r"{\ttfamily\char34}",
}
_LIGATURES = re.compile(r"([-',])(?=\1)")
"""Of two of these signs LaTeX makes one: a dash, a quotation mark."""
_PLAIN = re.compile(r"[\x00-\xff–—‘’“”](?<![«»ÐÞðþ])")
"""What every LaTeX has in its first font."""
OTHER_ENGINE = (
    "% holds letters that pdfLaTeX may stop at: use XeLaTeX or LuaLaTeX, and a font that has them, as\n"
    "% \\usepackage{fontspec} \\setmainfont{Noto Serif CJK SC}"
)
WIDEST = 60
"""Letters of a row that fit in one column; a wider table goes over both."""


def latex_table(table: TextTable, label: str) -> str:
    """A float with the caption above; it needs \\usepackage{booktabs}, and where it says so XeLaTeX."""
    kept = [number for number, column in enumerate(table.columns) if column.kind != "remark"]
    align = "".join("r" if table.columns[number].kind == "number" else "l" for number in kept)
    rows = [
        [table.columns[number].head for number in kept],
        *([row[number] for number in kept] for row in table.rows),
    ]
    signs = set(table.caption).union(*(cell for row in rows for cell in row))
    widths = [max(len(row[number]) for row in rows) + 2 for number in range(len(kept))]
    wide = sum(widths) > WIDEST
    float_name = "table*" if wide else "table"
    # smaller letters, and a backbone as a heading of its rows, or it would not fit in both columns either
    headed = wide and rows[0][0] == "backbone"
    small = [r"\footnotesize\setlength{\tabcolsep}{3pt}"] if wide else []
    head, *body = _head_rows(rows) if headed else map(_row, rows)
    plain = all(sign in _SIGNS or _PLAIN.fullmatch(sign) for sign in signs)
    return "\n".join(
        [
            *([] if plain else [OTHER_ENGINE]),
            f"\\begin{{{float_name}}}",
            f"\\caption{{{escape_latex(table.caption)}}}",
            f"\\label{{{label}}}",
            *small,
            f"\\begin{{tabular}}{{{align[headed:]}}}",
            r"\toprule",
            head,
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            f"\\end{{{float_name}}}",
            "",
        ]
    )


def _head_rows(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The rows without their first cell, which stands above those that share it."""
    (_, *head), *body = rows
    yield _row(head)
    for name, group in groupby(body, lambda row: row[0]):
        yield f"\\multicolumn{{{len(head)}}}{{l}}{{\\itshape {escape_latex(name)}}} \\\\"
        yield from (_row(row[1:]) for row in group)


def _row(cells: Sequence[str]) -> str:
    line = " & ".join(map(escape_latex, cells))
    # behind the end of a row or a rule, these two would be read as its options
    return f"{'{}' if line.startswith(('[', '*')) else ''}{line} \\\\"


def escape_latex(text: str) -> str:
    """Text as LaTeX shows it, letter by letter; control characters are blanks."""
    signs = "".join(_SIGNS.get(sign, sign if sign.isprintable() else " ") for sign in text)
    return _LIGATURES.sub(r"\1{}", signs)
