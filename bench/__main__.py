"""`make bench`: speed and memory as ratios, each against a peer in the same run. No figure here is a test.

Ratios of what is timed in turns are medians, with the lowest and the highest beside them: how far those are
apart says how busy the machine was. Each part runs on its own as well: `python -m bench.model client`.
"""

from bench import (
    demo_cost,
    hand_files,
    latency,
    ledger,
    ledger_size,
    memory,
    model_client,
    parts,
    proxy_time,
    report_of_trials,
    retrieval_speed,
    statistics,
    table,
    verb_starts,
    view_pages,
    whole_run,
)

PARTS = (
    demo_cost,
    hand_files,
    latency,
    ledger,
    ledger_size,
    memory,
    model_client,
    parts,
    proxy_time,
    report_of_trials,
    retrieval_speed,
    statistics,
    table,
    verb_starts,
    view_pages,
    whole_run,
)

if __name__ == "__main__":
    for part in PARTS:
        for figure in part.figures():
            print(figure.line(), flush=True)
