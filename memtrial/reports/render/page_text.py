"""What a page shows of plain texts and of figures: names between backticks as code, colours of the page."""

import re
from types import MappingProxyType

from markupsafe import Markup, escape

from memtrial.reports.figures.svg import BAND, INK, PAPER, RULE, SERIES, SOFT
from memtrial.reports.text.verdict_glossary import TONES

COLOURS = MappingProxyType(
    {INK: "ink", SOFT: "soft", RULE: "rule", BAND: "band", PAPER: "paper"}
    | {colour: f"series-{number}" for number, colour in enumerate(SERIES, 1)}
    | {colour: f"tone-{tone}" for tone, colour in TONES.items()}
)
"""Each colour of a figure, and the name that report.css has for it in the dark."""
_CODE = re.compile(r"(?<!`)`(?![` ])([^`\n]{1,80})(?<! )`(?!`)")
_LOOK = re.compile(r'\bstyle="[^"]*"')
_COLOUR = re.compile("#[0-9a-f]{6}")


def mark_code(text: str) -> Markup:
    """The text escaped, what stands between two backticks as code."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))


def colour_figure(svg: str) -> Markup:
    """A figure whose colours the page may change; alone it looks as it did.

    `svg` escapes what it writes: its text has been through an XML writer.
    """

    def name(colour: re.Match[str]) -> str:
        known = COLOURS.get(colour[0])
        return f"var(--{known}, {colour[0]})" if known else colour[0]

    return Markup(_LOOK.sub(lambda look: _COLOUR.sub(name, look[0]), svg))
