"""`plan`: what a spec comes to, before anything is spent."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from loadbearing.cli.experiment.plan_text import forecast_lines
from loadbearing.ledger.private_file import ForeignFault, refuse_foreign
from loadbearing.reports.figures.power_curve import power_curve_csv, power_curve_page, power_curve_svg
from loadbearing.runs.errors import SpecFault
from loadbearing.runs.folder.run_folder import write_whole
from loadbearing.runs.planning.forecast import Forecast, forecast_of
from loadbearing.runs.planning.pilot import read_pilot
from loadbearing.runs.planning.wanted import Wanted
from loadbearing.runs.progress.standard_output import complain, put, put_json, width_of
from loadbearing.runs.setup.preflight import check_spec
from loadbearing.runs.spec.spec import Spec


def plan_spec(
    spec: Spec,
    as_json: bool,
    pilot: Path | None = None,
    wanted: Wanted = Wanted(),
    figure: Path | None = None,
    base_urls: Sequence[str] = (),
    details: bool = False,
) -> None:
    """Print the forecast.

    Args:
        pilot: a run whose measured tokens take the place of rendered prompts, and whose scores that of
            assumed variance parts.
        wanted: the effect and the power that are asked for, and what may be spent.
        figure: where the power curve goes, `.html` or `.svg` (with its data beside it, `.csv`).
        base_urls: addresses named on the command line.
        details: print the tables too.

    Raises:
        SpecFault: something in the spec does not fit, the pilot is no run with trials, or the figure cannot
            be written.
        RunFault: the world broke.
    """
    if figure is not None:
        _refuse_figure(figure)
    experiment = check_spec(spec, base_urls=base_urls)
    forecast = forecast_of(experiment, None if pilot is None else read_pilot(pilot), wanted)
    for line in experiment.told:
        complain(line)
    if figure is not None:
        _write_figure(forecast, figure)
    if as_json:
        put_json(forecast.as_json())
    else:
        put("\n".join(forecast_lines(forecast, details, width_of(sys.stdout))))


def _refuse_figure(path: Path) -> None:
    """A figure goes into a folder that is there, as a kind of file that is known.

    Raises:
        SpecFault: it does not.
    """
    if path.suffix not in (".svg", ".html"):
        raise SpecFault(f"--figure takes a file that ends in .svg or .html; got {str(path)!r}")
    if not path.parent.is_dir():
        raise SpecFault(f"--figure needs a folder that is there; {path.parent} is none")
    try:
        for one in (path, path.with_suffix(".csv"))[: 1 + (path.suffix == ".svg")]:
            refuse_foreign(one)
    except ForeignFault as fault:
        raise SpecFault(f"--figure takes a file; {fault}") from fault


def _write_figure(forecast: Forecast, path: Path) -> None:
    """Write the curve, and beside an SVG its data as CSV.

    Raises:
        SpecFault: the file cannot be written.
    """
    power = forecast.power
    asked = (forecast.curve, power.effect, power.power, forecast.tasks)
    said = [
        f"Plan of {forecast.name}: a contrast of drops in its family, by the closed form.",
        f"Variance: {power.parts_are}.",
        f"{forecast.effective_n.how[0].upper()}{forecast.effective_n.how[1:]}.",
    ]
    try:
        if path.suffix == ".html":
            write_whole(path, power_curve_page(*asked, said))
            return
        write_whole(path, power_curve_svg(*asked) + "\n")
        write_whole(path.with_suffix(".csv"), power_curve_csv(forecast.curve))
    except OSError as fault:
        raise SpecFault(f"--figure cannot be written: {fault}") from fault
