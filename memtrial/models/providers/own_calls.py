"""`own/<agent>`: the backbone of an agent that makes its calls by itself. Nothing is asked of it here."""

from dataclasses import dataclass

from memtrial.models.client.types import ModelFault, Reply, Request


@dataclass(frozen=True, slots=True)
class OwnCalls:
    """Stands in the place of a model where the agent brings its own."""

    model: str
    free: bool = True

    async def answer(self, request: Request, repeat: int) -> Reply:  # noqa: ARG002
        """Raises ModelFault: there is no model behind it."""
        raise ModelFault(f"{self.model} is no model: the agent makes its own calls; name a model to be asked")

    async def close(self) -> None:
        """There is nothing to close."""
