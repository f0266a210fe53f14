"""What a run and the processes that damage and play its blocks say to each other, behind the spec."""

from collections.abc import Mapping
from dataclasses import dataclass

from memtrial.call_records import CallBatch
from memtrial.ledger.rows import EpisodeRow, TrialRow
from memtrial.perturbations.advice.known_actions import Repertoire
from memtrial.perturbations.written.draft_book import DraftBook
from memtrial.protocols import World
from memtrial.runs.preparation.arm_slots import ArmSlots
from memtrial.runs.setup.design import design_of
from memtrial.runs.spec.spec import Spec
from memtrial.runs.trials.planned.block_damage import BlockDamage, PackedDamage
from memtrial.runs.trials.planned.block_order import BlockPlaces
from memtrial.runs.trials.planned.planned_blocks import BlockOutline, BlockSource
from memtrial.runs.trials.slot_damage import Damager
from memtrial.runs.trials.stored_damage import StoreBook
from memtrial.runs.trials.trials import TrialLayout
from memtrial.worlds.world import Task

Ended = tuple[TrialRow, EpisodeRow | None]


@dataclass(frozen=True, slots=True)
class BlockBasis:
    """What blocks are laid out from, beside the spec; nothing is answered.

    Args:
        slots: by backbone, what its arms show, once a draw of the banks.
        known, drafts, stored: what damage goes by, as a `Damager` takes it.
        agent_digests: of the agent who plays.
    """

    tasks: tuple[Task, ...]
    slots: Mapping[str, tuple[ArmSlots, ...]]
    known: Repertoire
    drafts: DraftBook
    stored: StoreBook | None
    agent_digests: tuple[str, ...]

    @classmethod
    def of(cls, source: BlockSource) -> "BlockBasis":
        """That of these blocks."""
        layout, damager = source.layout, source.layout.damager
        return cls(
            source.places.tasks,
            source.slots,
            damager.known,
            damager.drafts,
            damager.stored,
            layout.agent_digests,
        )

    def open(self, spec: Spec, world: World) -> BlockSource:
        """The blocks, for a process with a world of its own."""
        damager = Damager(spec, self.known, self.drafts, self.stored)
        layout = TrialLayout(spec, design_of(spec), world, damager, self.agent_digests)
        places = BlockPlaces(spec.backbone, self.tasks, spec.repeats)
        return BlockSource(layout, places, self.slots, BlockDamage(layout))


@dataclass(frozen=True, slots=True)
class DamageWork:
    """Blocks whose slots are to be damaged, by their numbers."""

    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DamagedBlocks:
    """By the number of a block: what the plan keeps of each, and of those with the same damage that of the
    first."""

    outlines: Mapping[int, BlockOutline]
    damages: Mapping[int, PackedDamage]


@dataclass(frozen=True, slots=True)
class PlayWork:
    """A block that is to be played: its damage, the order of its trials, and which of them are over."""

    number: int
    damage: PackedDamage
    order: tuple[int, ...]
    finished: frozenset[str]


@dataclass(frozen=True, slots=True)
class PlayedBlock:
    """What came of a block: the trials of each group, and the calls that were answered for them.

    Args:
        texts: by their digests, texts that its trials show, but for those that this process gave before.
    """

    ended: tuple[tuple[Ended, ...], ...]
    calls: CallBatch
    texts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class BrokenWork:
    """No block can be damaged or played, and why; nothing more comes."""

    why: str


Work = BlockBasis | DamageWork | PlayWork
Answer = DamagedBlocks | PlayedBlock | BrokenWork
