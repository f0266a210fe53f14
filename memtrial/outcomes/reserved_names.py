"""Names that stand for something in every table of outcomes."""

ALL = "all"
"""Stands in the place of a backbone where an estimate is the mean over all of them."""

NONE, ORACLE = "none", "oracle"
"""The arm without memory, and the arm whose memory is known to hold the answer: the positive control."""

INTACT, WITHOUT = "intact", "without"
"""The condition in which memory is shown as it is, and the one of the arm without any."""

INSTRUCTED = "instructed"
"""The condition in which an arm's own items stand under the plain instruction to follow them."""

PLACEBO = "paraphrase"
"""The condition that keeps the meaning and changes the wording alone."""

INVERTED = "corrupt_invert"
"""The condition by which an ablation damages memory, unless another is asked for."""

UNREADABLE = ("broken format", "refusal")
"""Causes of failures in which the agent's replies could not be read, or it would not go on."""

MEANING, REMOVAL = "meaning", "removal"
"""What conditions do, as a plan states it: they change what the text says, or leave no content. Which
condition does which stands on its perturbation."""
WITHHOLD = "withhold"
"""The injection of an arm whose memory is kept, and whose text is shown to nobody."""
