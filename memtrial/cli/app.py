"""The command line."""

import gc
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Annotated

import typer

from memtrial.cli.help_page import HelpContext
from memtrial.cli.standard_streams import lost, open_streams
from memtrial.console.escape import one_line
from memtrial.console.standard_output import complain, put
from memtrial.faults import RESUME, RunFault, SpecFault
from memtrial.outcomes.table_fault import TableFault
from memtrial.runs.engine.interrupt import like_ctrl_c

VERBS: Mapping[str, tuple[str, str]] = {
    "try": ("experiment.try_agent:try_agent", "Your memory file, your agent, your tasks: does it matter?"),
    "init": ("experiment.init:init_spec", "Write a commented spec to begin with. It runs at once."),
    "plan": ("experiment.plan:plan", "What a spec can show, what it costs, what it needs. Spends nothing."),
    "lock": ("experiment.lock:lock", "Fix plan, memories and analysis before the first trial: confirmatory."),
    "run": ("experiment.run:run", "Run an experiment; the same command again resumes where it stopped."),
    "worker": ("experiment.worker:worker", "Play blocks of runs in a database beside other workers."),
    "merge": ("experiment.merge:merge", "One run of the shards that `run --shard` played, with its report."),
    "evolve": ("experiment.evolve:evolve", "Let memories grow over streams of tasks: what is that worth?"),
    "ablate": ("experiment.ablate:ablate", "Play subsets of the gates of a spec: what each does and costs."),
    "status": (
        "results.live_status:tell_status",
        "How far a run is, its cost, what went wrong, what to do.",
    ),
    "report": ("results.report:report_run", "Analyse a run's ledger anew: the table and the report."),
    "show": ("results.show:show_run", "The trials of a run, or all that was said in one of them."),
    "view": ("results.view:view_runs", "Look at runs, their tasks and trials, on a local page."),
    "compare": ("results.compare:compare_runs", "Two runs: what differs in design, verdicts and cost."),
    "failures": ("results.failures:show_failures", "How memory breaks what is solved without it, by mode."),
    "probe": ("results.probe:probe", "Ask recorded decisions again: is the memory in them read?"),
    "export": ("results.export:export_run", "A run's tables as Parquet and JSON lines, or its outcomes."),
    "import": (
        "results.import_records:import_records",
        "Take in what was made elsewhere: outcomes of slots, logs as traces.",
    ),
    "analyze": ("tools.analyze:analyze", "The whole analysis on anyone's outcomes, paired, with a report."),
    "condense": ("tools.condense:condense", "Make memory items of trajectories: one JSON line for each."),
    "tune": ("tools.tune:tune", "Tune a gate's question, the draft or the revision on labelled examples."),
    "gates": ("tools.gates:gates", "The gates: list, show, regress on labelled fixtures, label items."),
    "review": ("tools.review:review", "Decide on the drafts that wait for a person, on a local page."),
    "tasks": ("tools.tasks:tasks", "Coding tasks from git or a folder, tried, and what is left out."),
    "perturb": ("tools.perturb:perturb", "Damage memory items and check the damage."),
    "check": ("tools.check:check_object", "Try the laws on a condenser, gate, world … of your own."),
    "calibrate": ("tools.calibrate:calibrate", "Hold the instrument against experiments of known truth."),
    "memory": (
        "bank.memory:memory",
        "A bank in a folder: its items, what fits a task and why, every change, out, in.",
    ),
    "agents": ("tools.agents:agents", "Agents that people run: which are here, how each carries memory."),
    "serve-scripted": ("tools.serve_scripted:serve_scripted", "A local provider that answers by script."),
    "proxy": ("tools.proxy:proxy", "A local proxy to a provider: keeps, counts and bounds what passes."),
    "list": (
        "tools.member_list:list_members",
        "What a spec may name: kinds, gates, models …, a line each.",
    ),
    "completion": (
        "tools.completion:print_completion",
        "A script with which your shell completes verbs and options.",
    ),
    "schema": ("results.schema:show_schema", "The shapes of spec, plan, results, traces and outcome tables."),
}
"""Where a verb's function is, and what the help says of it; its file is loaded when the verb is asked for."""
WHOLE = frozenset(
    {"analyze", "calibrate", "compare", "condense", "export", "gates", "perturb", "plan", "report", "tune"}
)
"""Verbs that do all of their work or nothing: of one that is interrupted nothing is kept, paid answers
included."""


def application(asked: str = "") -> typer.Typer:
    """The command line: the verb that is asked for, alone; where that is none, a list of all by name."""
    app = typer.Typer(
        name="memtrial",
        help="Does the condensed memory of an LLM agent carry weight, or is it decoration?",
        epilog="--debug, anywhere, shows where an error came from.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(_root)
    if asked in VERBS:
        place, about = VERBS[asked]
        module, _, function = place.partition(":")
        app.command(asked, help=about)(getattr(import_module(f"memtrial.cli.{module}"), function))
        return app
    for verb, (_, about) in VERBS.items():
        app.command(verb, help=about)(_root)
    return app


def _say_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        put(f"memtrial {version('memtrial')}")
        raise typer.Exit


def _root(
    _: Annotated[
        bool, typer.Option("--version", callback=_say_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Does the condensed memory of an LLM agent carry weight, or is it decoration?"""


def main() -> None:
    """Entry point: faults become one line and an exit code; `--debug` shows where they came from."""
    open_streams()
    gc.set_threshold(50_000, 20, 20)  # rows stay: a look through all of them finds no garbage
    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]
    code = _exit_code(arguments or ["--help"], debug=len(arguments) < len(sys.argv) - 1)
    fault = lost(sys.stdout)
    if fault is not None:
        complain(f"standard output cannot be written: {fault.strerror}; make room, or send it elsewhere")
    sys.exit(code or int(fault is not None))


def _exit_code(arguments: list[str], debug: bool) -> int:
    """The exit code of the work that was done, whoever reads what it says."""
    try:
        with like_ctrl_c():
            return _carry_out(arguments)
    except (typer.Abort, KeyboardInterrupt):
        anew = "nothing of it was kept; run the same command to begin anew"
        complain(f"interrupted; {anew if arguments[0] in WHOLE else RESUME}")
        return 130
    except typer.TyperException as fault:
        complain(f"{one_line(fault.format_message()).rstrip('.')}; --help says what there is")
        return 2
    except (SpecFault, TableFault, RunFault) as fault:
        if debug:
            raise
        complain(str(fault))
        return 1 if isinstance(fault, RunFault) else 2
    except OSError as fault:
        # a path that nobody looked at before: too long, in a folder that may not be entered, on a lost disk
        if debug:
            raise
        what = f"{fault.filename} cannot be used" if fault.filename else "the system refused"
        complain(f"{what}: {fault.strerror or type(fault).__name__}; name another path, or mend this one")
        return 2 if fault.filename else 1


def _carry_out(arguments: list[str]) -> int:
    """The verb's exit code. Not by typer's own `main`: that swallows an interrupt and a closed pipe."""
    command = typer.main.get_group(application(arguments[0]))
    for part in (command, *command.commands.values()):
        # whole sentences in the list of verbs, as there is always room for another line
        part.short_help = part.help
        part.context_class = HelpContext
        if (help_option := part.get_help_option(HelpContext(part))) is not None:
            help_option.default = False  # of None typer asks pydantic, which takes long to load
    try:
        with command.make_context("memtrial", arguments) as context:
            code = command.invoke(context)
            return code if isinstance(code, int) else 0
    except typer.Exit as ended:
        return ended.exit_code
