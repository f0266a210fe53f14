"""Where a native condenser is asked otherwise than by upstream's code, a sentence says so."""

import pytest

from memtrial.prompts.control_prompts import ControlPrompts
from memtrial.runs.setup.sampling_notes import sampling_notes
from memtrial.runs.spec.sampling import SamplingSpec

V1 = ControlPrompts("s", "f", "control: upstream webarena v1 (verified)", temperature=1.0, max_tokens=None)
SWE = ControlPrompts("s", "f", "control: upstream swe (verified)", temperature=1.0, max_tokens=65_536)
CLAUDE, GPT = "anthropic/claude", "openai/gpt"


@pytest.mark.parametrize(
    ("prompts", "asked", "models", "says"),
    [
        (V1, SamplingSpec(), [GPT], []),
        (V1, SamplingSpec(), [GPT, CLAUDE], ["anthropic/claude demands a limit of tokens; 64,000 is sent"]),
        (SWE, SamplingSpec(), [CLAUDE], []),
        (
            V1,
            SamplingSpec(temperature=0.3, max_tokens=500),
            [CLAUDE],
            ["temperature 0.3 and max_tokens 500, as the spec says; upstream's own code asks"],
        ),
        (SWE, SamplingSpec(max_tokens=None), [GPT], ["no max_tokens, as the spec says"]),
        (
            ControlPrompts("s", "f", "control: embedded equivalent"),
            SamplingSpec(temperature=0.3),
            [CLAUDE],
            [],
        ),
    ],
)
def test_what_upstream_asks_otherwise_is_said(prompts, asked, models, says):
    notes = list(sampling_notes("native", asked, prompts, models))
    assert len(notes) == len(says)
    assert all(part in note for part, note in zip(says, notes, strict=True))
