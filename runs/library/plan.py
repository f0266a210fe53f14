"""What a spec comes to, before anything is spent."""

from collections.abc import Callable, Iterable
from pathlib import Path

from loadbearing.runs.library.spec import Given, spec_of
from loadbearing.runs.planning.cost import read_pilot
from loadbearing.runs.planning.forecast import Forecast, forecast_of
from loadbearing.runs.planning.power_table import PlanOptions
from loadbearing.runs.setup.preflight import check_spec


def plan(
    spec: Given,
    wanted: PlanOptions = PlanOptions(),
    pilot: str | Path | None = None,
    base_urls: Iterable[str] = (),
    say: Callable[[str], object] | None = None,
) -> Forecast:
    """Cells, costs, what the design can show, and what the wanted effect takes.

    Args:
        wanted: the effect and the power that are asked for, and what may be spent.
        pilot: a run whose measured tokens take the place of rendered prompts, and whose scores that of
            assumed variance.
        base_urls: where a provider's requests would go, URL or PROVIDER=URL.
        say: is told which addresses these are; nobody unless given.

    Raises:
        SpecFault: something in the spec does not fit, or the pilot is no run with trials.
        RunFault: the world broke.
    """
    experiment = check_spec(spec_of(spec), base_urls=tuple(base_urls))
    forecast = forecast_of(experiment, None if pilot is None else read_pilot(Path(pilot)), wanted)
    if say is not None:
        for line in experiment.told:
            say(line)
    return forecast
