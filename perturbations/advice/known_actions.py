"""What a world accepts, and whether two texts name the same action."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from memtrial.memory.words import words

_PLACE = re.compile(r"\b[A-Z]{2,}\b")
_ARTICLES = frozenset({"a", "an", "the"})
_POINTING = frozenset({"it", "them", "this", "that", "one"})
Words = tuple[str, ...]
LONGEST = 500
"""Characters of an action; a longer text is none, and is looked for nowhere."""


@lru_cache(maxsize=65536)
def words_of(action: str) -> Words:
    """The action in its canonical form: its words, case-folded, without articles."""
    return tuple(word for word in map(str.casefold, words(action)) if word not in _ARTICLES)


@lru_cache(maxsize=4096)  # every turn of every trial is held against the same few actions
def same_action(done: str, other: str) -> bool:
    """Whether what was done is what was told.

    The canonical forms are equal, or one holds the words of the other in order: all that was told, or at
    least two words and two thirds of them.
    """
    did, action_words = words_of(done), words_of(other)
    if did == action_words:
        return bool(did)
    if len(action_words) >= 2 and _in_order(action_words, did):
        return True
    return len(did) >= 2 and 3 * len(did) >= 2 * len(action_words) and _in_order(did, action_words)


def is_form(text: str) -> bool:
    """Whether it has places in capitals."""
    return _PLACE.search(text) is not None


def occurrences(action: str, text: str, start: int = 0, stop: int | None = None) -> Iterator[tuple[int, int]]:
    """Where an action stands in a text word for word, in any case, however the lines break."""
    if len(action) <= LONGEST and _may_stand(action, text):
        end = len(text) if stop is None else stop
        yield from (match.span() for match in _literal(action).finditer(text, start, end))


def _may_stand(action: str, text: str) -> bool:
    """Whether all its words are in the text; a search for a pattern takes far longer. Beyond ASCII: maybe."""
    if not (action.isascii() and text.isascii()):
        return True
    lower = text.lower()
    return all(map(lower.__contains__, action.lower().split()))


@dataclass(frozen=True)
class Repertoire:
    """What a world accepts.

    Args:
        lists: admissible actions, word for word; those of one list are accepted in the same state.
        forms: command forms, their places in capitals: `move OBJ to OBJ`.
    """

    lists: tuple[tuple[str, ...], ...] = ()
    forms: tuple[str, ...] = ()

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """Asked for with every text that is read for actions, and long to work out."""
        return hash((self.lists, self.forms))

    @property
    def known(self) -> bool:
        """Something is known about it."""
        return bool(self.forms) or any(self.lists)

    def accepts(self, action: str) -> bool:
        """Whether the action is listed or fits a form; true of everything where nothing is known."""
        action_words = words_of(action)
        if not self.known or action_words in self._words_of_listed.values():
            return True
        return any(_things(form, action_words) is not None for form in self.forms)

    def within(self, text: str, start: int, stop: int) -> tuple[tuple[int, int], ...]:
        """Where listed actions stand in a part of the text, first to last, none inside another."""
        placed: list[tuple[int, int]] = []
        lower = text.lower()
        listed = (
            action
            for action, needed in self._needed_of_listed.items()
            if needed is None or not lower.isascii() or all(map(lower.__contains__, needed))
        )
        spans = (span for action in listed for span in occurrences(action, text, start, stop))
        for low, high in sorted(spans, key=lambda span: (span[0], -span[1])):
            if not placed or low >= placed[-1][1]:
                placed.append((low, high))
        return tuple(placed)

    def others(self, action: str) -> tuple[str, ...]:
        """What else the world accepts where it accepts this action, sorted.

        The other actions of the lists it stands in; else the forms with as many places, its things put in.
        """
        action_words = words_of(action)
        alternatives = {
            listed_action
            for listed in self.lists
            if action_words in map(words_of, listed)
            for listed_action in listed
        }
        for fitting in () if alternatives else self.forms:
            things = _things(fitting, action_words)
            if things is not None:
                alike = (form for form in self.forms if len(_PLACE.findall(form)) == len(things))
                alternatives |= {_fill_form(form, things) for form in alike}
        return tuple(
            sorted(
                listed_action
                for listed_action in alternatives
                if _bare(words_of(listed_action)) != _bare(action_words)
            )
        )

    def place_action(self, action: str) -> tuple[str, Words]:
        """The first form that it fits and what stands in its places; nothing where the action is listed."""
        action_words = words_of(action)
        fits = () if action_words in self._words_of_listed.values() else self.forms
        return next(((form, fitted) for form in fits if (fitted := _things(form, action_words))), ("", ()))

    @cached_property
    def _words_of_listed(self) -> dict[str, Words]:
        return {
            listed_action: words_of(listed_action)
            for listed in self.lists
            for listed_action in listed
            if words_of(listed_action)
        }

    @cached_property
    def _needed_of_listed(self) -> dict[str, list[str] | None]:
        """The words without which no text holds an action; None where case is no matter of ASCII."""
        return {
            action: action.lower().split() if action.isascii() else None for action in self._words_of_listed
        }


NOTHING_KNOWN = Repertoire()


def _things(form: str, action_words: Words) -> Words | None:
    """What stands in the places of the form, each as short as it can be; None where it does not fit.

    "Focus on it" names nothing that the world could look for.
    """
    text = " ".join(action_words)
    fitted = _form_pattern(form).fullmatch(text) if len(text) <= LONGEST else None
    return fitted.groups() if fitted and not _POINTING & set(fitted.groups()) else None


@lru_cache(maxsize=1024)
def _form_pattern(form: str) -> re.Pattern[str]:
    patterns = ("(.+?)" if _PLACE.fullmatch(word) else re.escape(word.casefold()) for word in words(form))
    return re.compile(" ".join(patterns))


def _fill_form(form: str, things: Words) -> str:
    rest = iter(things)
    return _PLACE.sub(lambda _: next(rest), form)


def _bare(action_words: Words) -> Words:
    """Without the number behind a word: `wait1` is no other action than `wait`."""
    return tuple(word.rstrip("0123456789") or word for word in action_words)


def _in_order(needle: Words, hay: Words) -> bool:
    rest = iter(hay)
    return all(any(word == other for other in rest) for word in needle)


@lru_cache(maxsize=4096)
def _literal(action: str) -> re.Pattern[str]:
    joined = r"\s+".join(map(re.escape, action.split()))
    return re.compile(rf"(?i)(?<![^\W_]){joined}(?![^\W_])")
