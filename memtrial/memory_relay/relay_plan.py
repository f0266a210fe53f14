"""What a relay is to do in one trial: plain values, as its process reads them from a file."""

import json
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

PLACE = Path(__file__).resolve().parents[2]
"""The folder that holds this package."""
STARTED = (
    "import sys; sys.path.insert(0, sys.argv.pop(1));"
    " from memtrial.memory_relay.{0} import run; run(sys.argv[1])"
)


@dataclass(frozen=True, slots=True)
class ServerStart:
    """How the user's server is started.

    Args:
        words: the program and its arguments.
        folder: where it works.
        variables: its whole environment.
    """

    words: tuple[str, ...]
    folder: str
    variables: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class RelayPlan:
    """One trial of a memory server.

    Args:
        reads: the tools whose results are memory.
        answers: what a tool that writes is said to have answered, by its name; it is never called.
        prints: of each tool, by its name, as `print_tool` makes it: another tool than these is a fault.
        items: each text of the memory, and the text that stands in its place.
        nothing: what a tool of `reads` gives that finds nothing.
        withheld: it gives that in place of whatever it read; else its own result, with items replaced.
        timeout_s: seconds within which the server answers.
        log: the file in which the relay writes down what passed.
    """

    start: ServerStart
    reads: tuple[str, ...]
    answers: Mapping[str, str]
    prints: Mapping[str, str]
    items: tuple[tuple[str, str], ...]
    nothing: str
    withheld: bool
    timeout_s: float
    log: str

    def as_json(self) -> str:
        """As text for a file."""
        return json.dumps(asdict(self))


def read_plan(text: str) -> RelayPlan:
    """A plan from its text, which this program wrote."""
    raw = json.loads(text)
    start = ServerStart(**raw["start"])
    items = tuple((item, shown) for item, shown in raw["items"])
    plan = RelayPlan(**{**raw, "start": replace(start, words=tuple(start.words)), "items": items})
    return replace(plan, reads=tuple(plan.reads))


def own_command(module: str, argument: str) -> tuple[str, ...]:
    """The words that start a process of this room: Python without its site, so that it is there at once."""
    return (sys.executable, "-I", "-S", "-B", "-c", STARTED.format(module), str(PLACE), argument)
