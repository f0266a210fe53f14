"""Does the item say what the run found out, or send the next agent to find it out again?

A program sees an open question behind a word of seeking. Whether the agent could act without another look,
and whether the value is one that is better read live, the judge says.
"""

import re
from collections.abc import Iterator

from memtrial.gates.gate import GateCase, GateKind, Ruling
from memtrial.memory.language.sentences import mask_quotes

_SEEK = (
    r"(?:figure|find|work)\s+out|look\s+(?:up|for|around)|search\s+(?:for|around)|determine|discover|explore"
    r"|investigate|identify|locate|learn|decide|research|hunt\s+for"
)
_OPEN = (
    r"(?:(?:an?|another|some|any|other)\s+ways?|which|what|where|how|why|who|whose|the\s+(?:right|correct|appropriate|proper|best|necessary|needed"
    r"|relevant|answer|solution)|whatever|wherever)"
)
SEEKING = re.compile(
    rf"(?i)\b(?:{_SEEK})\s+(?:\w+\s+){{0,2}}?{_OPEN}\b"
    r"|\b(?:explore|browse)\s+(?:the|all|each|every|around)?\s?(?:\w+\s)?(?:menus?|tabs?|options|rooms|files|pages)\b"
    r"|\b(?:check|try|open|visit|search|browse|click|go\s+through|look\s+(?:in|at|into|through|over))\s+(?:\w+\s+){0,2}?"
    r"(?:various|several|different)\s+(?:\w+\s)?(?:sections|menus|pages|options|tabs|places|files|rooms)\b"
    r"|\b(?:navigate|click|wander)\s+around\b|\bexplore\s+(?:the|all|every|its|your)\b"
    r"|\b(?:look|search|hunt|scan|browse|check)\s+(?:\w+\s+){0,4}?for\s+the\s+(?:relevant|right|correct|appropriate)\s+\w+"
    r"|\btry\s+(?:different|various|several|other|all|out)\s+\w+"
    r"|\bexperiment\s+with\b|\btrial\s+and\s+error\b"
    r"|\blook\s+(?:it|them|this|that)\s+up\b"
    r"|\b(?:look|search|hunt|scan|browse)\s+(?:\w+\s+){0,3}?for\s+(?:an?|the|some|any)\s+(?:way|means|method|function|feature"
    r"|option|setting|command|tool|button|menu|page|place)s?\s+(?:that|which|to|where|of)\b"
    r"|\b(?:check|consult|read|see|search|study)\s+(?:through\s+)?(?:the\s+)?(?:\w+\s+)?(?:documentation|docs|manual|help(?:\s+pages?)?"
    r"|reference|guide)\s+(?:to|for|on|until)\b"
    r"|\b(?:go|work\s+(?:your|its|the)\s+way|click|look|search)\s+through\s+(?:\w+\s+){1,6}?until\b"
)
_NOT = re.compile(
    r"(?i)(?:instead\s+of|rather\s+than|without|avoid|never|not|n['’]t|no\s+need\s+to|before|stop)(?:\s+(?:to|having|trying))?"
    r"(?:\s+\w+)?\s*\Z"
)
_ASIDE = re.compile(
    r"(?i)(?:(?<!need )(?<!needs )(?<!try )(?<!have )(?<!want )(?<!remember )(?<!sure )(?<!is )\bto"
    r"|\b(?:that|which|who|will|can|may|would|could|does|did))\s+\Z|\b(?:because|since|so\s+that)\b[^.;]*\Z"
)
"""The seeking is what an action is for, what a thing does, or part of the reason: it is not ordered."""
NEAR = 40
"""Characters before a word of seeking in which it is turned down."""
SENTENCE = 300
"""Characters before it in which a reason may have begun."""


def lookup(case: GateCase) -> Iterator[Ruling]:
    """The words of the advice that send the reader to find something out."""
    text = case.roles.what
    covered = mask_quotes(text)
    for seeking in SEEKING.finditer(covered):
        before = covered[max(0, seeking.start() - SENTENCE) : seeking.start()]
        if not _NOT.search(before[-NEAR:]) and not _ASIDE.search(before):
            account = "the item tells the agent to find out what the run has found already"
            yield Ruling(account, text[slice(*seeking.span())])


FRONTLOADING = GateKind(
    "frontloading", "The item instructs to find out what the run already found.", ("what",), lookup
)
