"""A figure of one column of a paper, with its data; and its bytes as SVG, PDF or PNG."""

import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from textwrap import wrap
from typing import Any

from memtrial.console.escape import one_line
from memtrial.outcomes.spreadsheet import Value
from memtrial.reports.figures.column.figure_form import Form
from memtrial.reports.figures.svg import INK, SOFT
from memtrial.reports.text.reading import SIMULATED

WIDTH = 3.3
"""Inches of a column in most two-column styles."""
TEXT, SMALL, NOTE = 7.0, 6.5, 5.5
"""Points: labels, numbers on axes, and what stands at the foot."""
ACROSS = 56
"""Characters of a label of size TEXT that fit across the column."""
_NOTE_LINE, _NOTE_ACROSS, _DOTS = 0.1, 70, 300
OTHER_FONTS = (
    "Noto Sans CJK JP", "Noto Sans CJK SC", "Source Han Sans", "WenQuanYi Zen Hei", "Droid Sans Fallback",
    "PingFang SC", "Hiragino Sans", "Microsoft YaHei", "Yu Gothic", "Malgun Gothic", "Noto Sans Arabic",
)  # fmt: skip
"""Asked, where this machine has them, for letters that matplotlib's own font lacks."""
STYLE = {
    "svg.fonttype": "path", "svg.hashsalt": "memtrial", "pdf.fonttype": 42, "pdf.compression": 6,
    "text.parse_math": False, "font.size": TEXT, "text.color": INK, "axes.edgecolor": SOFT,
    "axes.labelcolor": INK, "axes.labelsize": SMALL, "axes.linewidth": 0.6, "hatch.linewidth": 0.6,
    "xtick.labelsize": SMALL, "xtick.major.size": 2, "xtick.major.width": 0.6, "xtick.color": INK,
    "ytick.labelsize": SMALL, "ytick.major.size": 2, "ytick.major.width": 0.6, "ytick.color": INK,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ColumnFigure:
    """What is drawn, its numbers as a table, and how.

    Args:
        name: of its files.
        about: the figure in a sentence; the title inside the file.
        heads, rows: the numbers that are drawn, a row a mark or a bar.
        height: in inches.
        fill: draws on a matplotlib figure whose lowest `foot` inches are left free; it is given the foot.
    """

    name: str
    about: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    height: float
    fill: Callable[[Any, float], None] = field(repr=False)


@dataclass(frozen=True, slots=True)
class DrawnFigure:
    """The bytes of a file; `lacking` are letters that no font of this machine has, drawn as boxes."""

    content: bytes
    lacking: str


def cells_of(text: str) -> int:
    """How wide a text is in letters; those of East Asian scripts are two wide."""
    from rich.cells import cell_len

    return cell_len(text)


def fit(text: str, cells: int) -> str:
    """Text on one line, no wider than so many letters; where some are left out, the last one shows it."""
    text = one_line(text)
    if cells_of(text) <= cells:
        return text
    kept = text[:cells]
    while cells_of(kept) >= cells:
        kept = kept[:-1]
    return f"{kept}…"


def draw_figure(figure: ColumnFigure, form: Form, simulated: bool) -> DrawnFigure:
    """Draw it: the same bytes for the same input on the same machine, with its letters inside the file.

    SVG holds them as outlines, PDF as parts of the fonts. Of simulated participants the foot says so.
    """
    import matplotlib
    from matplotlib.figure import Figure

    foot_lines = wrap(SIMULATED, _NOTE_ACROSS) if simulated else []
    foot = _NOTE_LINE * len(foot_lines) + (0.04 if foot_lines else 0.0)
    height = figure.height + foot
    buffer = BytesIO()
    with matplotlib.rc_context(), warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        matplotlib.rcdefaults()  # a user's style sheet is no part of the result
        matplotlib.rcParams.update({**STYLE, "font.family": ["DejaVu Sans", *_further_fonts()]})
        drawn = Figure(figsize=(WIDTH, height))
        figure.fill(drawn, foot)
        for number, line in enumerate(reversed(foot_lines)):
            drawn.text(0.01, (0.03 + number * _NOTE_LINE) / height, line, fontsize=NOTE, color=SOFT)
        drawn.savefig(buffer, format=form, dpi=_DOTS, metadata=dict(_metadata(figure.about, form)))
    codes = dict.fromkeys(re.findall(r"Glyph (\d+) ", " ".join(str(warning.message) for warning in heard)))
    return DrawnFigure(buffer.getvalue(), "".join(chr(int(code)) for code in codes))


def _further_fonts() -> Sequence[str]:
    from matplotlib.font_manager import fontManager

    here = {entry.name for entry in fontManager.ttflist}
    return [name for name in OTHER_FONTS if name in here]


def _metadata(title: str, form: Form) -> Mapping[str, str | None]:
    """Nothing of when, where and by which version it was drawn, which would change the bytes."""
    if form == "svg":
        return {"Title": title, "Date": None, "Creator": None}
    if form == "pdf":
        return {"Title": title, "CreationDate": None, "Creator": None, "Producer": None}
    return {"Title": title, "Software": None}
