"""`calibrate`: the instrument on known truth. Simulated throughout: no evidence about any language model."""

from typing import Annotated

import typer

from memtrial.cli.options import Json, Mode


def calibrate(
    full: Annotated[
        bool, typer.Option("--full", help="More experiments, and participants throughout: minutes.")
    ] = False,
    mutant: Annotated[
        str | None,
        typer.Option(
            help="repeats-as-tasks, arms-swapped, one-sided-p, absences-alone, or a guard left out: "
            "without-oddity."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the experiments.")] = 0,
    display: Annotated[Mode, typer.Option(help="How to show progress.")] = "full",
    as_json: Json = False,
) -> int:
    """Hold the instrument against simulated experiments whose truth is known; exit 1 if a band breaks."""
    from memtrial.api.calibrate import calibrate as hold
    from memtrial.console.display import Display
    from memtrial.console.standard_output import put_either, width_of

    calibration = hold(full, mutant, seed, Display(display))
    put_either(calibration.to_json(), calibration.lines(width_of()), as_json)
    return 0 if calibration.kept else 1
