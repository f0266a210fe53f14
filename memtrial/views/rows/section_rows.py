"""What a trial of the sections of a memory file says: a row for each section."""

from typing import Literal

from memtrial.result_record import ResultRecord

SectionWord = Literal["helps", "harms", "can go", "not settled"]


class SectionRow(ResultRecord):
    """One section, or point, or paragraph of the file."""

    number: int
    """From 1."""
    name: str
    """Its heading, or its first words."""
    line: int
    last_line: int
    tokens: int
    """What it costs a turn, estimated at four characters a token."""
    stage: Literal["screening", "confirmation"]
    """Whose trials tell of it."""
    estimate: float
    """The score where it stands less that where it does not, in points of score."""
    low: float
    high: float
    """Ends of an interval that holds, with 1 - alpha, for all sections at once that its stage may tell of."""
    p: float
    """Of no effect, adjusted for all that may be chosen; 1 of one that was not chosen."""
    p_equivalence: float
    """Of an effect at or beyond the margin, adjusted for all sections and both stages."""
    word: SectionWord


class SectionResults(ResultRecord):
    """The end of a trial of sections."""

    format: Literal["memtrial sections 1"] = "memtrial sections 1"
    memory: str
    """The name of the file."""
    agent: str
    kind: Literal["section", "point", "paragraph"]
    simulated: bool
    n_tasks: int
    n_screening: int
    """Trials of the screening that ended with a score; 0 where all sections were confirmed at once."""
    n_confirmation: int
    n_lost: int
    """Trials that ended as errors."""
    solved_whole: float | None
    """Mean score with the whole file, in the confirmation; None where nothing was chosen."""
    solved_without: float | None
    """Mean score without the file."""
    usd: float | None
    """None where what some trial cost is not known."""
    margin: float
    alpha: float
    threshold: float
    """Largest p, of its own, of a section that was chosen for the confirmation."""
    most: int
    """How many were chosen at most."""
    room: bool
    """Whether the score with the file can fall by more than twice the margin."""
    sections: tuple[SectionRow, ...]
    alarms: tuple[str, ...] = ()
    """What forbids to believe the rest."""

    def json_text(self) -> str:
        """The same as JSON, for `results.json`."""
        return self.model_dump_json(indent=2) + "\n"
