"""The plan of a trial of sections, fixed before the first trial: parts, halves, sizes and rules."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from memtrial.analysis.arrays import Bools
from memtrial.analysis.screening.half_fractions import MOST_PARTS, draw_halves, lay_out_few, tells_apart
from memtrial.analysis.screening.part_screening import ScreeningRules
from memtrial.analysis.screening.stage_sizes import StageSizes
from memtrial.analysis_rules import AnalysisRules
from memtrial.faults import SpecFault
from memtrial.ledger.random_streams import Stream, generator
from memtrial.memory.notes.note_parts import NoteParts, find_parts
from memtrial.outcomes.count_words import how_many
from memtrial.plugins.given_memory import GivenMemory
from memtrial.plugins.task_texts import give_texts
from memtrial.private_file import read_private, write_whole

FEWEST, ROWS_A_PART = 2, 2
PLAN = "sections_plan.json"
HALF, FEW = "half", "few"


class LockedSections(BaseModel):
    """What may not change once a trial was played.

    Args:
        sections: sha256 of each, in the order of the file.
        tasks: their digests, in order.
        most: how many sections are confirmed at most; `threshold`: the largest p of one that is.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    memory: str
    sections: tuple[str, ...]
    tasks: tuple[str, ...]
    seed: int
    repeats: int
    pairs: int
    fresh_pairs: int
    threshold: float
    most: int
    margin: float
    alpha: float


@dataclass(frozen=True, slots=True)
class SectionPlan:
    """Which sections stand in which text.

    Args:
        tasks: their ids and digests, in order.
    """

    parts: NoteParts
    tasks: Mapping[str, str]
    seed: int
    size: StageSizes
    screening: ScreeningRules
    rules: AnalysisRules

    @property
    def n_parts(self) -> int:
        return len(self.parts.parts)

    @property
    def screens(self) -> bool:
        """Whether there are more sections than may be confirmed."""
        return self.n_parts > self.screening.most

    @property
    def family(self) -> int:
        """How many sections may be confirmed."""
        return min(self.screening.most, self.n_parts)

    @property
    def halves(self) -> Bools:
        """The first half of each pair of the screening, shape (n_tasks, n_pairs, n_parts)."""
        drawn = generator(self.seed, Stream.SECTION_HALVES)
        return draw_halves(len(self.tasks), self.size.pairs, self.n_parts, drawn)

    def screening_arms(self) -> dict[str, GivenMemory]:
        """The texts of the screening, by arm: a half of the sections and its other half, a pair of arms."""
        halves, every = self.halves, range(self.n_parts)
        return {
            name_arm(HALF, pair, side): give_texts(
                {
                    task: self.parts.keep([part for part in every if halves[place, pair, part] ^ bool(side)])
                    for place, task in enumerate(self.tasks)
                }
            )
            for pair in range(self.size.pairs)
            for side in (0, 1)
        }

    def fresh_arms(self, few: Sequence[int]) -> dict[str, GivenMemory]:
        """The texts of the confirmation: the sections that were chosen stand or not, all others stand."""
        every, arms = range(self.n_parts), dict[str, GivenMemory]()
        for pair, row in enumerate(lay_out_few(len(few))):
            for side in (0, 1):
                gone = {part for part, stands in zip(few, row ^ bool(side), strict=True) if not stands}
                text = self.parts.keep([part for part in every if part not in gone])
                arms[name_arm(FEW, pair, side)] = give_texts(dict.fromkeys(self.tasks, text))
        return arms

    def locked(self, memory: str) -> LockedSections:
        """The plan as it is kept; `memory` is the whole text."""
        return LockedSections(
            memory=_digest(memory),
            sections=tuple(_digest(part.text) for part in self.parts.parts),
            tasks=tuple(self.tasks.values()),
            seed=self.seed,
            repeats=self.size.repeats,
            pairs=self.size.pairs,
            fresh_pairs=self.size.fresh_pairs,
            threshold=self.screening.threshold,
            most=self.screening.most,
            margin=self.rules.margin,
            alpha=self.rules.alpha,
        )


def name_arm(stage: str, pair: int, side: int) -> str:
    """`half-1a` is one half of the first pair, `half-1b` the other."""
    return f"{stage}-{pair + 1}{'ab'[side]}"


def plan_sections(text: str, tasks: Mapping[str, str], seed: int, repeats: int, margin: float) -> SectionPlan:
    """The plan for a file and its tasks, by id with their digests.

    Raises:
        SpecFault: the file has too few sections, or too many, or there are too few tasks to tell them apart.
    """
    parts = find_parts(text)
    n_parts = len(parts.parts)
    if n_parts < FEWEST:
        raise SpecFault(
            f"--sections needs a file of {FEWEST} sections, points or paragraphs; this one is a single one:"
            " leave --sections out"
        )
    if n_parts > MOST_PARTS:
        raise SpecFault(
            f"--sections tells {MOST_PARTS} sections apart; this file has {n_parts}: put headings above"
            " groups of them, or try a shorter file"
        )
    size = StageSizes(repeats)
    plan = SectionPlan(parts, tasks, seed, size, ScreeningRules(), AnalysisRules(margin=margin))
    needed = -(-ROWS_A_PART * n_parts // size.pairs) if plan.screens else FEWEST
    if len(tasks) < needed:
        raise SpecFault(
            f"--sections needs {how_many(needed, 'task')} for {n_parts} sections, and there are {len(tasks)};"
            " add tasks, or put headings above groups of sections"
        )
    if plan.screens and not tells_apart(plan.halves):
        raise SpecFault("these halves do not tell the sections apart; use another --seed, or more tasks")
    return plan


def refuse_other_plan(folder: Path, locked: LockedSections) -> None:
    """SpecFault where the folder was begun with another plan."""
    try:
        text = read_private(folder / PLAN)
    except FileNotFoundError:
        return
    except OSError as fault:
        raise SpecFault(f"{folder / PLAN} cannot be read: {fault.strerror}") from fault
    try:
        before = LockedSections.model_validate_json(text)
    except ValidationError as fault:
        raise SpecFault(f"{folder / PLAN} is no plan of sections; use --out with another folder") from fault
    if before != locked:
        fields = LockedSections.model_fields
        changed = [name for name in fields if getattr(before, name) != getattr(locked, name)]
        raise SpecFault(
            f"{folder} holds another trial of sections; changed: {', '.join(changed)}. Use --out with a new"
            " folder, or --clean to begin anew"
        )


def lock_plan(folder: Path, locked: LockedSections) -> None:
    """Write the plan down, before the first trial."""
    write_whole(folder / PLAN, locked.model_dump_json(indent=2) + "\n")


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
