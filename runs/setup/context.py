"""What all steps of one session share."""

from __future__ import annotations

from dataclasses import dataclass

from loadbearing.environments.world import Task, World
from loadbearing.ledger.store import Ledger
from loadbearing.models.client.client import ModelClient
from loadbearing.models.embeddings.embedding import Embedder
from loadbearing.runs.progress.display import Display
from loadbearing.runs.setup.design import Design
from loadbearing.runs.setup.model_client import AT_ONCE, workers
from loadbearing.runs.setup.preflight import Experiment
from loadbearing.runs.spec.spec import Spec


@dataclass(frozen=True, slots=True)
class RunContext:
    """What all steps of one session share: the experiment, and what is open for it.

    Args:
        world: for tasks, rules and true memories; trials are played in worlds of their own.
        embedder: makes vectors for retrieval.
    """

    experiment: Experiment
    world: World
    embedder: Embedder
    model_client: ModelClient
    ledger: Ledger
    display: Display

    @property
    def spec(self) -> Spec:
        return self.experiment.spec

    @property
    def design(self) -> Design:
        return self.experiment.design

    @property
    def cue(self) -> str:
        """The line above the items."""
        return self.experiment.cue.text

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The tasks that are played."""
        return self.world.tasks("test")

    @property
    def workers(self) -> int:
        """Episodes played at a time."""
        return workers(self.experiment, self.world.blocking)

    @property
    def at_once(self) -> int:
        """Traces condensed, or questions asked, at a time."""
        return max(AT_ONCE, workers(self.experiment, False))
