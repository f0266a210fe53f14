"""Do the fields agree: does the Trigger fire where the Scope excludes, does the check forbid the Trigger?

A program compares the cues with the exclusions and the check, replays both on the source trace, and finds an
action that is both told and forbidden. It warns, for what is excluded and what is told is found by words.
Contradictions of meaning are the judge's.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

from memtrial.gates.gate import GateCase, GateKind, Ruling
from memtrial.gates.grounding_alignment import QUOTES
from memtrial.memory import trigger as triggers
from memtrial.memory.language.lexicon import read_section
from memtrial.memory.language.scope_text import EMPTY, read_scope
from memtrial.memory.trigger import CueFault, Trigger, TriggerFault
from memtrial.memory.words import content_words

_SEEING = EMPTY | frozenset(content_words(read_section("gates.seeing")))
_STATES = frozenset(content_words("open shown present"))
"""Of those, words that also tell one task from another: open issues are not closed ones."""
_DO = re.compile(r"(?i)\b(?:do|use|always|try|open|press|click|take|run|then)\W{0,3}\Z")
_AVOID = re.compile(r"(?i)(?:\b(?:avoid|never|not|skip)|n['’]t)(?:\s+(?:do|use|try|run))?\W{0,3}\Z")
_FOR_NOW = re.compile(
    r"(?i)(?:\s+[\w-]+){0,3}?,?\s+(?:before|until|unless|when|while|if|without|again|twice|first|yet|more|at\s+once|immediately"
    r"|directly|in|on|at|with)\b"
)
"""It is forbidden at one moment or in one place, and may be told at another."""
_OF_TASK = re.compile(r"(?i)\b(?:task|question|quer(?:y|ies))s?\b|\bask(?:s|ed)?\b")
NEAR = 30
"""Characters before a quoted action that say whether it is told or forbidden."""
MOST = 20
"""Exclusions, and quoted actions, that are compared."""


def conflicts(case: GateCase) -> Iterator[Ruling]:
    """Each pair of texts that cannot both be followed."""
    for quote in _both_ways(case.roles.what):
        yield Ruling("one action is both told and forbidden", quote)
    trigger: Trigger | None = None
    check: Trigger | None = None
    with suppress(TriggerFault):  # what does not compile is trigger-presence's and form-check's
        trigger = triggers.compile_trigger(case.roles.when or "")
        check = triggers.compile_form(case.roles.form or "")
    if trigger is None:
        return
    required = {(cue.kind, cue.literals, cue.spaced, cue.stems) for cue in trigger.cues}
    for cue in check.cues if check else ():
        if cue.negated and (cue.kind, cue.literals, cue.spaced, cue.stems) in required:
            yield Ruling("the check forbids what the Trigger requires", cue.text)
    yield from _find_excluded(case, trigger)


def _find_excluded(case: GateCase, trigger: Trigger) -> Iterator[Ruling]:
    """Each exclusion that holds whenever the Trigger does: by its words, or at each moment of the run."""
    # by cue: words of two cues need not stand together in either
    required = [
        {*cue.stems, *(word for text in (*cue.literals, *cue.spaced) for word in content_words(text))}
        for cue in trigger.cues
    ]
    fired = [moment for moment in case.trajectory.moments() if trigger.holds(moment)]
    for beyond in islice(read_scope(case.roles.where or "").positive, MOST):
        excluded_words, shown = set(content_words(beyond)) - _SEEING, beyond.split("\n")[0]
        if excluded_words and any(excluded_words <= words for words in required):
            yield Ruling("the Trigger requires what the Scope excludes", shown)
        all_words = excluded_words | (set(content_words(beyond)) & _STATES)
        if (
            excluded_words
            and _OF_TASK.search(beyond)
            and all_words <= set(content_words(case.trajectory.query))
        ):
            yield Ruling("the Scope excludes the task that the item comes from", shown)
        literal = next((span.text.strip() for span in QUOTES.spans(beyond) if span.text.strip()), "")
        if not literal or not fired:
            continue
        with suppress(CueFault):
            sights = [triggers.compile_cue(f'{kind}: "{literal}"') for kind in ("task", "state")]
            if all(any(sight.holds(moment) for sight in sights) for moment in fired):
                account = "the Trigger fires inside what the Scope excludes, at each of its moments"
                yield Ruling(account, shown)


def _both_ways(text: str) -> list[str]:
    """The quoted actions that are told in one place and forbidden in another."""
    commanded: set[str] = set()
    forbidden: dict[str, str] = {}
    for span in islice(QUOTES.spans(text), MOST):
        before, action = text[max(0, span.start - NEAR) : span.start], " ".join(span.text.casefold().split())
        if _AVOID.search(before):
            if _FOR_NOW.match(text[span.end : span.end + NEAR]):
                continue
            forbidden[action] = text[span.start : span.end]
        elif _DO.search(before):
            commanded.add(action)
    return [shown for action, shown in forbidden.items() if action in commanded]


INTERNAL_CONSISTENCY = GateKind(
    "internal-consistency", "Claim, Trigger, Scope and Form contradict each other.", ("what",), conflicts
)
