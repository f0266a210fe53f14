"""A perturbation of one's own: every word becomes a sound; headings and the number of words stay."""

from memtrial.perturbations.language.word_spans import reword

SOUNDS = ("ba", "be", "bi", "bo", "bu")


def babble(slot, rng, context):
    return [reword(item, lambda word: str(rng.choice(SOUNDS))) for item in slot.items]
