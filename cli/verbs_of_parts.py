"""Verbs for the parts on their own: condense, perturb, check, calibrate, serve-scripted."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from loadbearing.cli.options import Json


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
