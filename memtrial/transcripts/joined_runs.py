"""Runs whose parts stand in several files, put together: a session and its sub-agents are one trajectory."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from memtrial.transcripts.logged_run import LoggedRun


def join_parts(runs: Iterable[LoggedRun]) -> tuple[tuple[LoggedRun, ...], int, int]:
    """The runs in their order, how many parts were joined to one, and how many have no session to join.

    Turns of a session follow each other in time. A part whose session is not there stays a run of its own.
    """
    parts = defaultdict[str, list[LoggedRun]](list)
    for number, run in enumerate(runs):
        parts[run.session or f"\0{number}"].append(run)
    made, joined, alone = list[LoggedRun](), 0, 0
    for members in parts.values():
        mains = [run for run in members if not run.nested]
        if len(members) == 1 or not mains:
            made += members
            alone += sum(run.nested for run in members)
            continue
        whole = mains[0]
        others = [run for run in members if run is not whole and run.turns != whole.turns]
        turns = [turn for run in (whole, *others) for turn in run.turns]
        if all(turn.moment for turn in turns):
            turns.sort(key=lambda turn: turn.moment)
        joined += len(others)
        made.append(replace(whole, turns=tuple(turns)))
    return tuple(made), joined, alone
