"""Progress: what is being done, how far it is, how long it will take. Plain lines where nobody watches."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

Mode = Literal["full", "plain", "log", "none"]
Tick = Callable[..., None]
EVERY_S = 5.0


@dataclass
class Display:
    """Shows phases. `full` draws a bar, `plain` and `log` print a line now and then, `none` is silent."""

    mode: Mode = "full"
    _started: float = field(default_factory=time.monotonic)

    @contextmanager
    def phase(self, name: str, total: int) -> Iterator[Tick]:
        """One stretch of work; the tick takes the steps done and, where there are any, errors."""
        if self.mode == "full" and sys.stderr.isatty():
            with self._bar(name, total) as tick:
                yield tick
        elif self.mode == "none":
            yield lambda *_: None
        else:
            with self._lines(name, total) as tick:
                yield tick

    @contextmanager
    def _bar(self, name: str, total: int) -> Iterator[Tick]:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=Console(stderr=True)) as progress:
            bar = progress.add_task(name, total=total)
            errors = 0

            def tick(steps: int = 1, failed: int = 0) -> None:
                nonlocal errors
                errors += failed
                label = f"{name}, {errors} errors" if errors else name
                progress.update(bar, advance=steps, description=label)

            yield tick

    @contextmanager
    def _lines(self, name: str, total: int) -> Iterator[Tick]:
        begun = said = time.monotonic()
        done = errors = 0
        print(f"{name}: {total}", file=sys.stderr, flush=True)

        def tick(steps: int = 1, failed: int = 0) -> None:
            nonlocal done, errors, said
            done, errors = done + steps, errors + failed
            now = time.monotonic()
            if now - said >= EVERY_S and done < total:
                said = now
                left = (now - begun) / done * (total - done)
                print(f"{name}: {done}/{total}, about {left:.0f} s left", file=sys.stderr, flush=True)

        yield tick
        mistakes = f", {errors} errors" if errors else ""
        print(f"{name}: done in {time.monotonic() - begun:.1f} s{mistakes}", file=sys.stderr, flush=True)
