"""`perturb`: damage on its own, on anyone's items, with its manipulation check."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memtrial.cli.options import BaseUrl, Json, Mode

if TYPE_CHECKING:
    from memtrial.api.perturb import DamagedSlots


def perturb(
    items: Annotated[Path, typer.Argument(help="Markdown, or the output of condense.", metavar="ITEMS")],
    kind: Annotated[str, typer.Option(help="The perturbation's name.")],
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same damage.")] = 0,
    donors: Annotated[Path | None, typer.Option(help="More ITEMS to take foreign text from.")] = None,
    actions: Annotated[
        Path | None, typer.Option(help="For counter: what the world accepts, a line each.")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            help="Writes corrupt_invert, counter, paraphrase, corrupt_mask or oddity+corrupt_invert;"
            " provider/name; rules do unless named."
        ),
    ] = None,
    judge: Annotated[str | None, typer.Option(help="Reads what it writes, blind; default --model.")] = None,
    as_json: Json = False,
    display: Annotated[Mode, typer.Option(help="How to show progress.")] = "full",
    base_url: BaseUrl = None,
) -> None:
    """Damage memory items and check the damage, by rules or with a model that writes it.

    Exit 1 where damage that was done fails its check.
    """
    from memtrial.api.damage_models import DamageModels
    from memtrial.api.perturb import damage_items
    from memtrial.console.display import Display
    from memtrial.console.standard_output import put, put_either
    from memtrial.faults import SpecFault
    from memtrial.prompts.plain_text import text_of

    known: list[str] = []
    if actions is not None:
        needed = "--actions needs a text file, an action a line"
        known = text_of(actions, needed, SpecFault).splitlines()
        if not any(line.strip() for line in known):
            raise SpecFault(f"{needed}; {actions} is empty")
    if model is None and judge is not None:
        raise SpecFault("--judge reads what --model writes; name the model as well, or leave the judge out")
    urls = tuple(base_url or ())
    models = None if model is None else DamageModels(model, judge, urls, Display(display))
    if models is not None and models.note:
        put(models.note, sys.stderr)
    damaged = damage_items(items, kind, seed, donors or (), known, models)
    put_either([slot.model_dump() for slot in damaged.slots], damaged.lines(), as_json)
    if code := exit_code(damaged):
        raise typer.Exit(code)


def exit_code(damaged: "DamagedSlots") -> int:
    """1 where damage that was done fails its check, else 0; that a kind does not apply is no failure."""
    return int(any(slot.applicable and not slot.passed for slot in damaged.slots))
