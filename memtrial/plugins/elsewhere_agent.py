"""The agent of a run that a harness of the user's plays: here a trial is what that harness says of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from memtrial.agents.episode import AgentFault
from memtrial.agents.stage import EpisodeMemory, EpisodeWorld
from memtrial.protocols import AskModel
from memtrial.worlds.world import Outcome, Task, Usage

if TYPE_CHECKING:
    from memtrial.outcomes.slots.slot_outcomes import SlotOutcome

ELSEWHERE = "elsewhere"
"""The word of a spec for such an agent."""
HOW = (
    "agent: elsewhere is played by a harness of yours: `memtrial lock SPEC`, `memtrial export RUN --slots"
    " FILE`, and `memtrial import outcomes RUN TABLE` bring its outcomes in"
)


class SlotText(NamedTuple):
    """What a backbone plays once: a task of a repeat with one text, by its sha256, in whatever conditions."""

    backbone: str
    task: str
    repeat: int
    digest: str


@dataclass(frozen=True, slots=True)
class ElsewhereAgent:
    """Reports what a harness said of the text that a trial shows; blind to the arm, as every agent is."""

    outcomes: Mapping[SlotText, SlotOutcome] = field(default_factory=dict)
    name: str = ELSEWHERE
    digests: tuple[str, ...] = (sha256(ELSEWHERE.encode()).hexdigest(),)

    async def __call__(self, task: Task, world: EpisodeWorld, memory: EpisodeMemory, ask: AskModel) -> None:  # noqa: ARG002
        """Report the outcome; AgentFault where the harness has none, or says that the trial was lost."""
        await world.begin()
        digest = sha256(memory.text.encode()).hexdigest()
        outcome = self.outcomes.get(SlotText(world.backbone, task.id, world.repeat, digest))
        if outcome is None:
            raise AgentFault(f"nothing is known of this trial; {HOW}")
        if outcome.score is None:
            raise AgentFault(f"the harness lost this trial: {outcome.error}")
        world.report(Outcome(outcome.success, outcome.score, outcome.cause, _usage(outcome)))


def _usage(outcome: SlotOutcome) -> Usage | None:
    """What the harness measured; of a price that it does not state nothing is known."""
    if outcome.input_tokens is None and outcome.output_tokens is None and outcome.usd is None:
        return None
    return Usage(outcome.input_tokens or 0, outcome.output_tokens or 0, outcome.usd)
