"""What each change of the memory does to the next action, with intervals and words, as inline SVG."""

from typing import Any

from memtrial.console.escape import brief
from memtrial.reports.figures import svg
from memtrial.reports.text.probe_text import LOOKS, OUTCOMES, name_condition
from memtrial.reports.text.verdict_glossary import TONES
from memtrial.views.numbers import ends, with_sign
from memtrial.views.rows.probe_rows import ProbeResults, ProbeRow

# inches
_WIDTH, _ROW, _TOP, _BOTTOM = 9.0, 0.25, 0.3, 0.62
_LEFT, _RIGHT, _NUMBERS, _WORD = 3.3, 5.95, 6.1, 7.95
LONGEST = 46


def probe_svg(results: ProbeResults) -> str:
    """A line for each row, below a heading for each arm, on one axis of differences of shares."""
    from matplotlib.transforms import blended_transform_factory

    rows = results.rows
    arms = tuple(dict.fromkeys((row.arm, row.backbone) for row in rows))
    lines: list[ProbeRow | str] = []
    for arm, backbone in arms:
        lines.append(f"{arm} · {backbone}")
        lines += [row for row in rows if (row.arm, row.backbone) == (arm, backbone)]
    inches = _TOP + len(lines) * _ROW + _BOTTOM

    def fill(figure: Any) -> None:
        box = (_LEFT / _WIDTH, _BOTTOM / inches, (_RIGHT - _LEFT) / _WIDTH, len(lines) * _ROW / inches)
        axes = figure.add_axes(box)
        axes.set_ylim(len(lines) - 0.5, -0.5)
        axes.set_yticks([])
        svg.difference_axis(axes, svg.limits(rows, max(1.5 * results.margin, 0.1)), results.margin)
        axes.set_xlabel(f"difference of shares\nshaded: within the margin, ±{results.margin:.2f}", labelpad=6)
        place = blended_transform_factory(figure.dpi_scale_trans, axes.transData)
        how: dict[str, Any] = {"transform": place, "va": "center", "clip_on": False}
        for y, row in enumerate(lines):
            if isinstance(row, str):
                axes.text(0.0, y, brief(row, 2 * LONGEST), color=svg.INK, weight="bold", fontsize=8.5, **how)
                continue
            color = TONES[LOOKS[row.word][1]]
            axes.text(0.12, y, brief(_name(row), LONGEST), color=svg.INK, fontsize=8.5, **how)
            numbers = f"{with_sign(row.estimate)} {ends(row.low, row.high)}"
            axes.text(_NUMBERS, y, numbers, fontsize=8.5, **how)
            axes.text(_WORD, y, row.word, color=color, weight="bold", fontsize=8.5, **how)
        svg.draw_marks(
            axes, (_mark(y, row) for y, row in enumerate(lines) if not isinstance(row, str)), width=1.5
        )

    description = f"Forest plot of {len(rows)} effects on the next action, with intervals. The data follow."
    return svg.inline_svg((_WIDTH, inches), fill, repr(("probe", rows, results.margin)), description)


def _name(row: ProbeRow) -> str:
    return f"{OUTCOMES[row.outcome]}, {name_condition(row)}".replace("`", "")


def _mark(y: float, row: ProbeRow) -> svg.Mark:
    shape, tone = LOOKS[row.word]
    return svg.Mark((row.estimate, y), (shape, TONES[tone], tone != "open"), across=(row.low, row.high))
