"""The order of names in which people count: `test-2` before `test-10`."""

import re

_NUMBER = re.compile("[0-9]+")


def spell_order(name: str) -> str:
    """A text by which names sort so; each run of digits begins with how long it is without leading zeros.

    In linear time.
    """

    def spell(match: re.Match[str]) -> str:
        digits = match.group().lstrip("0")
        return f"{len(digits):08d}{digits}"

    return _NUMBER.sub(spell, name)
