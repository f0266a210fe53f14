"""Drafts that are asked for as soon as a trace is there, while other traces are still being collected.

What comes back is only kept: the condensers ask the same, once all traces are there, and have their answers.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from memtrial.agents.trajectory import Trajectory
from memtrial.faults import StoreFault
from memtrial.models.client.structured import load_dspy
from memtrial.models.client.transport import HaltFault
from memtrial.models.client.types import ModelFault
from memtrial.plugins.plugin_names import is_plugin
from memtrial.protocols import Condenser
from memtrial.runs.preparation.open_condensers import build_condenser, setup_of
from memtrial.runs.setup.context import RunContext
from memtrial.runs.setup.parallel_work import end_all
from memtrial.runs.spec.condenser_factors import TYPED, CondenserSpec


@dataclass
class EarlyDrafts:
    """Asks condensers about traces, and keeps no more than the answers.

    Args:
        build: makes the condensers; it may load libraries, and is called in a thread.
    """

    build: Callable[[], Sequence[Condenser]]
    _built: asyncio.Task[Sequence[Condenser]] = field(init=False)
    _begun: list[asyncio.Task[None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._built = asyncio.create_task(asyncio.to_thread(self.build))

    def begin(self, trace: Trajectory) -> None:
        """Have a trace condensed, as far as nothing else is needed for it."""
        self._begun.append(asyncio.create_task(self._ask_all(trace)))

    async def load(self) -> None:
        """Wait for the condensers, and so for the libraries that condensing needs."""
        await self._built

    async def end(self) -> None:
        """Wait for all that was asked; what broke in it breaks again where the answer is needed."""
        await self._built
        for fault in await asyncio.gather(*self._begun, return_exceptions=True):
            if isinstance(fault, BaseException) and not isinstance(
                fault, (ModelFault, HaltFault, StoreFault)
            ):
                raise fault

    async def _ask_all(self, trace: Trajectory) -> None:
        condensers = await self._built
        await end_all(condenser(trace) for condenser in condensers)


def early_drafts(run: RunContext, backbone: str) -> EarlyDrafts:
    """The drafts of a backbone's condensers, each without its gates, which look at all traces."""

    def build() -> tuple[Condenser, ...]:
        asked = {name: run.spec.condensers[name] for name in run.design.memories}
        if any(each.gates or each.kind in TYPED for each in asked.values()):
            load_dspy()
        if asked and run.model_embedder is None:
            load_search()
        setup, draws = setup_of(run, backbone), run.design.draws
        return tuple(
            build_condenser(name, each.model_copy(update={"gates": ()}), setup, draw)
            for name, each in asked.items()
            if _drafts_alone(each)
            for draw in range(draws if name in run.design.drawn else 1)
        )

    return EarlyDrafts(build)


def _drafts_alone(asked: CondenserSpec) -> bool:
    """Whether it asks a model about a trace whatever other traces, condensers or people say."""
    alone = asked.like is None and asked.review != "human" and not is_plugin(asked.kind)
    return alone and asked.kind not in ("nothing", "raw", "steps")


def load_search() -> None:
    """Load what makes vectors of words and searches them, which takes seconds."""
    import faiss  # noqa: F401
    from sklearn.feature_extraction.text import HashingVectorizer  # noqa: F401
