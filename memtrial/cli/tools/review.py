"""`review`: the local page where a person decides on drafts that wait; or decisions made elsewhere."""

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from memtrial.cli.options import Json
from memtrial.console.standard_output import put, put_json
from memtrial.faults import SpecFault
from memtrial.outcomes.count_words import how_many
from memtrial.runs.run_folder.folder import alone_in, find_run

LOOK_S = 0.2


def review(
    named: Annotated[
        Path, typer.Argument(help="A run folder, its name, or a file of people's labels.", metavar="RUN")
    ] = Path("logs/latest"),
    decisions: Annotated[
        Path | None, typer.Option(help="Take decisions from a file of JSON lines instead.")
    ] = None,
    by: Annotated[str, typer.Option(help="Who decides; where several do, each sees all.")] = "",
    as_json: Json = False,
) -> None:
    """Serve the page until a person finishes, take decisions from a file, or print what waits (--json).

    Raises:
        SpecFault: there is no such run or file, the run is going on and serves no page, the page is to be
            served a second time, or a decision of the file is wrong; none is taken.
    """
    from memtrial.pages.decision_file import read_decisions
    from memtrial.pages.desk import DeskFault
    from memtrial.pages.desk_choice import choose_desk
    from memtrial.pages.draft_desk import DraftDesk, blind_run
    from memtrial.pages.failure_desk import FailureDesk
    from memtrial.pages.page_address import address_of
    from memtrial.pages.page_lock import page_is_open
    from memtrial.pages.page_server import serve_page, served_run

    labels = named.is_file()
    folder = named if labels else find_run(named)
    visiting = decisions is not None
    desk = choose_desk(named, by) if labels else DraftDesk(folder, blind_run(folder), by, visiting=visiting)
    beside = not labels and page_is_open(folder)
    if decisions is not None:
        given = read_decisions(decisions)
        try:
            desk.decide(*(decision.model_copy(update={"by": decision.by or by}) for decision in given))
        except DeskFault as fault:
            raise SpecFault(f"{decisions}: {fault}; none of its decisions is taken") from fault
    elif not as_json and desk.queue().drafts:
        if beside:
            raise SpecFault(
                f"the page is open already: decide at {address_of(folder)}, or end what serves it"
            )
        alone = nullcontext() if labels else alone_in(folder)
        with alone, served_run(desk) if isinstance(desk, DraftDesk) else serve_page(desk) as address:
            put(f"For your review: {how_many(desk.queue().left, desk.queue().manner.noun)}. Open {address}")
            while not desk.finished.wait(LOOK_S):
                pass
    queue = desk.queue()
    if as_json:
        put_json([desk.row(draft) for draft in queue.drafts if draft.id not in queue.decided])
    elif isinstance(desk, FailureDesk):
        put(f"{queue.told}. `memtrial failures RUN --human {folder}` takes what is labelled.")
    elif labels:
        put(f"{queue.told}. `memtrial gates regress --fixtures {folder}` takes what is labelled.")
    elif beside and queue.drafts:
        put(f"{queue.told}. The open page shows it: finish there, at {address_of(folder)}")
    else:
        put(f"{queue.told}. The same `run` command goes on." if queue.drafts else "No draft waits.")
