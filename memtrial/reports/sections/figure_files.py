"""Figures of a report as files of their own: SVG that a browser opens and a paper includes."""

import re
from collections.abc import Callable, Mapping
from functools import partial
from textwrap import wrap
from xml.sax.saxutils import escape

from memtrial.console.escape import harmless
from memtrial.reports.figures.compared_arms import compared_estimates, compared_svg
from memtrial.reports.figures.effect_matrix import effects_svg
from memtrial.reports.figures.factor_forest import factors_svg
from memtrial.reports.figures.forest import forest_svg
from memtrial.reports.figures.funnel import funnel_svg
from memtrial.reports.figures.stacked_shares import stacked_svg
from memtrial.reports.figures.svg import SOFT
from memtrial.reports.figures.utility_drop_plane import plane_points, plane_svg
from memtrial.reports.sections.report_parts import BEYOND
from memtrial.reports.text.reading import SIMULATED
from memtrial.views.lookup import of_estimand
from memtrial.views.rows.results import Results

FORESTS = ("utility", "drop", "contrast", *(estimand for estimand, _ in BEYOND))
"""Estimands that have a forest plot."""
_LINE, _FOOT = 9, 7
"""Points of a line about simulated participants, and of the room around all of its lines."""
_SIGN = 3.6
"""Points of one of its signs, on average."""


def figures_of(results: Results) -> Mapping[str, Callable[[], str]]:
    """By name, what draws each figure that these results hold; an estimand's figure has its name."""
    shown = harmless(results)
    figures: dict[str, Callable[[], str]] = {}
    if compared_estimates(shown):
        figures["compared"] = partial(compared_svg, shown)
    if plane_points(shown):
        figures["plane"] = partial(plane_svg, shown)
    for estimand in FORESTS:
        if rows := of_estimand(shown, estimand):
            figures[estimand.replace(" ", "-")] = partial(forest_svg, rows, shown.margin)
    if shown.factors:
        figures["factors"] = partial(factors_svg, shown)
    if shown.funnel:
        figures["funnel"] = partial(funnel_svg, shown)
    if shown.failure_modes is not None and shown.failure_modes.cases:
        figures["modes"] = partial(stacked_svg, shown.failure_modes.rows)
    if shown.ablation is not None:
        for number, backbone in enumerate(shown.backbones, 1):
            name = "ablation" if len(shown.backbones) == 1 else f"ablation-{number}"
            figures[name] = partial(effects_svg, shown.ablation, backbone)
    return {name: partial(_whole_file, draw, shown.simulated) for name, draw in figures.items()}


def _whole_file(draw: Callable[[], str], simulated: bool) -> str:
    """The figure under an XML prolog; of simulated participants it says so, as every report does."""
    svg = draw()
    if simulated:
        svg = _with_line_below(svg, SIMULATED)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{svg}\n'


def _with_line_below(svg: str, text: str) -> str:
    """The figure, made higher by a text at its foot, in as many lines as its width needs."""
    head, _, rest = svg.partition(">")
    low, top, width, height = map(float, re.findall(r'viewBox="([^"]*)"', head)[0].split())
    lines = wrap(text, max(1, int((width - 12) / _SIGN)))
    whole = height + len(lines) * _LINE + _FOOT
    head = re.sub(r'viewBox="[^"]*"', f'viewBox="{low:g} {top:g} {width:g} {whole:g}"', head)
    head = re.sub(r'\bheight="[^"]*"', f'height="{whole:g}pt"', head)
    look = f"font: 7px sans-serif; fill: {SOFT}"
    feet = (top + height + number * _LINE + 2 for number in range(1, len(lines) + 1))
    shown = "".join(
        f'<text x="{low + 6:g}" y="{foot:g}" style="{look}">{escape(line)}</text>'
        for foot, line in zip(feet, lines, strict=True)
    )
    return f"{head}>{rest.removesuffix('</svg>')}{shown}\n</svg>"
