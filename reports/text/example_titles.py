"""Worked examples in words: which pair it is, and how each of its trials ended."""

from loadbearing.reports.base.escape import brief
from loadbearing.reports.model.play import Example
from loadbearing.reports.text.reading import condition_name


def heading(one: Example) -> str:
    """Which pair it is."""
    place = f"{_name(one.arm)}, {condition_name(_name(one.condition))}"
    return f"{place}: task {_name(one.task)}, repeat {one.repeat}"


def differs(one: Example) -> str:
    """On which backbone, and in what the two differ."""
    same = "the outcomes differ" if one.differs == "outcome" else "same outcome, other actions"
    return f"{_name(one.backbone)}: {same}"


def endings(one: Example) -> tuple[str, str]:
    """How the intact and the damaged trial ended."""
    sides = (("Intact", one.before), ("Damaged", one.after))
    first, second = (
        f"{title}: {_name(side.outcome)}{f' ({_name(side.cause)})' if side.cause else ''}"
        for title, side in sides
    )
    return first, second


def _name(text: str) -> str:
    return brief(text, 120)
