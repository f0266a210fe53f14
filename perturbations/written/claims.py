"""The kinds of damage that a model can write, and what each must do to the advice."""

from collections.abc import Mapping
from typing import Literal

from memtrial.prompts.templates import Prompt

Claim = Literal["turned", "exchanged", "kept", "spared", "hidden"]
"""What a kind claims to do to the advice: all of it is turned into its opposite, or exchanged for other
actions; it is kept in other words, or spared while the words around it become odd; it is hidden by marks, so
that nobody can tell it."""
ODD_INVERSION = "oddity+corrupt_invert"
CLAIMS: Mapping[str, Claim] = {
    "corrupt_invert": "turned",
    "counter": "exchanged",
    "paraphrase": "kept",
    "corrupt_mask": "hidden",
    ODD_INVERSION: "spared",
}
"""The kinds that a model can write."""
NO_RULES = ("counter", "paraphrase")
"""Kinds that do not apply where no draft is accepted. The rules write the others; their masks are read by the
judge as well."""
INSTRUCTIONS = {kind: Prompt(f"perturb_{kind.replace('+', '_')}") for kind in CLAIMS}
