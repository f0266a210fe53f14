"""A table as LaTeX (booktabs), to be put into a paper."""

from loadbearing.reports.text.table import Table

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
}


def latex_table(table: Table, label: str) -> str:
    """A float with the caption above; it needs \\usepackage{booktabs}."""
    kept = [at for at, one in enumerate(table.columns) if one.kind != "remark"]
    align = "".join("r" if table.columns[at].kind == "number" else "l" for at in kept)
    rows = [[table.columns[at].head for at in kept], *([row[at] for at in kept] for row in table.rows)]
    head, *body = [f"{' & '.join(map(escaped, row))} \\\\" for row in rows]
    return "\n".join(
        [
            r"\begin{table}",
            f"\\caption{{{escaped(table.caption)}}}",
            f"\\label{{{label}}}",
            f"\\begin{{tabular}}{{{align}}}",
            r"\toprule",
            head,
            r"\midrule",
            *body,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def escaped(text: str) -> str:
    """Text as LaTeX shows it, letter by letter; control characters are blanks."""
    return "".join(_SIGNS.get(sign, sign if sign.isprintable() else " ") for sign in text)
