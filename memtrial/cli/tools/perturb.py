"""`perturb`: damage on its own, on anyone's items, with its manipulation check."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memtrial.cli.options import Json

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
    as_json: Json = False,
) -> None:
    """Damage memory items and check the damage. Exit 1 where damage that was done fails its check."""
    from memtrial.api.perturb import perturb as damage
    from memtrial.console.standard_output import put_either
    from memtrial.faults import SpecFault
    from memtrial.prompts.plain_text import text_of

    known: list[str] = []
    if actions is not None:
        needed = "--actions needs a text file, an action a line"
        known = text_of(actions, needed, SpecFault).splitlines()
        if not any(line.strip() for line in known):
            raise SpecFault(f"{needed}; {actions} is empty")
    damaged = damage(items, kind, seed, donors=donors or (), actions=known)
    put_either([slot.model_dump() for slot in damaged.slots], damaged.lines(), as_json)
    if code := exit_code(damaged):
        raise typer.Exit(code)


def exit_code(damaged: "DamagedSlots") -> int:
    """1 where damage that was done fails its check, else 0; that a kind does not apply is no failure."""
    return int(any(slot.applicable and not slot.passed for slot in damaged.slots))
