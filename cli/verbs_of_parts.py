"""Verbs for the parts on their own: condense, perturb, check, calibrate, serve-scripted."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from loadbearing.cli.options import BaseUrl, Json


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
    base_url: BaseUrl = None,
) -> None:
    """Make memory items of trajectories: one JSON line for each."""
    from loadbearing.cli.parts.condense import condense_traces

    condense_traces(
        traces, condenser, model, judge, gates, max_rounds, view, control, out, display, base_url or ()
    )


def perturb(
    items: Annotated[Path, typer.Argument(help="Markdown, or the output of condense.", metavar="ITEMS")],
    kind: Annotated[str, typer.Option(help="The perturbation's name.")],
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same damage.")] = 0,
    donors: Annotated[Path | None, typer.Option(help="More ITEMS to take foreign text from.")] = None,
    actions: Annotated[
        Path | None, typer.Option(help="For counter: what the world accepts, an action or a form a line.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Damage memory items and check the damage."""
    from loadbearing.cli.parts.perturb import perturb_items

    perturb_items(items, kind, seed, donors, as_json, actions)


def check(
    name: Annotated[str, typer.Argument(help="path/to/module.py:Object.", metavar="OBJECT")],
    kind: Annotated[
        str | None,
        typer.Option(help="condenser, gate, perturbation, world or memory; found out unless given."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Try the laws on a condenser, gate, perturbation, world or memory system of your own."""
    from loadbearing.cli.parts.check import check_object

    raise typer.Exit(check_object(name, kind, as_json))


def calibrate(
    full: Annotated[
        bool,
        typer.Option("--full", help="More experiments and sizes, and participants through the whole path."),
    ] = False,
    mutant: Annotated[
        str | None,
        typer.Option(help="A wrong instrument: repeats-as-tasks, arms-swapped or one-sided-p."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the experiments.")] = 0,
    display: Annotated[
        Literal["full", "plain", "log", "none"], typer.Option(help="How to show progress.")
    ] = "full",
    as_json: Json = False,
) -> None:
    """Hold the instrument against simulated experiments whose truth is known; exit 1 if a band breaks."""
    from loadbearing.cli.parts.calibrate import calibrate_instrument

    raise typer.Exit(calibrate_instrument(full, mutant, seed, as_json, display))


def serve_scripted(
    answers: Annotated[
        str, typer.Option(help="simulated/<name>, several with commas, or a JSONL file of answers.")
    ] = "simulated/reader",
    faults: Annotated[Path | None, typer.Option(help="What goes wrong, a YAML or JSON list.")] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 0,
    latency: Annotated[float, typer.Option(min=0, help="Seconds before each answer.")] = 0.0,
    echo: Annotated[bool, typer.Option("--echo", help="Answers carry the request as it came in.")] = False,
    models: Annotated[
        list[str] | None, typer.Option("--model", help="A model id there is; any unless given.")
    ] = None,
    log: Annotated[Path | None, typer.Option(help="A JSON line for each request goes here.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of faults that strike by chance.")] = 0,
) -> None:
    """A provider on this machine that answers by script: Anthropic's and OpenAI's API, for dry runs."""
    from loadbearing.cli.parts.serve_scripted import serve

    serve(answers, faults, port, latency, log, seed, tuple(models or ()), echo)
