"""`probe`: recorded decisions asked again, to see what the memory in them does to what is done next."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memtrial.cli.options import BaseUrl, Json, Mode
from memtrial.console.line_width import columns
from memtrial.console.standard_output import put, put_json, width_of

if TYPE_CHECKING:
    from memtrial.api.probe.probe import ProbeEnd
    from memtrial.views.rows.probe_rows import ProbeResults

LISTED = 12
"""Items on the terminal; the report shows all."""


def probe(
    source: Annotated[
        list[Path],
        typer.Argument(help="A run folder, or its name below logs; or logs of chats.", metavar="RUN|LOGS"),
    ],
    conditions: Annotated[
        str | None,
        typer.Option(help="What the intact memory is held against, with commas: without,counter,filler."),
    ] = None,
    arm: Annotated[list[str] | None, typer.Option(help="Of a run: this arm alone; may come again.")] = None,
    model: Annotated[str | None, typer.Option(help="Ask this model, provider/name; logs need it.")] = None,
    memory: Annotated[
        Path | None, typer.Option(help="Of logs: the file with the memory that stood in the prompts.")
    ] = None,
    advised: Annotated[
        Path | None, typer.Option(help="What items advise, where it cannot be read: a JSON line an item.")
    ] = None,
    calls: Annotated[int, typer.Option(help="Calls at most, for each arm and model.")] = 400,
    samples: Annotated[
        int,
        typer.Option(
            help="Draw so many replies to a text; 0: shares of choices where the server gives them, else 1."
        ),
    ] = 0,
    max_cost: Annotated[
        float | None, typer.Option(help="US dollars that all sessions of the probe may spend.")
    ] = None,
    margin: Annotated[
        float | None, typer.Option(help="Of logs: the smallest effect that matters; .1.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Of logs, 0; a run has its own.")] = None,
    out: Annotated[Path | None, typer.Option(help="The probe's folder; default RUN/probe.")] = None,
    max_connections: Annotated[int, typer.Option(help="Requests in flight to a provider.")] = 16,
    plan: Annotated[bool, typer.Option("--plan", help="Say what it comes to, and send nothing.")] = False,
    base_url: BaseUrl = None,
    as_json: Json = False,
    display: Annotated[Mode, typer.Option(help="How to show progress.")] = "full",
) -> None:
    """Ask recorded decisions again, with the memory intact, away, damaged, and with single items left out.

    The same command again goes on where the first one stopped; what was answered is not paid again.
    """
    from memtrial.api.probe.prepared_probe import prepare_probe
    from memtrial.api.probe.probe import ask_prepared
    from memtrial.api.probe.probe_options import ProbeOptions
    from memtrial.api.probe.probed_cells import USUAL
    from memtrial.console.display import Display

    named = USUAL if conditions is None else tuple(filter(None, map(str.strip, conditions.split(","))))
    options = ProbeOptions(
        conditions=named,
        arms=tuple(arm or ()),
        model=model,
        memory=memory,
        advised=advised,
        calls=calls,
        samples=samples,
        max_cost=max_cost,
        out=out,
        seed=seed,
        margin=margin,
        base_urls=tuple(base_url or ()),
        max_connections=max_connections,
    )
    prepared = prepare_probe(source[0] if len(source) == 1 else source, options)
    if plan and as_json:
        put_json(prepared.as_json())
        return
    put("\n".join(prepared.lines()), sys.stderr if as_json else sys.stdout)
    if plan:
        return
    show_probe(ask_prepared(prepared, Display(display)), as_json)


def show_probe(ended: ProbeEnd, as_json: bool) -> None:
    """What came of it."""
    if as_json:
        put_json(ended.results.model_dump(mode="json"))
    else:
        from memtrial.console.escape import harmless

        put("\n".join(_lines(harmless(ended.results), width_of())))
        put(f"Report, with the figure: {ended.folder / 'report.html'}")


def _lines(results: ProbeResults, width: int | None) -> Iterator[str]:
    """The tables, what being named does, the answer in one sentence and what to do next."""
    from memtrial.reports.text.probe_text import (
        DIRECT,
        FEW,
        HEAD,
        ITEM_HEAD,
        item_table,
        probe_mention,
        probe_next_step,
        probe_sentence,
        probe_table,
        say_arm,
    )
    from memtrial.reports.text.reading import SIMULATED

    if results.simulated:
        yield SIMULATED
    yield f"{DIRECT}: the history stays as it was, the memory in it is changed"
    yield from columns([HEAD, *probe_table(results)], width, right=(3, 4))
    yield ""
    yield "What each memory does:"
    yield from columns([ITEM_HEAD, *islice(item_table(results), LISTED)], width, right=(3, 4, 5))
    if len(results.items) > LISTED:
        yield f"{len(results.items) - LISTED:,} more items in the report."
    yield ""
    yield from probe_mention(results)
    if len(results.arms) > FEW:
        yield from (f"{say_arm(results, each)}." for each in results.arms)
    yield probe_sentence(results)
    yield f"Next: {probe_next_step(results)}"
