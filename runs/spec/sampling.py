"""How the replies of a role are drawn: as the spec says, or as ReasoningBank's own code draws them."""

from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from loadbearing.prompts.control import ControlPrompts
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


SampledRole = Literal["agent", "condenser", "gate", "judge"]
_UPSTREAM: dict[SampledRole, float] = {"agent": 0.7, "gate": 0.0, "judge": 0.0}


class Sampled(NamedTuple):
    """A temperature, None for the provider's own, and the most tokens of a reply."""

    temperature: float | None
    max_tokens: int


def sampling_of(asked: SamplingSpec, role: SampledRole, control: ControlPrompts | None = None) -> Sampled:
    """The settings of one role; upstream's temperatures hold only beside upstream's verified prompts.

    Source: UPSTREAM 3.3 (agent 0.7), 3.4 (condenser 0.7 in v0, 1.0 since), 3.5 (judge 0).
    """
    if asked.temperature != "upstream":
        return Sampled(asked.temperature, asked.max_tokens)
    if control is None or control.temperature is None:
        return Sampled(None, asked.max_tokens)
    return Sampled(_UPSTREAM.get(role, control.temperature), asked.max_tokens)


def settled(asked: SamplingByRole, control: ControlPrompts) -> SamplingByRole:
    """With numbers for every role but the condenser's, whose prompts may be others than `control`."""
    drawn = {role: sampling_of(getattr(asked, role), role, control) for role in _UPSTREAM}
    return asked.model_copy(update={role: SamplingSpec(**one._asdict()) for role, one in drawn.items()})
