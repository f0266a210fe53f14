"""Structured calls (draft, revise, judged questions): DSPy formats the fields, the model client asks.

DSPy's own cache, retries and history are off: the model client saves, counts and retries.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from loadbearing.models.client.cache import StoreFault
from loadbearing.models.client.client import Caller
from loadbearing.models.client.transport import HaltFault
from loadbearing.models.client.types import Message, ModelFault, Role

LONGEST = 100_000
"""Characters of a reply in fields."""
MOST_BRACKETS = 500


@dataclass
class ClientEngine:
    """DSPy's request → the model client → DSPy's response."""

    caller: Caller
    supports_response_schema: bool = False

    async def complete(self, request: Any) -> Any:
        """Answer one DSPy request.

        Raises:
            ModelFault: no answer came.
        """
        from dspy.lm15 import Message as DspyMessage
        from dspy.lm15 import Response, TextPart, Usage

        messages = [Message("system", _text(request.system))] if request.system else []
        messages += [Message(_role(message.role), message.text) for message in request.messages]
        reply = await self.caller.ask(tuple(messages))
        refuse_unreadable(reply.text)
        return Response(
            id="model_client",
            model=reply.model,
            message=DspyMessage.assistant([TextPart(reply.text)]),
            finish_reason="stop",
            usage=Usage(input_tokens=reply.input_tokens, output_tokens=reply.output_tokens),
        )


class NoSyncEngine:
    """All calls are asynchronous; a synchronous one is a bug."""

    supports_response_schema = False

    def complete(self, request: Any) -> Any:  # noqa: ARG002
        """Refuse."""
        raise ModelFault("structured calls are asynchronous: await predictor.acall(...)")


class ReplyFault(ModelFault):
    """The model answered, but not in the fields it was asked for."""


def refuse_unreadable(text: str) -> None:
    """Bound a reply: DSPy's repair of JSON takes time quadratic in the number of brackets.

    Raises:
        ReplyFault: the reply is too long or has too many brackets.
    """
    brackets = text.count("[") + text.count("{")
    if len(text) > LONGEST or brackets > MOST_BRACKETS:
        raise ReplyFault(
            f"a reply in fields has at most {LONGEST:,} characters and {MOST_BRACKETS} opening brackets;"
            f" this one has {len(text):,} and {brackets:,}"
        )


@dataclass
class Structured:
    """Structured calls of one caller.

    The LM is set for one call, never for the process: a call made without it is an error, not a call to the
    wrong model.
    """

    caller: Caller
    _lm: Any = None
    _signatures: dict[tuple[Any, str], Any] = field(default_factory=dict)

    async def ask(self, signature: Any, instructions: str, inputs: Mapping[str, str]) -> Any:
        """Fill in the output fields of a DSPy signature.

        Raises:
            ReplyFault: the reply does not hold the fields.
            ModelFault: no reply came.
        """
        import dspy
        from dspy.utils.exceptions import AdapterParseError, LMError

        if self._lm is None:
            self._lm = structured_lm(self.caller)
        key = (signature, instructions)
        if key not in self._signatures:
            # a signature is a class: making one for every call costs more than the call
            self._signatures[key] = signature.with_instructions(instructions)
        predict = dspy.Predict(self._signatures[key])
        # no silent second call through another adapter
        layout = dspy.ChatAdapter(use_json_adapter_fallback=False)
        with dspy.context(lm=self._lm, adapter=layout, disable_history=True):
            try:
                return await predict.acall(**inputs)
            except AdapterParseError as fault:
                raise ReplyFault(" ".join(str(fault).split())[:200]) from fault
            except LMError as fault:
                # DSPy wraps what its engine raises; a fault of the model client is raised as it is
                if isinstance(fault.__cause__, ModelFault | HaltFault | StoreFault):
                    raise fault.__cause__ from None
                raise


def structured_lm(caller: Caller) -> Any:
    """The one place where a DSPy LM is built."""
    import dspy

    dspy.configure_cache(enable_disk_cache=False, enable_memory_cache=False)
    return dspy.LM(
        caller.model.partition("?")[0],
        engine=NoSyncEngine(),
        async_engine=ClientEngine(caller),
        cache=False,
        num_retries=0,
    )


def _text(system: Any) -> str:
    return system if isinstance(system, str) else "\n".join(part.text for part in system)


def _role(role: str) -> Role:
    if role not in ("system", "user", "assistant"):
        raise ModelFault(f"a structured call has system, user and assistant turns; got {role!r}")
    return role  # type: ignore[return-value]
