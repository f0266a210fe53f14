"""Session files of Codex: `~/.codex/sessions/…/rollout-….jsonl`, also those of a sub-agent.

Messages, calls and their results are `response_item`s; a reply ends where a result or a user's text follows.
Of the records of the user some hold AGENTS.md and the environment, and are no task. No record states whether
the task was solved.
"""

from pathlib import Path

from memtrial.transcripts.chats.chat_turns import ChatTurns, words_of
from memtrial.transcripts.chats.responses_items import ResponsesItems
from memtrial.transcripts.log_question import LogQuestion
from memtrial.transcripts.log_text import Json, entries, fields, objects_of, text
from memtrial.transcripts.logged_run import LoggedRun, LogReading, LogRemainder

KINDS = ("session_meta", "response_item", "event_msg", "turn_context", "world_state", "compacted")
PUT_IN = (
    "<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<turn_aborted>",
    "<permissions instructions>", "<skills_instructions>", "<INSTRUCTIONS>", "<user_shell_command>",
    "<subagent_notification>",
)  # fmt: skip


def sniff(objects: tuple[dict[str, Json], ...]) -> bool:
    """Records of a session."""
    return any(entry.get("type") in KINDS and isinstance(entry.get("payload"), dict) for entry in objects)


def read(path: Path, asked: LogQuestion) -> LogReading:  # noqa: ARG001
    """One run: of a session, or the part of it that a sub-agent did."""
    left, chat = LogRemainder(), ChatTurns()
    items = ResponsesItems(chat)
    name, parent, records = "", "", 0
    for _, record in objects_of(path):
        records += 1
        payload = fields(record.get("payload"))
        if record.get("type") == "session_meta" and not name:
            name, parent = text(payload.get("id")), _parent_of(payload)
        if (
            record.get("type") != "response_item"
            or payload.get("role") == "developer"
            or payload.get("role") == "system"
        ):
            left.note("records of the client, as events and settings")
        elif payload.get("role") == "user":
            told = [words for words in map(words_of, _blocks(payload)) if not _put_in(words)]
            if told:
                items.take({**payload, "content": [{"text": words} for words in told]})
            else:
                left.note("records of the user that the client put in")
        else:
            items.take(payload, text(record.get("timestamp")))
    turns = chat.turns()
    run = LoggedRun(name or path.stem, "", chat.query, turns, session=parent or name, nested=bool(parent))
    return LogReading((run,) if turns else (), records, left.counts)


def _blocks(payload: dict[str, Json]) -> list[Json]:
    content = payload.get("content")
    return [content] if isinstance(content, str) else [[block] for block in entries(content)]


def _put_in(words: str) -> bool:
    return not words.strip() or words.lstrip().startswith(PUT_IN)


def _parent_of(payload: dict[str, Json]) -> str:
    """The session that started this one as its sub-agent; empty where nobody did."""
    spawned = fields(fields(payload.get("source")).get("subagent"))
    return text(fields(spawned.get("thread_spawn")).get("parent_thread_id")) or text(
        payload.get("parent_thread_id")
    )
