"""Compare expressions on standard input, a line a pair, with math-verify: the program of `MathsProcess`.

A process of its own, since a short text can ask algebra for more than any machine has. What takes longer than
its first argument says, in seconds of processor time of its own, or more than MEMORY, ends it.
"""

import json
import logging
import re
import signal
import sys

from memtrial.reader_process import bound_process

MEMORY = 2 << 30
ALGEBRA = "algebra"
"""The argument with which it can do more than match patterns."""


def main(cpu_s: float, algebra: bool) -> None:
    """Answer each line `{"right", "answer"}` or `{"pattern", "answer"}` by one, `true` or `false`."""
    logging.disable(logging.CRITICAL)
    if algebra:
        are_same("1", "1")  # what is loaded at the first pair is not counted against one
    _say("ready")
    for line in sys.stdin:
        signal.setitimer(signal.ITIMER_PROF, cpu_s)  # by default its signal ends the process
        pair = json.loads(line)
        if "pattern" in pair:
            same = re.fullmatch(pair["pattern"], pair["answer"], re.DOTALL) is not None
        else:
            same = are_same(pair["right"], pair["answer"])
        signal.setitimer(signal.ITIMER_PROF, 0)
        _say(json.dumps(same))


def are_same(right: str, answer: str) -> bool:
    """The two are worth the same; False where one of them is no mathematics.

    The limits of math-verify are off: they are alarms of the wall clock, which a busy machine sets off.
    """
    from math_verify import parse, verify

    first, second = (
        parse(f"${text}$", parsing_timeout=None, raise_on_error=False) for text in (right, answer)
    )
    return bool(verify(first, second, timeout_seconds=None, raise_on_error=False))


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    bound_process(MEMORY)
    main(float(sys.argv[1]), ALGEBRA in sys.argv)
