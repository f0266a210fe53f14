"""What a program can prove of a draft against the intact text; each fault is one sentence that the writer is
told."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from memtrial.memory.language.roles import clauses
from memtrial.memory.language.sentences import masked_body, n_quotes_lost, quotes, sentences_of
from memtrial.memory.language.structure import ADVISING, body, parts, skeleton
from memtrial.perturbations.advice.advised_action import exchangeable
from memtrial.perturbations.advice.known_actions import occurrences
from memtrial.perturbations.advice.phrase_exchange import gerund
from memtrial.perturbations.aim import FEW_CHARACTERS, FEW_WORDS
from memtrial.perturbations.damage_contract import Items
from memtrial.perturbations.language.differences import count_touched, n_changed, n_flips, share_said_again
from memtrial.perturbations.language.grammar import brought_in
from memtrial.perturbations.language.whole_sentences import n_repeated, whole_sentences
from memtrial.perturbations.language.word_spans import n_words
from memtrial.perturbations.paraphrase import LEAST_CHANGED
from memtrial.perturbations.written.claims import Claim
from memtrial.perturbations.written.draft_masks import read_masking
from memtrial.perturbations.written.draft_remarks import find_remark, unseen_signs

LEAST, MOST = 0.9, 1.1
"""Words and characters of a draft over those of the intact text, as a writer is told."""
MOST_REWORDED = 1.35
"""Of a paraphrase as it is accepted: other words run longer. 65 of 68 that three hands wrote are within it,
26 within `MOST`. A placebo that is longer drops no less for it, so that it withholds words and gives none."""
FEW_BESIDE = 0.05
"""How much longer or shorter than that a text may be where others stand beside it: together they are not."""
SURE_WORDS = 5
"""Words of an action that is surely the old one, wherever it stands."""
FEW_NAMED = 3
"""Words of a Trigger's action, with its label, that may be the name of a tool: two actions share it."""
MOSTLY = 0.75
"""Share of the content words of a Trigger's action by which a Claim advises it."""
LEAST_SCOPE = 0.6
"""Share of the content words of a Scope that stand where the action is another."""
MOST_COMPARED = 100
"""Sentences of a part that are compared with each other."""
_MARK = re.compile(r"(?m)^[ \t]*+(?:[-*+•]|\(?\d{1,3}[.)]|\([a-z]\))(?=\s)")
_OPENED = re.compile(r"(?i)[\s,]*+(?:when|whenever|if|unless|except|while|where|wherever|in)\b")
_NAMED_ACTION = re.compile(r"(?i)(?:^|\|)[\s*_-]*+action[\s*_]*+:[^|]*+")
_PARAGRAPHS = re.compile(r"\n[^\S\n]*+\n\s*+")
_STOPS = (".", "!", "?", "。", "！", "？")
_PAIRS = (("(", ")"), ("[", "]"))


def refuse_draft(claim: Claim, before: str, after: str, *, alone: bool = True) -> str:
    """The first thing that is wrong with a draft of one text; empty where nothing is.

    Args:
        alone: no other text stands in its slot, so that it keeps the length of the slot.
    """
    return next(_faults(claim, before, after, alone), "")


def refuse_drafts(claim: Claim, before: Items, after: Items) -> str:
    """The first thing that is wrong with the drafts of all texts of a slot, with its number; else empty."""
    alone = len(before) == 1
    for number, (was, now) in enumerate(zip(before, after, strict=True), 1):
        if fault := refuse_draft(claim, was, now, alone=alone):
            return f"text {number}: {fault}"
    fault = next(_check_length(claim, before, after, alone=True), "")
    return f"all texts together: {fault}" if fault else ""


def _faults(claim: Claim, before: str, after: str, alone: bool) -> Iterator[str]:
    if unseen_signs(after) - unseen_signs(before):
        yield "it holds signs that cannot be seen"
    if not after.strip():
        yield "it is empty"
    if claim != "hidden" and (fault := find_remark(before, after)):  # a mark is a gap
        yield fault
    yield from _check_frame(before, after)
    if claim == "hidden" and (fault := read_masking(before, after).fault):
        yield fault
    yield from _check_length(claim, (before,), (after,), alone)
    if claim == "hidden":
        return
    if " ".join(before.split()).casefold() == " ".join(after.split()).casefold():
        yield "it says what the intact text says, word for word"
    yield from _check_sentences(claim, before, after)
    yield from _check_verbatim(claim, before, after)
    if claim == "exchanged":
        yield from _check_exchanged(before, after)
    if claim in ("turned", "exchanged"):
        yield from _check_advice(claim, before, after)
    if claim == "kept" and (share := _share_replaced(before, after)) < LEAST_CHANGED:
        yield f"{share:.0%} of its words changed, where at least {LEAST_CHANGED:.0%} are to"
    if fault := brought_in((before,), (after,)):
        yield f"its grammar is at fault: {fault}"


def _share_replaced(before: str, after: str) -> float:
    """Share of the words outside quotes that others stand for; what was only added counts for nothing."""
    touched = count_touched(*map(masked_body, (before, after)))
    return sum(map(bool, touched)) / len(touched) if touched else 0.0


def _check_frame(before: str, after: str) -> Iterator[str]:
    was, now = skeleton(before), skeleton(after)
    if was != now:
        lost = [head for head in was if head not in now]
        more = [head for head in now if head not in was]
        yield (
            f"the heading {lost[0]!r} is lost"
            if lost
            else f"the heading {more[0]!r} is new"
            if more
            else "its headings stand in another order"
        )
    marks = [[mark.strip() for mark in _MARK.findall(text)] for text in (before, after)]
    if marks[0] != marks[1]:
        was_marks, now_marks = (" ".join(some) or "none" for some in marks)
        yield f"it has the list marks {now_marks} in the place of {was_marks}"
    n_before, n_after = (len(_PARAGRAPHS.findall(text.strip())) + 1 for text in (before, after))
    if n_after > n_before:
        yield f"it has {n_after} paragraphs in the place of {n_before}"
    if before.count("```") % 2 == 0 and after.count("```") % 2:
        yield "a code fence is not closed"


def _check_length(claim: Claim, before: Items, after: Items, alone: bool) -> Iterator[str]:
    few = sum(max(0.0, FEW_WORDS - (1 - LEAST) * n_words(item)) for item in before)
    most = MOST_REWORDED if claim == "kept" else MOST
    least, most = (LEAST, most) if alone else (LEAST - FEW_BESIDE, most + FEW_BESIDE)
    words, characters = ([sum(map(count, items)) for items in (before, after)] for count in (n_words, len))
    for what, slack, (was, now) in (
        ("words", few, words),
        ("characters", FEW_CHARACTERS * len(before), characters),
    ):
        low, high = least * was - slack, most * was + slack
        if not low <= now <= high:
            yield f"it has {now} {what} in the place of {was}; {-int(-low // 1)} to {int(high)} are wanted"


def _check_sentences(claim: Claim, before: str, after: str) -> Iterator[str]:
    if n_repeated((after,)) > n_repeated((before,)) or _said_within(after) > _said_within(before):
        yield "it says a sentence twice"
    was, now = _count_sentences(before), _count_sentences(after)
    # other words may join two sentences or part one; a sentence that is left out leaves the text shorter, and
    # one more beside another action is often a remark
    joined = claim in ("kept", "exchanged") and n_words(after) >= n_words(before)
    if not was - joined <= now <= was + (claim == "kept"):
        yield f"it has {now} sentences in the place of {was}"
    if _ends(before) and not _ends(after):
        yield f"it breaks off: {after[-40:]!r}"
    for opens, closes in _PAIRS:
        if before.count(opens) == before.count(closes) and after.count(opens) != after.count(closes):
            yield f"a bracket {opens}{closes} is not closed"


@lru_cache(maxsize=512)
def _count_sentences(text: str) -> int:
    return sum(len(whole_sentences(part.body)) for part in parts(text))


def _said_within(text: str) -> int:
    """Sentences that another, longer sentence of the same part holds as its end or beginning; of the first
    `MOST_COMPARED` of each part."""
    count = 0
    for part in parts(text):
        sentences = [_plain(part.body[low:high]) for low, high in whole_sentences(part.body)[:MOST_COMPARED]]
        for number, sentence in enumerate(sentences):
            others = (other for place, other in enumerate(sentences) if place != number)
            count += len(sentence) >= 4 and any(_holds(other, sentence) for other in others)
    return count


def _holds(longer: tuple[str, ...], shorter: tuple[str, ...]) -> bool:
    n = len(shorter)
    return len(longer) > n and (longer[:n] == shorter or longer[-n:] == shorter)


def _plain(sentence: str) -> tuple[str, ...]:
    return tuple(word.strip(".,;:!?()[]\"'*").casefold() for word in sentence.split())


def _ends(text: str) -> bool:
    return text.rstrip().rstrip("`\"'”’)]*_").endswith(_STOPS)


def _check_verbatim(claim: Claim, before: str, after: str) -> Iterator[str]:
    if claim != "exchanged" and (n := n_quotes_lost(before, after)):
        lost = Counter(quotes(body(before))) - Counter(quotes(body(after)))
        yield f"{n} of its quoted or coded passages are not there letter by letter: {next(iter(lost))}"
    if claim == "kept":
        return
    yield from _check_conditions(claim, before, after)
    was, now = (_field(text, "trigger") for text in (before, after))
    if claim != "spared":  # what it names as the action is advice, and goes with it
        was, now = (_NAMED_ACTION.sub("", text) for text in (was, now))
    if was.split() != now.split():
        yield "its Trigger was to stay letter by letter"
    was, now = (_field(text, "scope") for text in (before, after))
    if claim == "turned" and was.split() != now.split():
        yield "its Scope was to stay letter by letter"
    if (
        claim == "exchanged"
        and (share_said_again(was, now) < LEAST_SCOPE or n_flips(was, now))
        and was.strip()
    ):
        yield "its Scope was to stay, but for words that speak of the old action"


def _check_conditions(claim: Claim, before: str, after: str) -> Iterator[str]:
    conditions, flat = conditions_of(before), " ".join(after.split()).casefold()
    gone = [condition for condition in conditions if condition.casefold() not in flat]
    # "if the two numbers differ" is of the action that gave them, and goes with it
    bound = claim == "exchanged" and conditions[:1] != tuple(gone[:1]) and 2 * len(gone) <= len(conditions)
    if gone and not bound:
        yield f"a condition was to stay letter by letter: {gone[0]!r}"


def _field(text: str, label: str) -> str:
    return " ".join(part.body for part in parts(text) if part.label == label)


@lru_cache(maxsize=512)
def conditions_of(item: str) -> tuple[str, ...]:
    """Under which conditions what advises does so, as written; what only says an order of time is none."""
    own = any(part.label in ADVISING and part.body.strip() for part in parts(item))
    conditions = []
    for part, _, sentence in sentences_of(item):
        if own and part.label not in ADVISING:
            continue
        for low, high in clauses(sentence).opened:
            opener = _OPENED.match(sentence.raw, low)
            as_if = sentence.raw[:low].rstrip().casefold().endswith(" as")
            word = opener is not None and opener[0].strip(" ,\n").casefold()
            if word and not as_if and (word != "in" or part.label == "claim"):
                conditions.append(" ".join(sentence.raw[low:high].split()).strip(" ,.;:"))
    return tuple(conditions)


def _check_exchanged(before: str, after: str) -> Iterator[str]:
    # shorter ones may stand there by chance, in an example or as the moment at which another is done
    actions = [advice.action for advice in exchangeable(before) if n_words(advice.action) >= SURE_WORDS]
    open_text = "\n".join(part.body for part in parts(after) if part.label != "scope")
    open_text = " ".join(open_text.split()).casefold()
    for condition in conditions_of(before):
        open_text = open_text.replace(condition.casefold(), " ")
    for action in actions:
        for form in (action, gerund(action)):
            if next(occurrences(form, open_text), None):
                yield f"the old action still stands there: {form!r}"
    named, again = ("".join(_NAMED_ACTION.findall(_field(text, "trigger"))) for text in (before, after))
    old, new = (share_said_again(named, _field(text, "claim")) for text in (before, after))
    if n_words(named) > FEW_NAMED and named.split() == again.split() and old >= MOSTLY > 2 * new:
        yield f"its Trigger still names the old action: {named.strip(' |')!r}"
    # beside the advice and its reasons nothing that is quoted can be a part of the action
    described = _field(before, "description")
    lost = Counter(quotes(described)) - Counter(quotes(body(after)))
    if lost and not exchangeable(described):
        yield f"a quoted passage that is none of the advised action is lost: {next(iter(lost))}"


def _check_advice(claim: Claim, before: str, after: str) -> Iterator[str]:
    # a Mechanism may explain two actions alike, and no action and its opposite
    was, now = (_field(text, "mechanism") for text in (before, after))
    if claim == "turned" and was.strip() and was.split() == now.split():
        yield "its Mechanism stands as it was and explains the old advice"
    was, now = (_field(text, "title") for text in (before, after))
    if was.strip() and was.split() == now.split() and exchangeable(was):
        yield "its Title stands as it was and gives the old advice"
    advising = [_field(text, label) for label in ADVISING for text in (before, after)]
    if any(
        was.strip() and not n_changed(was, now)
        for was, now in zip(advising[::2], advising[1::2], strict=True)
    ):
        yield "what it advises stands as it was"
