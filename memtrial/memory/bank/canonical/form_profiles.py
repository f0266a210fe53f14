"""The forms that profiles ask of an item, and what an item lacks of them.

Sources: upstream's first and its paper's prompt (1-3 and 1-5 sentences), seeds/003 (3-8 numbered steps, a
description of one sentence, no addresses, ids or persons), seeds/000 (preconditions, pitfalls, exemplar);
REQUIREMENTS C16, F-20, F-21 and the issue's reading 9.
"""

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Literal

from memtrial.memory.bank.bank_item import ItemDetails, Outcome
from memtrial.memory.bank.canonical.canonical_lint import lint_item
from memtrial.memory.bank.redaction.redactor import redact
from memtrial.memory.item import AdditiveItem, Item, NativeItem
from memtrial.memory.item_roles import roles_of

ContentUnit = Literal["sentences", "steps"]
_STEP = re.compile(r"(?:^|(?<=\s))(?:step\s)?(?P<number>\d{1,2})[.):](?=\s)", re.IGNORECASE)
_STOP = re.compile(r"(?<![.!?])[.!?]++[\"'”’)\]]{0,3}(?=\s|\Z)|[。！？]")
_ABBREVIATED = re.compile(
    r"(?i)(?:\b(?:e\.g|i\.e|etc|vs|cf|no|fig|approx|resp|dr|mr|mrs|st)|(?:^|\s)\d{1,2})\Z"
)


@dataclass(frozen=True, slots=True)
class FormProfile:
    """What a profile asks of an item.

    Args:
        unit, least, most: so many sentences, or numbered steps, of content; None for no limit.
        short: the description is one sentence.
        general: no addresses, ids, paths or secrets.
        detailed: preconditions, pitfalls and an exemplar are stated.
    """

    name: str
    unit: ContentUnit
    least: int
    most: int | None
    short: bool = False
    general: bool = False
    detailed: bool = False


UPSTREAM_FORM = FormProfile("upstream", "sentences", 1, 3)
PAPER_FORM = FormProfile("paper", "sentences", 1, 5)
SEED000_FORM = FormProfile("seed000", "sentences", 1, None, general=True, detailed=True)
SEED001_FORM = FormProfile("seed001", "sentences", 1, None)
SEED003_FORM = FormProfile("seed003", "steps", 3, 8, short=True, general=True)
FORM_PROFILES = (UPSTREAM_FORM, PAPER_FORM, SEED000_FORM, SEED001_FORM, SEED003_FORM)


def find_form_faults(
    item: Item, details: ItemDetails, outcome: Outcome, profile: FormProfile
) -> tuple[str, ...]:
    """What keeps an item from a profile's form, a line each: what was needed, and what came."""
    return tuple(_find_faults(item, details, outcome, profile))


def _find_faults(item: Item, details: ItemDetails, outcome: Outcome, profile: FormProfile) -> Iterator[str]:
    roles = roles_of(item)
    if roles.title is not None and not roles.title.strip():
        yield "a title is needed; it is empty"
    count = count_steps(roles.what) if profile.unit == "steps" else count_sentences(roles.what)
    if count < profile.least or (profile.most is not None and count > profile.most):
        wanted = f"{profile.least} or more" if profile.most is None else f"{profile.least} to {profile.most}"
        yield f"{wanted} {profile.unit} of content are needed; it has {count}"
    if isinstance(item, NativeItem | AdditiveItem):
        sentences = count_sentences(item.description)
        if not sentences:
            yield "a description is needed; it is empty"
        elif profile.short and sentences != 1:
            yield f"a description of one sentence is needed; it has {sentences}"
    if outcome == "failure" and not details.instead.strip():
        yield "an item of a failure says what to do instead; it does not"
    if profile.detailed:
        named = (("preconditions", details.preconditions), ("pitfalls", details.pitfalls))
        yield from (f"{name} are needed; there are none" for name, texts in named if not any(texts))
        if not details.exemplar.strip():
            yield "an exemplar is needed; there is none"
    if profile.general:
        for fault in lint_item(item):
            if fault.kind in ("url", "id", "path"):
                yield f"no {fault.kind} may stand in an item; {fault.field} has {fault.quote[:60]!r}"
        secret = [name for name, text in asdict(item).items() if redact(text) != text]
        if secret:
            yield f"no secret may stand in an item; there is one in {secret[0]}"


def count_steps(text: str) -> int:
    """The numbered steps of a text, on lines of their own or in a row; numbers out of turn are none."""
    count = 0
    for match in _STEP.finditer(text):
        count += int(match["number"]) == count + 1
    return count


def count_sentences(text: str) -> int:
    """The sentences of a text: what ends in a stop, and what stands behind the last one."""
    count, last = 0, 0
    for match in _STOP.finditer(text):
        before = text[max(0, match.start() - 8) : match.start()]
        if match[0].startswith(".") and _ABBREVIATED.search(before):
            continue
        count, last = count + 1, match.end()
    return count + bool(text[last:].strip(" \t\n*_#-"))
