"""`review`: the local page where a person decides on drafts that wait; or decisions made elsewhere."""

from pathlib import Path
from typing import Annotated

import typer

from loadbearing.cli.options import Json, Run
from loadbearing.episodes.views import render
from loadbearing.outcomes.count_words import how_many
from loadbearing.runs.errors import SpecFault
from loadbearing.runs.folder.run_folder import alone_in, find_run
from loadbearing.runs.progress.standard_output import put, put_json
from loadbearing.runs.review.decisions_file import read_decisions
from loadbearing.runs.review.desk import Desk, DeskFault, blind_run
from loadbearing.runs.review.server import served

LOOK_S = 0.2


def review(
    named: Run = Path("logs/latest"),
    decisions: Annotated[
        Path | None, typer.Option(help="Take decisions from a file of JSON lines instead.")
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Of the page; 0 takes a free one.")] = 0,
    as_json: Json = False,
) -> None:
    """Serve the page until a person finishes, take decisions from a file, or print what waits (--json).

    Raises:
        SpecFault: there is no such run, it is going on, or a decision of the file is wrong; none is taken.
    """
    folder = find_run(named)
    desk = Desk(folder, blind_run(folder))
    if decisions is not None:
        given = read_decisions(decisions)
        with alone_in(folder):
            try:
                desk.decide(*given)
            except DeskFault as fault:
                raise SpecFault(f"{decisions}: {fault}; none of its decisions is taken") from fault
    elif not as_json and desk.queue().drafts:
        with alone_in(folder), served(desk, port) as address:
            put(f"For your review: {how_many(desk.queue().left, 'draft')}. Open {address}")
            while not desk.finished.wait(LOOK_S):
                pass
    _say(desk, as_json)


def _say(desk: Desk, as_json: bool) -> None:
    """What waits, and what was decided."""
    queue = desk.queue()
    if as_json:
        rows = [one for one in queue.drafts if one.id not in queue.decided]
        hidden = {"findings"} if desk.blind else set()
        waiting = [
            {"draft": one.id, **one.model_dump(mode="json", exclude=hidden)}
            | {"trajectory": render(desk.trajectory(one), one.view)}
            for one in rows
        ]
        put_json({"decided": queue.counts(), "waiting": waiting})
        return
    counts = queue.counts()
    said = f"{counts['accept']} accepted, {counts['edit']} edited, {counts['reject']} rejected"
    left = f"{how_many(queue.left, 'draft')} still to decide" if queue.left else "no draft waits"
    put(f"{said}; {left}. The same `run` command goes on.")
