"""What two arms show the agent besides their memory."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One way in which the first requests of two arms differ in the same block: a row of `audit`.

    Args:
        what: `memory text`, which is the treatment, or something that is not.
        only_in: the arm in whose requests the excerpt stands; empty where both have something of their own.
        words, characters: by how much `arm` has more, in the mean; of a text that only one has, its size.
            None where a text is not written yet.
        blocks, of_blocks: how many of the blocks that were looked at differ so.
    """

    backbone: str
    arm: str
    versus: str
    what: str
    only_in: str
    words: float | None
    characters: float | None
    blocks: int
    of_blocks: int
    excerpt: str
