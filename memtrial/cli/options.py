"""Arguments and options that several verbs share."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from memtrial.commands.sandbox import SandboxMode

Mode = Literal["full", "plain", "log", "none"]
HowHeld = Annotated[
    SandboxMode,
    typer.Option(help="auto: bubblewrap holds what runs where that works; require: no start without."),
]
SpecFile = Annotated[
    Path, typer.Argument(help="The spec, a YAML file; runs/specs holds examples.", metavar="SPEC")
]
Setting = Annotated[
    list[str] | None,
    typer.Option(
        "-S",
        "--set",
        help="key=value, wins over the file: -S seed=3. A mapping merges, an empty one removes.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Machine-readable, on standard output.")]
Out = Annotated[Path | None, typer.Option("--out", help="The run folder; default logs/<name>_s<seed>.")]
BaseUrl = Annotated[
    list[str] | None,
    typer.Option(
        "--base-url",
        help="Send a provider's requests, and its key, to this address: URL, or PROVIDER=URL.",
        metavar="URL",
    ),
]
_DATABASE = "Keep the run in this PostgreSQL database, where `memtrial worker` plays blocks of it, too."
SharedLedger = Annotated[str | None, typer.Option("--ledger", help=_DATABASE, metavar="postgresql://…")]
Ledger = Annotated[
    str,
    typer.Option("--ledger", help="The database with the runs.", metavar="postgresql://…"),
]
Run = Annotated[Path, typer.Argument(help="A run folder, or its name below logs.", metavar="RUN")]
Unmask = Annotated[
    bool,
    typer.Option("--unmask", help="Name the arms of a lock that is not complete; it is noted and reported."),
]
MaxCost = Annotated[
    float | None, typer.Option("--max-cost", help="US dollars that all sessions of the run may spend.")
]
