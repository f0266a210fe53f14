"""Results in a notebook: what the terminal shows, as HTML."""

from __future__ import annotations

from io import StringIO

from rich.console import Console

from loadbearing.reports.model.results import Results
from loadbearing.reports.render.terminal import print_results

WIDTH = 100
_FORMAT = '<pre style="white-space:pre;overflow-x:auto;line-height:1.25">{code}</pre>'


def notebook_html(results: Results) -> str:
    """The table of the terminal, with its colours."""
    console = Console(record=True, file=StringIO(), width=WIDTH)
    print_results(results, console)
    return console.export_html(inline_styles=True, code_format=_FORMAT)
