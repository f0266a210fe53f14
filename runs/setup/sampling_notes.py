"""What a reader has to know of how the native condensers' replies are drawn, beside upstream's own code."""

from collections.abc import Iterator, Sequence

from memtrial.models.client.types import provider_of
from memtrial.models.providers.anthropic import IN_PLACE_OF_NONE
from memtrial.prompts.control_prompts import ControlPrompts
from memtrial.runs.spec.sampling import Sampled, SamplingSpec, sampling_of


def sampling_notes(
    condenser: str, asked: SamplingSpec, prompts: ControlPrompts, models: Sequence[str]
) -> Iterator[str]:
    """A sentence for each difference from upstream's settings that is known before anything is sent.

    Args:
        asked: of the condensing role.
        prompts: the condenser's own; those that are not verified are nobody's, and differ from nothing.
        models: that condense, as `provider/name`.
    """
    if prompts.temperature is None:
        return
    drawn, upstream = (
        sampling_of(asked, "condenser", prompts),
        Sampled(prompts.temperature, prompts.max_tokens),
    )
    if drawn != upstream:
        yield (
            f"Condenser {condenser} is asked with {_settings(drawn)}, as the spec says; upstream's own code"
            f" asks with {_settings(upstream)}."
        )
    demanding = [model for model in models if provider_of(model) == "anthropic"]
    if drawn.max_tokens is None and demanding:
        yield (
            f"Condenser {condenser}: the API of {', '.join(demanding)} demands a limit of tokens;"
            f" {IN_PLACE_OF_NONE:,} is sent where upstream's code sends none."
        )


def _settings(drawn: Sampled) -> str:
    temperature = (
        "the provider's own temperature"
        if drawn.temperature is None
        else f"temperature {drawn.temperature:g}"
    )
    limit = "no max_tokens" if drawn.max_tokens is None else f"max_tokens {drawn.max_tokens:,}"
    return f"{temperature} and {limit}"
