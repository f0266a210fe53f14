"""The command line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Annotated

import typer

from loadbearing.cli.help_pages import PageContext, page_width
from loadbearing.cli.standard_streams import lost, open_streams
from loadbearing.outcomes.table_fault import TableFault
from loadbearing.reports.base.escape import one_line
from loadbearing.runs.errors import RunFault, SpecFault
from loadbearing.runs.play.interrupt import like_ctrl_c
from loadbearing.runs.progress.standard_output import complain, put

VERBS: Mapping[str, str] = {
    "init": "Write a commented spec to begin with. It runs at once.",
    "plan": "What a spec can show, what it may cost, and what the wanted effect takes. Spends nothing.",
    "lock": "Prepare a run and fix its plan, memories and analysis before the first trial: confirmatory.",
    "run": "Run an experiment; the same command again resumes where the first one stopped.",
    "status": "How far a run is, what it cost, what went wrong, and what to do next.",
    "report": "Say what a run found: analyse its ledger anew, print the table, write the report.",
    "show": "The trials of a run, or all that was said in one of them.",
    "compare": "Two runs side by side: what differs in design, verdicts, estimates and cost.",
    "export": "Write a run's tables: trials, checks, slots, condensations, traces, calls, outcomes.",
    "analyze": "The whole analysis on anyone's outcomes: paired, with intervals, equivalence and a report.",
    "condense": "Make memory items of trajectories: one JSON line for each.",
    "perturb": "Damage memory items and check the damage.",
    "check": "Try the laws on a condenser, gate, perturbation, world or memory system of your own.",
    "calibrate": "Hold the instrument against simulated experiments of known truth; exit 1 if a band breaks.",
    "serve-scripted": "A provider on this machine that answers by script: Anthropic's and OpenAI's API.",
    "schema": "The shapes of spec, plan, results, traces, outcome tables and ledger.",
}
"""What the help says of each verb, in its order. A verb's own file is loaded only when it is asked for."""


def verb_of(name: str) -> Callable[..., None]:
    """The function of a verb, from the verb's own file."""
    match name:
        case "init":
            from loadbearing.cli.experiment.init import init

            return init
        case "plan":
            from loadbearing.cli.experiment.plan import plan

            return plan
        case "lock":
            from loadbearing.cli.experiment.lock import lock

            return lock
        case "run":
            from loadbearing.cli.experiment.run import run

            return run
        case "status":
            from loadbearing.cli.reading.status import status

            return status
        case "report":
            from loadbearing.cli.reading.report import report

            return report
        case "show":
            from loadbearing.cli.reading.show import show

            return show
        case "compare":
            from loadbearing.cli.reading.compare import compare

            return compare
        case "export":
            from loadbearing.cli.reading.export import export

            return export
        case "schema":
            from loadbearing.cli.reading.schema import schema

            return schema
        case "analyze":
            from loadbearing.cli.parts.analyze import analyze

            return analyze
        case "condense":
            from loadbearing.cli.parts.condense import condense

            return condense
        case "perturb":
            from loadbearing.cli.parts.perturb import perturb

            return perturb
        case "check":
            from loadbearing.cli.parts.check import check

            return check
        case "calibrate":
            from loadbearing.cli.parts.calibrate import calibrate

            return calibrate
        case "serve-scripted":
            from loadbearing.cli.parts.serve_scripted import serve_scripted

            return serve_scripted
    raise ValueError(f"no verb is named {name}")


def application(asked: str = "") -> typer.Typer:
    """The command line: the verb that is asked for; where none is, a list of all by name."""
    app = typer.Typer(
        name="loadbearing",
        help="Does the condensed memory of an LLM agent carry weight, or is it decoration?",
        epilog="--debug, anywhere, shows where an error came from.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(_root)
    for verb, said in VERBS.items():
        app.command(verb, help=said)(verb_of(verb) if verb == asked else _not_asked)
    return app


def _not_asked() -> None:
    """A verb that is only listed."""


def _say_version(asked: bool) -> None:
    if asked:
        put(f"loadbearing {version('loadbearing')}")
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
    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]
    code = _code(arguments or ["--help"], debug=len(arguments) < len(sys.argv) - 1)
    fault = lost(sys.stdout)
    if fault is not None:
        complain(f"standard output cannot be written: {fault.strerror}; make room, or send it elsewhere")
    sys.exit(code or int(fault is not None))


def _code(arguments: list[str], debug: bool) -> int:
    """The exit code of the work that was done, whoever reads what it says."""
    try:
        with like_ctrl_c():
            return _carry_out(arguments)
    except (typer.Abort, KeyboardInterrupt):
        complain("interrupted; progress is saved; run the same command to resume")
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
    for one in (command, *command.commands.values()):
        one.context_class = PageContext
        # whole sentences in the list of verbs, as there is always room for another line
        one.short_help = one.help
    try:
        with command.make_context("loadbearing", arguments, terminal_width=page_width()) as context:
            command.invoke(context)
    except typer.Exit as ended:
        return ended.exit_code
    return 0
