"""The gates there are, by value. A new gate is a file here, its question in prompts, and a line below."""

from __future__ import annotations

from dataclasses import replace

from loadbearing.episodes.views import View
from loadbearing.gates.claim_strength import ClaimStrength
from loadbearing.gates.explanatory_reach import ExplanatoryReach
from loadbearing.gates.gate import Gate
from loadbearing.gates.grounding_alignment import GroundingAlignment
from loadbearing.gates.trigger_presence import TriggerPresence
from loadbearing.judges.question import Judge

ALL = (TriggerPresence, ClaimStrength, ExplanatoryReach, GroundingAlignment)
NAMES: tuple[str, ...] = tuple(gate.name for gate in ALL)


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
    gates = tuple(gate(judge) for gate in ALL if gate.name in names)
    # what a claim quotes must stand in what its condenser saw
    return tuple(replace(gate, view=view) if isinstance(gate, GroundingAlignment) else gate for gate in gates)
