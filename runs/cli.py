"""The command line. Each verb imports what it needs, so that `--help` answers at once."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from runs.fault import RunFault, SpecFault

app = typer.Typer(
    name="loadbearing",
    help="Does the condensed memory of an LLM agent carry weight, or is it decoration?",
    epilog="--debug, anywhere, shows where an error came from.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

SpecFile = Annotated[
    Path, typer.Argument(help="The spec, a YAML file; runs/specs holds examples.", metavar="SPEC")
]
Setting = Annotated[
    list[str] | None,
    typer.Option("-S", "--set", help="key=value, wins over the file; for example -S seed=3."),
]
Json = Annotated[bool, typer.Option("--json", help="Machine-readable, on standard output.")]
Out = Annotated[Path | None, typer.Option("--out", help="The run folder; default logs/<name>_s<seed>.")]
Run = Annotated[Path, typer.Argument(help="A run folder, or its name below logs.", metavar="RUN")]


@app.command()
def run(
    spec: SpecFile,
    settings: Setting = None,
    out: Out = None,
    clean: Annotated[
        bool, typer.Option("--clean", help="Remove the run folder first and begin anew.")
    ] = False,
    limit: Annotated[
        int | None,
        typer.Option("--limit", min=1, help="Play this many blocks and stop; the next run goes on."),
    ] = None,
    display: Annotated[
        Literal["full", "plain", "log", "none"], typer.Option(help="How to show progress.")
    ] = "full",
    as_json: Json = False,
    require_decision: Annotated[
        bool, typer.Option("--require-decision", help="Exit 3 when a primary contrast is not decided.")
    ] = False,
) -> None:
    """Run an experiment; the same command again goes on where the first one stopped."""
    from runs.commands.run import run_spec
    from runs.loading import load_spec

    wanted = load_spec(spec, settings or (), os.environ)
    raise typer.Exit(run_spec(wanted, out, clean, limit, display, as_json, require_decision))


@app.command()
def report(run_folder: Run = Path("logs/latest"), as_json: Json = False) -> None:
    """Say what a run found: analyse its ledger anew, print the table, write the report."""
    from runs.commands.report import report_run

    report_run(run_folder, as_json)


@app.command()
def plan(spec: SpecFile, settings: Setting = None, as_json: Json = False) -> None:
    """Every cell, the episodes and calls, and what could be detected. Spends nothing."""
    from runs.commands.plan import plan_spec
    from runs.loading import load_spec

    plan_spec(load_spec(spec, settings or (), os.environ), as_json)


@app.command()
def condense(
    traces: Annotated[Path, typer.Argument(help="Trajectories as JSON lines.", metavar="TRACES")],
    condenser: Annotated[
        Literal["theory", "native", "nothing"], typer.Option(help="Which condenser.")
    ] = "theory",
    model: Annotated[str, typer.Option(help="The model that drafts, provider/name.")] = "simulated/scribe",
    judge: Annotated[
        str | None,
        typer.Option(
            help="The model that answers the gates; default --model, or simulated/examiner for the scribe."
        ),
    ] = None,
    gates: Annotated[
        str, typer.Option(help="Gates by name, with commas; 'none' for the schema alone.")
    ] = "all",
    max_rounds: Annotated[int, typer.Option(min=0, max=10, help="Revisions at most.")] = 2,
    view: Annotated[Literal["full", "actions"], typer.Option(help="What of a trajectory is shown.")] = "full",
    control: Annotated[
        Path | None, typer.Option(help="Upstream's memory_instruction.py, for native.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Write here; default standard output.")] = None,
    display: Annotated[
        Literal["full", "plain", "log", "none"], typer.Option(help="How to show progress.")
    ] = "full",
) -> None:
    """Make memory items of trajectories: one JSON line for each."""
    from runs.commands.condense import condense_traces

    condense_traces(traces, condenser, model, judge, gates, max_rounds, view, control, out, display)


@app.command()
def perturb(
    items: Annotated[Path, typer.Argument(help="Markdown, or the output of condense.", metavar="ITEMS")],
    kind: Annotated[str, typer.Option(help="The perturbation's name.")],
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same damage.")] = 0,
    donors: Annotated[Path | None, typer.Option(help="More ITEMS to take foreign text from.")] = None,
    as_json: Json = False,
) -> None:
    """Damage memory items and check the damage."""
    from runs.commands.perturb import perturb_items

    perturb_items(items, kind, seed, donors, as_json)


def main() -> None:
    """Entry point: faults become one line and an exit code; `--debug` shows where they came from."""
    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]
    debug = len(arguments) < len(sys.argv) - 1
    try:
        app(arguments)
    except (SpecFault, RunFault) as fault:
        if debug:
            raise
        print(f"loadbearing: {fault}", file=sys.stderr)
        sys.exit(2 if isinstance(fault, SpecFault) else 1)
    except KeyboardInterrupt:
        print("loadbearing: interrupted; what was committed stays, the same command goes on", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        # the reader of our output went away (`| head`); nothing is wrong
        sys.stderr.close()
        sys.exit(0)
