"""Folders that `memtrial proxy` keeps: every request of an agent and its reply, as their bytes.

Requests that go on from each other are one conversation. Conversations of a session, by the client's own name
for it or the proxy's, are one trajectory, with the sub-agents' in it. What a client puts into the user's
name, memory among it, is left out. No record states whether the task was solved.
"""

import json
from dataclasses import dataclass, replace
from pathlib import Path

from memtrial.models.wire.content_codings import CodingFault, decode
from memtrial.transcripts import claude_code_log, codex_log
from memtrial.transcripts.chats.chat_exchange import ChatExchange, read_exchange
from memtrial.transcripts.chats.longest_conversations import LongestConversations
from memtrial.transcripts.chats.reply_events import read_reply
from memtrial.transcripts.chats.taken_exchange import take_exchange
from memtrial.transcripts.log_question import LogQuestion
from memtrial.transcripts.log_text import LONGEST, Json, entries, fields, load, open_plain, text, texts_of
from memtrial.transcripts.logged_run import LogFault, LoggedRun, LogReading, LogRemainder

LINES, BODIES = "exchanges.jsonl", "bodies"
ASKS = ("/v1/messages", "/v1/chat/completions", "/v1/responses")
ALONE = "alone"
"""The one session of `memtrial proxy`, which is of no run in particular."""
PUT_IN = (*claude_code_log.PUT_IN, *codex_log.PUT_IN)
CODED = {b"\x1f\x8b": "gzip", b"\x28\xb5": "zstd"}
"""How replies begin that are coded; the headers of replies are not kept."""
PLAIN = (b"{", b"data:", b"event:", b":")
ANSWERED = ("answered", "shared")


@dataclass(frozen=True, slots=True)
class _Conversation:
    exchange: ChatExchange
    moments: tuple[str, ...]
    session: str
    has_tools: bool


def is_proxy_folder(names: list[str], folders: list[str]) -> bool:
    """A folder with files and folders of these names is one that the proxy kept."""
    return LINES in names and BODIES in folders


def read(path: Path, asked: LogQuestion) -> LogReading:  # noqa: ARG001
    """A run for each conversation. Raises LogFault: a line or a body cannot be read."""
    left, longest = LogRemainder(), LongestConversations()
    kept = dict[int, _Conversation]()
    for number, (intent, end) in _exchanges(path, left).items():
        left.records += 1
        if text(intent.get("path")).partition("?")[0] not in ASKS:
            left.note("requests that ask no model")
        elif end.get("how") not in ANSWERED or end.get("status") != 200 or not end.get("is_kept"):
            left.note("requests that brought no whole reply")
        else:
            talk = _conversation(path, intent, end)
            if talk is None:
                left.note("requests without messages")
                continue
            before = longest.take(number, talk.exchange)
            if before is not None:
                earlier = kept.pop(before)
                talk = replace(talk, moments=(*earlier.moments, *talk.moments))
                left.note("requests that a later one goes on from or repeats")
            kept[number] = talk
    runs, seen = list[LoggedRun](), set[str]()
    with_tools = {talk.session for talk in kept.values() if talk.has_tools}
    for number, talk in sorted(kept.items(), key=lambda entry: entry[1].moments[0]):
        if talk.session in with_tools and not talk.has_tools:
            left.note("requests of a client beside its conversation, as for a title")
        elif run := _run_of(path, number, talk, left):
            runs.append(replace(run, nested=bool(talk.session) and talk.session in seen))
            seen.add(talk.session)
    return LogReading(tuple(runs), left.records, left.counts)


def _exchanges(folder: Path, left: LogRemainder) -> dict[int, tuple[dict[str, Json], dict[str, Json]]]:
    """Each request with its end, in the order of their numbers; a last line that was cut is left out."""
    intents, ends = dict[int, dict[str, Json]](), dict[int, dict[str, Json]]()
    broken = ""
    for where, line in texts_of(folder / LINES):
        if broken:
            raise LogFault(broken)
        try:
            record = fields(load(line, where)) if line.strip() else {}
        except LogFault as fault:
            broken = str(fault)
            continue
        if isinstance(number := record.get("number"), int):
            (intents if "path" in record else ends)[number] = record
    if broken:
        left.note("a last line that was cut short")
    return {number: (intents[number], ends.get(number, {})) for number in sorted(intents)}


def _conversation(folder: Path, intent: dict[str, Json], end: dict[str, Json]) -> _Conversation | None:
    asked, codings = _body(folder, intent), text(intent.get("codings"))
    where = f"{folder / LINES}, request {intent.get('number')}"
    try:
        request = fields(load(decode(asked, codings), where))
        raw = _body(folder, end)
        reply = read_reply(decode(raw, _coding_of(raw)), where)
    except CodingFault as fault:
        raise LogFault(f"{where}: {fault}") from fault
    for key in ("messages", "input"):
        if isinstance(request.get(key), list):
            request = {**request, key: [_spoken(message) for message in request[key]]}
    exchange = read_exchange({"request": request, "response": reply})
    if exchange is None:
        return None
    ended = end.get("ended_s")
    moment = f"{ended if isinstance(ended, int | float) else 0:020.6f}"
    return _Conversation(
        exchange, (moment,), _session_of(request, intent), bool(entries(request.get("tools")))
    )


def _coding_of(raw: bytes) -> str:
    """What a reply is coded in, by its beginning; brotli has none of its own."""
    return CODED.get(raw[:2], "" if raw.lstrip().startswith(PLAIN) else "br")


def _body(folder: Path, line: dict[str, Json]) -> bytes:
    digest = text(line.get("digest"))
    if not digest.isalnum():
        raise LogFault(f"{folder / LINES}, request {line.get('number')}: no digest of a body")
    path = folder / BODIES / digest
    if open_plain(path) > LONGEST:
        raise LogFault(f"{path}: longer than {LONGEST >> 20} MiB")
    try:
        return path.read_bytes()
    except OSError as fault:
        raise LogFault(f"{path} cannot be read: {fault.strerror}") from fault


def _spoken(message: Json) -> Json:
    """A message of the user's without the texts that the client put in."""
    parts = fields(message)
    if parts.get("role") != "user":
        return message
    content = parts.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else entries(content)
    told = [block for block in blocks if not text(fields(block).get("text")).lstrip().startswith(PUT_IN)]
    return {**parts, "content": told}


def _session_of(request: dict[str, Json], intent: dict[str, Json]) -> str:
    """What the client calls its session, else the proxy's name where it is of one run; empty for neither."""
    user = text(fields(request.get("metadata")).get("user_id"))
    try:
        session = text(fields(json.loads(user)).get("session_id"))
    except (ValueError, RecursionError):
        session = user.rpartition("_session_")[2]
    name = text(intent.get("session"))
    return session or text(request.get("prompt_cache_key")) or ("" if name == ALONE else name)


def _run_of(folder: Path, number: int, talk: _Conversation, left: LogRemainder) -> LoggedRun | None:
    chat = take_exchange(talk.exchange, left)
    turns = chat.turns()
    if not turns:
        return None
    if len(talk.moments) == len(turns):
        turns = tuple(replace(turn, moment=moment) for turn, moment in zip(turns, talk.moments, strict=True))
    name = talk.session or f"{folder.name}:{number}"
    joined = f"{folder}\0{talk.session}" if talk.session else ""
    return LoggedRun(name, "", chat.query, turns, session=joined)
