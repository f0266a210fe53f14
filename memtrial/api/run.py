"""A spec forecast; a run carried out, where the same call again goes on where it stopped."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memtrial.api.given_spec import Given, spec_of
from memtrial.api.lock import freeze, write_lock
from memtrial.api.shards.shard_run import (
    ShardPlace,
    begin_part,
    describe_part,
    forget_cut_off,
    read_place,
    refuse_uncut,
    refuse_unprepared,
    settle_part,
)
from memtrial.api.shared.shared_folder import refuse_unfit
from memtrial.api.shared.shared_play import WorkersBeside, WorkerTerms, play_shared, refuse_alone
from memtrial.api.shared.started_workers import MOST, EngineName
from memtrial.api.shown.report_files import write_reports
from memtrial.console.display import Display, progress_of
from memtrial.faults import SpecFault
from memtrial.ledger.run_plan import count_played, plan_in_force, read_lock
from memtrial.outcomes.given_path import path_of
from memtrial.pages.page_server import serve_run_page
from memtrial.plugins.elsewhere_agent import ELSEWHERE, HOW
from memtrial.plugins.plugin_names import plugins_of
from memtrial.plugins.process_watch import process_watch
from memtrial.runs.engine.schedule import Ending, Session
from memtrial.runs.engine.session import ledger_of, refuse_other, run_session
from memtrial.runs.engine.shared_ledger import refuse_unshared
from memtrial.runs.forecast.cost_forecast import Pilot, read_pilot
from memtrial.runs.forecast.power_table import PlanOptions
from memtrial.runs.forecast.spec_forecast import Forecast, forecast_of
from memtrial.runs.forecast.table_pilot import OPTION, TablePilot, is_table, read_table_pilot
from memtrial.runs.run_folder.folder import (
    alone_in,
    folder_of,
    make,
    open_for_reading,
    refuse_damaged_stream,
    refuse_kept_elsewhere,
    refuse_links,
)
from memtrial.runs.run_folder.folder import clean as remove
from memtrial.runs.setup.event_loop import without_loop
from memtrial.runs.setup.preflight import Experiment, check_spec
from memtrial.runs.setup.processes.process_count import refuse_processes
from memtrial.runs.spec.option_values import refuse_options, settle
from memtrial.views.rows.results import Results


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How to carry a spec out.

    Args:
        out: the run folder; logs/<name>_s<seed> unless given.
        clean: remove the folder first and begin anew.
        limit: play so many blocks and stop; None for all.
        retry_errors: play trials again that ended as errors.
        base_urls: where a provider's requests go, URL or PROVIDER=URL.
        environment: where keys and addresses stand; the process's own unless given.
        ledger: postgresql://…, where other workers play it, too; None for the folder's own.
        prepare: stop before the first trial, when all is prepared.
        shard: play one part of the blocks, as `2/4`, in a folder of its own, for `merge`.
        prepared: the folder of a prepared run that the shard begins from.
        engine: what starts workers beside this one, where there is a `ledger`; `processes` where a number of
            `workers` is given.
        workers: how many; as many as the engine has processors where an `engine` is given.
        report: write report.html and report.md at the end of the session; else `load` with `write`, or
            `memtrial report`, writes them later. One that is there already is renewed.
    """

    out: Path | None = None
    clean: bool = False
    limit: int | None = None
    retry_errors: bool = False
    base_urls: tuple[str, ...] = ()
    environment: Mapping[str, str] | None = None
    ledger: str | None = None
    prepare: bool = False
    shard: str | None = None
    prepared: Path | None = None
    engine: EngineName | None = None
    workers: int | None = None
    report: bool = True

    def __post_init__(self) -> None:
        settle(self, {"workers": (1, MOST)})


@dataclass(frozen=True, slots=True)
class RunEnd:
    """How a session ended, and what the run says by now; no results before its first trial, and of a shard.

    Args:
        notice: what there is in the place of results: a prepared run, or a shard.
    """

    folder: Path
    ending: Ending
    results: Results | None
    notice: str = ""

    def _repr_html_(self) -> str:
        return "" if self.results is None else self.results._repr_html_()


@without_loop
def run(spec: Given, options: RunOptions = RunOptions(), display: Display | None = None) -> RunEnd:
    """Carry a spec out, and write results.json and the report into its folder.

    Args:
        spec: a file, a mapping of its keys, or the spec itself.
        display: shows progress; unless given a bar in a notebook, and nothing elsewhere.

    Raises:
        SpecFault: the spec, or the folder it would go on in, is wrong; nothing was written.
        RunFault: the run cannot go on.
    """
    refuse_options(options, RunOptions, "options")
    given, shown = spec_of(spec), progress_of(display)
    if options.retry_errors and given.mode == "stream":
        raise SpecFault(
            "--retry-errors cannot go with mode: stream, where later tasks have been shown what came before;"
            " leave it out, or begin anew with --clean"
        )
    with process_watch(plugins_of(given.model_dump())):
        experiment = check_spec(given, options.environment, options.base_urls)
        return play_out(experiment, options, shown)


def play_out(experiment: Experiment, options: RunOptions, shown: Display, locked: bool = False) -> RunEnd:
    """Play a checked experiment in its folder, from where it stopped, and write the report.

    Args:
        locked: freeze plan and analysis before the first trial, where that was not done yet.

    Raises SpecFault and RunFault as `run`; a run that was begun without a lock is not locked any more.
    """
    given = experiment.spec
    if given.agent == ELSEWHERE:
        raise SpecFault(f"nothing is played here; {HOW}")
    refuse_processes(experiment, options.ledger is not None)
    folder, place = folder_of(given, options.out), read_place(options.shard, options.prepared)
    refuse_uncut(given, place, options.prepare, options.ledger)
    refuse_alone(options.ledger, options.engine, options.workers, options.limit)
    if options.ledger is not None:
        return _play_shared(experiment, folder, options, options.ledger, shown)
    if place is not None:
        refuse_unprepared(place, experiment, folder)
        forget_cut_off(folder)
    if options.clean:
        remove(folder)
    refuse_kept_elsewhere(folder)
    refuse_damaged_stream(refuse_other(folder, experiment), given, folder)
    make(folder)
    with alone_in(folder):
        begin_part(place, folder)
        return _play_here(experiment, folder, place, options, shown, locked)


def _play_here(
    experiment: Experiment,
    folder: Path,
    place: ShardPlace | None,
    options: RunOptions,
    shown: Display,
    locked: bool,
) -> RunEnd:
    """The same in a folder that nobody else plays in; a whole run, or a shard."""
    with ledger_of(folder, experiment) as ledger:
        settle_part(place, folder, ledger)
        if locked and read_lock(ledger) is None:
            if count_played(ledger):
                raise SpecFault(
                    f"a lock is made before the first trial, and {folder} has trials; use another"
                )
            fixing = Session(freeze=lambda blocks, plan: freeze(experiment, ledger, blocks, plan))
            run_session(experiment, folder, ledger, shown, fixing)
            write_lock(folder, ledger)
        most = 0 if options.prepare else options.limit
        session = Session(most, options.retry_errors, serve_page=serve_run_page)
        ending = run_session(experiment, folder, ledger, shown, session)
        ledger.look_again()
        if plan_in_force(ledger) is None:
            return RunEnd(folder, ending, None)
        if place is not None or options.prepare:
            return RunEnd(folder, ending, None, describe_part(folder, ledger))
        return RunEnd(folder, ending, write_reports(folder, ledger, pages=options.report))


def _play_shared(
    experiment: Experiment, folder: Path, options: RunOptions, address: str, shown: Display
) -> RunEnd:
    """The same with a ledger in a database; the folder gets a copy of it, of which the report is written."""
    if options.clean:
        raise SpecFault("--clean cannot go with --ledger, whose rows are kept; name another run by --out")
    beside = None
    if options.engine or options.workers:
        terms = WorkerTerms(base_urls=options.base_urls, environment=options.environment)
        beside = WorkersBeside(options.engine or "processes", options.workers, terms)
    refuse_unshared(experiment.spec)
    refuse_links(folder)
    refuse_unfit(folder, experiment.spec, address)
    make(folder)
    with alone_in(folder):
        session = Session(options.limit, options.retry_errors, serve_page=serve_run_page)
        ending, lines = play_shared(experiment, folder, address, session, shown, beside)
        with open_for_reading(folder) as (_, ledger):
            begun = plan_in_force(ledger) is not None
            results = write_reports(folder, ledger, pages=options.report) if begun else None
    return RunEnd(folder, ending, results, "; ".join(lines))


def plan(
    spec: Given,
    wanted: PlanOptions = PlanOptions(),
    pilot: str | Path | None = None,
    base_urls: Iterable[str] = (),
    say: Callable[[str], object] | None = None,
    pilot_options: Sequence[str] = (),
    command: Sequence[str] = (),
) -> Forecast:
    """Cells, costs, what the design can show, and what the wanted effect takes.

    Args:
        wanted: the effect and the power that are asked for, and what may be spent.
        pilot: a run whose measured tokens take the place of rendered prompts, and whose scores that of
            assumed variance; or a table of outcomes, which tells of variance alone.
        base_urls: where a provider's requests would go, URL or PROVIDER=URL.
        say: is told which addresses these are, and which keys a run still needs; nobody unless given.
        pilot_options: what the columns of the pilot's table are, as `reference=baseline`.
        command: the words of the command line that was given; what is unclear is asked with these words.

    Raises:
        SpecFault: something in the spec does not fit, or the pilot is no run with trials.
        TableFault: the pilot's table cannot be read, or something of it is unclear.
        RunFault: the world broke.
    """
    refuse_options(wanted, PlanOptions, "wanted")
    given = spec_of(spec)
    with process_watch(plugins_of(given.model_dump())):
        experiment = check_spec(given, base_urls=tuple(base_urls), keys_needed=False)
        before: Pilot | TablePilot | None = None
        if pilot is not None:
            named = path_of(pilot, "a run folder or a table as the pilot", SpecFault)
            table = is_table(named)
            if pilot_options and not table:
                raise SpecFault(f"{OPTION} says what the columns of a table are; {named} is none")
            before = read_table_pilot(named, pilot_options, command) if table else read_pilot(named)
        forecast = forecast_of(experiment, before, wanted)
    if say is not None:
        for line in experiment.notices:
            say(line)
    return forecast
