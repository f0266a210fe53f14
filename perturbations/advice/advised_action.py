"""Which action an item tells to do, where it stands in the text, and under which condition.

One reading for every schema: in a Claim, a Content or prose, each sentence is asked for the actions that it
tells to do, all steps of a sequence: quoted ones behind `do`, commands (`search[a]`), what the world lists,
or imperatives with what belongs to them. What a sentence tells to avoid is no such action. Raw trajectories
tell nothing.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from memtrial.memory.language.lexicon import OBJECTS, VERBS, word_set
from memtrial.memory.language.roles import Span, clauses
from memtrial.memory.language.sentences import QUOTE_MASK, Sentence, sentences_of
from memtrial.memory.language.structure import ADVISING, mask, parts
from memtrial.memory.words import content_words, stem
from memtrial.perturbations.advice.frame_spans import without_frame
from memtrial.perturbations.advice.imperatives import ACTS, ALONE, NOUNISH, PLAIN, imperative_head
from memtrial.perturbations.advice.known_actions import LONGEST, NOTHING_KNOWN, Repertoire, words_of

_ENDS_WHERE = re.compile(
    r"(?i)\b(?:does|do|did)(?:\s+not|n['’]t)\s+(?:apply|hold|help)\b[^,.;]{0,300}?\b(?:when|if|where|while|once)\s+"
    r"(?P<what>[^,.;]+)"
)
MOST_ADVISED = 64
"""Actions of one item that are exchanged or followed up, one by one."""
MOST_EXCLUSIONS = 50
"""Exclusions of an item that are heeded; each is looked for in every state for every action it tells."""
_NEGATIVE = re.compile(
    r"\b(?:never|not|avoid\w*|cannot|without|refrain|stop|skip|instead\s+of|rather\s+than)\b|n['’]t\b",
    re.IGNORECASE,
)
_POLARITY = re.compile(
    rf"(?i)(?P<no>{_NEGATIVE.pattern})(?:\s+(?:do|use|try|run)\b)?|\b(?:do|use|try|always|but)\b"
)
_MODAL = re.compile(
    r"(?i)(?<!\bI )(?<!\bwe )\b(?:should|must|(?:need|have|ought)\s+to"
    r"|(?P<best>best|better|important|crucial|essential|key|wise|safest|safer|necessary|critical|is|was)\s+to)"
    r"\s+(?:always\s+|first\s+)?(?=(?P<verb>\w+))"
)
_END = re.compile(
    r"(?i)[,;:]|\s[—–-]\s|[.!?]+(?=\W|$)"
    r"|\s(?:because|since|so|when|whenever|if|unless|while|until|before|after|once|as soon as|then|which"
    r"|where|wherever|in order to|but|instead|rather than)\b|\s(?:and|or)\s+(?=(?P<next>\w+))"
)
_ADVERB = re.compile(r"\b(?:first|again|twice|now|immediately|carefully|next|too|at once|right away)\Z")
_LONGEST_ADVERB = 11
_STEP = re.compile(
    r"(?i)(?:,\s*+(?:(?:and|or|but)\s++)?|\s(?:and|or)\s++|\s(?=then\b))"
    r"(?:(?:then|finally|next|also|immediately|carefully)\s++){0,2}(?P<no>(?:never|not|don['’]t|do\s+not)\s++)?"
    rf"(?P<verb>[A-Za-z][\w-]*+)(?:\s++(?P<behind>\w++|{QUOTE_MASK}))?"
)
_POINTS = frozenset(map(stem, word_set("next one inside back again early way step rest others same there")))
_LINKS = word_set("for to with by on in at from into up down out whether that if which")
_QUOTED = re.compile(rf"{QUOTE_MASK}++")
_BEFORE_QUOTE = re.compile(r"(?<!\w)(?P<verb>[^\W_]\w*+)(?P<gap>[\s*(:][\s*_(:]*+)\Z")
_LONGEST_LEAD = 40
_LONGEST_ASIDE = 200
_JOINT = re.compile(r"(?i)[\s,]*+(?:(?:and|then|finally|next|followed by|or|→|->)[\s,]*+){0,3}")
_COMMAND = re.compile(
    r"(?i)(?<![\w\[])(?:search|lookup|finish|click|look|find|open|answer|query|calculate|retrieve|buy|goto)"
    r"\[[^\[\]\n]{1,200}\]"
)
_MARKS = "`\"'“”‘’"
_HANDING = word_set("do try use run type issue enter execute perform choose say send call avoid never not")

_DOING = word_set("always only do try to")
_HEADS = _DOING | word_set("never not don't avoid")
_NO_ACTS = word_set("be remember note think keep stay plan consider learn know aim not never avoid always")


@dataclass(frozen=True, slots=True)
class Advised:
    """One action that a sentence of an item tells to do.

    Args:
        action: as written, without quotes around it.
        start: where it begins in the item's text.
        when: what must stand before the agent for it to apply, as written; none where it always does.
        unless: what must not.
        do: False where it is to be avoided.
    """

    action: str
    start: int
    when: tuple[str, ...]
    unless: tuple[str, ...]
    do: bool = True


def find_advice(item: str, known: Repertoire = NOTHING_KNOWN) -> tuple[Advised, ...]:
    """The actions that the item tells to do, in the order written.

    Args:
        known: what the world accepts. Where something is known, nothing else counts as an action.
    """
    return tuple(advice for advice in _read_item(item, known) if advice.do)


def named_actions(item: str) -> tuple[str, ...]:
    """The actions that the item tells to do or to avoid: somewhere, some world took or refused them."""
    return tuple(advice.action for advice in _read_item(item, NOTHING_KNOWN))


def exchangeable(item: str, known: Repertoire = NOTHING_KNOWN) -> tuple[Advised, ...]:
    """What the item advises on: all that it tells to do, or else all that it tells to avoid."""
    return find_advice(item, known) or _read_item(item, known)


@lru_cache(maxsize=4096)
def exclusions(item: str) -> tuple[str, ...]:
    """Where a Scope or a Description says that the item does not apply; a negated condition is left out.

    The first `MOST_EXCLUSIONS` of them.
    """
    bodies = (part.body for part in parts(item) if part.label in ("scope", "description"))
    excluded = (match["what"] for body in bodies for match in _ENDS_WHERE.finditer(body))
    return tuple(islice((what for what in excluded if not _NEGATIVE.search(what)), MOST_EXCLUSIONS))


@lru_cache(maxsize=4096)
def _read_item(item: str, known: Repertoire) -> tuple[Advised, ...]:
    whole = parts(item)
    if any(part.step for part in whole):
        return ()
    own = any(part.label in ADVISING and part.body.strip() for part in whole)
    sentences = [
        (start, own_sentence)
        for part, start, own_sentence in sentences_of(item)
        if (not own or part.label in ADVISING) and without_frame(item, start, own_sentence)
    ]
    return tuple(advice for start, sentence in sentences for advice in _advice_of(sentence, start, known))


def _advice_of(sentence: Sentence, start: int, known: Repertoire) -> tuple[Advised, ...]:
    raw = sentence.raw
    when, unless, _, begin, stop = clauses(sentence)
    taken = mask(len(raw), (*when, *unless))
    commands: list[tuple[int, int, bool]] = []
    for (low, high), do in _candidates(sentence, begin, stop, known):
        if taken.find(1, low, high) < 0:
            taken[low:high] = b"\1" * (high - low)
            commands.append((low, high, do))
    to_do = [command for command in sorted(commands) if command[2]]
    asked, excepted = (tuple(raw[slice(*span)] for span in spans) for spans in (when, unless))
    return tuple(
        Advised(raw[low:high], start + low, asked, excepted, do)
        for low, high, do in to_do or sorted(commands)[:1]
    )


def _candidates(s: Sentence, begin: int, stop: int, known: Repertoire) -> Iterator[tuple[Span, bool]]:
    """Places of actions in a part of a sentence, the surest first, and whether they are to be done."""
    turns = _turns(s.covered, begin, stop)
    listed = known.within(s.raw, begin, stop)
    quoted = [*_quoted_acts(s.covered, begin, stop), *_commands(s, begin, stop)]
    for low, high in (*(span for span in quoted if known.accepts(s.raw[slice(*span)])), *listed):
        place = bisect_right(turns, (low, True))
        yield (low, high), place == 0 or turns[place - 1][1]
    ends = [match.start() for match in _END.finditer(s.covered, begin, stop) if _is_end(match)] + [stop]
    for low, do in _heads(s, begin, stop):
        high = _end(s.covered, low, ends[bisect_left(ends, low)])
        text = s.raw[low:high]
        acts = low < high <= low + LONGEST and content_words(text) and words_of(text)[0] not in _NO_ACTS
        if acts and (known.accepts(text) if known.known else _is_concrete(text)):
            yield (low, high), do


def _is_concrete(text: str) -> bool:
    """Whether it names anything but itself: "run it again" points at what was told before."""
    verb, *rest = words_of(text)
    alone = " ".join((verb, *rest)) in ALONE
    rest = [word for word in rest if not word.endswith("ly")]
    quoted = any(mark in text for mark in _MARKS)
    return quoted or verb not in ACTS or alone or bool(set(content_words(" ".join(rest))) - _POINTS)


def _turns(covered: str, begin: int, stop: int) -> list[tuple[int, bool]]:
    """From where on what is told is to be done, and from where on to be avoided."""
    starts: list[tuple[int, bool]] = []
    for match in _POLARITY.finditer(covered, begin, stop):
        twice = bool(starts) and not starts[-1][1] and match.start() - starts[-1][0] <= 1
        starts.append((match.end(), match["no"] is None or twice))
        aside = match["no"] and match["no"][0] in "iIrRwW"  # instead of, rather than, without: up to a comma
        if aside and (comma := covered.find(",", match.end(), min(stop, match.end() + _LONGEST_ASIDE))) >= 0:
            starts.append((comma, True))
    return starts


def _quoted_acts(covered: str, begin: int, stop: int) -> Iterator[Span]:
    """Quoted spans, without their marks, behind a word that only hands on to them: do `a`, do this: `a`;
    and those that follow: then `b`, and `c`."""
    tokens = re.finditer(r"(?<!\S)\S++(?=\s)", covered[begin:stop])
    first = next((begin + token.end() for token in tokens if token[0].lower() in _HANDING), stop)
    last = -1
    for match in _QUOTED.finditer(covered, begin, stop):
        before = _BEFORE_QUOTE.search(covered, max(begin, match.start() - _LONGEST_LEAD), match.start())
        verb, gap = (before["verb"].lower(), before["gap"]) if before else ("", "")
        handed = verb in _HANDING or (":" in gap and first < match.start())
        follows = last >= 0 and _JOINT.fullmatch(covered, last, match.start())
        if (handed or follows) and match.end() - match.start() > 2:
            last = match.end()
            yield match.start() + 1, match.end() - 1


def _commands(s: Sentence, begin: int, stop: int) -> Iterator[Span]:
    """`search[a]` and the like, in quotes or not, but for what is only quoted."""
    for match in _COMMAND.finditer(s.raw, begin, stop):
        low, high = match.span()
        marks = s.raw[max(0, low - 1) : low], s.raw[high : high + 1]
        if QUOTE_MASK not in s.covered[low:high] or all(mark and mark in _MARKS for mark in marks):
            yield low, high


def _heads(s: Sentence, begin: int, stop: int) -> Iterator[tuple[int, bool]]:
    """Where an imperative, a step behind it, or the verb of a modal begins, and whether it is one to do."""
    clause = Sentence(s.raw[begin:stop], s.covered[begin:stop])
    head = imperative_head(clause)
    if head is None:
        head = next((start for start in clause.heads if clause.word(start) in PLAIN), None)
    starts: list[tuple[int, bool]] = []
    handed = False
    if head is not None:
        do = True
        while clause.word(head) in _HEADS:
            do = do and clause.word(head) in _DOING
            handed = clause.quote_after(head)
            head += 1
        if head < len(clause.words):
            starts.append((begin + clause.words[head - handed].start, do))
    for match in _MODAL.finditer(s.covered, begin, stop):
        verb = match["verb"].lower()
        if verb not in _NO_ACTS and (match["best"] is None or verb in VERBS):
            starts.append((match.end(), True))
    yield from starts[handed:]
    for match in _STEP.finditer(s.covered, starts[0][0], stop) if starts else ():
        if _is_step(match):
            place = bisect_right(starts, (match.start(), True))
            yield match.start("verb"), starts[place - 1][1] and match["no"] is None


def _is_step(match: re.Match[str]) -> bool:
    """A verb begins there; one that may be a noun only before an object."""
    verb, behind = match["verb"].lower(), (match["behind"] or "").lower()
    if verb not in ACTS or not behind:
        return False
    return verb not in NOUNISH or behind in OBJECTS | _LINKS or behind == QUOTE_MASK


def _is_end(match: re.Match[str]) -> bool:
    """An action ends before a clause, and before an `and` that another verb follows."""
    step = None if match["next"] is None else _STEP.match(match.string, match.start())
    return match["next"] is None or (step is not None and _is_step(step))


def _end(covered: str, low: int, high: int) -> int:
    """Where the action ends, without the marks and the adverbs of time behind it."""
    while high > low:
        sign = covered[high - 1]
        adverb = _ADVERB.search(covered, max(low, high - _LONGEST_ADVERB), high)
        if adverb:
            high = adverb.start()
        elif sign.isalnum() or sign in f"_){QUOTE_MASK}]":
            break
        else:
            high -= 1
    return high
