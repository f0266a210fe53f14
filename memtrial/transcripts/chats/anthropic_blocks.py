"""Messages of Anthropic's API, as people log them."""

from memtrial.transcripts.chats.chat_turns import ChatTurns, words_of
from memtrial.transcripts.log_text import Json, entries, fields, text
from memtrial.transcripts.logged_run import LogRemainder


def take_messages(messages: Json, chat: ChatTurns, left: LogRemainder) -> None:
    """Take a list of messages into a conversation; those that set the model up are left out."""
    for message in entries(messages):
        parts = fields(message)
        content = parts.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else entries(content)
        if parts.get("role") == "assistant":
            chat.reply()
            _take_reply(blocks, chat)
        elif parts.get("role") == "user":
            _take_user(blocks, chat)
        elif parts:
            left.note("messages of the system")


def _take_reply(blocks: list[Json], chat: ChatTurns) -> None:
    for block in blocks:
        parts = fields(block)
        match parts.get("type"):
            case "tool_use" | "server_tool_use" | "mcp_tool_use":
                chat.call(text(parts.get("name")), parts.get("input"), text(parts.get("id")))
            case "thinking":
                chat.think(text(parts.get("thinking")))
            case "redacted_thinking":
                pass
            case kind if text(kind).endswith("tool_result"):
                chat.result(words_of(parts.get("content")), text(parts.get("tool_use_id")))
            case _:
                chat.say(words_of(parts))


def _take_user(blocks: list[Json], chat: ChatTurns) -> None:
    said = []
    for block in blocks:
        parts = fields(block)
        if parts.get("type") == "tool_result":
            chat.result(words_of(parts.get("content")), text(parts.get("tool_use_id")))
        else:
            said.append(words_of(block))
    chat.tell("\n".join(filter(None, said)))
