"""What `report` and `analyze` also write for a paper, as it is asked for."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from memtrial.reports.figures.column.figure_form import Form

Figures = Annotated[
    Path | None, typer.Option(help="Also write every figure here, one column wide, with its data as CSV.")
]
FigureForm = Annotated[Form | None, typer.Option("--format", help="--figures: svg, pdf or png.")]
Latex = Annotated[
    Path | None, typer.Option(help="Also write the tables: all into FILE.tex, or each into a folder.")
]
Estimates = Annotated[
    Path | None, typer.Option(help="Also write all estimates here, into FILE.csv or FILE.parquet.")
]


@dataclass(frozen=True, slots=True)
class PaperChoice:
    """What is asked for: a folder for figures and their form, files for tables and estimates, the methods."""

    figures: Path | None = None
    form: Form | None = None
    latex: Path | None = None
    estimates: Path | None = None
    methods: bool = False
