"""Forest plots: every estimate with its interval, its verdict and the margin, as inline SVG."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from memtrial.analysis.result import Estimate
from memtrial.console.escape import brief
from memtrial.outcomes.reserved_names import ALL, NONE
from memtrial.reports.figures.forest_shape import ForestShape
from memtrial.reports.figures.svg import INK, SOFT, Mark, difference_axis, draw_marks, inline_svg, limits
from memtrial.reports.text.verdict_glossary import TONES, printed_word, verdict_word
from memtrial.views.lookup import subject
from memtrial.views.numbers import interval
from memtrial.views.rows.evidence_rows import OfContrast

# inches
_SHAPE = ForestShape(left=2.75, top=0.42)
_GAP, _NUMBERS, _WORD = 0.12, 6.1, 7.95


class _FigureLine(NamedTuple):
    """One line of the figure, `y` rows below the top: a backbone's heading, or an estimate."""

    y: float
    name: str
    label: str
    row: Estimate | None


def axis_label(rows: Sequence[Estimate | OfContrast]) -> str:
    """What an axis of these differences measures; of a table without memory, from which arm."""
    versus = {row.versus for row in rows if row.estimand == "utility"} - {NONE}
    if len(versus) == 1:
        return f"score of the arm − score of {versus.pop()}"
    kinds = dict.fromkeys(row.estimand for row in rows)
    return f"{' and '.join(kinds)}, in points of score"


def forest_svg(estimates: Sequence[Estimate], margin: float) -> str:
    """Draw estimates of one estimand as a forest plot, grouped by backbone and arm, in the order given.

    The shaded band is `margin` points of score wide either way; 0 where it is not known.
    """
    lines, height = _layout(estimates)

    def fill(figure: Any) -> None:
        axes, how = _SHAPE.begin(figure, height)
        difference_axis(axes, limits(estimates, max(1.5 * margin, 0.1)), margin)
        band = f"shaded: within the margin, ±{margin:.2f}" if margin > 0 else "no margin was recorded"
        axes.set_xlabel(f"{axis_label(estimates)}\n{band}", labelpad=6)
        for line in lines:
            _write(axes, line, how)
        draw_marks(axes, (_mark(line.y, line.row) for line in lines if line.row is not None), width=1.5)

    words = Counter(row.verdict for row in estimates)
    counted = ", ".join(f"{n} {printed_word(word)}" for word, n in words.items())
    kinds = " and ".join(dict.fromkeys(row.estimand for row in estimates))
    description = (
        f"Forest plot, {kinds}: {len(estimates)} estimates with intervals; {counted}. The data follow."
    )
    return inline_svg(_SHAPE.size(height), fill, repr((estimates, margin)), description)


def _layout(rows: Sequence[Estimate]) -> tuple[list[_FigureLine], float]:
    """Place the lines, in units of a row; returns them and the height they take."""
    lines: list[_FigureLine] = []
    mixed = len({row.estimand for row in rows}) > 1
    y, backbone, group = 0.0, None, None
    for row in rows:
        if row.backbone != backbone:
            backbone, group = row.backbone, None
            y += 0.7 if lines else 0.0
            name = "all backbones: their mean inside each task" if backbone == ALL else backbone
            lines.append(_FigureLine(y, name, "", None))
            y += 1.1
        arm, condition = subject(row), row.condition
        if row.estimand in ("utility", "dose") or (row.estimand == "follow" and arm != row.arm):
            # a lone line beside drops would not say what it measures
            condition = row.estimand if mixed else ""
        elif row.share is not None:
            condition = f"{row.share:.0%} {condition}"
        if group is not None and arm != group and row.estimand != "utility":
            y += _GAP / _SHAPE.row
        lines.append(_FigureLine(y, "" if arm == group else arm, condition, row))
        group = arm
        y += 1.0
    return lines, y


def _write(axes: Any, line: _FigureLine, how: dict[str, object]) -> None:
    row, y = line.row, line.y
    if row is None:
        axes.text(0.0, y, brief(line.name, 90), weight="bold", **how)
        return
    entry = verdict_word(row.verdict)
    color = TONES[entry.tone]
    axes.text(0.15, y, brief(line.name, 22 if line.label else 40), color=INK, **how)
    axes.text(_SHAPE.left - 0.12, y, brief(line.label, 20), color=SOFT, ha="right", **how)
    axes.text(_NUMBERS, y, interval(row), fontsize=8.5, **how)
    axes.text(_WORD, y, brief(entry.label, 15), color=color, weight="bold", fontsize=8.5, **how)


def _mark(y: float, row: Estimate) -> Mark:
    entry = verdict_word(row.verdict)
    look = (entry.marker, TONES[entry.tone], entry.tone != "open")
    return Mark((row.estimate, y), look, across=(row.low, row.high))
