"""What a world accepts, and whether two texts name the same action."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from loadbearing.memory.words import words

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


def same_action(done: str, told: str) -> bool:
    """Whether what was done is what was told.

    The canonical forms are equal, or one holds the words of the other in order: all that was told, or at
    least two words and two thirds of them.
    """
    did, said = words_of(done), words_of(told)
    if did == said:
        return bool(did)
    if len(said) >= 2 and _in_order(said, did):
        return True
    return len(did) >= 2 and 3 * len(did) >= 2 * len(said) and _in_order(did, said)


def is_form(text: str) -> bool:
    """Whether it has places in capitals."""
    return _PLACE.search(text) is not None


def occurrences(action: str, text: str, start: int = 0, stop: int | None = None) -> Iterator[tuple[int, int]]:
    """Where an action stands in a text word for word, in any case, however the lines break."""
    if len(action) > LONGEST:
        return
    end = len(text) if stop is None else stop
    yield from (match.span() for match in _literal(action).finditer(text, start, end))


@dataclass(frozen=True)
class Repertoire:
    """What a world accepts.

    Args:
        lists: admissible actions, word for word; those of one list are accepted in the same state.
        forms: command forms, their places in capitals: `move OBJ to OBJ`.
    """

    lists: tuple[tuple[str, ...], ...] = ()
    forms: tuple[str, ...] = ()

    @property
    def known(self) -> bool:
        """Something is known about it."""
        return bool(self.forms) or any(self.lists)

    def accepts(self, action: str) -> bool:
        """Whether the action is listed or fits a form; true of everything where nothing is known."""
        said = words_of(action)
        return not self.known or said in self._listed or any(self._things(form, said) for form in self.forms)

    def within(self, text: str, start: int, stop: int) -> tuple[tuple[int, int], ...]:
        """Where listed actions stand in a part of the text, first to last, none inside another."""
        found: list[tuple[int, int]] = []
        spans = (span for action in self._actions for span in occurrences(action, text, start, stop))
        for low, high in sorted(spans, key=lambda span: (span[0], -span[1])):
            if not found or low >= found[-1][1]:
                found.append((low, high))
        return tuple(found)

    def others(self, action: str) -> tuple[str, ...]:
        """What else the world accepts where it accepts this action, sorted.

        The other actions of the lists it stands in; else the forms with as many places, its things put in.
        """
        said = words_of(action)
        found = {one for listed in self.lists if said in map(words_of, listed) for one in listed}
        if not found:
            all_things = (self._things(form, said) for form in self.forms)
            found = {
                _filled(form, things)
                for things in all_things
                if things
                for form in self._with(len(things) - 1)
            }
        return tuple(sorted(one for one in found if _bare(words_of(one)) != _bare(said)))

    @cached_property
    def _actions(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one for listed in self.lists for one in listed if words_of(one)))

    @cached_property
    def _listed(self) -> frozenset[Words]:
        return frozenset(map(words_of, self._actions))

    def _with(self, n_places: int) -> Iterator[str]:
        yield from (form for form in self.forms if len(_PLACE.findall(form)) == n_places)

    def _things(self, form: str, said: Words) -> tuple[str, ...]:
        """The whole action, and what stands in each place of the form; nothing where it does not fit.

        "Focus on it" names nothing that the world could look for.
        """
        text = " ".join(said)
        things = _placed(_fixed(form), text)
        return (text, *things) if things is not None and not _POINTING & set(things) else ()


NOTHING_KNOWN = Repertoire()


def _filled(form: str, things: tuple[str, ...]) -> str:
    rest = iter(things[1:])
    return _PLACE.sub(lambda _: next(rest), form)


def _bare(said: Words) -> Words:
    """Without the number behind a word: `wait1` is no other action than `wait`."""
    return tuple(word.rstrip("0123456789") or word for word in said)


def _in_order(needle: Words, hay: Words) -> bool:
    rest = iter(hay)
    return all(any(word == other for other in rest) for word in needle)


@lru_cache(maxsize=1024)
def _fixed(form: str) -> tuple[str, ...]:
    """The words before, between and behind the places of a form, one more than it has places."""
    fixed: list[list[str]] = [[]]
    for piece in form.split():
        if _PLACE.fullmatch(piece):
            fixed.append([])
        else:
            fixed[-1].append(piece.casefold())
    return tuple(map(" ".join, fixed))


def _placed(fixed: tuple[str, ...], text: str) -> list[str] | None:
    """What stands in the places, each as short as it can be; None where the text is of another form."""
    first, *rest = fixed
    if not rest:
        return [] if text == first else None
    if not text.startswith(f"{first} " if first else ""):
        return None
    at = len(first) + bool(first)
    things: list[str] = []
    for between in rest[:-1]:
        border = f" {between} " if between else " "
        end = text.find(border, at + 1)
        if end < 0:
            return None
        things.append(text[at:end])
        at = end + len(border)
    border = f" {rest[-1]}" if rest[-1] else ""
    last = text[at : len(text) - len(border)]
    return [*things, last] if last and text.endswith(border) else None


@lru_cache(maxsize=4096)
def _literal(action: str) -> re.Pattern[str]:
    joined = r"\s+".join(map(re.escape, action.split()))
    return re.compile(rf"(?<![^\W_]){joined}(?![^\W_])", re.IGNORECASE)
