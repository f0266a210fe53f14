"""`condense`: the condensers on their own, on anyone's traces."""

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from memtrial.agents.trajectory_views import View
from memtrial.cli.options import BaseUrl, Mode


def condense(
    traces: Annotated[Path, typer.Argument(help="Trajectories as JSON lines.", metavar="TRACES")],
    condenser: Annotated[
        Literal["theory", "additive", "native", "nothing"], typer.Option(help="Which one.")
    ] = "theory",
    model: Annotated[
        str | None,
        typer.Option(help="The model that drafts, provider/name; to try it out simulated/scribe."),
    ] = None,
    judge: Annotated[str | None, typer.Option(help="Answers the gates; default --model or examiner.")] = None,
    gates: Annotated[str, typer.Option(help="By name, with commas; seed, all, or none: no gate.")] = "seed",
    gate_calibration: Annotated[
        Path | None, typer.Option(help="Of the judge, by gates regress --out; without one it only advises.")
    ] = None,
    max_rounds: Annotated[int, typer.Option(min=0, max=10, help="Revisions at most.")] = 2,
    view: Annotated[View | None, typer.Option(help="What of a trajectory is shown.")] = None,
    control: Annotated[
        Path | None, typer.Option(help="Upstream's memory_instruction.py, for native.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write here; default standard output.")] = None,
    max_lost: Annotated[
        float, typer.Option(min=0, max=1, help="Exit 1 where a larger share of the traces is lost.")
    ] = 0.1,
    display: Annotated[Mode, typer.Option(help="How to show progress.")] = "full",
    base_url: BaseUrl = None,
) -> None:
    """Make memory items of trajectories: one JSON line for each. Exit 1 where too many are lost."""
    from memtrial.agents.traces import TraceFault, read_traces
    from memtrial.api.condense import CondenseOptions, simulated_models, simulated_note
    from memtrial.api.condense import condense as condense_all
    from memtrial.console.display import Display
    from memtrial.console.standard_output import put, put_json, put_line
    from memtrial.faults import refused
    from memtrial.gates.suite import gate_names
    from memtrial.private_file import write_whole
    from memtrial.runs.run_folder.output_file import refuse_unwritable

    options = CondenseOptions(
        *(condenser, model, judge, gate_names(gates), max_rounds, view, control, tuple(base_url or ())),
        gate_calibration,
    )
    with refused(TraceFault):
        trajectories = read_traces(traces)
    if out is not None:
        refuse_unwritable(out, *filter(None, (traces, control, gate_calibration)))
    if simulated := simulated_models(options):
        put(simulated_note(simulated), sys.stderr)
    condensed = condense_all(trajectories, options, Display(display))
    if out is None:
        for row in condensed.rows():
            put_json(row, indent=None)
    else:
        write_whole(out, "\n".join(condensed.json_lines()) + "\n")
    where = f" to {out}" if out is not None else ""
    put(f"{condensed.summary()}{where}; {condensed.control}", sys.stderr)
    for line in condensed.faults():
        put_line(line, sys.stderr)
    if condensed.lost_share > max_lost:
        share = f"{condensed.lost_share:.0%} of the traces are lost"
        put(f"{share}, more than --max-lost {max_lost:g}", sys.stderr)
        raise typer.Exit(1)
