"""A process that queues sessions, or distils them, until it is killed: `bank_queue.py FOLDER KIND`.

It prints a line once a session is acknowledged.
"""

import os
import sys
import uuid
from dataclasses import replace
from pathlib import Path

import numpy as np

from memtrial.memory.bank.events.bank_log import FILE, BankLog
from memtrial.memory.bank.labelled_run import LabelledRun
from memtrial.memory.bank.reasoning_bank import ReasoningBank
from memtrial.memory.bank.waiting_runs import queue_run, work_queue
from memtrial.models.embeddings.embedding import HashingEmbedder
from tests.support.event_bank import hide_secret, make_trajectory

ITEM = '{"memories": [{"title": "Doors open", "description": "D", "content": "Walk through doors."}]}'


def open_queue(folder: Path) -> ReasoningBank:
    embedder, log = HashingEmbedder(16), BankLog(folder / FILE, hide_secret)
    return ReasoningBank(
        log, lambda texts: np.asarray(embedder.vectors(texts), dtype=np.float32), embedder.space
    )


def main(folder: str, kind: str) -> None:
    bank = open_queue(Path(folder))
    if kind == "work":
        os.write(1, b"begun\n")
        for _ in work_queue(bank, lambda _: ITEM):
            os.write(1, b"done\n")
        return
    while True:
        queue_run(bank.log, LabelledRun(replace(make_trajectory(), trace_id=uuid.uuid4().hex)))
        os.write(1, b"queued\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
