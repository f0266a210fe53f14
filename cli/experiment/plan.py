"""`plan`: what a spec comes to, before anything is spent."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from loadbearing.cli.experiment.plan_figure import refuse_figure, write_figure
from loadbearing.cli.experiment.plan_text import plan_lines
from loadbearing.runs.planning.forecast import plan_of
from loadbearing.runs.planning.pilot import read_pilot
from loadbearing.runs.planning.power_questions import Wanted
from loadbearing.runs.progress.standard_output import complain, put, put_json, width_of
from loadbearing.runs.setup.preflight import check_spec
from loadbearing.runs.spec.spec import Spec


def plan_spec(
    spec: Spec,
    as_json: bool,
    pilot: Path | None = None,
    wanted: Wanted = Wanted(),
    figure: Path | None = None,
    base_urls: Sequence[str] = (),
) -> None:
    """Print the plan.

    Args:
        pilot: a run whose measured tokens take the place of rendered prompts, and whose scores that of
            assumed variance parts.
        wanted: the effect and the power that are asked for, and what may be spent.
        figure: where the power curve goes, `.html` or `.svg` (with its data beside it, `.csv`).
        base_urls: addresses named on the command line.

    Raises:
        SpecFault: something in the spec does not fit, the pilot is no run with trials, or the figure cannot
            be written.
        RunFault: the world broke.
    """
    refuse_figure(figure)
    experiment = check_spec(spec, base_urls=base_urls)
    plan = plan_of(experiment, None if pilot is None else read_pilot(pilot), wanted)
    for line in experiment.told:
        complain(line)
    if figure is not None:
        write_figure(plan, figure)
    if as_json:
        put_json(plan)
    else:
        put("\n".join(plan_lines(plan, width_of(sys.stdout))))
