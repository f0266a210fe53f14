"""`try` with the real Claude Code and Codex before scripted models of known disposition; not in `make bench`.

    python -m bench.real_clients [claude] [codex] [--tasks 24] [--repeats 1] [--only NAME] [--into FOLDER]

A repository of 34 commits, 24 of them tasks, is made, with the memory of `tests/support/known_models.py`. The
model behind a client is a scripted server of ours, which decides by the memory that stands in the client's
own requests; 3 % of the trials end the other way. Damage is written by `simulated/perturber`. Prints for each
disposition the words that are due and those that came, and with --into keeps the runs there.
"""

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.support.known_models import KNOWN, N_TASKS
from tests.support.known_trials import ASKED, CLIENTS, PlayedModel, play_model


def lines_of(played: PlayedModel) -> Iterator[str]:
    """What is printed of it."""
    missed, carrying = played.undelivered
    trials = sum(cell.n_trials for cell in played.results.cells)
    errors = sum(cell.n_errors for cell in played.results.cells)
    word = "WRONG" if played.wrong else "right"
    lost = f"memory missing in {missed} of {carrying} requests"
    yield (
        f"{played.client:6} {played.known.name:22} {word:5} {played.seconds:4.0f} s,"
        f" {trials} trials, {errors} errors, {lost}"
    )
    for name, word in played.said.items():
        mark = "!" if name in played.wrong else " "
        yield f"    {mark} {name:22} due {played.due(name)[0]:14} came {word}"
    if played.end.answer is not None:
        yield f"      {played.end.answer.sentence}"


def main() -> None:
    """Play what was asked for, and print it as it comes."""
    reader = argparse.ArgumentParser(prog="python -m bench.real_clients")
    reader.add_argument("clients", nargs="*", default=list(CLIENTS))
    reader.add_argument("--tasks", type=int, default=N_TASKS)
    reader.add_argument("--repeats", type=int, default=1)
    reader.add_argument("--only", action="append")
    reader.add_argument("--condition", action="append", default=[])
    reader.add_argument("--at-once", type=int, default=2)
    reader.add_argument("--into", type=Path)
    asked = reader.parse_args()
    options = replace(
        ASKED,
        repeats=asked.repeats,
        conditions=tuple(asked.condition),
        max_connections=asked.at_once,
    )
    by_name = {known.name: known for known in KNOWN}
    with TemporaryDirectory(prefix="clients-") as made:
        root = asked.into or Path(made)
        for client in asked.clients:
            for name in asked.only or by_name:
                known = by_name[name]
                folder = root / f"{client}-{name.replace(' ', '-')}"
                folder.mkdir(parents=True)
                for line in lines_of(play_model(client, known, folder, asked.tasks, options)):
                    print(line, flush=True)


if __name__ == "__main__":
    main()
