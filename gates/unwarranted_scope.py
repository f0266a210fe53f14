"""Does the item ask to be relied on only as far as its run reaches, and say where that ends?

A program sees a Scope that reaches everything, ends nowhere, or says the Claim again. Whether the class it
names is the one the run exercised, and whether a reason carries it further, is the judge's question.
"""

import re
from collections.abc import Iterator

from memtrial.gates.explanatory_reach import OUTCOME
from memtrial.gates.gate import GateCase, GateKind, Ruling
from memtrial.memory.language.lexicon import read_section
from memtrial.memory.language.scope_text import read_scope, substance
from memtrial.memory.markdown import render
from memtrial.memory.words import content_words

_CLASS = (
    r"(?:web\s?)?(?:site|page|task|app|application|situation|case|environment|question|repositor|repo|project"
    r"|problem|world|game|program|store|shop|website|domain|list|table|room|one|bod)(?:s|y|ies)?"
)
UNIVERSAL = re.compile(
    rf"(?i)\b(?:everywhere|anywhere|universally|(?:for|to|of|in|with)\s+(?:everything|anything)|in\s+general"
    rf"|no\s+exceptions?|without\s+exception"
    rf"|(?:in|on|for|to|at|with|across|of)\s+(?:any|every|all|each)(?:\s+[\w-]+(?:\s+of)?)?\s+{_CLASS}"
    rf")\b(?!\s+(?:with|that|which|whose|where|when|of|in|on|from|without|having|as)\b"
    r"|\s+\w+ing\b)"
    r"|\buniversal\b|\bregardless\s+of\b|\bno\s+(?:known\s+)?limits?\b|\b(?:of\s+all|all)\s+(?:sorts|kinds|types)\b"
    r"|\b(?:every|any|all)\s+[\w-]+\s+there\s+(?:is|are)\b|\A\W*(?:any|every|all)\s+[\w-]+\s*[.;]"
)
_FIRST = re.compile(
    rf"(?i)(?:\A|[.;:])\W?\W?(?:any|every|all)\s+(?:[\w-]+\s+)?{_CLASS}\b(?!\s+(?:with|that|which|whose|where|when|of|in|on"
    r"|from|without|having|as)\b|\s+\w+ing\b)"
)
"""A Scope that begins with all of them; further on, all pages may be those of one list."""
_OUTRIGHT = re.compile(
    r"(?i)\b(?:everywhere|anywhere|universally|in\s+general|no\s+exceptions?|without\s+exception|regardless\s+of"
    r"|(?:in|on|for|to|at|across)\s+(?:any|every|all)\s+(?:[\w-]+\s+)?(?:site|website|app|application|task|situation|domain"
    r"|environment|repository|project|problem|world|game|question)s?)\b(?!\s+(?:with|that|which|whose|where|when|of|in|on|from"
    r"|without|having|as)\b|\s+\w+ing\b)"
)
"""What claims no limit in a text that has no Scope, where "all pages" is mostly advice."""
IDLE = frozenset(content_words(read_section("gates.unfit")))
SAME = 0.85
"""Share of the Scope's content words that stand in the Claim, from which on it says the Claim again."""


def overreach(case: GateCase) -> Iterator[Ruling]:
    """What is wrong with the reach of the item, seen by a program."""
    scope = case.roles.where
    text = render(case.item) if scope is None else scope
    claimed = text if scope is None else read_scope(text).reach
    if unlimited := _OUTRIGHT.search(claimed) if scope is None else _find_unlimited(claimed):
        yield Ruling("the item is said to hold without limit", unlimited[0])
    if scope is None:
        return
    if not scope:
        yield Ruling("there is no Scope", proof="grammar")
        return
    beyond = read_scope(scope).beyond
    scope_words, claim = content_words(scope), set(content_words(case.roles.what))
    # one that says where it ends may share most of its words with the Claim
    least = SAME if not beyond else 1.0
    if scope_words and sum(word in claim for word in scope_words) >= least * len(scope_words):
        yield Ruling("the Scope only says the Claim again", scope.split("\n")[0])
    if not beyond:
        yield Ruling("the Scope does not say where it ends", scope.split("\n")[0])
        return
    reached = IDLE | OUTCOME | set(content_words(read_scope(scope).reach))
    if not any(substance(exclusion) - (reached if _blames(exclusion) else OUTCOME) for exclusion in beyond):
        yield Ruling("what the Scope excludes names nothing that one could see", scope.split("\n")[0])


def _find_unlimited(reach: str) -> re.Match[str] | None:
    return UNIVERSAL.search(reach) or _FIRST.search(reach)


def _blames(text: str) -> bool:
    """The exclusion gives a verdict on the case in place of a sign of it: unsuitable, broken, of no use."""
    return bool(set(content_words(text)) & IDLE)


UNWARRANTED_SCOPE = GateKind(
    "unwarranted-scope",
    "The item invites reliance beyond the cases that the run exercised.",
    ("what",),
    overreach,
    proves=("grammar",),
)
