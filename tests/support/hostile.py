"""Hostile texts: what a pattern names, over and over; derived from the pattern itself."""

import re
from collections.abc import Iterator
from itertools import chain, permutations
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from tests.support.growth import Text

_POOL = "ax0 \n\t_*\"'`“”‘’«».,:;|#-()[]{}<>/\\!\x00"
_CATEGORIES = {
    "CATEGORY_SPACE": " \n",
    "CATEGORY_NOT_SPACE": "a_",
    "CATEGORY_WORD": "a_0",
    "CATEGORY_NOT_WORD": "* \n",
    "CATEGORY_DIGIT": "1",
    "CATEGORY_NOT_DIGIT": "a ",
}
_MOST_UNITS = 40
_MOST_CHARACTERS = 9


UNITS = (
    *"_*#|:,.([{<]}>aA07\"'`“‘«\n\t \\\r\x85\u2028\ue000éſ囗—",
    *(
        "a ",
        "the a ",
        "a, ",
        "a; ",
        "AB ",
        "7 ",
        "- ",
        "1. ",
        " — ",
        "'a ",
        "‘a ",
        "`a` ",
        '"a" ',
        "```\n",
        "{{ ",
        "%s",
    ),
    *("Action:", "\nAction:", "Thought:", "Thought: a\nAction: b\n", "Observation: ", "Actions: ", "http://"),
    *(
        "if a ",
        "When a, b ",
        ", then ",
        "Avoid a, then b. ",
        "before you ",
        "after ",
        "unless a, ",
        "because ",
    ),
    *(
        "not ",
        "and ",
        "then: ",
        "foo the: ",
        "pull: ",
        "should ",
        "you should a ",
        "Win. ",
        "Open it. ",
        "do `a` ",
    ),
    *(
        "Pull the lever. ",
        "Pull `a`. ",
        "Always a b c. ",
        "does not apply ",
        "does not apply when a. ",
        "step 1234567 ",
    ),
    *(
        "task: a | ",
        "\nstate: a",
        "# Memory Item 1\n",
        "## Claim a\n",
        "## Title a\n## Content b\n",
        "## Trigger state: a\n",
    ),
    *("<action>\na\n", "<action>\na\n</action>\n", "Step 1\nAction: a\n", "notes from earlier tasks\n"),
    *("Step 1\nThought: a\nAction: b\nObservation: c\n", "[[ ## item ## ]]\n"),
)
"""What readers of texts look for, to be said over and over."""


def repeated(unit: str, head: str = "", tail: str = "") -> Text:
    """The unit over and over, between a head and a tail."""
    return lambda n: head + (unit * (n // len(unit) + 1))[:n] + tail


def texts_for(pattern: re.Pattern[Any]) -> list[Text]:
    """Texts that the pattern's own characters, beginnings and repeats suggest."""
    found = _Found()
    tree = parser.parse(pattern.pattern, pattern.flags)
    samples = found.walk(tree, "")
    units = list(dict.fromkeys(one for one in (*samples, *found.beginnings) if one))
    units = units[:: len(units) // _MOST_UNITS + 1]
    signs = _signs(found.characters)
    texts = [repeated(unit) for unit in dict.fromkeys((*units, *signs, *(unit + " " for unit in units)))]
    texts += [repeated(unit + "\n") for unit in units[:10]]
    for head, sign in dict.fromkeys(found.repeats):
        texts += [repeated(sign, head, tail) for tail in ("", "\x00")]
        texts.append(repeated(sign, head, "\n" + head))
    texts += [repeated(one + other) for one, other in permutations(signs, 2)]
    texts += [repeated(sign, unit, "\x00") for unit in samples[:2] for sign in signs]
    return texts


def _signs(characters: dict[str, None]) -> list[str]:
    """Characters that are no letters, and one letter, one digit; blanks always."""
    letters = [one for one in characters if one.isalnum()]
    others = [one for one in characters if not one.isalnum()]
    return list(dict.fromkeys((" ", "\n", *others[: _MOST_CHARACTERS - 3], *letters[:1])))


class _Found:
    """What a walk through a parsed pattern gathers."""

    def __init__(self) -> None:
        self.beginnings: dict[str, None] = {}
        self.repeats: list[tuple[str, str]] = []
        self.characters: dict[str, None] = {}
        self.groups: dict[int, str] = {}

    def walk(self, sequence: Any, left: str) -> list[str]:
        """Texts that the sequence matches: one for each choice, the others at their first."""
        done = [""]
        for operator, value in sequence:
            first = left + done[0]
            ways = self._ways(str(operator), value, first) or [""]
            done = [done[0] + way for way in ways] + [one + ways[0] for one in done[1:]]
            self.beginnings.update(dict.fromkeys(left + one for one in done))
        return done

    def _ways(self, operator: str, value: Any, left: str) -> list[str]:
        if operator in ("LITERAL", "NOT_LITERAL", "IN", "ANY"):
            signs = list(_members(operator, value))
            self.characters.update(dict.fromkeys(signs))
            return signs[:4]
        if operator in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            low, high, inner = value
            ways = self.walk(inner, left)
            if high == parser.MAXREPEAT or high > 50:
                self.repeats += [(left, way) for way in ways if way]
            return [way * max(1, low) for way in ways] + ([""] if low == 0 else [])
        if operator == "SUBPATTERN":
            ways = self.walk(value[-1], left)
            self.groups[value[0]] = ways[0]
            return ways
        if operator == "BRANCH":
            return list(chain.from_iterable(self.walk(one, left) for one in value[1]))
        if operator == "ATOMIC_GROUP":
            return self.walk(value, left)
        if operator == "ASSERT":
            ahead = self.walk(value[1], left if value[0] > 0 else "")
            return ["", *ahead] if value[0] > 0 else [*ahead, ""]
        if operator == "ASSERT_NOT":
            self.walk(value[1], left if value[0] > 0 else "")
            return [""]
        if operator == "GROUPREF":
            return [self.groups.get(value, "")]
        if operator == "GROUPREF_EXISTS":
            return self.walk(value[1], left)
        assert operator == "AT", operator
        return [""]


def _members(operator: str, value: Any) -> Iterator[str]:
    """A few characters that a single place matches."""
    if operator == "LITERAL":
        yield chr(value)
    elif operator == "NOT_LITERAL":
        yield from [one for one in _POOL if ord(one) != value][:3]
    elif operator == "ANY":
        yield from "a\n"
    elif str(value[0][0]) == "NEGATE":
        shut = {one for part in value[1:] for one in _named(part)}
        yield from [one for one in _POOL if one not in shut and not _shut(one, value[1:])][:4]
    else:
        for part in value:
            yield from _named(part)


def _named(part: Any) -> Iterator[str]:
    operator, value = str(part[0]), part[1]
    if operator == "LITERAL":
        yield chr(value)
    elif operator == "RANGE":
        yield chr(value[0])
    else:
        yield from _CATEGORIES[str(value)]


def _shut(one: str, parts: Any) -> bool:
    """Whether a negated class names the character by a category or a range."""
    tests = {
        "CATEGORY_SPACE": one.isspace(),
        "CATEGORY_NOT_SPACE": not one.isspace(),
        "CATEGORY_WORD": one.isalnum() or one == "_",
        "CATEGORY_NOT_WORD": not (one.isalnum() or one == "_"),
        "CATEGORY_DIGIT": one.isdigit(),
        "CATEGORY_NOT_DIGIT": not one.isdigit(),
    }
    named = [
        tests[str(value)]
        if str(operator) == "CATEGORY"
        else value[0] <= ord(one) <= value[1]
        if str(operator) == "RANGE"
        else False
        for operator, value in parts
    ]
    return any(named)
