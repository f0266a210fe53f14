"""Injection `yoked`: whenever an item would come up by trigger, the next one of its slot does in its place.

What may enter, how much of it and at which moments is as by trigger; which text comes at which moment is not.
So the difference of the two is what the timing of the content is worth (STATISTICS 0c.8). The moments are
those of the trial itself, for the trials of a block do not wait for one another.
"""

from dataclasses import dataclass, replace

from loadbearing.arms.by_trigger import Triggered
from loadbearing.arms.trigger_watch import Watched, Watcher
from loadbearing.episodes.injection import Injection
from loadbearing.episodes.slot import Slot


@dataclass(frozen=True, slots=True)
class Yoked:
    """The factor level. A firing names the item that comes up, and the cues of the one whose moment it was.

    A slot of one item has no other, and shows nothing.
    """

    name: str = "yoked"
    by_trigger: bool = True
    needs_trigger: bool = True

    def __call__(self, shown: Slot, watched: tuple[Watched, ...]) -> Injection:
        n = len(shown.items)
        others = tuple(replace(one, item=(one.item + 1) % n) for one in watched) if n > 1 else ()
        return Triggered(shown, Watcher(others))
