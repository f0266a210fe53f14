"""What every backend and every embedder must do. Each law opens its own and closes it."""

from asyncio import gather
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import get_args

import numpy as np

from memtrial.models.client.content_blocks import ImageBlock, TextBlock, ToolResult, ToolUse
from memtrial.models.client.types import Loads, Message, ModelFault, Reply, Request, Stop
from memtrial.models.embeddings.embedding import Array
from memtrial.plugins.conformance.laws import Law, LawResult, alike
from memtrial.protocols import Backend, Embedder

MODEL = "conformance/model"
RULES = Message("system", "You are in a room.\n\nAnswer with a line of the form\nAction: one action")
TURN = Message("user", "Task: open the door\n\nObservation: A door – “shut”. 🚪\nActions: open door | wait")
TALK = (RULES, TURN)
REQUESTS = (
    Request(MODEL, TALK),
    Request(MODEL, TALK, 0.0, 64),
    Request(MODEL, TALK[1:]),
    Request(MODEL, (*TALK, Message("assistant", "Action: wait"), Message("user", "Observation: Nothing."))),
    Request(MODEL, (*TALK, Message("assistant", ""), Message("user", " \n"))),
)
"""What every backend is asked; one that replays needs answers to these."""

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
BLOCKS = Request(
    MODEL,
    (
        Message("user", (TextBlock("What stands in the file?"), ImageBlock("image/png", PIXEL))),
        Message("assistant", (TextBlock("I look."), ToolUse("use_1", "read", '{"path":"notes.txt"}'))),
        Message("user", (ToolResult("use_1", (TextBlock("The door is blue."),), False),)),
    ),
)
"""A request of more than texts: of an agent that has tools."""

TEXTS = ("a red door", "press the brass button", "", "當燈亮時", "...!?", "a red door", "half \ud83d a pair")


@asynccontextmanager
async def _open(make: Callable[[], Backend]) -> AsyncIterator[Backend]:
    """A backend that is loaded as the model client loads it, closed at the end."""
    backend = make()
    if isinstance(backend, Loads):
        backend.load()
    try:
        yield backend
    finally:
        await backend.close()


async def _answers(make: Callable[[], Backend]) -> LawResult:
    """A refusal is an answer; a fault is none."""
    async with _open(make) as backend:
        replies = [await backend.answer(request, 0) for request in REQUESTS]
    models = ", ".join(sorted({reply.model for reply in replies}))
    return LawResult([_describe_misshapen(reply) for reply in replies], f"it names its model {models}")


def _describe_misshapen(reply: Reply) -> str:
    """What is wrong with a reply; empty where nothing is."""
    counts = (
        reply.input_tokens,
        reply.output_tokens,
        reply.cache_read_tokens,
        reply.cache_write_tokens,
    )
    checks = {
        "text is no text": isinstance(reply.text, str),
        "it is empty, and no refusal": bool(reply.text.strip()) or reply.stop != "end",
        "counts of tokens are whole numbers from 0": all(type(n) is int and n >= 0 for n in counts),
        "it names no model": isinstance(reply.model, str) and bool(reply.model or reply.stop == "refusal"),
        f"stop is one of {', '.join(get_args(Stop))}": reply.stop in get_args(Stop),
        "it says that the request was not sent as it is": reply.verbatim,
    }
    return next((problem for problem, held in checks.items() if not held), "")


async def _repeats_itself(make: Callable[[], Backend]) -> LawResult:
    """A backend that is free is not saved before its answer is used: it must answer the same, always."""
    async with _open(make) as backend, _open(make) as other:
        if not backend.free:
            return LawResult([], "it is not free: its answers are saved")
        first, again, fresh = [
            [await member.answer(request, repeat) for request in REQUESTS for repeat in (0, 1)]
            for member in (backend, backend, other)
        ]
    return alike(first, again, fresh)


async def _answers_at_once(make: Callable[[], Backend]) -> LawResult:
    """Many requests are in flight together; each gets its own answer."""
    async with _open(make) as backend:
        together = await gather(*(backend.answer(request, 0) for request in REQUESTS * 4))
        if not backend.free:
            return LawResult([_describe_misshapen(reply) for reply in together])
        alone = [await backend.answer(request, 0) for request in REQUESTS * 4]
    return alike(alone, together)


async def _keeps_blocks(make: Callable[[], Backend]) -> LawResult:
    """Tools and images are sent whole, or refused: never lost on the way."""
    async with _open(make) as backend:
        try:
            reply = await backend.answer(BLOCKS, 0)
        except ModelFault as fault:
            return LawResult([""], f"refused: {fault}")
    return LawResult(["" if reply.verbatim else "a part of the request was not sent"], "answered")


async def _closes(make: Callable[[], Backend]) -> LawResult:
    """Before its first request, and twice."""
    backend = make()
    await backend.close()
    await backend.close()
    return LawResult([])


BACKENDS: tuple[Law[Backend], ...] = (
    Law("it answers any conversation", "requests answered", _answers),
    Law("same request same answer", "", _repeats_itself),
    Law("it answers many at once", "requests answered at once", _answers_at_once),
    Law("nothing of a request is lost", "requests with tools and an image", _keeps_blocks),
    Law("it can be closed at any time", "", _closes),
)


def _describe_shape(vectors: Array, count: int) -> str:
    """What is wrong with the vectors of so many texts; empty where nothing is."""
    if vectors.ndim != 2 or len(vectors) != count:
        return f"{count} texts gave an array of shape {vectors.shape}"
    if vectors.dtype != np.float32:
        return f"the vectors are {vectors.dtype}, not float32"
    return "" if np.isfinite(vectors).all() else "a number is not finite"


async def _shapes(make: Callable[[], Embedder]) -> LawResult:
    """All texts, one, and none."""
    batches: tuple[Sequence[str], ...] = (TEXTS, TEXTS[:1], ())
    embedder = make()
    return LawResult([_describe_shape(await embedder.embed(batch), len(batch)) for batch in batches])


async def _in_order(make: Callable[[], Embedder]) -> LawResult:
    """The vector of a text does not depend on its place, nor on the texts beside it."""
    embedder = make()
    together, turned = await embedder.embed(TEXTS), await embedder.embed(TEXTS[::-1])
    if problem := _describe_shape(together, len(TEXTS)) or _describe_shape(turned, len(TEXTS)):
        return LawResult([problem])
    cases = []
    for number, text in enumerate(TEXTS):
        rows = (together[number], turned[len(TEXTS) - 1 - number])
        same = all(np.allclose(row, together[TEXTS.index(text)], atol=1e-6) for row in rows)
        cases.append("" if same else f"{text!r} has another vector in another place")
    if np.allclose(together[0], together[1]):
        cases.append(f"{TEXTS[0]!r} and {TEXTS[1]!r} have the same vector")
    return LawResult(cases)


async def _same_vectors(make: Callable[[], Embedder]) -> LawResult:
    """Vectors are saved under the name of their space: a fresh embedder of that space gives the same."""
    first, other = make(), make()
    if first.space != other.space or not first.space.strip() or "\n" in first.space:
        return LawResult([f"its space is {first.space!r}, then {other.space!r}"])
    rows = [await embedder.embed(TEXTS) for embedder in (first, first, other)]
    same = all(np.allclose(rows[0], again, atol=1e-6) for again in rows[1:])
    return LawResult(["" if same else "the same texts gave other vectors"], first.space)


EMBEDDERS: tuple[Law[Embedder], ...] = (
    Law("one vector a text", "batches embedded", _shapes),
    Law("a vector belongs to its text", "texts embedded in two orders", _in_order),
    Law("same space same vectors", "", _same_vectors),
)
