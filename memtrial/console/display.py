"""Progress: a bar on a terminal or in a notebook, plain lines elsewhere"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal, Protocol, TextIO

from memtrial.console.notebook_output import Draw, notebook_page
from memtrial.console.pace import Stretch
from memtrial.console.standard_output import put
from memtrial.outcomes.count_words import how_many

if TYPE_CHECKING:
    from memtrial.models.client.client import CallStats


def stretch_line(stretch: Stretch, stats: CallStats | None) -> str:
    """The whole line."""
    parts = [f"{stretch.name}: {stretch.done}/{stretch.total}"]
    if stretch.errors:
        parts.append(how_many(stretch.errors, "error"))
    rate = stretch.per_s()
    if rate is not None:
        parts.append(pace(rate))
        if stretch.done < stretch.total:
            parts.append(f"about {duration((stretch.total - stretch.done) / rate)} left")
    return ", ".join(parts + _spent_parts(stats))


def pace(per_s: float) -> str:
    """Steps a second, or a minute where they are few."""
    return f"{per_s:.1f}/s" if per_s >= 1 else f"{60 * per_s:.1f}/min"


def duration(seconds: float) -> str:
    """A length of time in the unit that fits."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 90 * 60 else f"{seconds / 3600:.1f} h"


def money(usd: float) -> str:
    """US dollars, with more decimals where they are few."""
    return f"${usd:,.2f}" if usd == 0 or usd >= 0.1 else f"${usd:.4f}"


def _spent_parts(stats: CallStats | None) -> list[str]:
    parts: list[str] = []
    if stats is None:
        return parts
    if stats.usd or stats.max_usd is not None or stats.unpriced:
        budget = "" if stats.max_usd is None else f" of {money(stats.max_usd)}"
        unknown = f" and {how_many(stats.unpriced, 'call')} without a known price" if stats.unpriced else ""
        parts.append(f"{money(stats.usd)}{budget}{unknown}")
    if stats.bounds.max_calls is not None:
        parts.append(f"{stats.sent:,} of {stats.bounds.max_calls:,} requests")
    if stats.bounds.max_hours is not None:
        parts.append(f"{stats.hours:.1f} of {stats.bounds.max_hours:g} hours")
    if stats.calls:
        cached = f" and {stats.cached} from the cache" if stats.cached else ""
        parts.append(how_many(stats.calls, "call") + cached)
    if stats.faults:
        kinds = sorted(stats.faults.items(), key=lambda fault: (-fault[1], fault[0]))
        parts.append("faults: " + " ".join(f"{kind} {count}" for kind, count in kinds))
    for name, throttle in sorted(stats.slots_by_provider.items()):
        parts.append(f"{name} {throttle.active}/{throttle.limit}")
    return parts


Mode = Literal["full", "plain", "log", "none"]
BEAT_S = 0.5
PAGE_S = 0.5
"""Seconds between two drawings of a bar in a notebook: each is a message to a browser."""


class Tick(Protocol):
    """Counts `steps`, `failed` of which ended as errors."""

    def __call__(self, steps: int = 1, failed: int = 0) -> None: ...


Redraw = Callable[[str], None]
"""Draws a bar anew; the text says how its stretch ended, and is empty before."""


@dataclass
class Display:
    """Shows phases. A fault of the terminal never stops the run.

    Args:
        mode: `full` draws a bar on a terminal or in a notebook, and is `plain` elsewhere; `plain` prints a
            line now and then, `log` with the time before it; `none` is silent.
        stats: how the calls stand; asked in the thread of the event loop.
        log: gets what is said, and the begin and end of each phase, in every mode.
        every_s: seconds between two lines.
        page: opens an output of a notebook and gives what draws in it; None where there is no notebook.
    """

    mode: Mode = "full"
    stats: Callable[[], CallStats] | None = None
    log: Callable[[str], None] | None = None
    stream: TextIO | None = None
    every_s: float = 5.0
    clock: Callable[[], float] = time.monotonic
    page: Callable[[], Draw] | None = field(default_factory=notebook_page)
    _above_bar: Callable[[str], None] | None = None
    _gone: bool = False

    def say(self, text: str) -> None:
        """One line, without breaking a bar."""
        self._keep(text)
        self._show(text)

    @contextmanager
    def phase(self, name: str, total: int) -> Iterator[Tick]:
        """One stretch of work, of `total` steps; what is yielded takes the steps done, and errors.

        Of a stretch without a step nothing is said.
        """
        stretch = Stretch(name, total, self.clock)
        if not total:
            yield stretch.step
            return
        on_terminal = self.mode == "full" and not self._gone and (self.stream or sys.stderr).isatty()
        on_page = self.mode == "full" and self.page is not None and not on_terminal
        drawn = on_terminal or on_page
        last = stretch.begun
        (self._keep if drawn else self.say)(stretch_line(stretch, None))

        def look() -> None:
            nonlocal last
            redraw("")
            if not drawn and self.clock() - last >= self.every_s:
                last = self.clock()
                self._show(stretch_line(stretch, self._ask_stats()))

        def tick(steps: int = 1, failed: int = 0) -> None:
            stretch.step(steps, failed)
            if stretch.done < stretch.total:
                look()

        with self._open_bar(stretch, on_terminal, on_page) as redraw:
            end = ", stopped"
            try:
                with _beat_while(look):
                    yield tick
                end = f", done in {self.clock() - stretch.begun:.1f} s"
            finally:
                redraw(end)
                (self._keep if drawn else self.say)(stretch_line(stretch, self._ask_stats()) + end)

    def _open_bar(self, stretch: Stretch, on_terminal: bool, on_page: bool) -> AbstractContextManager[Redraw]:
        """What is drawn anew while a stretch goes on, and at its end."""
        if on_terminal:
            return self._bar(stretch)
        return nullcontext(self._page_bar(stretch) if on_page else lambda _: None)

    def _page_bar(self, stretch: Stretch) -> Redraw:
        """A bar in an output of its own in a notebook, which is drawn anew in its place now and then."""
        assert self.page is not None
        draw, last = self.page(), -math.inf

        def redraw(end: str) -> None:
            nonlocal last
            if end or self.clock() - last >= PAGE_S:
                last = self.clock()
                draw(stretch.done, stretch.total, stretch_line(stretch, self._ask_stats()) + end)

        redraw("")
        return redraw

    @contextmanager
    def _bar(self, stretch: Stretch) -> Iterator[Redraw]:
        """A bar with the line of progress under it; what is yielded draws both anew."""
        from rich.console import Console, Group
        from rich.live import Live
        from rich.progress import BarColumn, Progress, TimeElapsedColumn
        from rich.text import Text

        console = Console(file=self.stream or sys.stderr)
        progress = Progress(BarColumn(), TimeElapsedColumn(), console=console, auto_refresh=False)
        bar = progress.add_task("", total=stretch.total)
        line = Text(stretch_line(stretch, None))

        # rich draws in a thread of its own, which gets finished text: only this thread looks at the run
        def redraw(_: str) -> None:
            nonlocal line
            line = Text(stretch_line(stretch, self._ask_stats()))
            progress.update(bar, completed=stretch.done)

        live = Live(
            console=console,
            get_renderable=lambda: Group(progress.get_renderable(), line),
            redirect_stdout=False,
        )
        self._above_bar = lambda text: console.print(Text(text))
        live.start()
        try:
            yield redraw
        finally:
            self._above_bar = None
            try:
                live.stop()
            except OSError:
                self._gone = True

    def _ask_stats(self) -> CallStats | None:
        return None if self.stats is None else self.stats()

    def _keep(self, text: str) -> None:
        if self.log is not None:
            self.log(text)

    def _show(self, text: str) -> None:
        if self.mode == "none" or self._gone:
            return
        line = " ".join(text.split())
        if self.mode == "log":
            line = f"{datetime.now(UTC).isoformat(timespec='seconds')} {line}"
        try:
            if self._above_bar is not None:
                self._above_bar(line)
            else:
                # a notebook shows what comes on standard error as a fault
                put(line, self.stream or (sys.stdout if self.page else sys.stderr))
        except (OSError, ValueError):
            # the terminal or the pipe was closed
            self._gone = True


def progress_of(given: Display | None) -> Display:
    """What a function of the library shows: what it was given, else a bar in a notebook, else nothing."""
    shown = Display("full")
    return given or (shown if shown.page is not None else Display("none"))


@contextmanager
def _beat_while(beat: Callable[[], None]) -> Iterator[None]:
    """Call `beat` now and then, also while no step is done; only where an event loop runs."""
    import asyncio  # long to load, and who only prints amounts shows no bar

    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        yield
        return

    def again() -> None:
        waiting[:] = [loop.call_later(BEAT_S, again)]
        beat()

    waiting = [loop.call_later(BEAT_S, again)]
    try:
        yield
    finally:
        waiting[0].cancel()
