"""Estimates with their intervals in one column: headings, short labels, the verdict in words."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from memtrial.console.escape import brief
from memtrial.outcomes.spreadsheet import Value
from memtrial.reports.figures import svg
from memtrial.reports.figures.column.column_figure import (
    ACROSS,
    SMALL,
    TEXT,
    WIDTH,
    ColumnFigure,
    cells_of,
    fit,
)
from memtrial.reports.text.verdict_glossary import TONES, printed_word, verdict_word

# inches
_LEFT, _RIGHT, _ROW, _TOP, _BOTTOM = 1.32, 2.5, 0.145, 0.08, 0.42
_LABEL, _LABEL_AND_AXIS = 22, 52
"""Characters of a label beside the axis; a longer one stands on a line of its own."""
MOST_LINES = 54
"""Lines of one figure, which is as many as a page has room for; more go into a second one."""


class ForestRow(NamedTuple):
    """One estimate: the headings above it, outermost first, its label and its verdict's word."""

    above: tuple[str, ...]
    label: str
    estimate: float | None
    low: float | None
    high: float | None
    word: str


class ForestText(NamedTuple):
    """What is written in a forest: the axis, and the sentence about the figure."""

    axis: str
    about: str


Line = tuple[str, int, ForestRow | None]
"""A text, how far it is set in, and the estimate that is drawn on the line."""
HEADS = ("heading", "label", "estimate", "low", "high", "verdict")


def forest_figures(
    name: str, rows: Sequence[ForestRow], margin: float, text: ForestText
) -> Iterator[ColumnFigure]:
    """One figure, or several where it would be longer than a page; headings are said again in each."""
    parts = list(_split(rows))
    for number, part in enumerate(parts, 1):
        lines = _lines(part)
        data: tuple[tuple[Value, ...], ...] = tuple(
            (" / ".join(row.above), row.label, row.estimate, row.low, row.high, row.word) for row in part
        )
        height = _TOP + len(lines) * _ROW + _BOTTOM
        yield ColumnFigure(
            name if len(parts) == 1 else f"{name}-{number}",
            text.about,
            HEADS,
            data,
            height,
            partial(_fill, lines=lines, span=_span(rows, margin), margin=margin, axis=text.axis),
        )


def _split(rows: Sequence[ForestRow]) -> Iterator[list[ForestRow]]:
    """Rows under the same headings stay together where a page has room for them."""
    part: list[ForestRow] = []
    for number, row in enumerate(rows):
        group = [other for other in rows[number:] if other.above == row.above]
        begins = not part or part[-1].above != row.above
        wanted = part + (group if begins else [row])
        if part and len(_lines(wanted)) > MOST_LINES:
            yield part
            part = []
        part = [*part, row]
    if part:
        yield part


def _lines(rows: Sequence[ForestRow]) -> list[Line]:
    lines: list[Line] = []
    above: tuple[str, ...] = ()
    for row in rows:
        for depth, heading in enumerate(row.above):
            if row.above[: depth + 1] != above[: depth + 1]:
                lines.append((fit(heading, ACROSS - depth), depth, None))
        above, deep = row.above, len(row.above)
        label = fit(row.label, _LABEL_AND_AXIS)
        if cells_of(label) > _LABEL - deep:
            lines.append((label, deep, None))
            label = ""
        lines.append((label, deep, row))
    return lines


def _span(rows: Sequence[ForestRow], margin: float) -> tuple[float, float]:
    return svg.limits(rows, max(1.5 * margin, 0.1))


def _fill(
    figure: Any, foot: float, lines: Sequence[Line], span: tuple[float, float], margin: float, axis: str
) -> None:
    from matplotlib.transforms import blended_transform_factory

    inches = figure.get_size_inches()[1]
    low, tall = foot + _BOTTOM, len(lines) * _ROW
    axes = figure.add_axes((_LEFT / WIDTH, low / inches, (_RIGHT - _LEFT) / WIDTH, tall / inches))
    axes.set_ylim(len(lines) - 0.5, -0.5)
    axes.set_yticks([])
    axes.locator_params(axis="x", nbins=5, steps=[1, 2, 5, 10])
    svg.difference_axis(axes, span, margin)
    band = f"; shaded: ±{margin:.2f}" if margin > 0 else ""
    axes.set_xlabel(f"{axis}{band}", labelpad=2)
    axes.xaxis.label.set_x((WIDTH / 2 - _LEFT) / (_RIGHT - _LEFT))
    place = blended_transform_factory(figure.dpi_scale_trans, axes.transData)
    how: dict[str, Any] = {"transform": place, "va": "center", "clip_on": False}
    marks = []
    for y, (text, deep, row) in enumerate(lines):
        look_of_text: dict[str, Any] = {"fontsize": TEXT, "color": svg.INK}
        if row is None:
            # it may be as long as the column is wide: the line at zero stays behind it
            look_of_text["bbox"] = {"facecolor": svg.PAPER, "edgecolor": "none", "pad": 0.4}
            look_of_text["weight"] = "bold" if deep == 0 else "normal"
        axes.text(0.03 + 0.07 * deep, y, text, **look_of_text, **how)
        if row is not None:
            word = verdict_word(row.word)
            color = TONES[word.tone] if row.word else svg.INK
            axes.text(_RIGHT + 0.06, y, brief(printed_word(row.word), 14), fontsize=SMALL, color=color, **how)
            look = (word.marker if row.word else "o", color, not row.word or word.tone != "open")
            marks.append(svg.Mark((row.estimate, y), look, across=(row.low, row.high)))
    svg.draw_marks(axes, marks, width=1.0, size=3.6)
