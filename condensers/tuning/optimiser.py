"""DSPy's optimisers: worked examples by bootstrap, or another instruction by reflection on what was wrong."""

import io
import logging
from asyncio import get_running_loop, to_thread
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from typing import Any, Literal

from memtrial.models.client.client import Caller
from memtrial.models.client.structured import as_blocking

Method = Literal["bootstrap", "gepa"]
MOST_DEMOS = 4


@dataclass(frozen=True, slots=True)
class Example:
    """One input with what a good answer is.

    Args:
        id: names it in the register of what was trained on and scored.
        score: of a prediction, in [0, 1], and what was wrong with it in words.
    """

    id: str
    inputs: dict[str, str]
    score: Callable[[Any], tuple[float, str]]


@dataclass(frozen=True, slots=True)
class OptimisedInstruction:
    """What an optimiser found: an instruction, and worked examples to be shown first."""

    instructions: str
    demos: tuple[dict[str, str], ...]


async def optimise(
    signature: Any,
    examples: Sequence[Example],
    callers: tuple[Caller, Caller],
    method: Method,
    most_calls: int,
    seed: int,
    tick: Callable[[int], None],
) -> OptimisedInstruction:
    """Search for a better instruction, or for worked examples, on these examples alone.

    GEPA learns from every second of them and chooses by the others: both hold each label where like ones
    stand together.

    Args:
        callers: the model that is tuned, and the one that reflects.
        most_calls: answers of the tuned model that `gepa` may score.
        tick: told of each answer that was scored.

    Source: DSPy's BootstrapFewShot; GEPA, arXiv 2507.19457.
    """
    import dspy

    loop = get_running_loop()
    by_id = {example.id: example for example in examples}
    cases = [
        dspy.Example(**example.inputs, id=example.id).with_inputs(*example.inputs) for example in examples
    ]

    def score(case: Any, reply: Any, *_: Any) -> Any:
        loop.call_soon_threadsafe(tick, 1)
        value, wrong = by_id[case.id].score(reply)
        return dspy.Prediction(score=value, feedback=wrong or "This is right.")

    def work(model: Any, reflecting: Any) -> Any:  # noqa: ARG001  (DSPy takes the first from its context)
        if method == "bootstrap":
            few = dspy.BootstrapFewShot(
                metric=lambda case, reply, _=None: score(case, reply).score == 1,
                max_bootstrapped_demos=MOST_DEMOS,
                max_labeled_demos=0,
            )
            return few.compile(dspy.Predict(signature), trainset=cases)
        search = dspy.GEPA(
            metric=score, reflection_lm=reflecting, max_metric_calls=most_calls, num_threads=1, seed=seed
        )
        return search.compile(dspy.Predict(signature), trainset=cases[1::2], valset=cases[::2])

    made = await to_thread(_quietly, lambda: as_blocking(callers, loop, work))
    demos = [
        {name: str(demo[name]) for name in demo if name not in ("augmented", "id")} for demo in made.demos
    ]
    return OptimisedInstruction(made.signature.instructions, tuple(demos))


def _quietly(work: Callable[[], Any]) -> Any:
    """DSPy prints bars and logs each round; progress is shown by calls."""
    logging.getLogger("dspy").setLevel(logging.CRITICAL)
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        return work()
