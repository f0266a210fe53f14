"""A probe that is checked: its decisions, the texts of their memory, and what it comes to."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import JsonValue

from memtrial.api.probe.advice_file import read_advice
from memtrial.api.probe.log_source import read_logs
from memtrial.api.probe.probe_options import ProbeOptions
from memtrial.api.probe.probe_size import ProbeSize, choose_decisions
from memtrial.api.probe.probe_source import ProbeSource, read_run
from memtrial.api.probe.probed_cells import damage_decisions, find_kinds, list_cells
from memtrial.api.probe.recorded_decision import RecordedDecision
from memtrial.faults import SpecFault, refused
from memtrial.models.client.keys import Keys, read_keys
from memtrial.models.client.prices import shipped_prices
from memtrial.models.client.types import ModelFault
from memtrial.models.providers.open import open_backend
from memtrial.models.providers.provider_table import is_own_server
from memtrial.outcomes.count_words import how_many, list_names
from memtrial.outcomes.given_path import path_of
from memtrial.outcomes.reserved_names import WITHOUT
from memtrial.perturbations.kinds import NAMED
from memtrial.runs.run_folder.folder import LEDGER, LOGS, SPEC
from memtrial.runs.setup.event_loop import without_loop
from memtrial.runs.spec.option_values import refuse_options
from memtrial.views.numbers import dollars

Source = str | Path | Sequence[str | Path]
"""A run, or logs."""


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
        yield f"{self.source.name}: decisions are asked again of {asking}, their memory intact and changed"
        yield f"held against: {', '.join(self.conditions)}, and one item left out where there are several"
        yield self._say_size(self.drawn)
        if self.exact != self.drawn:
            yield f"if the server gives the shares of its choices, {self._say_size(self.exact)}"
        yield from self.source.notes

    def _say_size(self, size: ProbeSize) -> str:
        known = size.decisions
        tasks, due = len({each.task for each in known}), sum(bool(each.due) for each in known)
        return (
            f"{how_many(size.calls, 'call')}: {how_many(len(known), 'decision')} of"
            f" {how_many(tasks, 'task')}, at {due:,} of which something that the memory advises applies;"
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


@without_loop
def prepare_probe(source: Source, options: ProbeOptions = ProbeOptions()) -> PreparedProbe:
    """Read the decisions, damage their memory, and count the calls. Raises as `probe`; nothing is sent."""
    refuse_options(options, ProbeOptions, "options")
    find_kinds(options.conditions)
    read = _read_source(source, options)
    if (read.folder / SPEC).exists():
        raise SpecFault(f"--out needs a folder of the probe's own; {read.folder} is that of a run")
    return prepare_source(read, options)


def prepare_source(read: ProbeSource, options: ProbeOptions) -> PreparedProbe:
    """The same, of decisions that were read. Raises as `probe`; nothing is sent."""
    kinds = find_kinds(options.conditions)
    if options.advised is not None:
        advised = read_advice(options.advised)
        read = replace(read, by_arm=tuple(tuple(map(advised.tell, listed)) for listed in read.by_arm))
    whole, lacking = [], dict[str, str]()
    for decisions in read.by_arm:
        made, missing = damage_decisions(decisions, kinds, read.rules.seed)
        whole.append(made)
        for name, why in missing.items():
            lacking.setdefault(name, why)
    every = [decision for decisions in whole for decision in decisions]
    unheard = [name for name, kind in kinds.items() if kind is None and name in lacking and name != WITHOUT]
    if unheard:
        raise SpecFault(
            f"--conditions names {', '.join(each.name for each in NAMED)}, or damage that the run has shown;"
            f" got {unheard[0]!r}"
        )
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
    refuse_models(every, read, options)
    prices = shipped_prices()
    sizes = [
        choose_decisions(whole, replace(read.asking, exact=exact), conditions, options.calls, prices)
        for exact in (False, True)
    ]
    if read.asking.temperature == 0:
        sizes[0] = sizes[1]
    elif options.samples or not all(decision.choices for decision in every):
        sizes[1] = sizes[0]
    return PreparedProbe(read, options, conditions, *sizes)


def _read_source(source: Source, options: ProbeOptions) -> ProbeSource:
    """A folder with a ledger is a run, all else are logs."""
    several = (source,) if isinstance(source, str | Path) else tuple(source)
    paths = [path_of(path, "a run folder, or logs", SpecFault) for path in several]
    if not paths:
        raise SpecFault("a run folder or logs are needed; got none")
    run = next((path for path in paths for place in (path, LOGS / path) if (place / LEDGER).is_file()), None)
    for path in paths if run is None else ():
        if not path.exists():
            raise SpecFault(f"a run folder or logs are needed; neither {path} nor {LOGS / path} is there")
    if run is None:
        return read_logs(paths, options)
    if len(paths) > 1:
        raise SpecFault(f"one run is probed at a time; got {len(paths)} paths, {run} among them")
    return read_run(run, options)


def refuse_models(decisions: Sequence[RecordedDecision], source: ProbeSource, options: ProbeOptions) -> None:
    """Every model that will be asked can be had, as far as that is known without asking."""
    keys, prices = read_probe_keys(options), shipped_prices()
    models = tuple(dict.fromkeys(source.asking.model or decision.backbone for decision in decisions))
    with refused(ModelFault):
        for model in models:
            open_backend(model, keys)
    unknown = [model for model in models if prices.of(model) is None and not is_own_server(model, keys)]
    if unknown and options.max_cost is not None:
        raise SpecFault(
            f"--max-cost needs prices; none is known for {list_names(unknown)} (price table of"
            f" {prices.date}); --calls bounds what is asked without one"
        )


def read_probe_keys(options: ProbeOptions) -> Keys:
    """Keys and addresses of providers. SpecFault where an address is none."""
    with refused(ModelFault):
        return read_keys(options.environment or os.environ, Path.cwd(), options.base_urls)
