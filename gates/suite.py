"""The gates there are, by value. A new gate is a file here, its question in prompts, and a line below."""

from loadbearing.episodes.views import View
from loadbearing.gates.claim_strength import CLAIM_STRENGTH
from loadbearing.gates.explanatory_reach import EXPLANATORY_REACH
from loadbearing.gates.gate import Gate, JudgedGate
from loadbearing.gates.grounding_alignment import GROUNDING_ALIGNMENT
from loadbearing.gates.trigger_presence import TRIGGER_PRESENCE
from loadbearing.judges.question import Judge

ALL = (TRIGGER_PRESENCE, CLAIM_STRENGTH, EXPLANATORY_REACH, GROUNDING_ALIGNMENT)
NAMES: tuple[str, ...] = tuple(kind.name for kind in ALL)


def gate_name(text: str) -> str:
    """A gate's name as it is given: `claim_strength` and `claim-strength` are one."""
    dashed = text.strip().replace("_", "-")
    return dashed if dashed in NAMES else text.strip()


def chosen(judge: Judge, names: tuple[str, ...], view: View = "full") -> tuple[Gate, ...]:
    """The named gates, asking `judge`. Which of them run is a factor of the experiment (fork B).

    Raises:
        ValueError: no gate has that name.
    """
    unknown = sorted(set(names) - set(NAMES))
    if unknown:
        raise ValueError(f"no gate is named {', '.join(unknown)}; there are {', '.join(NAMES)}")
    return tuple(JudgedGate(kind, judge, view) for kind in ALL if kind.name in names)
