"""How the replies of each role are drawn, as a spec says it."""

from typing import Annotated, Literal

from pydantic import Field

from loadbearing.runs.spec.sections import Part


class SamplingSpec(Part):
    """How the replies of one role are drawn.

    Args:
        temperature: null is the provider's own; `upstream` that of ReasoningBank's code for this role where
            its verified prompts are the control (UPSTREAM 3.3 to 3.5), and the provider's own elsewhere.
        max_tokens: of one reply.
    """

    temperature: Annotated[float, Field(ge=0, le=2)] | Literal["upstream"] | None = "upstream"
    max_tokens: int = Field(2048, ge=1, le=1_000_000)


class SamplingByRole(Part):
    """How replies are drawn, by role; `agent` plays and collects, `judge` checks decisions, and grades."""

    agent: SamplingSpec = SamplingSpec()
    condenser: SamplingSpec = SamplingSpec()
    gate: SamplingSpec = SamplingSpec()
    judge: SamplingSpec = SamplingSpec()
