"""Damage that changes words and leaves the advice as it was."""


def footnote(slot, rng, donor):
    return [f"{text}\n\nThe paper of this note is yellow." for text in slot.items]
