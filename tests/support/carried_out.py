"""Carrying a spec out in a test, as the verb does."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from memtrial.api.run import RunOptions
from memtrial.cli.experiment.run import run_spec as carry_out
from memtrial.cli.options import Mode
from memtrial.console.display import Display
from memtrial.ledger.run_plan import plan_in_force
from memtrial.private_file import write_whole
from memtrial.runs.engine.schedule import Session
from memtrial.runs.engine.session import ledger_of, refuse_other, run_session
from memtrial.runs.run_folder.folder import alone_in, make
from memtrial.runs.run_folder.lock_surroundings import beside_of
from memtrial.runs.setup.preflight import check_spec
from memtrial.runs.spec.spec import Spec
from memtrial.views.results.run_results import results


def run_spec(
    spec: Spec,
    out: Path | None,
    clean: bool,
    limit: int | None,
    mode: Mode,
    as_json: bool,
    require_decision: bool,
    retry_errors: bool = False,
    environment: Mapping[str, str] | None = None,
    base_urls: Sequence[str] = (),
) -> int:
    """The exit code."""
    options = RunOptions(out, clean, limit, retry_errors, tuple(base_urls), environment)
    return carry_out(spec, options, mode, as_json, require_decision)


def play_spec(
    spec: Spec,
    out: Path,
    limit: int | None = None,
    retry_errors: bool = False,
    environment: Mapping[str, str] | None = None,
    told: bool = True,
) -> int:
    """One session with its results.json if that is `told`, without the reports, which take the most time; the
    exit code."""
    experiment = check_spec(spec, environment)
    refuse_other(out, experiment)
    make(out)
    with alone_in(out), ledger_of(out, experiment) as ledger:
        session = Session(limit, retry_errors)
        ending = run_session(experiment, out, ledger, Display("none"), session)
        ledger.look_again()
        if told and plan_in_force(ledger) is not None:
            found = results(ledger, beside_of(out, ledger))
            write_whole(out / "results.json", found.json_text())
    return {"errors": 1, "halted": 1, "interrupted": 130}.get(ending.how, 0)
