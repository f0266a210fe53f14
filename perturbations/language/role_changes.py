"""What was done to the words of each role of an item, and which of these texts still stand."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from memtrial.memory.language.roles import ROLES, Role, Run, runs_of
from memtrial.memory.language.structure import ADVISING, parts, place_parts, skeleton
from memtrial.perturbations.language.differences import count_touched, share_said_again
from memtrial.perturbations.language.word_spans import locate_words

_ORDER_LEFT = 0.6
"""Share of the content words of a condition of order that stand."""


class RoleCounts(NamedTuple):
    """By role its words, and how many of them were changed; a word put in counts where it was put."""

    there: Counter[Role]
    changed: Counter[Role]


def count_by_role(before: str, after: str) -> RoleCounts:
    """The words of one item; of roles without a word there is nothing."""
    counts = RoleCounts(Counter(), Counter())
    for role, n in _changes_by_role(before, after):
        counts.there[role] += 1
        counts.changed[role] += n
    return counts


def share_by_role(items: Iterable[RoleCounts]) -> dict[Role, float]:
    """Of each role the share of the words of all items that were changed, in [0, 1]."""
    counts = RoleCounts(Counter(), Counter())
    for of_item in items:
        counts.there.update(of_item.there)
        counts.changed.update(of_item.changed)
    shares = {role: counts.changed[role] / n for role, n in counts.there.items()}
    return {role: round(min(1.0, shares[role]), 4) for role in ROLES if role in shares}


def _changes_by_role(before: str, after: str) -> Iterator[tuple[Role, int]]:
    """For each word that has a role how many words were changed there, part against part."""
    bodies = [part.body for part in parts(after)]
    if skeleton(before) != skeleton(after) or len(parts(before)) != len(bodies):
        bodies = [""] * len(parts(before))
    runs = [*runs_of(before)][::-1]
    for (old_part, place), body in zip(place_parts(before), bodies, strict=True):
        for word, n in zip(locate_words(old_part), count_touched(old_part.body, body), strict=True):
            while runs and runs[-1].end <= place + word.start:
                runs.pop()
            if runs and runs[-1].start <= place + word.start:  # list numbers have no role
                yield runs[-1].role, n


def role_stands(before: str, after: str, role: Role) -> bool:
    """Whether the text of the role stands; a condition that says what comes first may turn with the advice.

    "Edit only after the test fails" is turned by "edit before the test fails".
    """
    runs = [run for run in runs_of(before) if run.role == role]
    ordered = [run for run in runs if _says_order(before, run)]
    fixed = [(run.start, run.end) for run in runs if run not in ordered]
    words_left = (share_said_again(before[run.start : run.end], after) for run in ordered)
    return stand(before, after, fixed) and all(share >= _ORDER_LEFT for share in words_left)


def _says_order(item: str, run: Run) -> bool:
    """Whether it says what comes first, in a field that advises: "only when it is lit", "after the test"."""
    text, ahead = item[run.start : run.end].lstrip(" ,"), item[max(0, run.start - 8) : run.start]
    ordered = text.lower().startswith("after ") or ahead.lower().endswith("only")
    return ordered and run.label in ("", "title", "description", *ADVISING)


def stand(before: str, after: str, places: Iterable[tuple[int, int]]) -> bool:
    """Whether the texts at these places of the first stand in the second, one behind the other."""
    place = 0
    for low, high in places:
        text = before[low:high].strip()
        place = after.find(text, place)
        if place < 0:
            return False
        place += len(text)
    return True
