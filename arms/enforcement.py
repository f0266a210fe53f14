"""Injection `enforce`: as by trigger, and the checks that items state are executed (fork A, arm c).

A proposed action that breaks a check while the item's Trigger holds is withheld with the item's text, and
the agent is asked once more; what it then proposes is carried out, whatever it is. A check is tried at every
proposal. So this differs from `trigger` in nothing but the execution.

When an item comes up is decided on the intact Trigger, as everywhere. The check is what the item asks for,
and that is executed as shown: damage to it changes what the program does. Otherwise damage could reach the
explanation alone, and the drop would leave out the program's own part. A shown text without a check that can
be evaluated executes none, and still comes up by its Trigger. Damage that spares the Form, as most fluent
kinds do, leaves the program as it was: there the drop says what the text adds.
"""

from dataclasses import dataclass, replace
from functools import lru_cache

from loadbearing.arms.by_trigger import Triggered
from loadbearing.arms.trigger_watch import Watched, Watcher
from loadbearing.episodes.injection import Injection
from loadbearing.episodes.slot import Slot
from loadbearing.memory.item import TheoryItem
from loadbearing.memory.markdown import parse_all
from loadbearing.memory.trigger import Trigger, TriggerFault, compile_form


@dataclass(frozen=True, slots=True)
class Enforce:
    """The factor level. `watched` are the intact items of an episode, `shown` the texts in that order."""

    name: str = "enforce"
    by_trigger: bool = True
    needs_trigger: bool = True

    def __call__(self, shown: Slot, watched: tuple[Watched, ...]) -> Injection:
        as_shown = (
            replace(one, check=check_of(shown.items[one.item]) if one.item < len(shown.items) else None)
            for one in watched
        )
        return Triggered(shown, Watcher(tuple(as_shown), executed=True))


@lru_cache(maxsize=4096)  # every episode asks again
def check_of(text: str) -> Trigger | None:
    """The check that a shown text states; None for a heuristic, and where nothing can be evaluated."""
    items = parse_all(text)
    if len(items) != 1 or not isinstance(items[0], TheoryItem):
        return None
    try:
        return compile_form(items[0].form)
    except TriggerFault:
        return None
