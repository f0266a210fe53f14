"""The power curve of a forecast as a file: a page, or a figure with its data beside it."""

from __future__ import annotations

from pathlib import Path

from loadbearing.ledger.private_file import ForeignFault, refuse_foreign
from loadbearing.reports.figures.power_curve import power_curve_csv, power_curve_page, power_curve_svg
from loadbearing.runs.errors import SpecFault
from loadbearing.runs.folder.run_folder import write_whole
from loadbearing.runs.planning.forecast import Forecast


def refuse_figure(path: Path) -> None:
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


def write_figure(forecast: Forecast, path: Path) -> None:
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
