"""One sentence turned into its opposite as a whole: every step it advises, and the reason it gives.

"When S, pull A, then press B, as it moves" → "when S, never pull A, or press B, as it never moves".
Conditions, purposes ("to find it", "so that it holds"), what follows else ("otherwise …") and quotes
stay: they hold for the opposite advice as well.
"""

import re
from collections.abc import Iterable

from memtrial.memory.language import lexicon
from memtrial.memory.language.lexicon import VERBS, base_of, words
from memtrial.memory.language.roles import clauses, reasons
from memtrial.memory.language.sentences import Edit, Edits, Sentence
from memtrial.memory.language.structure import mask
from memtrial.perturbations.advice.imperatives import head_at, steps_on
from memtrial.perturbations.advice.verbs import finite, is_comma, quoted_before
from memtrial.perturbations.inversion.inverted_commands import swap_parts, turn_command
from memtrial.perturbations.inversion.inverted_statements import (
    insert,
    put_before,
    replace_word,
    turn_statement,
)

_GOALS = words("names.goals")
_OF_VERBS = lexicon.word_set("before after first instead rather not by until")
_TOPICS = lexicon.word_set("approach strategy tips method rules")
_GUIDE = re.compile(
    r"(?i)\b(?P<noun>strateg(?:y|ies)|guidance|guide|guidelines?|tips?|advice|approach|methods?|rules?|techniques?|ways?"
    r"|lessons?|heuristics?|importance|benefits?|value|need|case|reasons?|reminder|habit|practice)\s+"
    r"(?P<link>for|on|about|of|to|in)\s+(?P<verb>\w+)"
)


def is_noun(s: Sentence, position: int) -> bool:
    """Whether the first word of a title is a noun: "search bar usage"."""
    third = lexicon.forms_of(s.word(position))[1] if s.word(position) in VERBS else ""
    if third not in lexicon.NOUNISH or s.quote_after(position):
        return False
    later = [s.word(ahead) for ahead in range(position + 1, min(position + 24, len(s.words)))]
    led = not later or later[0] in lexicon.OBJECTS | lexicon.PREPOSITIONS or later[0].endswith("s")
    return not led and not any(word in _OF_VERBS or word.endswith("ly") for word in later)


def is_goal(verb: str, advised: frozenset[str]) -> bool:
    """Whether the opposite advice may serve it as well."""
    return verb in _GOALS and verb not in advised


def turn_name(s: Sentence, start: int, stop: int, naming: tuple[str, frozenset[str]]) -> list[Edit]:
    """The edits for a title or a description that advises in other words than an imperative."""
    low, high = s.words[start].start, s.words[stop - 1].end
    verb = finite(s, start, stop, 2)
    should = any(s.word(ahead) in ("should", "must") for ahead in range(start, stop))
    text, following = s.word(start), s.word(start + 1)
    base = base_of(text)
    if verb is not None:
        about = should or base or text in ("always", "never")
        return turn_statement(s, start, stop) if about else []
    if base:
        about_other = naming[0] == "description" and base not in naming[1]
        if about_other or is_goal(base, naming[1]) or following in _TOPICS:
            return []
        return swap_parts(s, start, stop) or [put_before(s, start, start, "not")]
    if guide := _GUIDE.search(s.covered, low, high):
        return _against(s, guide, naming[1])
    for ahead in range(start + 1, stop if naming[0] != "description" else start):
        if s.word(ahead) in ("before", "after") or (s.word(ahead) in ("first", "last") and ahead == stop - 1):
            return replace_word(s, ahead, lexicon.CONDITIONS[s.word(ahead)])
    return []


def _against(s: Sentence, guide: re.Match[str], advised: frozenset[str]) -> list[Edit]:
    """ "a strategy for checking" → "a strategy against checking", "a reminder to" → "… never to"."""
    link, verb = guide["link"].lower(), guide["verb"].lower()
    position = next(ahead for ahead, word in enumerate(s.words) if word.start == guide.start("link"))
    if link == "to":
        return insert(s, position, "never") if verb in VERBS else []
    if verb == "avoiding":
        return [] if base_of(s.word(position + 2)) else replace_word(s, position + 1, "using")
    return replace_word(s, position, "against") if base_of(verb) in advised else []


NAMING = ("title", "description", "memory item")
_STAYS = lexicon.word_set("otherwise or else example i")  # the first word of what is no advice
_GOVERNING = lexicon.word_set("never always avoid do don't not only")
_CONNECTING = lexicon.word_set("so and but thus therefore hence")
_LONGEST_LABEL = 4  # words
_ABOUT_ITSELF = re.compile(r"(?i)\W*(?:use|apply|follow|read)\s+(?:this|these|it|when|to|for)\b")
_REASON = re.compile(r"(?i)(?:because|since|as it|so that)\b")


def turn_sentence(s: Sentence, label: str, advised: frozenset[str] = frozenset()) -> Edits:
    """The edits that turn the sentence round; none where it advises and states nothing that can be turned.

    Args:
        label: of the part it stands in. A title and a description are turned where they advise.
        advised: the words of what the item advises, which a title or a description is held against.
    """
    naming = label in NAMING
    about_itself = naming and _ABOUT_ITSELF.match(s.covered)
    if not s.words or "?" in s.covered[s.tail :] or s.word(0) in _STAYS or about_itself:
        return ()
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
        if _is_label(s, start, stop):
            continue  # "**Reproduce:** write …" names its step
        parts, advice = _piece(s, start, stop, (label, advised) if naming else None)
        scoped = any(edit.text.lower().startswith("never ") for edit in parts)
        edits += parts
        advises = advises or advice or bool(parts)
    if advises or not naming:
        edits += [edit for span in because for edit in _reason(s, span)]
    return _apart(edits)


def _is_label(s: Sentence, start: int, stop: int) -> bool:
    """Whether a colon ends the words, and they stand in bold or are a few that command nothing."""
    if stop - start > _LONGEST_LABEL or stop >= len(s.words):
        return False
    gap = s.covered[s.words[stop - 1].end : s.words[stop].start]
    bold = s.covered[: s.words[start].start].rstrip().endswith(("*", "_"))
    few = stop - start < _LONGEST_LABEL and s.word(start) not in _GOVERNING
    return ":" in gap and (bold or (few and (stop - start == 1 or head_at(s, start) is None)))


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


def _piece(
    s: Sentence, start: int, stop: int, naming: tuple[str, frozenset[str]] | None
) -> tuple[list[Edit], bool]:
    while start + 1 < stop and s.word(start) in _CONNECTING:
        start += 1
    heads = [start]
    if {s.word(0), s.word(start)} & lexicon.LEADING or s.word(start).endswith(("ly", "ing")):
        commas = [position for position in range(start + 1, stop) if is_comma(s, position)]
        subject = s.word(start) not in lexicon.SUBORDINATORS and finite(s, start, (commas or [stop])[0], 2)
        heads = [*([] if s.word(start) in lexicon.LEADING and not subject else heads), *commas]
    for head in heads:
        position = None if quoted_before(s, head) else head_at(s, head)
        topic = (
            position is not None and naming and (is_noun(s, position) or is_goal(s.word(position), naming[1]))
        )
        # "Support tickets about refunds": a description is rather a noun than an imperative
        if position is not None and naming and naming[0] == "description":
            sure = s.word(position) in naming[1] | _GOVERNING or s.word(position + 1) in lexicon.DETERMINERS
            topic = topic or not (sure or s.quote_after(position))
        if position is not None and position < stop and not topic:
            return turn_command(s, head, position, stop), True
    if naming:
        return turn_name(s, start, stop, naming), False
    if edits := _swapped_statement(s, start, stop):
        return edits, True
    behind = heads[0] if heads and heads[0] != start and finite(s, heads[0], stop) else start
    return turn_statement(s, behind, stop), True


def _swapped_statement(s: Sentence, start: int, stop: int) -> list[Edit]:
    """ "it stores titles, not texts" → "it stores texts, not titles"."""
    verb = finite(s, start, stop)
    if verb is None or any(
        s.word(ahead) in ("never", "not") and ahead < verb + 2 for ahead in range(start, stop)
    ):
        return []
    return swap_parts(s, verb, stop, whole=False)


def _reason(s: Sentence, span: tuple[int, int]) -> list[Edit]:
    """The reason, turned; a purpose stays, for the opposite advice may serve the same one."""
    opener = _REASON.search(s.covered, *span)
    if opener is None or opener[0].lower() == "so that":
        return []
    parts: list[Edit] = []
    for low, high in _pieces(s, ((0, opener.start()), (span[1], len(s.raw)))):
        low += (s.word(low) in ("because", "since", "as")) + (s.word(low) == "so")
        parts += _swapped_statement(s, low, high) or turn_statement(s, low, high)
    return parts
