"""The gates there are, by value. A new gate is a file here, its question in prompts, and a line below."""

from collections.abc import Sequence

from memtrial.agents.trajectory_views import View
from memtrial.gates.claim_strength import CLAIM_STRENGTH
from memtrial.gates.duplicate import DUPLICATE
from memtrial.gates.explanatory_reach import EXPLANATORY_REACH
from memtrial.gates.form_check import FORM_CHECK
from memtrial.gates.frontloading import FRONTLOADING
from memtrial.gates.gate import ALONE, GateKind, Surroundings
from memtrial.gates.grounding_alignment import GROUNDING_ALIGNMENT
from memtrial.gates.internal_consistency import INTERNAL_CONSISTENCY
from memtrial.gates.judged_gate import JudgedGate
from memtrial.gates.load_bearing_qualifiers import LOAD_BEARING_QUALIFIERS
from memtrial.gates.prose.prose_economy import PROSE_ECONOMY
from memtrial.gates.prose.register_style import REGISTER_STYLE
from memtrial.gates.refuter import REFUTER
from memtrial.gates.source_residue import SOURCE_RESIDUE
from memtrial.gates.title_as_claim import TITLE_AS_CLAIM
from memtrial.gates.trigger_presence import TRIGGER_PRESENCE
from memtrial.gates.unwarranted_scope import UNWARRANTED_SCOPE
from memtrial.judges.closed_question import Judge
from memtrial.memory.item import NativeItem
from memtrial.memory.item_roles import roles_of

SEED = (TRIGGER_PRESENCE, CLAIM_STRENGTH, EXPLANATORY_REACH, GROUNDING_ALIGNMENT)
"""The seed's candidate subset, which a theory condenser has unless its spec names others."""
ALL = (
    *SEED,
    TITLE_AS_CLAIM,
    UNWARRANTED_SCOPE,
    LOAD_BEARING_QUALIFIERS,
    SOURCE_RESIDUE,
    FRONTLOADING,
    FORM_CHECK,
    INTERNAL_CONSISTENCY,
    REFUTER,
    DUPLICATE,
    PROSE_ECONOMY,
    REGISTER_STYLE,
)
_NATIVE = roles_of(NativeItem("title", "description", "content"))
NAMES: tuple[str, ...] = tuple(kind.name for kind in ALL)
NEGATIVE_CONTROLS: tuple[str, ...] = tuple(kind.name for kind in ALL if kind.control)
"""Gates on wording alone, which are predicted to make no difference to whether advice is followed."""
SEED_SUBSET: tuple[str, ...] = tuple(kind.name for kind in SEED)


def gate_name(text: str) -> str:
    """A gate's name as it is given: `claim_strength` and `claim-strength` are one."""
    dashed = text.strip().replace("_", "-")
    return dashed if dashed in NAMES else text.strip()


def gate_names(given: str | Sequence[str]) -> tuple[str, ...]:
    """The names that `all`, `seed`, `none`, a text with commas or a list asks for.

    Unknown ones stay, and so does one that is given twice by its name, for others to refuse.
    """
    named: list[str] = []
    for text in given.split(",") if isinstance(given, str) else given:
        group = {"all": NAMES, "seed": SEED_SUBSET, "none": ()}.get(text.strip())
        named += [gate_name(text)] if group is None else [name for name in group if name not in named]
    return tuple(named)


def gates_of_native(given: str | Sequence[str]) -> tuple[str, ...]:
    """The same for a native condenser: of `all` and `seed`, those that a native item has a place for.

    Raises:
        ValueError: a gate is named that reads what no native item has.
    """
    texts = given.split(",") if isinstance(given, str) else given
    lost = {kind.name for kind in ALL if any(getattr(_NATIVE, need) is None for need in kind.needs)}
    if named := [name for text in texts if (name := gate_name(text)) in lost]:
        raise ValueError(f"{', '.join(named)} reads what a native item has no place for; leave it out")
    return tuple(name for name in gate_names(texts) if name not in lost)


def kinds_of(names: Sequence[str]) -> tuple[GateKind, ...]:
    """The named gates, in the suite's order.

    Raises:
        ValueError: no gate has that name.
    """
    unknown = sorted(set(names) - set(NAMES))
    if unknown:
        raise ValueError(f"no gate is named {', '.join(unknown)}; there are {', '.join(NAMES)}")
    return tuple(kind for kind in ALL if kind.name in names)


def choose_gates(
    judge: Judge, names: tuple[str, ...], view: View = "full", around: Surroundings = ALONE
) -> tuple[JudgedGate, ...]:
    """The named gates, asking `judge`. Which of them run is a factor of the experiment (fork B).

    Raises:
        ValueError: no gate has that name.
    """
    return tuple(JudgedGate(kind, judge, view, around) for kind in kinds_of(names))
