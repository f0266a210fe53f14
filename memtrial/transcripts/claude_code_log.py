"""Transcripts of Claude Code: `~/.claude/projects/…/<session>.jsonl`, sub-agents in `<session>/subagents/`.

A reply of the model is several records with one `message.id`. Records of the user hold results of tools, too,
and what the client put in; attachments and the records of requests belong to no conversation. No record
states whether the task was solved.
"""

from pathlib import Path

from memtrial.transcripts.chats.chat_turns import ChatTurns, words_of
from memtrial.transcripts.log_question import LogQuestion
from memtrial.transcripts.log_text import Json, entries, fields, objects_of, text
from memtrial.transcripts.logged_run import LoggedRun, LogReading, LogRemainder

SPOKEN = ("user", "assistant")
PUT_IN = (
    "<command-name>", "<command-message>", "<local-command-", "<system-reminder>", "<task-notification>",
    "<bash-input>", "<bash-stdout>", "Caveat: The messages below", "[Request interrupted",
    "[SYSTEM NOTIFICATION",
)  # fmt: skip
"""How texts begin that the client wrote in the user's name."""


def sniff(objects: tuple[dict[str, Json], ...]) -> bool:
    """Records of a session."""
    return any(
        isinstance(entry.get("type"), str) and ("sessionId" in entry or "leafUuid" in entry)
        for entry in objects
    )


def read(path: Path, asked: LogQuestion) -> LogReading:  # noqa: ARG001
    """One run: of a session, or the part of it that a sub-agent did."""
    left, chat, seen = LogRemainder(), ChatTurns(), set[str]()
    session, nested, records = "", True, 0
    for _, record in objects_of(path):
        records += 1
        session = session or text(record.get("sessionId"))
        kind = text(record.get("type"))
        if kind not in SPOKEN:
            left.note("records of the client, as attachments and requests")
            continue
        if text(record.get("uuid")) in seen:
            left.note("records that stand twice")
            continue
        seen.add(text(record.get("uuid")) or str(records))
        nested = nested and record.get("isSidechain") is True
        message = fields(record.get("message"))
        if kind == "user":
            _take_user(record, message, chat, left)
        elif record.get("isApiErrorMessage"):
            left.note("errors of the model's server")
        else:
            _take_reply(message, text(record.get("timestamp")), chat)
    turns = chat.turns()
    name = f"{session or path.stem}{f'/{path.stem}' if nested and turns else ''}"
    runs = (LoggedRun(name, "", chat.query, turns, session=session, nested=nested),) if turns else ()
    return LogReading(runs, records, left.counts)


def _take_user(
    record: dict[str, Json], message: dict[str, Json], chat: ChatTurns, left: LogRemainder
) -> None:
    content = message.get("content")
    results = [block for block in entries(content) if fields(block).get("type") == "tool_result"]
    for block in results:
        chat.result(words_of(block.get("content")), text(block.get("tool_use_id")))
    if results:
        return
    words = words_of(content)
    if record.get("isMeta") or record.get("isCompactSummary") or words.lstrip().startswith(PUT_IN):
        left.note("records of the user that the client put in")
    else:
        chat.tell(words)


def _take_reply(message: dict[str, Json], moment: str, chat: ChatTurns) -> None:
    chat.reply(text(message.get("id")), moment)
    content = message.get("content")
    for block in [{"type": "text", "text": content}] if isinstance(content, str) else entries(content):
        parts = fields(block)
        match parts.get("type"):
            case "tool_use" | "server_tool_use":
                chat.call(text(parts.get("name")), parts.get("input"), text(parts.get("id")))
            case "thinking":
                chat.think(text(parts.get("thinking")))
            case _:
                chat.say(words_of(parts))
