"""Slots from elsewhere, whose texts may take the place of those that are damaged."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from memtrial.agents.slot import NOTHING, Slot
from memtrial.runs.preparation.arm_slots import IntactSlot

if TYPE_CHECKING:
    from numpy.random import Generator

MOST_DONORS = 400


def draw_donors(
    rng: Generator,
    task: str,
    texts: Mapping[str, tuple[str, ...]],
    families: Mapping[str, str],
    apart: set[str],
    shown: IntactSlot,
) -> tuple[Slot, ...]:
    """Slots of another family than the task's and its records', in an order drawn for this trial.

    The order is of all sources, so that arms with the same records draw the same donors. A source whose
    family is unknown (an imported trace) counts as foreign when it is none of the records shown.

    Args:
        task: its id, which may be a source, too.
        texts: by source, the items' texts.
        families: by source.
        apart: the families that give none, beside those of the records shown.
    """
    own = (apart | {families[source] for source in shown.sources}) - {""}
    sources = [source for source in texts if source not in (*shown.sources, task)]
    drawn = (sources[position] for position in rng.permutation(len(sources)).tolist())
    cue = shown.slot.cue
    donors = [_lay(cue, texts[source]) for source in drawn if texts[source] and families[source] not in own]
    return tuple(donors[:MOST_DONORS]) or (NOTHING,)


@lru_cache(maxsize=4096)  # each slot is offered in place after place
def _lay(cue: str, items: tuple[str, ...]) -> Slot:
    return Slot(cue, items)
