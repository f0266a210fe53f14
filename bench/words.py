"""The words that benches make prompts and episodes of."""

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
