"""`perturb`: damage on its own, on anyone's items, with its manipulation check."""

from pathlib import Path
from typing import Annotated

import typer

from loadbearing.cli.options import Json


def perturb(
    items: Annotated[Path, typer.Argument(help="Markdown, or the output of condense.", metavar="ITEMS")],
    kind: Annotated[str, typer.Option(help="The perturbation's name.")],
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same damage.")] = 0,
    as_json: Json = False,
) -> None:
    """Damage memory items and check the damage."""
    from loadbearing.runs.library.perturb import perturb as damage
    from loadbearing.runs.progress.standard_output import put_either

    damaged = damage(items, kind, seed)
    put_either([one.model_dump() for one in damaged.slots], damaged.lines(), as_json)
