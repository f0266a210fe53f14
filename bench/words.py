"""The words that benches make prompts and episodes of."""

from __future__ import annotations

WORDS = (
    "valve",
    "pump",
    "drawer",
    "first",
    "before",
    "open",
    "turn",
    "look",
    "kitchen",
    "note",
    "red",
)
