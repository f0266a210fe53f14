"""How the replies of a role are drawn: as the spec says, or as ReasoningBank's own code draws them."""

from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from memtrial.prompts.control_prompts import UNVERIFIED_TOKENS, ControlPrompts
from memtrial.runs.spec.sections import SpecPart


class SamplingSpec(SpecPart):
    """How the replies of one role are drawn.

    Args:
        temperature: null is the provider's own; `upstream` that of ReasoningBank's code for this role where
            its verified prompts are the control (UPSTREAM 3.3 to 3.5), and the provider's own elsewhere.
        max_tokens: of one reply; null sends none. `upstream` is what the verified prompts' own code sends for
            the condenser (none in WebArena, 65,536 in SWE, 2,048 in the paper's harness); 2,048 elsewhere.
    """

    temperature: Annotated[float, Field(ge=0, le=2)] | Literal["upstream"] | None = "upstream"
    max_tokens: Annotated[int, Field(ge=1, le=1_000_000)] | Literal["upstream"] | None = "upstream"


class SamplingByRole(SpecPart):
    """How replies are drawn, by role; `agent` plays and collects, `judge` checks decisions, and grades."""

    agent: SamplingSpec = SamplingSpec()
    condenser: SamplingSpec = SamplingSpec()
    gate: SamplingSpec = SamplingSpec()
    judge: SamplingSpec = SamplingSpec()


SampledRole = Literal["agent", "condenser", "gate", "judge"]
_UPSTREAM: dict[SampledRole, float] = {"agent": 0.7, "gate": 0.0, "judge": 0.0}


class Sampled(NamedTuple):
    """A temperature, and the most tokens of a reply; None for the provider's own."""

    temperature: float | None
    max_tokens: int | None


def sampling_of(asked: SamplingSpec, role: SampledRole, control: ControlPrompts | None = None) -> Sampled:
    """The settings of one role; upstream's hold only beside upstream's verified prompts.

    Source: UPSTREAM 3.3 (agent 0.7, that of SWE 0), 3.4 (condenser 0.7 in v0, 1.0 since), 3.5 (judge 0).
    """
    temperature, max_tokens = asked.temperature, asked.max_tokens
    if temperature == "upstream":
        temperature = None
        if control is not None and control.temperature is not None:
            temperature = _UPSTREAM.get(role, control.temperature)
            if role == "agent" and control.layout == "swe":
                temperature = 0.0
    if max_tokens == "upstream":
        max_tokens = control.max_tokens if control is not None and role == "condenser" else UNVERIFIED_TOKENS
    return Sampled(temperature, max_tokens)


def settle_temperature(asked: SamplingSpec, stated: float | None) -> float | None:
    """What a spec asks for, else what the profile of its bank states; None for the provider's own."""
    return stated if asked.temperature == "upstream" else asked.temperature


def settle_sampling(asked: SamplingByRole, control: ControlPrompts) -> SamplingByRole:
    """With numbers for every role but the condenser's, whose prompts may be others than `control`."""
    drawn = {role: sampling_of(getattr(asked, role), role, control) for role in _UPSTREAM}
    return asked.model_copy(
        update={role: SamplingSpec(**settings._asdict()) for role, settings in drawn.items()}
    )
