"""`probe`: recorded decisions asked again, to see what the memory in them does to what is done next."""

import asyncio
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from pydantic import JsonValue

from memtrial.analysis.probe.action_shares import AskedCell
from memtrial.analysis_rules import AnalysisRules
from memtrial.api.lock import note_raw
from memtrial.api.probe.arm_answers import answer_arms
from memtrial.api.probe.asked_decision import AskedDecision
from memtrial.api.probe.measured_probe import ProbeMeasure
from memtrial.api.probe.probe_calls import PURPOSE, AskingRules, ask_cell, number_draw
from memtrial.api.probe.probe_options import ProbeOptions
from memtrial.api.probe.probe_size import ProbeSize, choose_decisions, take_enough
from memtrial.api.probe.probed_cells import ProbedCell, damage_decisions, find_kinds, list_cells
from memtrial.api.probe.recorded_decision import RecordedDecision
from memtrial.api.probe.run_decisions import RunDecisions, list_arms
from memtrial.console.display import Display
from memtrial.faults import RESUME, RunFault, SpecFault, refused
from memtrial.ledger.open_ledger import open_ledger
from memtrial.ledger.run_plan import identity_in_force, plan_in_force
from memtrial.memory.leakage import echo_runs, without_echo
from memtrial.models.client.cache import CallCache
from memtrial.models.client.client import ModelClient
from memtrial.models.client.keys import Keys, read_keys
from memtrial.models.client.prices import shipped_prices
from memtrial.models.client.transport import HaltFault, Transport
from memtrial.models.client.types import ModelFault
from memtrial.models.providers.open import is_simulated, open_backend
from memtrial.outcomes.count_words import how_many, list_names
from memtrial.outcomes.given_path import path_of
from memtrial.private_file import write_whole
from memtrial.protocols import LedgerStore
from memtrial.reports.render.probe_report import render_probe_html, render_probe_markdown
from memtrial.runs.preparation.retry_once import two_rounds
from memtrial.runs.run_folder.folder import LEDGER, alone_in, make, open_for_reading
from memtrial.runs.setup.event_loop import without_loop
from memtrial.runs.spec.option_values import refuse_options
from memtrial.views.numbers import dollars
from memtrial.views.rows.probe_rows import ProbeResults

PROBE = "probe"
"""The folder of a probe, inside that of the run."""
RECORDED_AGENTS = ("react", "direct", "choice")
"""Agents whose requests a ledger keeps as they were sent, and whose replies are read here."""


@dataclass(frozen=True, slots=True)
class ProbeSource:
    """What is asked again.

    Args:
        by_arm: decisions of each arm, the first ones first.
        clustered: what the unit of inference is.
        notes: what a reader has to know.
    """

    name: str
    folder: Path
    by_arm: tuple[tuple[RecordedDecision, ...], ...]
    rules: AnalysisRules
    asking: AskingRules
    clustered: str
    left_out: Mapping[str, int]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PreparedProbe:
    """A probe that is checked and has asked nothing.

    Args:
        conditions: those of which some decision has a text.
        drawn, exact: what is asked where replies are drawn, and where one reply tells all; the same where
            that is known already.
    """

    source: ProbeSource
    options: ProbeOptions
    conditions: tuple[str, ...]
    drawn: ProbeSize
    exact: ProbeSize

    def lines(self) -> Iterator[str]:
        """What it comes to, in words."""
        asking = ", ".join(
            dict.fromkeys(self.source.asking.model or each.backbone for each in self.drawn.decisions)
        )
        yield f"{self.source.name}: decisions are asked again of {asking}, the memory in them intact and changed"
        yield f"held against: {', '.join(self.conditions)}, and one item left out where there are several"
        yield self._say_size(self.drawn)
        if self.exact != self.drawn:
            yield f"if the server gives the shares of its choices, {self._say_size(self.exact)}"
        yield from self.source.notes

    def _say_size(self, size: ProbeSize) -> str:
        known = size.decisions
        tasks, due = len({each.task for each in known}), sum(bool(each.due) for each in known)
        return (
            f"{how_many(size.calls, 'call')}: {how_many(len(known), 'decision')} of {how_many(tasks, 'task')},"
            f" at {due:,} of which something that the memory advises applies;"
            f" about {dollars(size.usd)} at listed prices; answers that are kept are not paid again"
        )

    def as_json(self) -> dict[str, JsonValue]:
        """The same as plain values."""
        sizes = {"drawn": self.drawn, "shares": self.exact}
        return {
            "source": self.source.name,
            "conditions": list(self.conditions),
            "sizes": {
                name: {"calls": size.calls, "decisions": len(size.decisions), "cost_usd": size.usd}
                for name, size in sizes.items()
            },
            "notes": list(self.source.notes),
        }


@dataclass(frozen=True, slots=True)
class ProbeEnd:
    """What came of it, and where its report lies."""

    folder: Path
    results: ProbeResults


def probe(
    source: str | Path | Sequence[str | Path],
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
def prepare_probe(
    source: str | Path | Sequence[str | Path], options: ProbeOptions = ProbeOptions()
) -> PreparedProbe:
    """Read the decisions, damage their memory, and count the calls. Raises as `probe`; nothing is sent."""
    refuse_options(options, ProbeOptions, "options")
    kinds = find_kinds(options.conditions)
    read = _read_run(path_of(source, "a run folder", SpecFault), options)
    whole, lacking = [], dict[str, str]()
    for decisions in read.by_arm:
        made, missing = damage_decisions(decisions, kinds, read.rules.seed)
        whole.append(made)
        for name, why in missing.items():
            lacking.setdefault(name, why)
    every = [decision for decisions in whole for decision in decisions]
    conditions = tuple(
        name
        for name in kinds
        if any(cell.condition == name for each in every for cell in list_cells(each, [name]))
    )
    notes = (
        *read.notes,
        *(f"{name} was not asked: {why}." for name, why in lacking.items() if name not in conditions),
    )
    read = replace(read, by_arm=tuple(whole), notes=notes)
    _refuse_models(read.asking, every, options)
    prices = shipped_prices()
    sizes = [
        choose_decisions(whole, replace(read.asking, exact=exact), conditions, options.calls, prices)
        for exact in (False, True)
    ]
    if read.asking.temperature == 0:
        sizes[0] = sizes[1]
    elif not any(decision.choices for decision in every):
        sizes[1] = sizes[0]
    return PreparedProbe(read, options, conditions, *sizes)


def _read_run(run: Path, options: ProbeOptions) -> ProbeSource:
    """The decisions of a run, and the rules by which it was analysed."""
    with open_for_reading(run) as (folder, ledger):
        plan, identity = plan_in_force(ledger), identity_in_force(ledger) or {}
        if plan is None:
            raise SpecFault(f"{folder} has not come as far as its first trial; run its spec again")
        agent = identity.get("agent")
        if agent not in RECORDED_AGENTS:
            name = agent if isinstance(agent, str) else "a command"
            raise SpecFault(
                f"decisions are asked again of an agent whose requests are kept, {list_names(RECORDED_AGENTS)};"
                f" {folder} was played by {name}: its requests, kept by `memtrial proxy`, can be probed as logs"
            )
        arms = options.arms or list_arms(plan)
        for arm in arms:
            if arm not in list_arms(plan):
                raise SpecFault(
                    f"an arm whose memory stands in the prompt from the start is needed, one of"
                    f" {list_names(list_arms(plan))}; got {arm!r}"
                )
        if not arms:
            raise SpecFault(f"no arm of {folder} has its memory in the prompt from the start")
        note_raw(folder, ledger, PROBE)
        decisions = RunDecisions(ledger, plan, arms, plan.backbones)
        by_arm = [
            tuple(take_enough(decisions.of_arm(backbone, arm), options.conditions, options.calls))
            for backbone in plan.backbones
            for arm in arms
        ]
    by_arm = [listed for listed in by_arm if listed]
    if not by_arm:
        why = "; ".join(f"{n:,} {reason}" for reason, n in decisions.left_out.items() if n)
        raise SpecFault(
            f"{folder} holds no decision with an intact memory in its request: {why or 'no trials'}"
        )
    temperature, tokens = (
        identity.get("sampling.agent.temperature"),
        identity.get("sampling.agent.max_tokens"),
    )
    asking = AskingRules(
        agent=str(agent),
        model=options.model or "",
        temperature=float(temperature) if isinstance(temperature, int | float) else None,
        max_tokens=tokens if isinstance(tokens, int) else None,
        samples=options.samples,
    )
    return ProbeSource(
        str(folder), options.out or folder / PROBE, tuple(by_arm), plan.rules, asking, plan.cluster,
        {why: n for why, n in decisions.left_out.items() if n},
    )  # fmt: skip


def _refuse_models(rules: AskingRules, decisions: Sequence[RecordedDecision], options: ProbeOptions) -> None:
    """Every model that will be asked can be had, as far as that is known without asking."""
    keys = _keys(options)
    with refused(ModelFault):
        for model in dict.fromkeys(rules.model or decision.backbone for decision in decisions):
            open_backend(model, keys)


def _keys(options: ProbeOptions) -> Keys:
    with refused(ModelFault):
        return read_keys(os.environ, Path.cwd(), options.base_urls)


@without_loop
def ask_prepared(prepared: PreparedProbe, display: Display | None = None) -> ProbeEnd:
    """Ask what was prepared, from where it stopped, and write the report. Raises as `probe`."""
    folder = prepared.source.folder
    make(folder)
    with alone_in(folder), closing(open_ledger(folder / LEDGER)) as ledger:
        results = asyncio.run(_ask(prepared, ledger, display or Display("none")))
    write_whole(folder / "results.json", results.json_text())
    write_whole(folder / "report.html", render_probe_html(results))
    write_whole(folder / "report.md", render_probe_markdown(results))
    return ProbeEnd(folder, results)


async def _ask(prepared: PreparedProbe, ledger: LedgerStore, display: Display) -> ProbeResults:
    source, options = prepared.source, prepared.options
    transport = Transport(
        prices=shipped_prices(), max_usd=options.max_cost, max_connections=options.max_connections
    )
    client = ModelClient(CallCache(ledger.calls), partial(open_backend, keys=_keys(options)), transport)
    display.stats = client.stats
    try:
        with _asking(client):
            rules = replace(source.asking, exact=await _is_exact(client, prepared))
            size = prepared.exact if rules.exact else prepared.drawn
            asked = await _ask_all(client, rules, size, prepared.conditions, display, options.max_connections)
    finally:
        client.cache.flush()
        display.stats = None
        await client.close()
    return _write_results(prepared, rules, asked, ledger)


@contextmanager
def _asking(client: ModelClient) -> Iterator[None]:
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
    if not all(decision.choices for decision in prepared.drawn.decisions):
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
        simulated=any(map(is_simulated, models)),
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
