"""What each change of the memory does to the next action, with intervals and words, as inline SVG."""

from typing import Any

from memtrial.console.escape import brief
from memtrial.reports.figures import svg
from memtrial.reports.figures.forest_shape import ForestShape
from memtrial.reports.text.probe_text import LOOKS, OUTCOMES, name_condition
from memtrial.reports.text.verdict_glossary import TONES
from memtrial.views.numbers import ends, with_sign
from memtrial.views.rows.probe_rows import ProbeResults, ProbeRow

# inches
_SHAPE = ForestShape(left=3.3, row=0.25)
_NUMBERS, _WORD = 6.1, 7.95
LONGEST = 46


def probe_svg(results: ProbeResults) -> str:
    """A line for each row, below a heading for each arm, on one axis of differences of shares."""
    rows = results.rows
    arms = tuple(dict.fromkeys((row.arm, row.backbone) for row in rows))
    lines: list[ProbeRow | str] = []
    for arm, backbone in arms:
        lines.append(f"{arm} · {backbone}")
        lines += [row for row in rows if (row.arm, row.backbone) == (arm, backbone)]

    def fill(figure: Any) -> None:
        axes, how = _SHAPE.begin(figure, len(lines))
        svg.difference_axis(axes, svg.limits(rows, max(1.5 * results.margin, 0.1)), results.margin)
        axes.set_xlabel(f"difference of shares\nshaded: within the margin, ±{results.margin:.2f}", labelpad=6)
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
    return svg.inline_svg(_SHAPE.size(len(lines)), fill, repr(("probe", rows, results.margin)), description)


def _name(row: ProbeRow) -> str:
    return f"{OUTCOMES[row.outcome]}, {name_condition(row)}".replace("`", "")


def _mark(y: float, row: ProbeRow) -> svg.Mark:
    shape, tone = LOOKS[row.word]
    return svg.Mark((row.estimate, y), (shape, TONES[tone], tone != "open"), across=(row.low, row.high))
