"""What a section costs a turn, whether it advises anything, and whether a skill says when it is for.

Tokens are estimated at four characters each, the rule of thumb that plans use; a provider counts its own.
"""

import math
import re
from collections.abc import Iterator

import yaml

from memtrial.gates.notes.note_phrases import advises
from memtrial.gates.notes.note_report import SKILL, NoteFinding, SectionTokens
from memtrial.memory.notes.note_files import NoteFile
from memtrial.memory.notes.note_items import NoteItem, NoteSection

CHARACTERS = 4
"""Of a token, for English."""
LEAST_TOKENS = 60
"""Of a section that is said to advise nothing."""
_WHEN = re.compile(
    r"(?i)\b(?:when|whenever|if|before|after|while|during|trigger\w*|use\s+(?:this|it|for|to|with|at|in|on)|used?\s+(?:for|to|when)"
    r"|for\s+(?:any|all|tasks?|questions?|requests?|issues|use)|asks?|mentions?|must\s+be\s+used|invoke\w*|activat\w+|needs?\s+to|wants?)\b"
)


_RULES = re.compile(
    r"(?i)\b(?:reject\w*|avoid\w*|never|don['’]?t|do\s+not|rules?|checklists?|require\w*|must|guidelines?|conventions?|standards?|principles?|when\s+to"
    r"|prefer\w*|practices?|styles?|criteria|wrong|forbidden|polic\w+|commands?|steps?|workflow|responsibilit\w+|patterns?|usage|tips?|gotchas?"
    r"|pitfalls?|notes?|how\s+to|procedure|instructions?|tasks?|removed|limits?|limitations?)\b"
)
_COMMANDS = re.compile(r"(?m)^[ \t]*+(?:[-*+][ \t]++)?+(?:`[a-z][\w./-]*+[ \t][^`\n]+`|\[[ xX]\] )")
"""A line that begins with a command, or a point to tick off."""


def tokens_of(text: str) -> int:
    """An estimate, rounded up."""
    return math.ceil(len(text) / CHARACTERS)


def measure_sections(file: NoteFile) -> tuple[SectionTokens, ...]:
    """Each section of the file, in order."""
    whole = max(1, len(file.text))
    items: list[list[NoteItem]] = [[] for _ in file.read.sections]
    for item in file.read.items:
        items[item.section].append(item)
    return tuple(
        SectionTokens(
            " > ".join(section.titles),
            section.line,
            tokens_of(section.text),
            len(section.text) / whole,
            len(own),
            sum(advises(item.text) for item in own),
        )
        for section, own in zip(file.read.sections, items, strict=True)
    )


def tokens_a_turn(file: NoteFile) -> int:
    """What stands in every request: of a skill, until it is used, its front matter; else the whole file."""
    if file.path.name.lower() != SKILL:
        return tokens_of(file.text)
    return sum(tokens_of(block.text) for block in file.read.blocks if block.kind == "front matter")


def find_idle_sections(file: NoteFile, measured: tuple[SectionTokens, ...]) -> Iterator[NoteFinding]:
    """Sections of some length in which nobody is told to do or to avoid anything, and no code shows how."""
    for section, measure in zip(file.read.sections, measured, strict=True):
        if measure.tokens < LEAST_TOKENS or not measure.n_items or measure.n_advising or _shows(section):
            continue
        quote = section.text.lstrip("\ufeff \r\n").split("\n")[0].strip()
        reason = f"nothing is told to be done or avoided here, in {measure.tokens} tokens"
        yield NoteFinding("no-action", "INFO", file.name, section.line, quote, reason)


def _shows(section: NoteSection) -> bool:
    """Whether code, a table, commands or a heading that rules say what is to be done."""
    rules = _RULES.search(" ".join(section.titles)) or _COMMANDS.search(section.text)
    return "```" in section.text or "\n|" in section.text or rules is not None


def find_skill_faults(file: NoteFile) -> Iterator[NoteFinding]:
    """What is wrong with the description of a skill, by which alone an agent decides to read it."""
    if file.path.name.lower() != SKILL:
        return
    front = next((block for block in file.read.blocks if block.kind == "front matter"), None)
    described = _description(front.text) if front else None
    if described is None or not described.strip():
        first = file.text.strip().split("\n")[0].strip()
        reason = "the skill has no description, so that no agent can tell when to read it"
        yield NoteFinding("trigger-presence", "FAIL", file.name, 1, first, reason)
    elif not _WHEN.search(described):
        line = next(
            (n for n, text in enumerate(file.text.split("\n"), 1) if text.startswith("description")), 1
        )
        quote = described.strip().split("\n")[0]
        reason = 'the description does not say when the skill is for; add "Use when ..."'
        yield NoteFinding("trigger-presence", "WARN", file.name, line, quote, reason)


def _description(front: str) -> str | None:
    """The description in a front matter; None where there is none that can be read."""
    try:
        held = yaml.safe_load(front.strip("\ufeff- \r\n"))
    except yaml.YAMLError:
        held = None
    value = held.get("description") if isinstance(held, dict) else None
    if value is None:
        plain = re.search(r"(?m)^description:[ \t]*(?P<text>\S.*)$", front)
        value = plain["text"] if plain else None
    return value if isinstance(value, str) else None
