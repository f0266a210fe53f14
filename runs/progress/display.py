"""Progress on standard error: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, Protocol, TextIO

from loadbearing.models.client.client import CallStats
from loadbearing.runs.progress.lines import Stretch, aside, told
from loadbearing.runs.progress.standard_output import put

Mode = Literal["full", "plain", "log", "none"]
EVERY_S = 5.0
LOGGED_EVERY_S = 10.0
BEAT_S = 0.5
BESIDES = 40
"""Columns that a bar, its count and the time take."""


class Tick(Protocol):
    """Counts steps."""

    def __call__(self, steps: int = 1, failed: int = 0) -> None:
        """Count `steps`, `failed` of which ended as errors."""
        ...


@dataclass
class Display:
    """Shows phases. `full` draws a bar, `plain` and `log` print a line now and then, `none` is silent.

    A fault of the terminal never stops the run.

    Args:
        mode: `log` is `plain` with the time before each line; `full` is `plain` where no terminal is.
        stats: how the calls stand; asked in the thread of the event loop.
        log: gets what is said, and the progress, in every mode; for a session's log file.
        stream: where to; standard error unless given.
        every_s: seconds between two lines.
    """

    mode: Mode = "full"
    stats: Callable[[], CallStats] | None = None
    log: Callable[[str], None] | None = None
    stream: TextIO | None = None
    every_s: float = EVERY_S
    clock: Callable[[], float] = time.monotonic
    _above_bar: Callable[[str], None] | None = None
    _gone: bool = False

    def say(self, text: str) -> None:
        """One line, without breaking a bar."""
        self._keep(text)
        if self._above_bar is None:
            self._print(text)
            return
        try:
            self._above_bar(" ".join(text.split()))
        except OSError:
            self._gone = True

    @contextmanager
    def phase(self, name: str, total: int) -> Iterator[Tick]:
        """One stretch of work, of `total` steps; what is yielded takes the steps done, and errors."""
        stretch = Stretch(name, total, self.clock)
        lines = [_now_and_then(LOGGED_EVERY_S, self.clock, self._keep)]
        drawn = self.mode == "full" and not self._gone and (self.stream or sys.stderr).isatty()
        if not drawn:
            lines.append(_now_and_then(self.every_s, self.clock, self._print))

        def look(last: str = "") -> None:
            for line in lines:
                line(lambda: told(stretch, self._asked()) + last, bool(last))

        for begin in (self._keep, self._print) if not drawn else (self._keep,):
            begin(told(stretch, None))
        end = ", stopped"
        begun = self.clock()
        with self._bar(stretch) if drawn else _nothing() as redraw:

            def beat() -> None:
                redraw()
                look()

            def tick(steps: int = 1, failed: int = 0) -> None:
                stretch.step(steps, failed)
                if stretch.done < stretch.total:
                    beat()

            try:
                with _beating(beat):
                    yield tick
                end = f", done in {self.clock() - begun:.1f} s"
            finally:
                redraw()
                look(end)

    @contextmanager
    def _bar(self, stretch: Stretch) -> Iterator[Callable[[], None]]:
        """A bar, and under it what else there is to know."""
        from rich.console import Console, Group
        from rich.live import Live
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
        from rich.text import Text

        console = Console(file=self.stream or sys.stderr)
        facts = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        # the name has a line of its own where it would leave no room for a bar
        besides = console.width >= len(stretch.name) + BESIDES
        name = TextColumn("{task.description}", markup=False)
        progress = Progress(*(name, *facts) if besides else facts, console=console, auto_refresh=False)
        bar = progress.add_task(stretch.name, total=stretch.total)
        # drawn by a thread of rich's, which gets finished text: only this thread looks at the run
        known = [""]
        above = () if besides else (Text(stretch.name),)

        def redraw() -> None:
            known[0] = aside(stretch, self._asked()).removeprefix(", ")
            progress.update(bar, completed=stretch.done)

        live = Live(
            console=console,
            get_renderable=lambda: Group(*above, progress.get_renderable(), Text(known[0])),
            refresh_per_second=4,
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

    def _asked(self) -> CallStats | None:
        return None if self.stats is None else self.stats()

    def _keep(self, text: str) -> None:
        if self.log is not None:
            self.log(text)

    def _print(self, text: str) -> None:
        if self.mode == "none" or self._gone:
            return
        line = " ".join(text.split())
        if self.mode == "log":
            line = f"{datetime.now(UTC).isoformat(timespec='seconds')} {line}"
        try:
            put(line, self.stream or sys.stderr)
        except (OSError, ValueError):
            # the terminal or the pipe was closed
            self._gone = True


class _Line(Protocol):
    def __call__(self, text: Callable[[], str], now: bool) -> None: ...


def _now_and_then(period_s: float, clock: Callable[[], float], write: Callable[[str], None]) -> _Line:
    """Writes at most once a period, or at once."""
    said = clock()

    def line(text: Callable[[], str], now: bool) -> None:
        nonlocal said
        if now or clock() - said >= period_s:
            said = clock()
            write(text())

    return line


@contextmanager
def _nothing() -> Iterator[Callable[[], None]]:
    yield lambda: None


@contextmanager
def _beating(beat: Callable[[], None]) -> Iterator[None]:
    """Call `beat` now and then, also while no step is done; only where an event loop runs."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        yield
        return

    waiting: list[asyncio.TimerHandle] = []

    def again() -> None:
        waiting[:] = [loop.call_later(BEAT_S, again)]
        beat()

    waiting.append(loop.call_later(BEAT_S, again))
    try:
        yield
    finally:
        for handle in waiting:
            handle.cancel()
