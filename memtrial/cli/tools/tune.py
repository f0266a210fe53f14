"""`tune`: a better instruction for a judge, the draft or the revision, scored on examples kept apart."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from memtrial.cli.options import BaseUrl, Json, Mode


def tune(
    subject: Annotated[str, typer.Argument(help="A gate's name, draft, or revise.")],
    model: Annotated[str, typer.Option(help="The model whose instruction is tuned, provider/name.")],
    out: Annotated[Path, typer.Option(help="Write the tuned instruction here.")],
    method: Annotated[Literal["gepa", "bootstrap"], typer.Option(help="DSPy's optimiser.")] = "gepa",
    examples: Annotated[
        Path | None, typer.Option(help="Fixtures, or traces for draft; default the shipped fixtures.")
    ] = None,
    max_calls: Annotated[int, typer.Option(min=20, help="For gepa, answers that it may score.")] = 400,
    seed: Annotated[int, typer.Option(min=0, help="Which examples are kept apart.")] = 0,
    display: Annotated[Mode, typer.Option(help="How to show progress.")] = "full",
    json: Json = False,
    base_url: BaseUrl = None,
) -> None:
    """Tune an instruction on half of the labelled examples, and score it on the other half."""
    from memtrial.api.tune import TuneOptions
    from memtrial.api.tune import tune as tune_subject
    from memtrial.console.display import Display
    from memtrial.console.standard_output import put_either

    options = TuneOptions(model, method, examples, max_calls, seed, tuple(base_url or ()))
    end = tune_subject(subject, options, out, Display(display))
    lines = (*end.lines(), f"written to {out}; name it in a spec under tuned")
    put_either(end.tuned.model_dump(mode="json"), lines, json)
