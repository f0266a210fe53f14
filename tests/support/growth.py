"""How the processor time of a reader grows with its text; independent of how fast the machine is."""

import gc
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

Text = Callable[[int], str]
"""A hostile text of about so many characters."""

LOOKS = (40, 300)
"""Sizes at which every text is looked at: enough to see which ones bode ill."""
SIZES = (600, 6_000)
"""These are grown tenfold."""
MOST = 30
"""Tenfold the text may take so many times as long; linear is 10, quadratic 100."""
FLOOR_S = 0.002
"""Processor time below which a ratio says nothing."""
LIMIT_S = 1.0
"""Processor time after which a call is hopeless; more where a tenth of the text took a share of it."""
NO_TEXT = 1.5
"""A text that takes at most so many times as long as a word shows what a call takes alone."""
LOOKED_AT = 2
"""Texts that are grown: so many of the slowest, and so many of the steepest."""


class Hopeless(AssertionError):
    """A call used up its processor time."""


def fastest_growth(read: Callable[[str], object], texts: Iterable[Text]) -> str:
    """What grows faster than its text, in a line; empty where nothing does.

    All texts are looked at, and those that bode ill are grown. A reader with a limit of its own may rise
    before it.
    """
    read("A word.")  # what the first call loads is no time of the text's
    with _alarm():
        of_word_s = max(_took(read, f"A word {number}.") for number in range(3))
        return _grow_what_bodes_ill(read, texts, of_word_s)


def _grow_what_bodes_ill(read: Callable[[str], object], texts: Iterable[Text], of_word_s: float) -> str:
    slow: list[tuple[float, int, Text]] = []
    steep: list[tuple[float, int, Text]] = []
    for number, text in enumerate(texts):
        try:
            large = _took(read, text(LOOKS[-1]))
            # a shorter one would take as long as a word, too
            small = of_word_s if large <= NO_TEXT * of_word_s else _took(read, text(LOOKS[0]))
        except Hopeless:
            return f"{_shown(text)} of {LOOKS[-1]} characters or fewer takes more than {LIMIT_S:g} s"
        if large > FLOOR_S and large > 2 * MOST * small and (said := _last_step(read, text)):
            return said  # why look any further
        slow.append((large, number, text))
        steep.append((large / max(small, FLOOR_S / MOST), number, text))
    chosen = {number: text for _, number, text in (*_first(slow, LOOKED_AT), *_first(steep, LOOKED_AT))}
    return next((said for text in chosen.values() if (said := _last_step(read, text))), "")


def _first(ranked: list[tuple[float, int, Text]], n: int) -> list[tuple[float, int, Text]]:
    return sorted(ranked, key=lambda one: -one[0])[:n]


def _last_step(read: Callable[[str], object], text: Text) -> str:
    small, large = SIZES
    limit_s = LIMIT_S
    try:
        # other lengths each time: some readers keep what they have read
        before = _took(read, text(small + 1))
        limit_s = max(LIMIT_S, 2 * MOST * before)
        took = _took(read, text(large), limit_s)
        if _grew(before, took):
            before = max(before, *(_took(read, text(small + more)) for more in (2, 3)))
            took = min(took, *(_took(read, text(large + more), limit_s) for more in (1, 2)))
        if _grew(before, took):
            # it may have a limit of its own just above; what is not linear grows on
            small, large = 3 * small, 3 * large
            before, took = _took(read, text(small), limit_s), _took(read, text(large), limit_s)
    except Hopeless:
        return f"{_shown(text)} of {large} characters takes more than {limit_s:g} s"
    if _grew(before, took):
        return f"{_shown(text)} of {large} characters takes {took:.3f} s, of a tenth {before:.4f} s"
    return ""


def _grew(before: float, took: float) -> bool:
    return took > FLOOR_S and took > MOST * before


def _shown(text: Text) -> str:
    return f"{text(60)[:60]!r} … {text(60)[-8:]!r}"


def _took(read: Callable[[str], object], text: str, limit_s: float = LIMIT_S) -> float:
    """Processor time of one call, in seconds, within an `_alarm`.

    Raises:
        Hopeless: it takes more than `limit_s`.
    """
    collects = gc.isenabled()
    gc.disable()
    signal.setitimer(signal.ITIMER_VIRTUAL, limit_s)
    try:
        # of the thread: while an alarm is set, the time of the process moves on by whole ticks
        start = time.thread_time()
        read(text)
        return time.thread_time() - start
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        if collects:
            gc.enable()


@contextmanager
def _alarm() -> Iterator[None]:
    """What takes too long ends: regular expressions look for signals while they match, so even these do."""

    def end(number: int, frame: object) -> None:
        raise Hopeless

    before = signal.signal(signal.SIGVTALRM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGVTALRM, before)
