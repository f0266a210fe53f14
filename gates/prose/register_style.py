"""Is the item written in the register of a system definition, or as talk?

A program sees shouting, talk in the first person, chat, rhetorical questions, a claim set as a heading, and
advice in the passive. Whether the rest keeps the register, the judge says. A negative control: the same
advice in another tone is expected to be followed as well.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from memtrial.agents.trajectory_views import passages
from memtrial.gates.gate import GateCase, GateKind, Ruling
from memtrial.memory.language.lexicon import read_section
from memtrial.memory.language.sentences import mask_quotes
from memtrial.memory.words import words


class Fault(NamedTuple):
    """A way of speaking that is no definition's; `of_advice`: looked for in the advice before its reason."""

    account: str
    pattern: re.Pattern[str]
    of_advice: bool = False


FAULTS = (
    Fault("the item shouts", re.compile(r"\b\w{1,40}!+(?=\s|\Z)|!{2,}")),
    Fault(
        "the item speaks in the first person",
        re.compile(r"\b(?:I|I['’](?:m|d|ve|ll)|[Ww]e(?:['’](?:re|d|ve|ll))?|[Mm]y|[Oo]ur|[Mm]e)\b"),
    ),
    Fault(
        "the item chats",
        re.compile(
            r"(?i)\b(?:" + "|".join(re.escape(word) for word in read_section("gates.chat").split()) + r")\b"
        ),
    ),
    Fault(
        "the item chats",
        re.compile(r"[\U0001F300-\U0001FAFF\u2600-\u26FF\u2705\u274C\u2757]|(?<!\S)[:;]-?[)D](?!\S)"),
    ),
    Fault("the advice is a question", re.compile(r"\b\w{1,40}\?(?=\s|\Z)"), of_advice=True),
    Fault(
        "the advice is in the passive, and who acts is left open",
        re.compile(
            r"(?i)\b(?:should|must|shall|ought\s+to|(?:has|have|needs?|is|are)\s+to)\s+(?:(?:not|never|always|first|then)\s+)?"
            r"be\s+(?:\w{2,30}ed|set|put|read|run|made|done|sent|kept|held|taken|given|chosen|shown|left|written|begun)\b"
        ),
        of_advice=True,
    ),
)
_REASON = re.compile(r"(?i)\b(?:because|since)\b")
_SHOUTED = re.compile(r"(?<![\w-])[A-Z]{3,20}(?![\w-])")
EMPHASIS = frozenset(read_section("gates.emphasis").split())
"""Words that need no capitals; others may be names or acronyms."""
LEAST_HEADING = 4
HEADING = 0.8
"""The share of the longer words behind the first one that are capitalised, that makes a claim a heading."""


def misplaced_tone(case: GateCase) -> Iterator[Ruling]:
    """Where the item leaves the register of a definition, seen by a program."""
    roles, held = case.roles, "\n".join(passages(case.trajectory, case.view))
    for place, field in enumerate((roles.what, roles.why, roles.where or "")):
        covered = mask_quotes(field)
        for fault in FAULTS:
            if fault.of_advice and place:
                continue
            for match in fault.pattern.finditer(covered):
                if not (fault.of_advice and _REASON.search(covered, 0, match.start())):
                    yield Ruling(fault.account, field[slice(*match.span())])
    for match in _SHOUTED.finditer(mask_quotes(roles.what)):
        if match[0].lower() in EMPHASIS and match[0] not in held:
            yield Ruling("the item shouts", match[0])
    longer = [word for word in words(mask_quotes(roles.what))[1:] if len(word) > 3]
    if len(longer) >= LEAST_HEADING and sum(word.istitle() for word in longer) >= HEADING * len(longer):
        yield Ruling("the claim is set as a heading, each word with a capital")


REGISTER_STYLE = GateKind(
    "register-style",
    "The item is not written as a system definition: it talks, shouts, or hides who acts.",
    ("what",),
    misplaced_tone,
    control=True,
)
