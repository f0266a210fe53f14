"""The relay's own process: between the agent's client and the user's memory server, message by message.

What is not a call or an answer that concerns memory passes byte for byte. A server that breaks the rules is
ended; the client then gets an error to whatever it asks, so that it does not wait.
"""

import json
import os
import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Lock

from memtrial.memory_relay.bounded_lines import BoundedLines, RelayFault
from memtrial.memory_relay.messages import (
    INTERNAL,
    MISSING_METHOD,
    Message,
    answer,
    key_of,
    read_message,
    refuse,
    text_result,
    write_message,
)
from memtrial.memory_relay.relay_plan import RelayPlan, read_plan
from memtrial.memory_relay.relayed_results import check_tools, replace_items, show_result
from memtrial.memory_relay.server_process import ServerProcess, start_server
from memtrial.memory_relay.shown_items import ItemTable

CLIENT, TO_CLIENT = 0, 1
LOOK_S = 0.05
MOST_RUBBISH = 1000
"""Lines of a server that are no message; more are a fault."""
PASSED_ON = ("ping", "roots/list")
"""What a server may ask the client; sampling, elicitation and the rest are refused here."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A request of the client that the server has not answered."""

    number: object
    method: str
    tool: str
    until: float


@dataclass
class Relay:
    """One trial's relay: two threads that read, and one that looks at the clock.

    Args:
        fault: why the server is not used any more; empty as long as it is.
        counts: what was left out or refused, by what it was.
    """

    plan: RelayPlan
    server: ServerProcess | None = None
    fault: str = ""
    waiting: dict[str, Waiting] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    closed: Event = field(default_factory=Event)
    lock: Lock = field(default_factory=Lock)
    table: ItemTable = field(init=False)

    def __post_init__(self) -> None:
        self.table = ItemTable(self.plan.items)

    def run(self) -> None:
        """Serve until the client hangs up."""
        try:
            self.server = start_server(self.plan.start)
            threading.Thread(target=self._follow_server, args=(self.server,), daemon=True).start()
        except RelayFault as fault:
            self._break(str(fault))
        threading.Thread(target=self._follow_client, daemon=True).start()
        while not self.closed.wait(LOOK_S):
            late = next((each for each in self._list_waiting() if time.monotonic() > each.until), None)
            if late is not None:
                self._break(f"did not answer {late.method} within {self.plan.timeout_s:g} s")
        if self.server is not None:
            self.server.hang_up()
        if self.counts:
            self._log({"counts": dict(self.counts)})

    def _list_waiting(self) -> tuple[Waiting, ...]:
        with self.lock:
            return tuple(self.waiting.values())

    def _follow_client(self) -> None:
        try:
            for line in BoundedLines(CLIENT):
                message = read_message(line)
                if message is not None:
                    self._take_request(message, line)
        except RelayFault as fault:
            self._break(f"its client {fault}")
        finally:
            self.closed.set()

    def _take_request(self, message: Message, line: bytes) -> None:
        method, number = message.get("method"), message.get("id")
        asks = isinstance(method, str) and number is not None
        if self.fault or self.server is None:
            if asks:
                self._say(refuse(number, INTERNAL, "the memory server is not there"))
            return
        parameters = message.get("params")
        tool = str(parameters.get("name")) if isinstance(parameters, dict) else ""
        if asks and method == "tools/call" and tool in self.plan.answers:
            self._log({"tool": tool, "wrote": True})
            self._say(answer(number, text_result(self.plan.answers[tool])))
            return
        if asks and method == "tools/call" and tool not in self.plan.prints:
            self._say(refuse(number, MISSING_METHOD, "there is no such tool"))
            return
        if asks:
            until = time.monotonic() + self.plan.timeout_s
            with self.lock:
                self.waiting[key_of(number)] = Waiting(number, str(method), tool, until)
        self.server.send(line + b"\n")

    def _follow_server(self, server: ServerProcess) -> None:
        try:
            for line in BoundedLines(server.output):
                message = read_message(line)
                if message is not None:
                    self._take_answer(server, message, line)
                elif line.strip():
                    self.counts["lines that are no message"] += 1
                    if self.counts["lines that are no message"] > MOST_RUBBISH:
                        raise RelayFault(f"sent more than {MOST_RUBBISH:,} lines that are no message")
        except RelayFault as fault:
            self._break(str(fault))
        else:
            if not self.closed.wait(LOOK_S):
                self._break(server.say_end())

    def _take_answer(self, server: ServerProcess, message: Message, line: bytes) -> None:
        number = message.get("id")
        if "method" in message:
            if number is None or message["method"] in PASSED_ON:
                self._pass(message, line)
            else:
                self.counts[f"requests of the server that were refused: {str(message['method'])[:60]}"] += 1
                server.send(refuse(number, MISSING_METHOD, "not supported"))
            return
        with self.lock:
            asked = self.waiting.get(key_of(number))
        if asked is None:
            self.counts["answers that nobody asked for"] += 1
            return
        self._answer(asked, message, line)
        # until then it counts as waiting: what breaks on the way is said to it
        with self.lock:
            self.waiting.pop(key_of(number), None)

    def _answer(self, asked: Waiting, message: Message, line: bytes) -> None:
        """Hand an answer on, as the plan wants it."""
        result = message.get("result")
        if asked.method == "tools/list" and isinstance(result, dict):
            self._say(write_message({**message, "result": check_tools(result, self.plan)}))
        elif asked.method == "tools/call" and isinstance(result, dict):
            reads = asked.tool in self.plan.reads
            shown, reading = show_result(result, self.plan, self.table, reads)
            seen = {"items": reading.items, "known": reading.known, "unknown": reading.unknown}
            self._log({"tool": asked.tool, "reads": reads, **seen, "stranger": reading.stranger})
            self._say(line + b"\n" if shown == result else write_message({**message, "result": shown}))
        else:
            self._pass(message, line)

    def _pass(self, message: Message, line: bytes) -> None:
        """Hand a message on, byte for byte where no item stands in it."""
        shown = replace_items(message, self.table, lambda _: None)
        self._say(line + b"\n" if shown == message else write_message(shown))

    def _break(self, why: str) -> None:
        """The server is not used any more, and whoever waits is told so."""
        with self.lock:
            if self.fault or self.closed.is_set():
                return
            self.fault = why
            late, self.waiting = tuple(self.waiting.values()), {}
        self._log({"fault": why})
        if self.server is not None:
            self.server.kill()
        for each in late:
            self._say(refuse(each.number, INTERNAL, "the memory server is not there"))

    def _say(self, line: bytes) -> None:
        """One message to the client, whole."""
        left = memoryview(line)
        with self.lock, suppress(BrokenPipeError):
            while left:
                left = left[os.write(TO_CLIENT, left) :]

    def _log(self, entry: Message) -> None:
        line = json.dumps(entry) + "\n"
        with self.lock, open(self.plan.log, "a", encoding="utf-8") as file:
            file.write(line)


def run(place: str) -> None:
    """Carry out the plan in this file."""
    Relay(read_plan(Path(place).read_text(encoding="utf-8"))).run()
    os._exit(0)  # threads may wait on a client or a server that says nothing
