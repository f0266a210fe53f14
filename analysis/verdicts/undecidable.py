"""Cells that no score can decide: said before a trial is played, with what would decide them.

A drop is called load-bearing only where the guards of the content can be satisfied, and some designs leave
them nothing to be satisfied by (STATISTICS 0e.7).
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from memtrial.analysis.estimands.contrast import ABSENT, COUNTER, FLUENT, INVERTED, oddity_of
from memtrial.outcomes.outcomes import Cell
from memtrial.outcomes.reserved_names import INSTRUCTED, INTACT, NONE


@dataclass(frozen=True, slots=True)
class OpenCell:
    """A drop, or the contrast of two, that cannot be called load-bearing, why not, and what would change it.

    `arm` names both arms of a contrast, with a minus between them; each of the `remedies` is enough.
    """

    arm: str
    condition: str
    why: str
    remedies: tuple[str, ...]

    @property
    def remedy(self) -> str:
        """What would change it, in one phrase."""
        return ", or ".join(self.remedies)


def find_open_cells(
    cells: Collection[Cell],
    pairs: Iterable[tuple[str, str]] = (),
    fluent: Collection[Cell] = (),
    silent: Collection[str] = (),
    placebo: str = "",
) -> tuple[OpenCell, ...]:
    """The drops and contrasts that can never get the word, in the order of the cells.

    Args:
        cells: (arm, condition) that can be played: of a plan all, once memories are made those whose damage
            fits some of them.
        pairs: (treatment, control).
        fluent: cells whose texts are known to read as intact ones do; of a plan none is.
        silent: arms whose memory tells no action, as raw trajectories do.
        placebo: the condition that rewords, which is never load-bearing.
    """
    known = set(cells)
    asked = [
        (arm, name)
        for arm, name in cells
        if arm != NONE and "+" not in name and name not in (INTACT, INSTRUCTED, placebo)
    ]
    reasons = ((arm, name, _why(arm, name, known, set(fluent), arm in silent)) for arm, name in asked)
    drops = [OpenCell(arm, name, *why) for arm, name, why in reasons if why is not None]
    open_drops = {(cell.arm, cell.condition) for cell in drops}
    contrasts = [
        OpenCell(f"{treatment} − {control}", name, _ODDITY_APART, (_add_placebo(name),))
        for treatment, control in pairs
        for name in dict.fromkeys(name for arm, name in asked if arm == treatment)
        if (control, name) in known and not open_drops & {(treatment, name), (control, name)}
        if not _is_settled(treatment, name, known, set(fluent))
        or not _is_settled(control, name, known, set(fluent))
    ]
    return (*drops, *contrasts)


_ODDITY_APART = "one arm's may be the odder, unless both read as intact texts do"
_ADD_COUNTER = f"add {COUNTER}, and see that it fits"


def _add_placebo(name: str) -> str:
    return f"add {oddity_of(name)}"


def _why(
    arm: str, name: str, known: Collection[Cell], fluent: Collection[Cell], silent: bool
) -> tuple[str, tuple[str, ...]] | None:
    """Why a drop is never load-bearing, and what would change that; None where it may be."""
    countered, turned = (arm, COUNTER) in known, (arm, INVERTED) in known
    if silent:
        return "its memory tells no action, so that nobody can see whether it is done", (
            "show advice instead",
        )
    if not (countered or turned):
        return "no condition shows whether the agent does what it is told", (_ADD_COUNTER,)
    if not any(other == COUNTER or other.startswith("oddity+") for _, other in known):
        return "nothing tells content from startle", (_ADD_COUNTER, _add_placebo(name))
    if name in ABSENT:
        return None
    if not _is_settled(arm, name, known, fluent) and not (name == INVERTED and countered):
        either = (_add_placebo(name), *([f"add {COUNTER}"] if name == INVERTED else []))
        return "no placebo as odd is played, unless it reads as intact texts do", either
    return None


def _is_settled(arm: str, name: str, known: Collection[Cell], fluent: Collection[Cell]) -> bool:
    """Whether content can be told from oddity there without asking what the agent does."""
    return name in (*FLUENT, *ABSENT) or (arm, name) in fluent or (arm, oddity_of(name)) in known


def open_cell_lines(cells: Iterable[OpenCell]) -> Iterator[str]:
    """A line for each reason and set of arms, with all conditions of which it holds."""
    arms: dict[tuple[str, str], list[OpenCell]] = {}
    for cell in cells:
        arms.setdefault((cell.condition, cell.why), []).append(cell)
    alike: dict[tuple[str, tuple[str, ...]], list[OpenCell]] = {}
    for (_, why), group in sorted(arms.items()):
        alike.setdefault((why, tuple(cell.arm for cell in group)), []).append(group[0])
    for (why, names), group in alike.items():
        conditions = ", ".join(cell.condition for cell in group)
        yield f"{conditions} of {', '.join(names)}: {why}; {_join_remedies(group)}."


def _join_remedies(cells: Sequence[OpenCell]) -> str:
    """What helps all of them; where nothing does, what helps each."""
    common = [remedy for remedy in cells[0].remedies if all(remedy in cell.remedies for cell in cells)]
    own = dict.fromkeys(remedy for cell in cells for remedy in cell.remedies)
    return ", or ".join(common) if common else ", ".join(own)
