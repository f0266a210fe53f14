"""The templates of all pages: every text is escaped, and long ones are cut."""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from memtrial.console.escape import printable, shorten
from memtrial.pages.finding_groups import criterion_of
from memtrial.pages.quote_marks import mark_quotes

HERE = Path(__file__).parent
MOST_SHOWN = 41_000
"""Characters of one text: a run as coders of failures read it is whole, and so is the text to be edited."""


def open_templates(*folders: Path) -> Environment:
    """The templates of these folders; no script or style runs but the page's own."""
    environment = Environment(
        loader=FileSystemLoader(folders),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda shown: shown if isinstance(shown, Markup) else printable(shown),
    )
    environment.filters |= {"marked": mark_quotes, "cut": cut_text}
    environment.globals["criterion_of"] = criterion_of
    return environment


def cut_text(text: str) -> str:
    """As much of a text as is shown."""
    return shorten(text, MOST_SHOWN)
