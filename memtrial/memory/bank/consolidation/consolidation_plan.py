"""What a consolidation proposes: links and changes of standing, each with its reason.

Nothing is carried out here. Whoever applies a plan writes an event for each proposal; an earlier version of
an item brings it back.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memtrial.memory.bank.bank_item import BankItem, Relation, Standing


@dataclass(frozen=True, slots=True, order=True)
class ProposedLink:
    """A link between two items of one project.

    Args:
        source: the id of the newer item of a contradiction, or of the duplicate.
        target: the other's.
        weight: the cosine of a duplicate, the strength of a contradiction, in [0, 1].
        reason: one line.
    """

    source: str
    target: str
    relation: Relation
    weight: float
    reason: str


@dataclass(frozen=True, slots=True, order=True)
class ProposedChange:
    """A new standing of one item, or its promotion: pinned, it is spared from pruning.

    Args:
        version: of the item that the plan was made from; of another version nothing is to be changed.
        before, after: standings; the same for a promotion.
        pinned: as it will be.
        reason: one line.
    """

    id: str
    version: int
    before: Standing
    after: Standing
    pinned: bool
    reason: str


@dataclass(frozen=True, slots=True)
class ConsolidationPlan:
    """All proposals of one consolidation, in the order of their ids; an item is changed at most once.

    Args:
        n_compared: pairs that were compared for a contradiction.
        n_unread: those of which nobody could say; none of them is merged.
    """

    links: tuple[ProposedLink, ...] = ()
    quarantines: tuple[ProposedChange, ...] = ()
    duplicates: tuple[ProposedChange, ...] = ()
    promotions: tuple[ProposedChange, ...] = ()
    archivings: tuple[ProposedChange, ...] = ()
    n_compared: int = 0
    n_unread: int = 0

    @property
    def changes(self) -> tuple[ProposedChange, ...]:
        """All changes of standing, and promotions."""
        return (*self.quarantines, *self.duplicates, *self.promotions, *self.archivings)


def show_planned(items: Sequence[BankItem], plan: ConsolidationPlan) -> tuple[BankItem, ...]:
    """The items as they would be, each changed one a version later; in their order.

    Raises:
        ValueError: the plan was made from another version of an item.
    """
    changes = {change.id: change for change in plan.changes}
    planned: list[BankItem] = []
    for item in items:
        change = changes.get(item.id)
        if change is None:
            planned.append(item)
            continue
        if change.version != item.version:
            raise ValueError(
                f"the plan is of version {change.version} of item {item.id!r}, which is of version"
                f" {item.version} now; make the plan anew"
            )
        planned.append(replace(item, version=item.version + 1, standing=change.after, pinned=change.pinned))
    return tuple(planned)
