"""The decisions of logs: requests as they were sent, of a folder of the proxy or of files of chats."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from memtrial.api.probe.memory_place import find_memory, read_texts
from memtrial.api.probe.recorded_decision import RecordedDecision, find_due
from memtrial.api.probe.run_decisions import know_actions, list_actions, read_query
from memtrial.models.client.types import Message, Request
from memtrial.models.wire import anthropic_messages, openai_chat
from memtrial.models.wire.content_codings import CodingFault, decode
from memtrial.models.wire.json_fields import WireFault
from memtrial.private_file import read_private
from memtrial.proxy.exchange_folder import BODIES, LINES, read_exchanges
from memtrial.proxy.proxy_routes import ANTHROPIC, OPENAI
from memtrial.transcripts.chat_log import TASKS
from memtrial.transcripts.chats.chat_exchange import REQUESTS, ChatExchange, read_exchange
from memtrial.transcripts.log_text import Json, fields, objects_of, text
from memtrial.transcripts.log_walk import list_logs

LOGGED = "logged"
"""The arm of decisions that no run recorded."""
UNTOLD = "records that hold no request as it was sent"
COUNTED = "/count_tokens"
"""Requests that ask how long they are, and for no reply."""
UNWRITTEN = "requests in words that cannot be sent again"


@dataclass
class LogDecisions:
    """Reads the decisions of logs.

    Args:
        items: of the memory that stood in the prompts; frame: its own text that may stand between them.
        model: that will be asked; empty: the one that each request names.
        left_out: what is no decision to be asked again, by why.
        found_in: how many there were, by log; temperatures, limits: of tokens, asked for in them.
        tasks: what a path holds requests of, where that is known.
    """

    items: Sequence[str]
    model: str
    frame: str = ""
    left_out: Counter[str] = field(default_factory=Counter)
    found_in: dict[str, int] = field(default_factory=dict)
    temperatures: set[float | None] = field(default_factory=set)
    limits: set[int | None] = field(default_factory=set)
    tasks: Mapping[Path, str] = field(default_factory=dict)
    _seen: set[tuple[Message, ...]] = field(default_factory=set)

    def of_paths(self, paths: Sequence[Path]) -> Iterator[RecordedDecision]:
        """The decisions below these paths, each request once. Raises LogFault where one cannot be read."""
        for path in paths:
            if (path / LINES).is_file():
                yield from self._of_proxy(path)
                continue
            for place in list_logs(path):
                for where, record in objects_of(place):
                    yield from self._of_record(str(place), where, record)

    def _of_proxy(self, folder: Path) -> Iterator[RecordedDecision]:
        for exchange in read_exchanges(folder):
            intent = exchange.intent
            if intent.path.partition("?")[0].endswith(COUNTED):
                continue
            try:
                body = json.loads(decode(read_private(folder / BODIES / intent.digest), intent.codings))
            except (OSError, ValueError, CodingFault, RecursionError):
                self.left_out[UNTOLD] += 1
                continue
            place = f"{folder}, request {intent.number}"
            betas = {anthropic_messages.BETAS: intent.betas} if intent.betas else {}
            logged = _LoggedBody(fields(body) | betas)
            yield from self._of_body(str(folder), place, logged, self.tasks.get(folder, ""))

    def _of_record(self, path: str, where: str, record: Mapping[str, Json]) -> Iterator[RecordedDecision]:
        exchange = read_exchange(dict(record))
        if exchange is None or exchange.dialect == "responses":
            self.left_out[UNTOLD] += 1
            return
        task = next((text(record[key]) for key in TASKS if isinstance(record.get(key), str)), "")
        for body in _bodies_of(exchange):
            yield from self._of_body(path, where, body, task)

    def _of_body(self, path: str, where: str, body: "_LoggedBody", task: str) -> Iterator[RecordedDecision]:
        request = body.read()
        if request is None or not request.messages:
            self.left_out[UNWRITTEN] += 1
            return
        if request.messages in self._seen:
            self.left_out["requests that stand there a second time"] += 1
            return
        self._seen.add(request.messages)
        place = find_memory(request.messages, self.items, self.frame)
        if isinstance(place, str):
            self.left_out[place] += 1
            return
        self.found_in[path] = self.found_in.get(path, 0) + 1
        self.temperatures.add(request.temperature)
        self.limits.add(request.max_tokens)
        replies = sum(message.role == "assistant" for message in request.messages)
        decision = RecordedDecision(
            place=where,
            backbone=self.model or f"{name_provider(request.wire)}/{request.model}",
            arm=LOGGED,
            task="",
            cluster="",
            repeat=0,
            turn=replies,
            messages=request.messages,
            choices=(),
            slot=place.slot,
            gaps=place.gaps,
            settings=request.settings,
            wire=request.wire if request.settings else "",
        )
        # the memory itself is no sign that what it speaks of is there
        bare = decision.show("")
        query, known = read_query(bare), know_actions(list_actions(bare[-1].text))
        name = task or f"task {sha256(query.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"
        due = find_due(place.slot.items, query, read_last(bare), known)
        yield replace(decision, task=name, cluster=name, due=due)


def name_provider(wire: str) -> str:
    """Who speaks a format, as model strings name it."""
    return ANTHROPIC if wire == anthropic_messages.WIRE else OPENAI


def read_last(messages: Sequence[Message]) -> str:
    """What the agent was told or shown last."""
    told = [message for message in messages if message.role != "assistant"]
    return "\n\n".join(read_texts(told[-1:]))


@dataclass(frozen=True, slots=True)
class _LoggedBody:
    """The body of a request, and whose words it is in; empty where that is to be seen from it."""

    body: dict[str, Json]
    dialect: str = ""

    def read(self) -> Request | None:
        """The request; None where it is written in no words that can be sent again."""
        exchange = read_exchange(self.body)
        dialect = self.dialect or ("" if exchange is None else exchange.dialect)
        try:
            if dialect == "anthropic":
                return anthropic_messages.read_request(self.body)
            return openai_chat.read_request(self.body)
        except (WireFault, RecursionError):
            return None


KEPT = ("system", "tools", "tool_choice", "temperature")
"""Of a request that is kept by its messages, what else can change the next action."""


def _bodies_of(exchange: ChatExchange) -> Iterator[_LoggedBody]:
    """The body of each request that a record shows: up to each reply in its messages, and up to its own."""
    record = exchange.record
    request = next((fields(record[key]) for key in REQUESTS if isinstance(record.get(key), dict)), record)
    request = fields(request.get("body")) or request
    messages = list(exchange.messages)
    roles = [fields(message).get("role") for message in messages]
    ends = [place for place, role in enumerate(roles) if role == "assistant" and place]
    if exchange.reply and messages and roles[-1] != "assistant":
        ends.append(len(messages))
    kept = {key: request[key] for key in KEPT if request.get(key) is not None}
    for end in ends:
        body = {**kept, "model": "any", "max_tokens": 2048, "messages": messages[:end]}
        yield _LoggedBody(body, exchange.dialect)
