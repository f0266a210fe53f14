"""Whether two texts tell other actions and nothing else: read from the texts alone, whoever changed them."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import groupby

from memtrial.memory.language.sentences import cut_sentences
from memtrial.memory.language.structure import mask
from memtrial.memory.words import content_words, stem
from memtrial.perturbations.advice.advised_action import MOST_ADVISED, exchangeable
from memtrial.perturbations.advice.known_actions import NOTHING_KNOWN, Repertoire, occurrences, words_of
from memtrial.perturbations.advice.phrase_exchange import closed_spans, gerund
from memtrial.perturbations.advice.standing_advice import Advising, standing_advice
from memtrial.perturbations.language.differences import gaps

_NAMES = 0.5
"""Share of an action's content words that name it."""
_TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|[^\w\s]|_")
_ARTICLES = frozenset({"a", "an"})


@lru_cache(maxsize=4096)
def compare_actions(
    before: str, after: str, known: Repertoire
) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The actions advised before and after, if all of them changed and nothing else did; None otherwise.

    Both are empty where the item advises no action and stays as it was. Read from the texts alone: conditions
    are the same, one action has one other action, none of the old ones stands anywhere, and every word that
    went or came is one of the actions.
    """
    texts = (before, after)
    advised, instead = (tuple(advice.action for advice in exchangeable(text, known)) for text in texts)
    if not advised and not instead:
        return ((), ()) if before == after else None
    pairs = {words_of(action): words_of(other) for action, other in zip(advised, instead, strict=False)}
    if len(advised) != len(instead) or len(pairs) > MOST_ADVISED or set(pairs) & set(pairs.values()):
        return None
    if any(
        pairs[words_of(action)] != words_of(other) for action, other in zip(advised, instead, strict=True)
    ):
        return None
    if _kept_texts(before) != _kept_texts(after) or _left_standing(advised, instead, after):
        return None
    if still_named(before, standing_advice(before, after, verbatim=True), known):
        return None
    if not _only_actions_changed(before, after, advised, instead):
        return None
    once = {
        words_of(action): (action, other)
        for action, other in zip(reversed(advised), reversed(instead), strict=True)
    }
    olds, news = zip(*reversed(once.values()), strict=True)
    return olds, news


def _kept_texts(item: str) -> list[str]:
    return [item[low:high].strip() for low, high in closed_spans(item)]


def _left_standing(advised: tuple[str, ...], instead: tuple[str, ...], after: str) -> bool:
    """Whether an old action, or the thing of it that was exchanged, stands outside conditions."""
    taken = mask(len(after), closed_spans(after))
    wanted = {*advised, *(gerund(old_action) for old_action in advised)}
    for old_action, other in zip(advised, instead, strict=True):
        olds, news = old_action.split(), other.split()
        if olds[:1] == news[:1] and len(olds) == len(news):
            wanted |= {" ".join(run) for run in _differing_runs(olds, news) if len(run) > 1}
    places = (span for old_action in wanted for span in occurrences(old_action, after))
    return any(taken.find(1, low, high) < 0 for low, high in places)


def still_named(
    before: str, standing: Iterable[Advising], known: Repertoire = NOTHING_KNOWN
) -> tuple[Advising, ...]:
    """Those of the sentences that stand which name most of an action that the item advised: a Title may."""
    actions = (frozenset(content_words(advice.action)) for advice in exchangeable(before, known))
    olds = [stems for stems in actions if stems]

    def names(text: str) -> bool:
        stems = frozenset(content_words(text))
        return any(_NAMES * len(old) <= len(old & stems) for old in olds)

    return tuple(advice for advice in standing if names(advice.text))


def _differing_runs(olds: list[str], news: list[str]) -> Iterator[list[str]]:
    both = enumerate(zip(olds, news, strict=True))
    for differ, run in groupby(both, key=lambda place: place[1][0] != place[1][1]):
        if differ:
            yield [old for _, (old, _) in run]


def _only_actions_changed(before: str, after: str, advised: Iterable[str], instead: Iterable[str]) -> bool:
    olds, news = (
        frozenset(map(_fold_token, _TOKEN.findall(" ".join(actions)))) | _ARTICLES
        for actions in (advised, instead)
    )
    pairs = list(zip(cut_sentences(before), cut_sentences(after), strict=False))
    if len(cut_sentences(before)) != len(cut_sentences(after)):
        pairs = [(before, after)]
    for before_text, other in pairs:
        if before_text == other:
            continue
        here, there = (
            [_fold_token(token) for token in _TOKEN.findall(text)] for text in (before_text, other)
        )
        differing = gaps(here, there)
        if differing is None or any(
            set(here[a:b]) - olds or set(there[c:d]) - news for a, b, c, d in differing
        ):
            return False
    return True


def _fold_token(token: str) -> str:
    return stem(token.casefold().replace("’", "'"))
