"""A page of help in as many columns as there are: where they are few, each text stands below its term."""

from collections.abc import Sequence

import typer
from typer._click.formatting import HelpFormatter

from memtrial.console.line_width import fold
from memtrial.console.standard_output import UNKNOWN, width_of

NARROW = 60
"""Two columns of words need as many."""


class HelpPage(HelpFormatter):
    """As the library's, which never writes fewer than fifty columns, and breaks words in the second one."""

    def __init__(
        self, indent_increment: int = 2, width: int | None = None, max_width: int | None = None
    ) -> None:
        there = width_of() or UNKNOWN
        # the library leaves two columns free
        super().__init__(indent_increment, there if there < NARROW else width, max_width)

    def write_dl(self, rows: Sequence[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        """Terms and texts."""
        lead = self.current_indent
        widest = max((len(term) for term, _ in rows), default=0)
        if self.width >= NARROW - 2 and lead + widest <= self.width:
            super().write_dl(rows, col_max, col_spacing)
            return
        for term, text in rows:
            # alternatives may stand on several lines
            self._write_folded(term.replace("|", " | "), lead, 2)
            self._write_folded(text, lead + 4, 0)

    def _write_folded(self, text: str, lead: int, step: int) -> None:
        for line in fold(" ".join(text.split()), self.width - lead, step) if text else ():
            self.write(f"{'':>{lead}}{line}\n")


class HelpContext(typer.Context):
    """A command's context, with such pages."""

    formatter_class = HelpPage
