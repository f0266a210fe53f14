"""A small bank of some items of a large one, to be carried where the large one is not: a cache on a robot.

Source: seeds/000 (on-device cache); REQUIREMENTS A-54.
"""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import get_args

import numpy as np

from memtrial.memory.bank.events.bank_events import (
    BankEvent,
    Cause,
    ItemAdded,
    LinkAdded,
    VectorAdded,
    VectorKey,
)
from memtrial.memory.bank.events.bank_log import BankLog
from memtrial.memory.bank.events.item_queries import get_item, list_links, read_vectors
from memtrial.memory.stored_item import MemoryFault

WHO = "a copy of a part"


def copy_part(log: BankLog, item_ids: Sequence[str], target: Path) -> int:
    """Make a bank of these items as they are now, with their vectors and the links between them; how many.

    Each is of version 1 there; confidence and uses are those of today. Earlier versions, episodes and the
    rest stay behind; the log says of which bank and event it is a copy.

    Raises:
        MemoryFault: one of the items is not there, or there is a bank at the target already.
    """
    items = [get_item(log, item_id) for item_id in dict.fromkeys(item_ids)]
    if os.path.lexists(target):
        raise MemoryFault(f"a place without a bank is needed; {target} is there: name another, or move it")
    chosen = {item.id for item in items}
    events: list[BankEvent] = [ItemAdded(replace(item, version=1)) for item in items]
    for key in get_args(VectorKey):
        vectors = read_vectors(log, key, sorted(chosen))
        events += [
            VectorAdded(item_id, key, np.asarray(vector, dtype="<f4").tobytes())
            for item_id, vector in vectors.items()
        ]
    events += [
        LinkAdded(link.source, link.target, link.relation, link.weight)
        for link in list_links(log)
        if link.source in chosen and link.target in chosen
    ]
    cause = Cause(WHO, f"of bank {log.id} at event {log.last()[0]}")
    copy = BankLog(target, log.redact, log.clock)
    try:
        for space, dimensions in log.read("SELECT space, dimensions FROM space"):
            copy.fix_space(space, dimensions, cause)
        copy.append(events, cause)
    finally:
        copy.close()
    return len(items)
