"""Help pages in as many columns as there are. Typer's own are never narrower than fifty."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import typer
from typer._click.formatting import HelpFormatter

from loadbearing.reports.base.line_width import columns, folded
from loadbearing.runs.progress.standard_output import UNKNOWN, width_of

EDGE = 2


class Page(HelpFormatter):
    """A help page; options stand above their meaning where there is no room beside them."""

    def write_dl(
        self,
        rows: Sequence[tuple[str, str]],
        col_max: int = 30,  # noqa: ARG002 - the columns are as wide as they need to be
        col_spacing: int = 2,  # noqa: ARG002
    ) -> None:
        """Write names and what each of them means."""
        lines = columns([("", ""), *rows], self.width - self.current_indent)
        self.write("".join(f"{'':{self.current_indent}}{line}\n" for line in lines))

    def getvalue(self) -> str:
        """The page."""
        return "\n".join(folded(super().getvalue(), self.width + EDGE))


class PageContext(typer.Context):
    """A call of the command line whose help is such a page."""

    formatter_class = Page


def page_width() -> int:
    """Columns of a page within its edge, on standard output."""
    return min(width_of(sys.stdout) or UNKNOWN, UNKNOWN) - EDGE
