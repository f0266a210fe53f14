"""Help pages in as many columns as there are. Typer's own are never narrower than fifty."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import typer
from typer._click.formatting import HelpFormatter

from runs.columns import columns, folded
from runs.standard_output import UNKNOWN, width_of


class Page(HelpFormatter):
    """A help page; options stand above their meaning where there is no room beside them."""

    def __init__(self, *_: Any, **__: Any) -> None:
        """Take the width of standard output, up to that of a page."""
        self.most = min(width_of(sys.stdout) or UNKNOWN, UNKNOWN)
        super().__init__(width=max(self.most - 2, 1))

    def write_dl(self, rows: Sequence[tuple[str, str]], *_: Any, **__: Any) -> None:
        """Write names and what each of them means."""
        room = self.width - self.current_indent
        lines = columns([("", ""), *rows], room)
        self.write("".join(f"{'':{self.current_indent}}{line}\n" for line in lines))

    def getvalue(self) -> str:
        """The page."""
        return "\n".join(folded(super().getvalue(), self.most))


class PageContext(typer.Context):
    """A call of the command line whose help is such a page."""

    formatter_class = Page
