"""The treatment: Claim / Trigger / Mechanism / Scope / Form, checked and revised before it is stored."""

from dataclasses import dataclass
from functools import cached_property

from loadbearing.condensers.condenser import Condensation
from loadbearing.condensers.draft_calls import TheoryDrafting
from loadbearing.condensers.loop import Loop
from loadbearing.condensers.reviewer import Reviewer
from loadbearing.episodes.trajectory import Trajectory
from loadbearing.episodes.views import View
from loadbearing.gates.gate import Gate
from loadbearing.models.client.client import Caller
from loadbearing.models.client.structured import Structured


@dataclass(frozen=True)
class Theory:
    """Theory items, checked by gates and revised at most `max_rounds` times.

    Args:
        caller: drafts and revises. The gates bring their own judge.
        gates: which of the suite run (fork B). None of them: the schema alone.
        exhort: gates whose failures the draft prompt warns of.
        reviewer: asks a person about each first draft (fork C); None: the gates decide.
    """

    caller: Caller
    gates: tuple[Gate, ...]
    max_rounds: int = 2
    view: View = "full"
    name: str = "theory"
    exhort: tuple[str, ...] = ()
    reviewer: Reviewer | None = None

    @cached_property
    def _loop(self) -> Loop:
        drafting = TheoryDrafting(Structured(self.caller), self.view, self.exhort)
        return Loop(drafting, self.gates, self.max_rounds, self.name, self.reviewer)

    async def __call__(self, trajectory: Trajectory) -> Condensation:
        """Condense one trajectory.

        Raises:
            ModelFault: no answer could be had.
            ReviewWaits: a person has not decided on all drafts.
        """
        return await self._loop(trajectory)
