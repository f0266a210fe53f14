"""The kinds of damage that a model can write beforehand, and what each must do to the advice."""

from collections.abc import Mapping
from typing import Literal

from memtrial.prompts.templates import Prompt

Claim = Literal["changed", "exchanged", "kept"]
"""What a kind claims to do to the advice: it is no longer given, another action is advised, or it stays."""
CLAIMS: Mapping[str, Claim] = {"corrupt_invert": "changed", "counter": "exchanged", "paraphrase": "kept"}
"""The kinds that a model can write."""
INSTRUCTIONS = {kind: Prompt(f"perturb_{kind}") for kind in CLAIMS}
