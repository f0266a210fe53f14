"""Does the item ask to be relied on only as far as its run reaches, and say where that ends?

A program sees a Scope that reaches everything, ends nowhere, or says the Claim again. Whether the class it
names is the one the run exercised, and whether a reason carries it further, is the judge's question.
"""

import re

from loadbearing.gates.explanatory_reach import OUTCOME
from loadbearing.gates.gate import Case, GateKind, Ruling
from loadbearing.memory.language.lexicon import listing
from loadbearing.memory.language.scope_text import read_scope, substance
from loadbearing.memory.markdown import render
from loadbearing.memory.words import content_words

_CLASS = (
    r"(?:web\s?)?(?:site|page|task|app|application|situation|case|environment|question|repositor|repo|project"
    r"|problem|world|game|program|store|shop|website|domain|list|table|room|one|bod)(?:s|y|ies)?"
)
UNIVERSAL = re.compile(
    rf"(?i)\b(?:everywhere|anywhere|universally|everything|anything|in\s+general|no\s+exceptions?|without\s+exception"
    rf"|(?:in|on|for|to|at|with|across|of)\s+(?:any|every|all|each)(?:\s+[\w-]+(?:\s+of)?)?\s+{_CLASS}"
    rf"|(?:any|every|all)\s+(?:[\w-]+\s+)?{_CLASS})\b(?!\s+(?:with|that|which|whose|where|when|of|in|on|from|without|having|as)\b"
    r"|\s+\w+ing\b)"
    r"|\buniversal\b|\bregardless\s+of\b|\bno\s+(?:known\s+)?limits?\b|\b(?:of\s+all|all)\s+(?:sorts|kinds|types)\b"
    r"|\b(?:every|any|all)\s+[\w-]+\s+there\s+(?:is|are)\b|\A\W*(?:any|every|all)\s+[\w-]+\s*[.;]"
)
IDLE = frozenset(content_words(listing("gates.unfit")))
SAME = 0.85
"""Share of the Scope's content words that stand in the Claim, from which on it says the Claim again."""


def overreach(case: Case) -> Ruling | None:
    """What is wrong with the reach of the item, seen by a program."""
    scope = case.roles.where
    text = render(case.item) if scope is None else scope
    claimed = text if scope is None else read_scope(text).reach
    if found := UNIVERSAL.search(claimed):
        return Ruling("the item is said to hold without limit", found[0])
    if scope is None:
        return None
    if not scope:
        return Ruling("there is no Scope")
    said, claim = content_words(scope), set(content_words(case.roles.what))
    if said and sum(word in claim for word in said) >= SAME * len(said):
        return Ruling("the Scope only says the Claim again", scope.split("\n")[0])
    beyond = read_scope(scope).beyond
    if not beyond:
        return Ruling("the Scope does not say where it ends", scope.split("\n")[0])
    reached = IDLE | OUTCOME | set(content_words(read_scope(scope).reach))
    if not any(substance(one) - (reached if _blames(one) else OUTCOME) for one in beyond):
        return Ruling("what the Scope excludes names nothing that one could see", scope.split("\n")[0])
    return None


def _blames(text: str) -> bool:
    """The exclusion gives a verdict on the case in place of a sign of it: unsuitable, broken, of no use."""
    return bool(set(content_words(text)) & IDLE)


UNWARRANTED_SCOPE = GateKind(
    "unwarranted-scope",
    "The item invites reliance beyond the cases that the run exercised.",
    ("what",),
    overreach,
)
