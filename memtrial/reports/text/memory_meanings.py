"""The words for the end of a trial of one memory, and what each says of it."""

from collections.abc import Mapping
from typing import Literal

MemoryWord = Literal["harms", "none", "decoration", "costs", "undecided"]

MEANINGS: Mapping[MemoryWord, str] = {
    "harms": "it is shown to lower the score",
    "none": "it is shown to change the score by less than the margin",
    "decoration": "it helps, and damage to its content is shown to cost less than the margin",
    "costs": "it is shown to take more tokens, and shown not to help",
    "undecided": "whether it helps is not decided",
}
"""What each says of the memory, the order in which they are listed. A memory that helps by its content has
none of them."""
