"""Items of OpenAI's Responses API, as input, as output and in session files of Codex."""

import json
from dataclasses import dataclass

from memtrial.transcripts.chats.chat_turns import ChatTurns, words_of
from memtrial.transcripts.log_text import Json, entries, fields, text

CALLS = (
    "function_call",
    "custom_tool_call",
    "local_shell_call",
    "web_search_call",
    "tool_search_call",
    "mcp_call",
)


@dataclass
class ResponsesItems:
    """Takes item after item into a conversation; what the model says up to a result is one reply."""

    chat: ChatTurns
    _speaks: bool = False

    def take(self, item: Json, moment: str = "") -> None:
        parts = fields(item)
        kind = text(parts.get("type")) or "message"
        if kind == "message":
            if parts.get("role") == "assistant":
                self._reply(moment)
                self.chat.say(words_of(parts.get("content")))
            elif parts.get("role") == "user":
                self._speaks = False
                self.chat.tell(words_of(parts.get("content")))
        elif kind == "reasoning":
            self._reply(moment)
            self.chat.think(words_of(entries(parts.get("summary")) + entries(parts.get("content"))))
        elif kind in CALLS:
            self._reply(moment)
            given = next((parts[key] for key in ("arguments", "input", "action") if key in parts), None)
            self.chat.call(
                text(parts.get("name")) or kind.removesuffix("_call"), read_arguments(given), _call_id(parts)
            )
        elif kind.endswith("_output"):
            self._speaks = False
            output = parts.get("output")
            self.chat.result(output if isinstance(output, str) else words_of(output), _call_id(parts))

    def _reply(self, moment: str) -> None:
        if not self._speaks:
            self.chat.reply(moment=moment)
        self._speaks = True


def _call_id(parts: dict[str, Json]) -> str:
    return text(parts.get("call_id")) or text(parts.get("id"))


def read_arguments(given: Json) -> Json:
    """The arguments of a call: an object where the text holds one, else as they are."""
    if isinstance(given, str) and given[:1] == "{":
        try:
            return json.loads(given)
        except (ValueError, RecursionError):
            return given
    return given
