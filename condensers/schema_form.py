"""What an item of the schema must be to be stored at all, whatever gates are on (seeds/002, T-03 to T-09).

Form, and no criterion: a Claim that names state, action and reason; a Mechanism, a Scope with its exclusion,
and a Form; no words about the run it came from, and no work left to the reader. Whether what it says is true,
strong or grounded is the gates' question. A native item has no such form: its schema is upstream's.
"""

from collections.abc import Iterator
from dataclasses import replace

from memtrial.agents.trajectory import Trajectory
from memtrial.gates.frontloading import FRONTLOADING
from memtrial.gates.gate import Finding, GateCase, evidence
from memtrial.memory.item import AdditiveItem, Item, TypedItem
from memtrial.memory.item_roles import roles_of
from memtrial.memory.language.claim_text import is_english, read_claim
from memtrial.memory.language.outside_references import find_deferral, find_meta_prose
from memtrial.memory.language.scope_text import find_exclusion
from memtrial.memory.language.structure import ADVISING

SCHEMA_FORM = "schema-form"
"""The name under which a miss stands among the findings."""
MEANT = "In <what stands there>, do or avoid <one action>, because <reason>"


def check_form(item: Item, trajectory: Trajectory) -> Finding | None:
    """What the item misses, in one finding that quotes the first fault; None where it has its form."""
    faults = tuple(_faults(item, trajectory)) if isinstance(item, TypedItem) else ()
    if not faults:
        return None
    quote = next((quote for _, quote in faults if quote), evidence(item))
    return Finding(SCHEMA_FORM, "FAIL", quote, "item", "; ".join(reason for reason, _ in faults))


def _faults(item: TypedItem, trajectory: Trajectory) -> Iterator[tuple[str, str]]:
    """Each fault, with the words that show it where some do."""
    if is_english(item.claim):
        named = read_claim(item.claim)._asdict()
        if lacking := [name for name, words in named.items() if not words]:
            yield f'the Claim names no {" and no ".join(lacking)}; write "{MEANT}"', ""
    told = ("title", "description", "content") if isinstance(item, AdditiveItem) else ()
    for name in (*told, "mechanism", "scope", "form"):
        if not getattr(item, name):
            yield f"there is no {name.capitalize()}", ""
    if item.scope and is_english(item.scope) and not find_exclusion(item.scope):
        yield 'the Scope excludes nothing; say "Does NOT apply when ..."', ""
    for name in ("claim", "mechanism", "scope", *told):
        if meta := find_meta_prose(getattr(item, name), advice=name in ADVISING):
            yield f"the {name.capitalize()} speaks of the run or of itself, not to an agent at work", meta
    for name in ("claim", *told, "mechanism", "scope"):
        if deferred := find_deferral(getattr(item, name)) or _find_seeking(item, name, trajectory):
            yield f"the {name.capitalize()} leaves the work to its reader: say what is to be done", deferred


def _find_seeking(item: TypedItem, name: str, trajectory: Trajectory) -> str:
    """The words of a field that advises which send its reader to find something out."""
    if name not in ADVISING:
        return ""
    case = GateCase(item, replace(roles_of(item), what=getattr(item, name)), trajectory)
    return next((ruling.quote for ruling in FRONTLOADING.rule(case)), "")
