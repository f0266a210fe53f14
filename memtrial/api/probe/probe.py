"""`probe`: recorded decisions asked again, to see what the memory in them does to what is done next."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from memtrial.analysis.probe.action_shares import AskedCell
from memtrial.api.probe.arm_answers import answer_arms
from memtrial.api.probe.asked_decision import AskedDecision
from memtrial.api.probe.measured_probe import ProbeMeasure
from memtrial.api.probe.prepared_probe import PreparedProbe, Source, prepare_probe, read_probe_keys
from memtrial.api.probe.probe_calls import PURPOSE, AskingRules, ask_cell, number_draw
from memtrial.api.probe.probe_options import ProbeOptions
from memtrial.api.probe.probe_size import ProbeSize
from memtrial.api.probe.probe_source import PROBE
from memtrial.api.probe.probed_cells import ProbedCell, list_cells
from memtrial.api.probe.recorded_decision import RecordedDecision
from memtrial.console.display import Display, progress_of
from memtrial.faults import RESUME, RunFault, refused
from memtrial.ledger.open_ledger import open_ledger
from memtrial.memory.leakage import echo_runs, without_echo
from memtrial.models.client.cache import CallCache
from memtrial.models.client.client import ModelClient
from memtrial.models.client.prices import shipped_prices
from memtrial.models.client.transport import HaltFault, Transport
from memtrial.models.client.types import WEIGHTS, ModelFault, provider_of
from memtrial.models.providers.open import is_simulated, open_backend
from memtrial.private_file import write_whole
from memtrial.protocols import LedgerStore
from memtrial.reports.render.probe_report import render_probe_html, render_probe_markdown
from memtrial.runs.preparation.retry_once import two_rounds
from memtrial.runs.run_folder.folder import LEDGER, alone_in, make, open_for_reading
from memtrial.runs.run_folder.unmasked_look import note_raw
from memtrial.runs.setup.event_loop import without_loop
from memtrial.views.rows.probe_rows import ProbeResults


@dataclass(frozen=True, slots=True)
class ProbeEnd:
    """What came of it, and where its report lies."""

    folder: Path
    results: ProbeResults


def probe(
    source: Source,
    options: ProbeOptions = ProbeOptions(),
    display: Display | None = None,
) -> ProbeEnd:
    """Ask recorded decisions again with the memory intact, away, damaged, and with one item left out.

    Args:
        source: a run, or logs of chats.

    Raises:
        SpecFault: there is nothing that can be asked again, or an option is wrong; nothing was sent.
        RunFault: a model gave no answer, or the budget is spent; what it answered is saved.
    """
    return ask_prepared(prepare_probe(source, options), display)


@without_loop
def ask_prepared(prepared: PreparedProbe, display: Display | None = None) -> ProbeEnd:
    """Ask what was prepared, from where it stopped, and write the report. Raises as `probe`."""
    folder, run = prepared.source.folder, prepared.source.run
    make(folder)
    with alone_in(folder), closing(open_ledger(folder / LEDGER)) as ledger:
        if run is not None:
            # noted where arms are about to be seen, not where a probe is planned or refused
            with open_for_reading(run) as (_, read):
                note_raw(run, read, PROBE)
        results = asyncio.run(_ask(prepared, ledger, progress_of(display)))
    write_whole(folder / "results.json", results.json_text())
    write_whole(folder / "report.html", render_probe_html(results))
    write_whole(folder / "report.md", render_probe_markdown(results))
    return ProbeEnd(folder, results)


async def _ask(prepared: PreparedProbe, ledger: LedgerStore, display: Display) -> ProbeResults:
    source, options = prepared.source, prepared.options
    transport = Transport(
        prices=shipped_prices(), max_usd=options.max_cost, max_connections=options.max_connections
    )
    opened = partial(open_backend, keys=read_probe_keys(options), logs=source.folder / "logs")
    client = ModelClient(CallCache(ledger.calls), opened, transport)
    models = {source.asking.model or each.backbone for each in prepared.drawn.decisions}
    weights = [model for model in sorted(models) if provider_of(model) == WEIGHTS]
    # a server of weights answers one request at a time
    at_once = options.max_connections if len(weights) < len(models) else 1
    display.stats = client.stats
    try:
        for model in weights:
            with refused(ModelFault):
                await client.load(model)
        with _asking():
            rules = replace(source.asking, exact=await _is_exact(client, prepared))
            size = prepared.exact if rules.exact else prepared.drawn
            asked = await _ask_all(client, rules, size, prepared.conditions, display, at_once)
    finally:
        client.cache.flush()
        display.stats = None
        await client.close()
    return _write_results(prepared, rules, asked, ledger)


@contextmanager
def _asking() -> Iterator[None]:
    """Faults of models while decisions are asked, as one line: what came is saved."""
    try:
        yield
    except HaltFault as fault:
        raise RunFault(f"stopped: {fault}; {RESUME}") from fault
    except ModelFault as fault:
        raise RunFault(f"a model gave no answer; {RESUME}: {fault}") from fault


async def _is_exact(client: ModelClient, prepared: PreparedProbe) -> bool:
    """Whether one reply tells all; where the server alone can say, the first call tells."""
    rules, first = prepared.source.asking, prepared.drawn.decisions[0]
    if rules.temperature == 0:
        return True
    if not rules.scored or not all(decision.choices for decision in prepared.drawn.decisions):
        return False
    cell = list_cells(first, prepared.conditions)[0]
    reply = await client.ask(rules.request(first, cell), number_draw(first, 0), PURPOSE)
    return bool(reply.shares)


async def _ask_all(
    client: ModelClient,
    rules: AskingRules,
    size: ProbeSize,
    conditions: Sequence[str],
    display: Display,
    at_once: int,
) -> tuple[AskedDecision, ...]:
    answers: dict[tuple[int, ProbedCell], AskedCell] = {}
    work = tuple(
        (number, cell)
        for number, decision in enumerate(size.decisions)
        for cell in list_cells(decision, conditions)
    )
    with display.phase("ask again", size.calls) as tick:

        async def ask(place: tuple[int, ProbedCell]) -> None:
            number, cell = place
            answers[place] = await ask_cell(client, rules, size.decisions[number], cell, tick)

        lost = await two_rounds(work, ask, at_once, 0, client.forgive)
    assert not lost
    return tuple(
        AskedDecision(decision, {cell: asked for (place, cell), asked in answers.items() if place == number})
        for number, decision in enumerate(size.decisions)
    )


def _write_results(
    prepared: PreparedProbe, rules: AskingRules, asked: Sequence[AskedDecision], ledger: LedgerStore
) -> ProbeResults:
    source = prepared.source
    measure = ProbeMeasure(asked, source.rules, rules.replies, rules.exact)
    rows = measure.measure_rows(prepared.conditions)
    models = tuple(dict.fromkeys(rules.model or each.decision.backbone for each in asked))
    spent = [entry for entry in ledger.accounts.spending_by_purpose() if entry.purpose == PURPOSE]
    return ProbeResults(
        source=source.name,
        models=models,
        simulated=source.simulated or any(map(is_simulated, models)),
        exact=rules.exact,
        samples=rules.samples,
        n_decisions=len(asked),
        n_tasks=len({each.decision.task for each in asked}),
        n_clusters=len({each.decision.cluster for each in asked}),
        clustered=source.clustered,
        n_echoed=sum(repeats_memory(each.decision) for each in asked),
        calls=sum(entry.calls for entry in spent),
        usd=_sum_known([entry.usd for entry in spent]),
        margin=source.rules.margin,
        alpha=source.rules.alpha,
        arms=answer_arms(rows, source.rules),
        rows=rows,
        items=measure.measure_items(),
        left_out=dict(source.left_out),
        notes=source.notes,
    )


def _sum_known(values: Sequence[float | None]) -> float | None:
    """Their sum; None where one is not known."""
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def repeats_memory(decision: RecordedDecision) -> bool:
    """Whether the agent's own earlier replies repeat its memory, many words in a row."""
    own = " ".join(message.text for message in decision.messages if message.role == "assistant")
    return bool(own) and without_echo(own, echo_runs(decision.slot.items))[1] > 0
