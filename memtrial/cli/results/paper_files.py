"""What `report` writes for a paper: figures with their data, tables as LaTeX, a paragraph on the methods."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from memtrial.cli.results.paper_options import PaperChoice
from memtrial.console.escape import harmless
from memtrial.console.standard_output import put
from memtrial.faults import RunFault, SpecFault, refused
from memtrial.outcomes.count_words import how_many
from memtrial.outcomes.given_path import show_text
from memtrial.private_file import ForeignFault, write_private, write_whole
from memtrial.runs.run_folder.output_file import refuse_unwritable

if TYPE_CHECKING:
    from memtrial.protocols import LedgerStore
    from memtrial.reports.figures.column.figure_form import Form
    from memtrial.views.rows.results import Results

CSV, PARQUET, TEX = ".csv", ".parquet", ".tex"
NEEDS = "\\usepackage{booktabs}"


def refuse_paper(choice: PaperChoice, read: Sequence[Path], as_json: bool) -> None:
    """What is asked for can be written, over nothing that is `read`; else SpecFault, before anything is."""
    if choice.form is not None and choice.figures is None:
        raise SpecFault("--format goes with --figures DIR")
    if choice.methods and as_json:
        raise SpecFault("--methods prints a paragraph, --json the results; ask for one of them")
    if choice.figures is not None:
        _refuse_folder(choice.figures, "--figures")
    if choice.latex is not None:
        if choice.latex.suffix.lower() == TEX:
            _refuse_file(choice.latex, read, "--latex")
        else:
            _refuse_folder(choice.latex, "--latex")

    if choice.estimates is not None:
        if choice.estimates.suffix.lower() not in (CSV, PARQUET):
            raise SpecFault(
                f"--estimates needs a file .csv or .parquet; got {show_text(str(choice.estimates))}"
            )
        _refuse_file(choice.estimates, read, "--estimates")


def _refuse_file(file: Path, read: Sequence[Path], option: str) -> None:
    for kept in read:
        refuse_unwritable(file, kept, option=option)


def _refuse_folder(folder: Path, option: str) -> None:
    """A folder that is there, or can be made beside others; what of ours is in it is written anew."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise SpecFault(f"{option} needs a folder; {folder} is there and is none")
    refuse_unwritable(
        (folder if folder.is_dir() else folder.absolute().parent) / "figure", folder, option=option
    )


def write_paper(choice: PaperChoice, results: Results) -> None:
    """Write what is asked for; each line on standard error says what stands where.

    Raises:
        RunFault: writing failed; what was written before stands there, each file whole.
    """
    try:
        if choice.figures is not None:
            _write_figures(choice.figures, choice.form or "pdf", results)
        if choice.latex is not None:
            _write_tables(choice.latex, harmless(results))
        if choice.estimates is not None:
            _write_estimates(choice.estimates, results)
    except OSError as fault:
        raise RunFault(f"the files for a paper cannot be written: {fault}") from fault


def _write_figures(folder: Path, form: Form, results: Results) -> None:
    from memtrial.outcomes.spreadsheet import csv_text
    from memtrial.reports.figures.column.column_figure import draw_figure
    from memtrial.reports.sections.paper_figures import paper_figures

    figures = paper_figures(results)
    folder.mkdir(exist_ok=True)
    lacking = ""
    for figure in figures:
        drawn = draw_figure(figure, form, results.simulated)
        with refused(ForeignFault):
            write_private(folder / f"{figure.name}.{form}", drawn.content)
        write_whole(folder / f"{figure.name}.csv", csv_text(figure.heads, figure.rows))
        lacking += drawn.lacking
    put(f"{how_many(len(figures), 'figure')} and their data written to {folder}", sys.stderr)
    if lacking:
        put(
            f"no font of this machine has {''.join(dict.fromkeys(lacking))[:20]}, and boxes stand there;"
            " install Noto Sans CJK, and draw again",
            sys.stderr,
        )


def _write_tables(place: Path, results: Results) -> None:
    """Into a file all of them, into a folder each by itself."""
    from memtrial.reports.render.latex import latex_table
    from memtrial.reports.sections.paper_tables import paper_tables

    tables = {name: latex_table(table, f"tab:{name}") for name, table in paper_tables(results)}
    if place.suffix.lower() == TEX:
        write_whole(place, "\n".join([f"% {NEEDS}", *tables.values()]))
    else:
        place.mkdir(exist_ok=True)
        for name, text in tables.items():
            write_whole(place / f"{name}{TEX}", text)
    put(f"{how_many(len(tables), 'table')} written to {place}; they need {NEEDS}", sys.stderr)


def _write_estimates(file: Path, results: Results) -> None:
    """A row an estimate, every number in full."""
    from memtrial.outcomes.spreadsheet import csv_text

    if file.suffix.lower() == CSV:
        columns = results.estimate_columns()
        write_whole(file, csv_text(list(columns), list(zip(*columns.values(), strict=True))))
    else:
        content = BytesIO()
        results.to_polars().write_parquet(content)
        with refused(ForeignFault):
            write_private(file, content.getvalue())
    put(f"{how_many(len(results.estimates), 'estimate')} written to {file}", sys.stderr)


def methods_of(results: Results, ledger: LedgerStore) -> str:
    """The paragraph on the methods of a run."""
    from importlib.metadata import version

    from memtrial.ledger.run_plan import plan_in_force
    from memtrial.reports.text.methods_text import PlayRecord, methods_paragraph

    plan, sessions = plan_in_force(ledger), ledger.sessions()
    versions = dict.fromkeys(str(row.settings["version"]) for row in sessions if "version" in row.settings)
    ended = [row.ended[:10] for row in sessions if row.ended]
    record = PlayRecord(
        tuple(versions),
        sessions[0].begun[:10] if sessions else "",
        max(ended, default=""),
        plan.flips if plan is not None else 0,
        plan.temperature if plan is not None else None,
    )
    return methods_paragraph(harmless(results), record, version("memtrial"))
