"""Structured calls (draft, revise, judged questions): DSPy formats the fields, the model client sends them.

DSPy's own cache, retries and history are off: the model client caches, counts and retries.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha256
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from memtrial.models.client.types import Message, ModelFault, Reply, Role

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

    from memtrial.models.client.client import Caller

Made = TypeVar("Made")
LONGEST = 100_000
"""Most characters in a structured reply."""
MOST_BRACKETS = 500


class ReplyFault(ModelFault):
    """The model answered, but not in the fields it was asked for."""


class AsksModel(Protocol):
    """What sends the calls: a caller, or whatever asks one model."""

    @property
    def model(self) -> str: ...

    async def ask(self, messages: tuple[Message, ...]) -> Reply: ...


async def ask_bounded(caller: AsksModel, messages: tuple[Message, ...]) -> Reply:
    """The answer to a conversation, where it is no longer than DSPy can read.

    Raises:
        ReplyFault: it is too long or has too many brackets; DSPy's JSON repair is quadratic in them.
        ModelFault: no answer came.
    """
    reply = await caller.ask(messages)
    brackets = reply.text.count("[") + reply.text.count("{")
    if len(reply.text) > LONGEST or brackets > MOST_BRACKETS:
        raise ReplyFault(
            f"a structured reply has at most {LONGEST:,} characters and {MOST_BRACKETS} opening brackets;"
            f" this one has {len(reply.text):,} and {brackets:,}"
        )
    return reply


@dataclass
class ClientEngine:
    """DSPy's request → the model client → DSPy's response."""

    caller: AsksModel

    async def complete(self, request: Any) -> Any:
        """Answer one DSPy request. Raises what `ask_bounded` raises."""
        from dspy.lm15 import Message as DspyMessage
        from dspy.lm15 import Response, TextPart, Usage

        parts = request.system or ""
        text = parts if isinstance(parts, str) else "\n".join(part.text for part in parts)
        system = [Message("system", text)] if text else []
        messages = (Message(message.role, message.text) for message in request.messages)
        reply = await ask_bounded(self.caller, (*system, *messages))
        return Response(
            id="model_client",
            model=reply.model,
            message=DspyMessage.assistant([TextPart(reply.text)]),
            finish_reason="stop",
            usage=Usage(input_tokens=reply.input_tokens, output_tokens=reply.output_tokens),
        )


@dataclass
class BlockingEngine:
    """The same for DSPy's optimisers, which wait in threads of their own: each call runs in `loop`."""

    caller: AsksModel
    loop: AbstractEventLoop

    def complete(self, request: Any) -> Any:
        """As `ClientEngine.complete`, to be called outside the loop's thread."""
        from asyncio import run_coroutine_threadsafe  # to list the gates takes none

        return run_coroutine_threadsafe(ClientEngine(self.caller).complete(request), self.loop).result()


def signature_of(
    instruction: str,
    given: Mapping[str, str],
    wanted: Mapping[str, tuple[Any, str]],
    default: str | None = None,
) -> Any:
    """The DSPy signature of a structured call. It is a class: make it once, not for every call.

    Args:
        instruction: what to do with them.
        given: the texts that the model reads, each with what it is.
        wanted: the fields that it fills in, each with its type and what it is.
        default: of the last field, which may then be left out.
    """
    import dspy

    optional = {} if default is None else {list(wanted)[-1]: {"default": default}}
    inputs = {name: (str, dspy.InputField(desc=desc)) for name, desc in given.items()}
    outputs = {
        name: (kind, dspy.OutputField(desc=desc, **optional.get(name, {})))
        for name, (kind, desc) in wanted.items()
    }
    return dspy.Signature(inputs | outputs).with_instructions(instruction)


def load_dspy() -> None:
    """Load the library, which takes seconds: better while answers are awaited than between two requests."""
    import dspy  # noqa: F401


@cache
def _chat_layout() -> Any:
    """DSPy's chat adapter; what it says of a signature's fields is made once, not for each call."""
    import dspy

    # no silent second call through another adapter
    adapter = dspy.ChatAdapter(use_json_adapter_fallback=False)
    adapter.format_system_message = lru_cache(maxsize=64)(adapter.format_system_message)
    remind = lru_cache(maxsize=64)(adapter.user_message_output_requirements)
    adapter.format_user_message_content = TextLayout(remind, adapter.format_user_message_content)
    return adapter


@dataclass(frozen=True, slots=True)
class TextLayout:
    """DSPy's layout of what a call is given, where all of it is texts.

    DSPy makes a pydantic adapter for each text, which takes ten times as long as all the rest.

    Args:
        remind: what stands at the end of a request, about its reply.
        other: lays out whatever is not a text.
    """

    remind: Callable[[Any], str | None]
    other: Callable[..., str]

    def __call__(
        self,
        signature: Any,
        inputs: Mapping[str, Any],
        prefix: str = "",
        suffix: str = "",
        main_request: bool = False,
    ) -> str:
        """As `ChatAdapter.format_user_message_content`."""
        given = {name: inputs[name] for name in signature.input_fields if name in inputs}
        if not all(type(value) is str for value in given.values()):
            return self.other(signature, inputs, prefix, suffix, main_request)
        reminder = self.remind(signature) if main_request else None
        texts = [f"[[ ## {name} ## ]]\n{text}" for name, text in given.items()]
        return "\n\n".join([prefix, *texts, *([] if reminder is None else [reminder]), suffix]).strip()


@dataclass
class DirectLine:
    """What DSPy's adapter asks in place of a language model: one conversation, one text, from one caller.

    DSPy's own language model goes through two threads a call, prices it and keeps its history.
    """

    caller: Caller

    async def acall(self, messages: Sequence[Mapping[str, str]]) -> list[str]:
        """The reply's text. Raises what `ask_bounded` raises."""
        asked = tuple(Message(cast(Role, turn["role"]), turn["content"]) for turn in messages)
        return [(await ask_bounded(self.caller, asked)).text]


@dataclass
class Structured:
    """Structured calls of one caller, laid out and read by DSPy's chat adapter."""

    caller: Caller

    def messages(self, signature: Any, inputs: Mapping[str, str]) -> tuple[Message, ...]:
        """The conversation that `ask` sends, for who reads the reply without DSPy."""
        tuned, demos = self._tune(signature, inputs)
        turns = _chat_layout().format(tuned, demos, dict(inputs))
        return tuple(Message(turn["role"], turn["content"]) for turn in turns)

    async def ask(self, signature: Any, inputs: Mapping[str, str]) -> Any:
        """Fill in the output fields of a DSPy signature; what was tuned takes the place of its instruction.

        Raises ReplyFault where the reply lacks the fields or is too long; others as `ModelClient.ask`.
        """
        from dspy.utils.exceptions import AdapterParseError

        tuned, demos = self._tune(signature, inputs)
        try:
            (fields,) = await _chat_layout().acall(DirectLine(self.caller), {}, tuned, demos, dict(inputs))
        except AdapterParseError as fault:
            raise ReplyFault(" ".join(str(fault).split())[:200]) from fault
        return SimpleNamespace(**fields)

    def _tune(self, signature: Any, inputs: Mapping[str, str]) -> tuple[Any, list[dict[str, str]]]:
        """The signature with its tuned instruction, and the worked examples of that, where there is one."""
        other = self.caller.instead.get(instruction_key(signature.instructions, inputs))
        if other is None:
            return signature, []
        return signature.with_instructions(other.instructions), [dict(demo) for demo in other.demos]


def instruction_key(instructions: str, inputs: Mapping[str, str]) -> str:
    """What names an instruction to its tuned form: sha256 of it and of the question, where one is asked."""
    return sha256("\n\n".join((instructions, inputs.get("question", ""))).encode()).hexdigest()


def as_blocking(callers: Sequence[Caller], loop: AbstractEventLoop, work: Callable[..., Made]) -> Made:
    """Do synchronous work of DSPy in this thread, with a language model for each caller; the first is its
    own.

    `loop` runs in another thread, and sends the calls.
    """
    import dspy

    models = [_lm(caller, BlockingEngine(caller, loop)) for caller in callers]
    with dspy.context(lm=models[0], adapter=_chat_layout(), disable_history=True):
        return work(*models)


def lm_through(caller: AsksModel, loop: AbstractEventLoop) -> Any:
    """A language model of DSPy whose requests this caller sends, in the loop; for somebody's own module."""
    return _lm(caller, BlockingEngine(caller, loop), ClientEngine(caller))


def _lm(caller: AsksModel, engine: Any, async_engine: Any = None) -> Any:
    import dspy

    dspy.configure_cache(enable_disk_cache=False, enable_memory_cache=False)
    name = caller.model.partition("?")[0]
    return dspy.LM(name, engine=engine, async_engine=async_engine, cache=False, num_retries=0)
