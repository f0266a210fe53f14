"""Progress: the same facts in every mode, and nothing that happens to a terminal stops a run."""

import asyncio
import os
import re
import threading
from datetime import datetime
from io import StringIO
from pathlib import Path
from typing import TextIO

import pytest

from memtrial.console.attempt_log import AttemptLog, attempt_log, log_path
from memtrial.console.display import (
    BEAT_S,
    PAGE_S,
    Display,
    Mode,
    duration,
    progress_of,
    stretch_line,
)
from memtrial.console.notebook_output import bar_bundle, notebook_page
from memtrial.console.pace import MARKS, Stretch
from memtrial.models.client.client import CallStats
from memtrial.models.client.limits import ProviderSlot

FAULTS = {"rate limit": 3, "overloaded": 1}
PULSE = CallStats(
    40, 2, 1.25, 5.0, 0, FAULTS, {"openai": ProviderSlot(1, 8, 16), "anthropic": ProviderSlot(12, 16, 16)}
)
FACTS = (
    "$1.25 of $5.00",
    "40 calls and 2 from the cache",
    "rate limit 3 overloaded 1",
    "anthropic 12/16, openai 1/8",
)


class Clock:
    """A clock that is set by hand."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


class Gone(StringIO):
    """A terminal that went away."""

    def write(self, text: str) -> int:
        raise BrokenPipeError(32, "Broken pipe")


def run_through(mode: Mode, stream: TextIO, log: list[str] | None = None) -> None:
    clock = Clock()
    display = Display(mode, lambda: PULSE, None if log is None else log.append, stream, 5.0, clock)
    with display.phase("play", 40) as tick:
        for step in range(4):
            clock.now += 3
            tick(10, int(step == 1))
            if step == 2:
                display.say("model: rate limit,\nattempt 1")


def in_a_terminal(work: object) -> str:
    """What a terminal gets to see."""
    ours, theirs = os.openpty()
    seen = bytearray()

    def read() -> None:
        while True:
            try:
                some = os.read(ours, 4096)
            except OSError:
                return
            seen.extend(some)
            if not some:
                return

    reader = threading.Thread(target=read)
    reader.start()
    with os.fdopen(theirs, "w", encoding="utf-8") as stream:
        work(stream)  # type: ignore[operator]
    reader.join()
    os.close(ours)
    return seen.decode()


@pytest.mark.parametrize("mode", ["plain", "log", "full"])
def test_lines_say_how_far_how_fast_how_long_and_what_it_cost(mode: Mode) -> None:
    stream = StringIO()
    run_through(mode, stream)  # full: no terminal, so plain
    lines = stream.getvalue().splitlines()
    if mode == "log":
        stamped = [line.split(" ", 1) for line in lines]
        assert all(datetime.fromisoformat(at).utcoffset() is not None for at, _ in stamped)
        lines = [line for _, line in stamped]
    assert lines[0] == "play: 0/40"
    assert lines[1].startswith("play: 20/40, 1 error, 3.3/s, about 6 s left, ")
    assert lines[2] == "model: rate limit, attempt 1"
    assert lines[3].startswith("play: 40/40, 1 error, 3.3/s, ")
    assert lines[3].endswith(", done in 12.0 s")
    assert len(lines) == 4
    assert all(fact in lines[1] for fact in FACTS)


def test_none_is_silent_and_the_log_still_gets_everything() -> None:
    stream, log = StringIO(), list[str]()
    run_through("none", stream, log)
    assert stream.getvalue() == ""
    assert [line.split(",")[0] for line in log] == [
        "play: 0/40", "model: rate limit", "play: 40/40",
    ]  # fmt: skip


def test_a_terminal_gets_a_bar_with_the_same_facts_and_lines_above_it() -> None:
    log: list[str] = []
    seen = in_a_terminal(lambda stream: run_through("full", stream, log))
    text = " ".join(re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", seen).split())
    assert "━" in text
    assert "40/40" in text
    assert all(fact in text for fact in FACTS)
    assert "model: rate limit, attempt 1" in text
    assert "1 error, 3.3/s" in text
    assert log[-1].endswith("done in 12.0 s")


@pytest.mark.parametrize("mode", ["plain", "log", "full"])
def test_a_terminal_that_went_away_stops_nothing(mode: Mode) -> None:
    log: list[str] = []
    run_through(mode, Gone(), log)
    assert log[-1].startswith("play: 40/40")


def test_a_terminal_that_goes_away_while_a_bar_stands_stops_nothing() -> None:
    ours, theirs = os.openpty()
    stream = os.fdopen(theirs, "w", encoding="utf-8")
    display = Display("full", stream=stream)
    with display.phase("play", 2) as tick:
        tick(1)
        os.close(ours)
        display.say("into the void")
        tick(1)
    with display.phase("once more", 1) as tick:
        tick(1)
    with pytest.raises(OSError, match="Input/output"):
        stream.close()  # what is left to write has no place to go


def test_what_breaks_in_a_phase_is_said_and_rises() -> None:
    stream = StringIO()

    def broken() -> None:
        with Display("plain", stream=stream).phase("play", 2) as tick:
            tick(1)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        broken()
    assert stream.getvalue().splitlines()[-1].startswith("play: 1/2")
    assert stream.getvalue().endswith(", stopped\n")


def test_lines_come_while_nothing_is_done_too() -> None:
    stream = StringIO()
    asked: list[int] = []

    def stats() -> CallStats:
        asked.append(threading.get_ident())
        return PULSE

    async def wait() -> None:
        with Display("plain", stats, stream=stream, every_s=0).phase("play", 2):
            while len(asked) < 2:
                await asyncio.sleep(BEAT_S / 4)

    asyncio.run(asyncio.wait_for(wait(), 30))
    assert stream.getvalue().count("play: 0/2, $1.25") >= 2
    # the door belongs to the event loop: no other thread looks at it
    assert set(asked) == {threading.get_ident()}


def test_the_pace_is_that_of_the_phase() -> None:
    clock = Clock()
    stretch = Stretch("play", 1000, clock)
    assert stretch.per_s() is None
    for _ in range(100):
        clock.now += 2
        stretch.step(4, 0)
    assert stretch.per_s() == pytest.approx(2)
    assert stretch_line(stretch, None) == f"play: 400/1000, 2.0/s, about {duration(600 / 2)} left"


def test_what_was_quick_at_first_says_nothing_of_what_is_left() -> None:
    clock = Clock()
    stretch = Stretch("condense", 1000, clock)
    for quick in (True, False):
        for _ in range(400):
            clock.now += 0.001 if quick else 1
            stretch.step(1, 0)
    # of the cache came a thousand a second; of the model comes one
    assert stretch.per_s() == pytest.approx(1, rel=0.05)
    assert "about 3 min left" in stretch_line(stretch, None)
    assert len(stretch.marks) <= 2 * MARKS
    stretch.step(200, 0)
    assert stretch.per_s() == pytest.approx(1000 / 400.4, rel=0.01)


def test_a_stretch_that_stalls_says_so() -> None:
    clock = Clock()
    stretch = Stretch("play", 1000, clock)
    for _ in range(100):
        clock.now += 1
        stretch.step(1, 0)
    clock.now += 1000
    assert stretch.per_s() == pytest.approx(50 / 1050, rel=0.1)


@pytest.mark.parametrize(("seconds", "said"), [(4, "4 s"), (600, "10 min"), (36_000, "10.0 h")])
def test_lengths_of_time(seconds: float, said: str) -> None:
    assert duration(seconds) == said


def test_a_log_holds_one_stamped_line_a_saying_and_grows(tmp_path: Path) -> None:
    for text in ("one\n  two\r\x1b[31m", "half a sign \ud83d"):
        with attempt_log(tmp_path, 7) as log:
            log.say(text)
            # each line is there at once: a kill loses none
            assert log_path(tmp_path, 7).read_text().endswith("\n")
    lines = (tmp_path / "logs" / "attempt_7.log").read_text().splitlines()
    assert [line.split(" ", 1)[1] for line in lines] == ["one two \x1b[31m", r"half a sign \ud83d"]
    assert all(datetime.fromisoformat(line.split(" ")[0]).utcoffset() is not None for line in lines)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here to stand for a full disk")
def test_a_full_disk_is_said_once_and_stops_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Path("/dev/full").open("w") as full:
        log = AttemptLog(tmp_path / "attempt_1.log", full)
        for _ in range(3):
            log.say("something")
    assert capsys.readouterr().err.count("no log is kept") == 1
    (tmp_path / "no").write_text("a file")
    with attempt_log(tmp_path / "no", 1) as log:
        log.say("something")
    assert capsys.readouterr().err.count("no log is kept") == 1


class Sheet:
    """An output of a notebook that remembers what was drawn in it."""

    def __init__(self) -> None:
        self.drawn: list[tuple[int, int, str]] = []

    def __call__(self, done: int, total: int, line: str) -> None:
        self.drawn.append((done, total, line))


def test_a_notebook_gets_an_output_a_stretch_drawn_anew_now_and_then() -> None:
    clock, stream, sheets = Clock(), StringIO(), list[Sheet]()

    def open_sheet() -> Sheet:
        sheets.append(Sheet())
        return sheets[-1]

    display = Display("full", lambda: PULSE, None, stream, 5.0, clock, open_sheet)
    for name in ("play", "judge"):
        with display.phase(name, 1000) as tick:
            for _ in range(1000):
                clock.now += PAGE_S / 100
                tick()
    assert stream.getvalue() == ""
    for name, sheet in zip(("play", "judge"), sheets, strict=True):
        # a thousand steps in ten times so long as lies between two drawings
        assert 10 <= len(sheet.drawn) <= 12
        assert all(fact in sheet.drawn[5][2] for fact in FACTS)
        assert sheet.drawn[0][:2] == (0, 1000)
        done, total, line = sheet.drawn[-1]
        assert (done, total) == (1000, 1000)
        assert line.startswith(f"{name}: 1000/1000, ")
        assert line.endswith(", done in 5.0 s")


def test_a_stretch_that_broke_off_says_so_in_a_notebook() -> None:
    sheet = Sheet()
    display = Display("full", page=lambda: sheet)
    with pytest.raises(BrokenPipeError), display.phase("play", 4) as tick:
        Gone().write(f"three {tick(3)}")
    assert sheet.drawn[-1][:2] == (3, 4)
    assert sheet.drawn[-1][2].endswith(", stopped")


def test_a_bar_is_text_and_never_markup() -> None:
    bundle = bar_bundle(7, 5, "<script>\x1b[31m & done")
    assert "<script" not in bundle["text/html"]
    assert 'value="5" max="5"' in bundle["text/html"]
    assert "\x1b" not in "".join(bundle.values())


def test_outside_a_notebook_nothing_is_shown_unless_asked_for() -> None:
    assert notebook_page() is None
    assert progress_of(None).mode == "none"
    given = Display("plain")
    assert progress_of(given) is given


@pytest.mark.parametrize("mode", ["full", "plain", "log"])
def test_a_stretch_without_a_step_says_nothing(mode: Mode) -> None:
    stream, log = StringIO(), list[str]()
    with Display(mode, None, log.append, stream, page=None).phase("collect", 0):
        pass
    assert (stream.getvalue(), log) == ("", [])
