"""The power curve of a plan as a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from loadbearing.ledger.private_file import ForeignFault, refuse_foreign
from loadbearing.reports.figures.power_curve import power_curve_csv, power_curve_page, power_curve_svg
from loadbearing.runs.errors import SpecFault
from loadbearing.runs.folder.run_folder import write_whole

KINDS = (".svg", ".html")


def refuse_figure(path: Path | None) -> None:
    """A figure goes into a folder that is there, as a kind of file that is known.

    Raises:
        SpecFault: it does not.
    """
    if path is None:
        return
    if path.suffix not in KINDS:
        raise SpecFault(f"--figure takes a file that ends in .svg or .html; got {str(path)!r}")
    if not path.parent.is_dir():
        raise SpecFault(f"--figure needs a folder that is there; {path.parent} is none")
    try:
        for one in (path, path.with_suffix(".csv"))[: 1 + (path.suffix == ".svg")]:
            refuse_foreign(one)
    except ForeignFault as fault:
        raise SpecFault(f"--figure takes a file; {fault}") from fault


def write_figure(plan: dict[str, Any], path: Path) -> None:
    """Write the curve, and beside an SVG its data as CSV.

    Raises:
        SpecFault: the file cannot be written.
    """
    curve, power = plan["curve"], plan["power"]
    asked = (curve, power["effect"], power["power"], plan["tasks"])
    said = [
        f"Plan of {plan['name']}: a contrast of drops in its family. {power['rows_are']}.",
        f"Variance parts {power['parts_are']}.",
        plan["effective_n"]["how"],
    ]
    try:
        if path.suffix == ".html":
            write_whole(path, power_curve_page(*asked, said))
            return
        write_whole(path, power_curve_svg(*asked) + "\n")
        write_whole(path.with_suffix(".csv"), power_curve_csv(curve))
    except OSError as fault:
        raise SpecFault(f"--figure cannot be written: {fault}") from fault
