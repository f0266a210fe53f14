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

from condensers.condenser import Condensation, Condenser
from episodes.traces import TraceFault, read_traces
from episodes.trajectory import Trajectory
from episodes.views import View
from gates.suite import NAMES
from models.cache import CallCache
from models.call import ModelFault
from models.catalogue import open_backend
from models.door import Door
from models.keys import read_keys
from models.sending import HaltFault
from prompts.control import ControlFault, load_control
from runs.casting import Role, check_cast, destinations_of, gate_model
from runs.condensing import build_condenser, condense_all, to_json
from runs.display import Display, Mode
from runs.fault import RunFault, SpecFault
from runs.folder import refuse_unwritable, write_whole
from runs.parts import CondenserSpec
from runs.standard_output import put, put_json


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
    door = Door(CallCache(sqlite3.connect(":memory:")), partial(open_backend, keys=keys))
    spec = CondenserSpec(kind=kind, gates=chosen_gates, max_rounds=max_rounds)
    condenser = build_condenser(kind, spec, door, model, asked, prompts, view)
    lines: dict[str, dict[str, Any]] = {}
    display = Display(mode)
    for line in told:
        display.say(line)
    with display.phase(f"condense, {kind}", len(found)) as tick:

        def keep(trace: Trajectory, made: Condensation) -> None:
            lines[trace.trace_id] = to_json(made)
            tick(1)

        try:
            asyncio.run(_all_of(condenser, found, door, keep))
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
        put(f"{len(lines)} traces condensed to {out}; {prompts.label}", sys.stderr)


async def _all_of(
    condenser: Condenser,
    traces: tuple[Trajectory, ...],
    door: Door,
    keep: Callable[[Trajectory, Condensation], None],
) -> None:
    try:
        await condense_all(condenser, traces, door, keep)
    finally:
        await door.close()


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
