"""How the memories of the arms were made: what each contrast can say, and what each memory took."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean

from memtrial.call_purpose import Purpose
from memtrial.ledger.rows import CondensationRow
from memtrial.ledger.run_plan import RunPlan
from memtrial.outcomes.grouping import group_by
from memtrial.protocol.arm_factors import DISCUSSED
from memtrial.views.rows.play_rows import MakingRow

FACTORS: Mapping[str, tuple[str, str]] = {
    "draft": (
        "the schema and the prompts of the draft",
        "fields and wording come together, and so do their calls and lengths",
    ),
    "warned": ("criteria as wording in the draft prompt", "nothing checks them"),
    "checked": (
        "what happens between draft and store",
        "gates bring criteria, calls and fewer items at once; revisions without criteria, and items removed"
        " at random, tell these apart",
    ),
    "length": ("the amount of text", "cut or padded words may matter besides their number"),
    "thinned": ("the number of items", "which of them go is chance"),
    "discussed": ("the instruction to discuss each item", "what is said of an item need not be acted on"),
    "injection": ("when the text reaches the agent", "an item that never comes up is not shown at all"),
}
"""By factor what a contrast on it alone is about, and what it cannot tell."""
CHECKS: Mapping[frozenset[str], tuple[str, str]] = {
    frozenset({"gates"}): ("which gates run", "a gate's criteria, calls and dropped items come together"),
    frozenset({"gates", "placebo"}): (
        "what the gates say, and the items that they drop",
        "revisions are equally many; items removed at random tell the two apart",
    ),
    frozenset({"person", "gates"}): (
        "who decides, a person or the gates",
        "gates revise, and a person edits or rejects",
    ),
    frozenset({"person", "nobody"}): (
        "a person's decisions on drafts",
        "edits and fewer items come together",
    ),
    frozenset({"placebo", "nobody"}): ("revising for its own sake", "nobody says what is wrong"),
}
"""The same of two arms whose drafts are checked otherwise, by who checks."""


def contrast_lines(plan: RunPlan) -> tuple[str, ...]:
    """A sentence on each declared contrast of two arms whose memories were condensed."""
    return tuple(filter(None, (_line(plan, *pair) for pair in (*plan.pairs, *plan.channel_pairs))))


def _line(plan: RunPlan, treatment: str, control: str) -> str:
    levels = [_levels(plan, arm) for arm in (treatment, control)]
    if not all(levels):
        return ""
    apart = [name for name in FACTORS if levels[0][name] != levels[1][name]]
    if not apart:
        return f"{treatment} − {control}: both are made alike; a difference is chance, or that of two banks."
    if len(apart) == 1:
        about, limit = FACTORS[apart[0]]
        if apart[0] == "checked":
            about, limit = CHECKS.get(frozenset(level["checked_by"] for level in levels), (about, limit))
        return f"{treatment} − {control}: isolates {about}. It cannot tell more: {limit}."
    named = " and ".join(FACTORS[name][0] for name in apart)
    return f"{treatment} − {control}: a bundle of {named}; it cannot tell which of them counts."


def _levels(plan: RunPlan, arm: str) -> dict[str, str]:
    """The level of every factor; none of an arm whose memory no condenser made."""
    memory, injection = plan.levels.get(arm, ("", ""))
    made = plan.makeups.get(memory)
    kind = injection.removesuffix(DISCUSSED)
    own = {"injection": kind, "discussed": str(kind != injection)}
    return {} if made is None else made.model_dump() | own


def making_rows(
    plan: RunPlan, rows: Iterable[CondensationRow], used: Mapping[Purpose, Sequence[int]]
) -> tuple[MakingRow, ...]:
    """What each arm's condenser took, in the order of the plan; arms of one condenser share it."""
    own = group_by(rows, lambda row: row.condenser)
    words = {name: fmean(map(_n_words, made)) for name, made in own.items()}
    making = []
    for arm, (memory, injection) in plan.levels.items():
        if memory in plan.makeups:
            judged = Purpose("gate", memory)
            gates = [counts for purpose, counts in used.items() if replace(purpose, gate="") == judged]
            condense = used.get(Purpose("condense", memory), (0, 0, 0))
            making.append(
                MakingRow(
                    arm=arm,
                    injection=injection,
                    memory=plan.makeups[memory].line,
                    words=round(words[memory], 2) if memory in words else None,
                    calls=condense[0],
                    gate_calls=sum(counts[0] for counts in gates),
                    input_tokens=sum(counts[1] for counts in (condense, *gates)),
                    output_tokens=sum(counts[2] for counts in (condense, *gates)),
                )
            )
    return tuple(making)


def _n_words(row: CondensationRow) -> int:
    reply = row.body.get("reply")
    shown = [reply] if reply is not None else [item["markdown"] for item in row.body["items"]]
    return sum(len(text.split()) for text in shown)
