"""Messages of OpenAI's chat completions, as people log them."""

from memtrial.transcripts.chats.chat_turns import ChatTurns, words_of
from memtrial.transcripts.chats.responses_items import read_arguments
from memtrial.transcripts.log_text import Json, entries, fields, text
from memtrial.transcripts.logged_run import LogRemainder

SET_UP = ("system", "developer")


def take_messages(messages: Json, chat: ChatTurns, left: LogRemainder) -> None:
    """Take a list of messages into a conversation; those that set the model up are left out."""
    for message in entries(messages):
        take_message(message, chat, left)


def take_message(message: Json, chat: ChatTurns, left: LogRemainder) -> None:
    """Take one message into a conversation."""
    parts = fields(message)
    # LangChain writes `type`, and its fields within `data` or `kwargs`
    inner = fields(parts.get("data")) or fields(parts.get("kwargs"))
    parts = {**parts, **inner} if "content" in inner else parts
    role = text(parts.get("role")) or text(parts.get("type"))
    words = words_of(parts.get("content"))
    if role in SET_UP:
        left.note("messages of the system")
    elif role in ("user", "human"):
        chat.tell(words)
    elif role in ("assistant", "ai", "model"):
        chat.reply()
        chat.think(text(parts.get("reasoning_content")) or text(parts.get("reasoning")))
        chat.say(words or text(parts.get("refusal")))
        old = [parts["function_call"]] if isinstance(parts.get("function_call"), dict) else []
        for call in [*entries(parts.get("tool_calls")), *old]:
            inner = fields(fields(call).get("function")) or fields(call)
            chat.call(
                text(inner.get("name")), read_arguments(inner.get("arguments", inner.get("args"))),
                text(fields(call).get("id")),
            )  # fmt: skip
    elif role in ("tool", "function"):
        chat.result(words, text(parts.get("tool_call_id")))
    elif role == "exit":
        left.note("messages of the agent's end")
    elif parts:
        left.note("messages of an unknown role")
