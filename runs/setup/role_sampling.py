"""How the replies of a role are drawn: as the spec says, or as ReasoningBank's own code draws them."""

from typing import Literal, NamedTuple

from loadbearing.prompts.control import ControlPrompts
from loadbearing.runs.spec.sampling import SamplingByRole, SamplingSpec

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

    def of(spec: SamplingSpec, role: SampledRole) -> SamplingSpec:
        return SamplingSpec(**sampling_of(spec, role, control)._asdict())

    return SamplingByRole(
        agent=of(asked.agent, "agent"),
        condenser=asked.condenser,
        gate=of(asked.gate, "gate"),
        judge=of(asked.judge, "judge"),
    )
