"""One sentence turned into its opposite as a whole: every step it advises, and the reason it gives.

"When S, pull A, then press B, as it moves" → "when S, never pull A, or press B, as it never moves".
Conditions, purposes ("to find it", "so that it holds"), what follows else ("otherwise …") and quotes stay.
"""

import re
from collections.abc import Iterable

from memtrial.memory.language import lexicon
from memtrial.memory.language.lexicon import words
from memtrial.memory.language.roles import clauses, reasons
from memtrial.memory.language.sentences import Edit, Edits, Sentence
from memtrial.memory.language.structure import mask
from memtrial.perturbations.advice.imperatives import head_at, steps_on
from memtrial.perturbations.advice.verbs import finite, is_comma, quoted_before
from memtrial.perturbations.inversion.inverted_commands import turn_command
from memtrial.perturbations.inversion.inverted_statements import replace_word, turn_statement
from memtrial.perturbations.inversion.known_frames import turn_frame

NAMING = ("title", "description", "memory item")
_GOALS = words("names.goals")
_STAYS = lexicon.word_set("otherwise or else example i")  # the first word of what is no advice
_GOVERNING = lexicon.word_set("never always avoid do don't not only")
_CONNECTING = lexicon.word_set("so and but thus therefore hence")
_REASON = re.compile(r"(?i)(?:because|since|as it|so that)\b")


def turn_sentence(s: Sentence, label: str, advised: frozenset[str] = frozenset()) -> Edits:
    """The edits that turn the sentence round; none where it advises and states nothing that can be turned.

    Args:
        label: of the part it stands in. A title and a description are turned where they command.
        advised: the words of what the item advises, which a title or a description is held against.
    """
    naming = label in NAMING
    if not s.words or "?" in s.covered[s.tail :] or s.word(0) in _STAYS:
        return ()
    if framed := turn_frame(s, 0, len(s.raw)):
        return tuple(framed)
    edits: list[Edit] = []
    advises = scoped = False
    because = reasons(s)
    opened = () if label == "mechanism" else clauses(s).opened
    for start, stop in _pieces(s, (*opened, *because)):
        if advises and s.word(start) == "or" and not steps_on(s, start + 1, start):
            continue  # "…, or the entries are lost"
        if scoped and s.word(start) in ("and", "then") and steps_on(s, start + 1, start):
            edits += replace_word(s, start, "or")  # "never A when S, or B"
            continue
        turned = _turn_name(s, start, stop, label, advised) if naming else _turn_piece(s, start, stop)
        scoped = any(edit.text.lower().startswith("never ") for edit in turned)
        edits += turned
        advises = advises or bool(turned)
    if advises or not naming:
        edits += [edit for span in because for edit in _reason(s, span)]
    return _apart(edits)


def _apart(edits: list[Edit]) -> Edits:
    """Without those that overlap an earlier one: two turns may have wanted the same article."""
    kept: list[Edit] = []
    for edit in sorted(set(edits)):
        if not kept or edit.start >= kept[-1].end:
            kept.append(edit)
    return tuple(kept)


def _pieces(s: Sentence, taken: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Runs of word indices between colons and ", so", and between the spans that are taken."""
    parts: list[tuple[int, int]] = []
    start: int | None = None
    covered = mask(len(s.raw), taken)
    for position, word in enumerate(s.words):
        out = covered[word.start]
        gap = s.covered[s.words[position - 1].end : word.start] if position else ""
        new = re.search(r":[\s*_]|→|->|=>", gap) or (word.text == "so" and "," in gap)
        if start is not None and (out or new):
            parts.append((start, position))
            start = None
        if not out and start is None:
            start = position
    return [*parts, (start, len(s.words))] if start is not None else parts


def _turn_name(s: Sentence, start: int, stop: int, label: str, advised: frozenset[str]) -> list[Edit]:
    """A title or a description that commands; one that names a goal stays, as the opposite may serve it."""
    position = None if quoted_before(s, start) else head_at(s, start)
    if position is None or not position < stop:
        return []
    word = s.word(position)
    other = word not in advised | _GOVERNING
    return (
        [] if other and (label == "description" or word in _GOALS) else turn_command(s, start, position, stop)
    )


def _turn_piece(s: Sentence, start: int, stop: int) -> list[Edit]:
    while start + 1 < stop and s.word(start) in _CONNECTING:
        start += 1
    heads = [start]
    if {s.word(0), s.word(start)} & lexicon.LEADING or s.word(start).endswith(("ly", "ing")):
        commas = [position for position in range(start + 1, stop) if is_comma(s, position)]
        subject = s.word(start) not in lexicon.SUBORDINATORS and finite(s, start, (commas or [stop])[0], 2)
        heads = [*([] if s.word(start) in lexicon.LEADING and not subject else heads), *commas]
    for head in heads:
        position = None if quoted_before(s, head) else head_at(s, head)
        if position is not None and position < stop:
            return turn_command(s, head, position, stop)
    behind = heads[0] if heads and heads[0] != start and finite(s, heads[0], stop) else start
    return turn_statement(s, behind, stop)


def _reason(s: Sentence, span: tuple[int, int]) -> list[Edit]:
    """The reason, turned; a purpose stays, for the opposite advice may serve the same one."""
    opener = _REASON.search(s.covered, *span)
    if opener is None or opener[0].lower() == "so that":
        return []
    if framed := turn_frame(s, opener.end() + 1, span[1]):
        return framed
    parts: list[Edit] = []
    for low, high in _pieces(s, ((0, opener.start()), (span[1], len(s.raw)))):
        low += (s.word(low) in ("because", "since", "as")) + (s.word(low) == "so")
        parts += turn_statement(s, low, high)
    return parts
