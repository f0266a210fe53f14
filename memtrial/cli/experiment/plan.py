"""`plan`: what a spec comes to, before anything is spent."""

import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Annotated

import typer

from memtrial.cli.options import BaseUrl, Json, Setting, SpecFile


def plan(
    spec: SpecFile,
    settings: Setting = None,
    pilot: Annotated[
        Path | None,
        typer.Option(
            help="A run that tells costs and variance, or a table of outcomes.", metavar="RUN|TABLE"
        ),
    ] = None,
    pilot_option: Annotated[
        list[str] | None,
        typer.Option(help="What the table's columns are, as in analyze.", metavar="OPTION=VALUE"),
    ] = None,
    effect: Annotated[float, typer.Option(help="The smallest effect that matters, in points.")] = 0.10,
    power: Annotated[float, typer.Option(help="The chance of showing it.")] = 0.80,
    budget: Annotated[float | None, typer.Option(help="US dollars; what they can show at best.")] = None,
    task_cost: Annotated[float, typer.Option(help="US dollars of a task, besides its episodes.")] = 0.0,
    simulate: Annotated[int | None, typer.Option(help="Made-up experiments; 0: closed form alone.")] = None,
    figure: Annotated[
        Path | None, typer.Option(help="A page with the power curve.", metavar="FILE.html")
    ] = None,
    details: Annotated[bool, typer.Option("--details", help="Tables of cells, costs and power.")] = False,
    base_url: BaseUrl = None,
    as_json: Json = False,
) -> None:
    """What a spec can show, what it may cost, and what the wanted effect takes. Spends nothing."""
    from memtrial.api.given_spec import spec_of
    from memtrial.api.run import plan as forecast_for
    from memtrial.console.standard_output import complain, put_either, width_of
    from memtrial.runs.forecast.forecast_text import forecast_lines, write_figure
    from memtrial.runs.forecast.power_table import PlanOptions

    wanted = PlanOptions(effect, power, budget, task_cost, simulate)
    command = ["memtrial", *sys.argv[1:]]
    given = spec_of(spec, settings or ())
    # what a user's own memory or world prints is no result
    with redirect_stdout(sys.stderr):
        forecast = forecast_for(given, wanted, pilot, base_url or (), complain, pilot_option or (), command)
    if figure is not None:
        write_figure(forecast, figure)
    put_either(forecast.as_json(), forecast_lines(forecast, details, width_of()), as_json)
