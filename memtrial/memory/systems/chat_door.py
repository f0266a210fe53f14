"""The door as a chat model of LangChain, for memory systems that ask in its words and call tools."""

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from memtrial.memory.systems.system_door import SystemDoor
from memtrial.models.client.types import Message
from memtrial.prompts.templates import Prompt

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage

CALLS = Prompt("system_calls")
RANDOM = re.compile(r"(?<=session_)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""A random mark in a session's tags: with it no two requests were ever equal, and nothing could be kept."""


def open_chat(door: SystemDoor) -> "BaseChatModel":
    """A chat model that asks the door.

    Tools are described in the system message, and the calls are read from the text that comes back: so any
    backbone can be asked.
    """
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage
    from langchain_core.outputs import ChatGeneration, ChatResult

    class AskedChat(BaseChatModel):  # type: ignore[misc]
        @property
        def _llm_type(self) -> str:
            return "memtrial"

        def bind_tools(self, tools: Sequence[Any], *, tool_choice: Any = None) -> Any:  # noqa: ARG002
            from langchain_core.utils.function_calling import convert_to_openai_tool

            return self.bind(tools=[convert_to_openai_tool(tool)["function"] for tool in tools])

        def _generate(
            self,
            messages: list["BaseMessage"],
            stop: Any = None,  # noqa: ARG002
            run_manager: Any = None,  # noqa: ARG002
            tools: Sequence[Any] = (),
        ) -> ChatResult:
            text = door.ask(write_question([(message.type, message.text) for message in messages], tools))
            calls = read_calls(text, [tool["name"] for tool in tools])
            answer = AIMessage("" if calls else text, tool_calls=calls)
            return ChatResult(generations=[ChatGeneration(message=answer)])

    return AskedChat()


def write_question(talk: Sequence[tuple[str, str]], tools: Sequence[Any]) -> tuple[Message, ...]:
    """A conversation of LangChain's as the door is asked it: a system message and one of the user's."""
    system = [text for kind, text in talk if kind == "system"]
    system += [CALLS.render({"tools": json.dumps(list(tools), ensure_ascii=False)})] if tools else []
    rest = [text if kind == "human" else f"[{kind}] {text}" for kind, text in talk if kind != "system"]
    user = RANDOM.sub("0", "\n\n".join(rest))
    return (*([Message("system", "\n\n".join(system))] if system else []), Message("user", user))


def read_calls(text: str, names: Sequence[str]) -> list[Any]:
    """The calls of tools that a reply holds as a list in JSON; none where it holds no such list."""
    first, last = text.find("["), text.rfind("]")
    if not names or not 0 <= first < last:
        return []
    try:
        listed = json.loads(text[first : last + 1])
    except (ValueError, RecursionError):
        return []
    return [
        {"name": entry["name"], "args": entry["args"], "id": f"call_{number}", "type": "tool_call"}
        for number, entry in enumerate(listed, 1)
        if isinstance(entry, dict) and entry.get("name") in names and isinstance(entry.get("args"), dict)
    ]
