"""`plan`: what a spec comes to, before anything is spent."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from loadbearing.cli.options import BaseUrl, Json, Setting, SpecFile

if TYPE_CHECKING:
    from loadbearing.runs.planning.wanted import Wanted
    from loadbearing.runs.spec.spec import Spec


def plan(
    spec: SpecFile,
    settings: Setting = None,
    pilot: Annotated[
        Path | None, typer.Option(help="A run that tells costs and variance.", metavar="RUN")
    ] = None,
    effect: Annotated[float, typer.Option(help="The smallest effect that matters, in points.")] = 0.10,
    power: Annotated[float, typer.Option(help="The chance of showing it.")] = 0.80,
    budget: Annotated[float | None, typer.Option(help="US dollars; what they can show at best.")] = None,
    episodes: Annotated[int | None, typer.Option(help="The same, counted in episodes.")] = None,
    task_cost: Annotated[float, typer.Option(help="US dollars of a task, besides its episodes.")] = 0.0,
    simulate: Annotated[int | None, typer.Option(help="Made-up experiments; 0: closed form alone.")] = None,
    figure: Annotated[
        Path | None, typer.Option(help="The power curve, .html or .svg.", metavar="FILE")
    ] = None,
    details: Annotated[bool, typer.Option("--details", help="Tables of cells, costs and power.")] = False,
    base_url: BaseUrl = None,
    as_json: Json = False,
) -> None:
    """What a spec can show, what it may cost, and what the wanted effect takes. Spends nothing."""
    from loadbearing.runs.library.spec import spec_of
    from loadbearing.runs.planning.wanted import Wanted

    wanted = Wanted(effect, power, budget, episodes, task_cost, simulate)
    plan_spec(spec_of(spec, settings or ()), as_json, pilot, wanted, figure, base_url or (), details)


def plan_spec(
    spec: Spec,
    as_json: bool,
    pilot: Path | None = None,
    wanted: Wanted | None = None,
    figure: Path | None = None,
    base_urls: Sequence[str] = (),
    details: bool = False,
) -> None:
    """Print the forecast of a spec.

    Args:
        figure: where the power curve goes, `.html` or `.svg` (with its data beside it, `.csv`).
        details: print the tables too.
    """
    from loadbearing.runs.library.plan import plan as forecast_for
    from loadbearing.runs.planning.figure_file import refuse_figure, write_figure
    from loadbearing.runs.planning.forecast_text import forecast_lines
    from loadbearing.runs.planning.wanted import Wanted
    from loadbearing.runs.progress.standard_output import complain, put, put_json, width_of

    if figure is not None:
        refuse_figure(figure)
    forecast = forecast_for(spec, wanted or Wanted(), pilot, base_urls, complain)
    if figure is not None:
        write_figure(forecast, figure)
    if as_json:
        put_json(forecast.as_json())
    else:
        put("\n".join(forecast_lines(forecast, details, width_of(sys.stdout))))
