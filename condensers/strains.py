"""Where the theory of authored notes does not fit a trace (seeds/002, "Theory-transfer watch"), by name.

`register`: the theory is about authored prose, and the draft is a trace, or reads as a report of one.
`system definition`: what a system could run, a Trigger to match or a check to evaluate, is asked of what is a
piece of knowledge and has none.
"""

from typing import Literal

from memtrial.condensers.schema_form import SCHEMA_FORM
from memtrial.gates.gate import Finding
from memtrial.memory.item import Item, ProseItem

NamedStrain = Literal["", "register", "system definition"]


def name_strain(item: Item, finding: Finding) -> NamedStrain:
    """What a finding says of the fit of theory and trace; empty where it is about this item alone."""
    if finding.gate == SCHEMA_FORM:
        return "register"
    if finding.finding != "NOT_APPLICABLE":
        return ""
    return "register" if isinstance(item, ProseItem) else "system definition"
