"""Runs whose parts stand in several files, put together: a session and its sub-agents are one trajectory, and
a request of a batch and its reply.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import replace

from memtrial.transcripts.logged_run import LoggedRun


def join_batches(runs: Iterable[LoggedRun]) -> tuple[tuple[LoggedRun, ...], Counter[str]]:
    """The runs with each reply of a batch put to its request, and what has no counterpart, by why."""
    left, made = Counter[str](), list[LoggedRun]()
    requests, replies = defaultdict[str, list[LoggedRun]](list), defaultdict[str, list[LoggedRun]](list)
    for run in runs:
        if not run.batch:
            made.append(run)
        else:
            (replies if run.nested else requests)[run.batch].append(run)
    for name, asked in requests.items():
        answers = list({reply.turns: reply for reply in replies.pop(name, ())}.values())
        asked = list({request.query: request for request in asked}.values())
        if not answers:
            left["requests of a batch whose reply is not there"] += len(asked)
        elif len(asked) > 1 or len(answers) > 1:
            left["replies of a batch whose custom_id stands for several"] += len(answers)
        else:
            request, reply = asked[0], answers[0]
            made.append(
                replace(reply, query=request.query, turns=(*request.turns, *reply.turns), nested=False)
            )
    left["replies of a batch whose request is not there"] += sum(map(len, replies.values()))
    return tuple(made), +left


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
        # a part may be there twice, as where a client keeps what a sub-agent said in a second place
        others = list({run.turns: run for run in members if run.turns != whole.turns}.values())
        turns = [turn for run in (whole, *others) for turn in run.turns]
        if all(turn.moment for turn in turns):
            turns.sort(key=lambda turn: turn.moment)
        joined += len(others)
        made.append(replace(whole, turns=tuple(turns)))
    return tuple(made), joined, alone
