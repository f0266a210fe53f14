"""`condense`: the condensers on their own, on anyone's traces."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

from loadbearing.condensers.condenser import Condensation, Condenser
from loadbearing.episodes.traces import TraceFault, read_traces
from loadbearing.episodes.trajectory import Trajectory
from loadbearing.episodes.views import View
from loadbearing.gates.suite import NAMES
from loadbearing.models.client.cache import CallCache
from loadbearing.models.client.client import ModelClient
from loadbearing.models.client.keys import read_keys
from loadbearing.models.client.transport import HaltFault
from loadbearing.models.client.types import ModelFault
from loadbearing.models.providers.open import open_backend
from loadbearing.outcomes.count_words import how_many
from loadbearing.prompts.control import ControlFault, load_control
from loadbearing.runs.errors import RunFault, SpecFault
from loadbearing.runs.folder.run_folder import refuse_unwritable, write_whole
from loadbearing.runs.prepare.banks import build_condenser, condense_all, to_json
from loadbearing.runs.progress.display import Display, Mode
from loadbearing.runs.progress.standard_output import put, put_json
from loadbearing.runs.setup.model_roles import Role, check_cast, destinations_of, gate_model
from loadbearing.runs.spec.sections import CondenserSpec


def condense_traces(
    traces: Path,
    kind: Literal["theory", "native", "nothing"],
    model: str,
    judge: str | None,
    gates: str,
    max_rounds: int,
    view: View,
    control: Path | None,
    out: Path | None,
    mode: Mode,
    base_urls: Sequence[str] = (),
) -> None:
    """Write a line for every trace.

    Raises:
        SpecFault: traces, models or gates are wrong; nothing was written.
        RunFault: a model could not be had.
    """
    try:
        found = read_traces(traces)
        prompts = load_control(control)
        asked = gate_model(model, judge)
        keys = read_keys(os.environ, Path.cwd(), base_urls)
    except (TraceFault, ControlFault, ModelFault) as fault:
        raise SpecFault(str(fault)) from fault
    chosen_gates = _gates(gates)
    roles: list[Role] = [("condense", model)] if kind != "nothing" else []
    if kind == "theory" and chosen_gates:
        roles.append(("judge", asked))
    check_cast(tuple(roles), keys)
    told = destinations_of((name for _, name in roles), keys)
    if out is not None:
        refuse_unwritable(out, traces)
    model_client = ModelClient(CallCache(sqlite3.connect(":memory:")), partial(open_backend, keys=keys))
    spec = CondenserSpec(kind=kind, gates=chosen_gates, max_rounds=max_rounds)
    condenser = build_condenser(kind, spec, model_client, model, asked, prompts, view)
    lines: dict[str, dict[str, Any]] = {}
    display = Display(mode)
    for line in told:
        display.say(line)
    with display.phase(f"condense, {kind}", len(found)) as tick:

        def keep(trace: Trajectory, made: Condensation) -> None:
            lines[trace.trace_id] = to_json(made)
            tick(1)

        try:
            asyncio.run(_all_of(condenser, found, model_client, keep))
        except (ModelFault, HaltFault) as fault:
            raise RunFault(
                f"a model could not be had after {len(lines)} of {len(found)} traces: {fault}"
            ) from fault
    if out is None:
        for trace in found:
            put_json(lines[trace.trace_id], indent=None)
    else:
        texts = (json.dumps(lines[trace.trace_id], ensure_ascii=False) for trace in found)
        write_whole(out, "\n".join(texts) + "\n")
        put(f"{how_many(len(lines), 'trace')} condensed to {out}; {prompts.label}", sys.stderr)


async def _all_of(
    condenser: Condenser,
    traces: tuple[Trajectory, ...],
    model_client: ModelClient,
    keep: Callable[[Trajectory, Condensation], None],
) -> None:
    try:
        await condense_all(condenser, traces, model_client, keep)
    finally:
        await model_client.close()


def _gates(asked: str) -> tuple[str, ...]:
    if asked == "all":
        return NAMES
    names = tuple(name.strip() for name in asked.split(",")) if asked != "none" else ()
    unknown = sorted(set(names) - set(NAMES))
    if unknown:
        raise SpecFault(
            f"no gate is named {', '.join(unknown)}; there are {', '.join(NAMES)}, or all, or none"
        )
    return names
