"""An output of a notebook that is drawn anew in its place."""

import sys
from collections.abc import Callable
from typing import Protocol

from memtrial.console.escape import one_line, printable


class Draw(Protocol):
    """Draws how much of a total is done, with a line beside it."""

    def __call__(self, done: int, total: int, line: str) -> None: ...


def notebook_page() -> Callable[[], Draw] | None:
    """What opens an output, where the kernel of a notebook runs this program; else None."""
    ipython = sys.modules.get("IPython")
    shell = getattr(ipython, "get_ipython", lambda: None)()
    return open_output if getattr(shell, "kernel", None) is not None else None


def open_output() -> Draw:
    """A new output in the cell that runs."""
    from IPython.display import display

    handle = display(bar_bundle(0, 1, ""), raw=True, display_id=True)

    def draw(done: int, total: int, line: str) -> None:
        handle.update(bar_bundle(done, total, line), raw=True)

    return draw


def bar_bundle(done: int, total: int, line: str) -> dict[str, str]:
    """A bar by type of content: HTML, and text where a notebook shows none."""
    from markupsafe import Markup

    text = printable(one_line(line))
    html = Markup(
        '<div><progress value="%s" max="%s" aria-label="progress" style="width:16em"></progress> %s</div>'
    )
    return {"text/html": str(html % (min(done, total), max(total, 1), text)), "text/plain": text}
